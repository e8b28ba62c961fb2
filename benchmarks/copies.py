"""What copies of features do to a ranker, though they tell it nothing.

    python -m benchmarks.copies        # writes docs/copies.md

Made data of `benchmarks.made_kinds` with four copies of every useful feature, new ones for each seed; a ranker is
trained on 100 queries, stopped and tuned on 40, and measured by NDCG@10 on 1,000.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.made_kinds import copies as made_copies
from benchmarks.methods_alone import RANKERS, TRAIN, VALID, ranker_of

from leanrank import NDCG, RankingData
from leanrank.data.folds import Fold
from leanrank.data.whole_file import write_whole
from leanrank.evaluation.training import prepared, train
from leanrank.selectors._ranker_selector import copies_to
from leanrank.selectors.column_limits import ColumnLimits

PAGE = Path(__file__).parent.parent / "docs" / "copies.md"
TEST = 1_000
#: Seeds of the made data: none of those that other pages use.
SEEDS = range(200, 212)
WAYS = (
    "all features",
    "in another order",
    "without copies",
    "another copy kept",
    "equal columns in the place of copies",
)


def columns_of(data: RankingData, ranker: Any, seed: int) -> dict[str, list[int]]:
    """The columns that a ranker is trained on, for each way; a column may come twice."""
    stands_in = copies_to(ranker, data, ColumnLimits.none(data.n_features)).stands_in
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(stands_in == j) for j in np.unique(stands_in)]
    ways = (
        range(data.n_features),
        rng.permutation(data.n_features),
        np.unique(stands_in),
        [rng.choice(group) for group in groups],
        stands_in,
    )
    return {way: [int(j) for j in columns] for way, columns in zip(WAYS, ways, strict=True)}


def worth(parts: list[RankingData], ranker: Any, columns: list[int]) -> float:
    """Mean test NDCG@10 of a ranker trained on these columns."""
    cut = [RankingData(part.dense()[:, columns], part.y, part.query_ptr) for part in parts]
    trained = train(ranker, Fold("test", *(prepared(part, ranker) for part in cut)), range(len(columns)))
    return float(np.nanmean(trained.per_query(trained.fold.test, NDCG(k=10))[0]))


def row(kind: str) -> list[str]:
    """The table's rows of a ranker: the mean of each way, and how far it is from all features."""
    values: list[list[float]] = []
    for seed in SEEDS:
        ranker = ranker_of(kind)
        data, _ = made_copies(TRAIN + VALID + TEST, seed)
        parts = [data.take_queries(p) for p in np.split(np.arange(data.n_queries), [TRAIN, TRAIN + VALID])]
        values.append([worth(parts, ranker, columns) for columns in columns_of(parts[0], ranker, seed).values()])
        print(kind, seed, *(f"{v:.4f}" for v in values[-1]), flush=True)
    table = np.array(values)
    apart = table - table[:, :1]
    without = table - table[:, [WAYS.index("without copies")]]
    lines = []
    for i, way in enumerate(WAYS):
        error = apart[:, i].std(ddof=1) / np.sqrt(len(apart))
        same = [name for name, gap in (("all", apart), ("without copies", without)) if not np.round(gap[:, i], 9).any()]
        cells = (kind, way, f"{table[:, i].mean():.4f}", f"{apart[:, i].mean():+.4f} ± {error:.4f}")
        lines.append(f"| {' | '.join(cells)} | {apart[:, i].std(ddof=1):.4f} | {', '.join(same) or 'neither'} |")
    return lines


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    lines = [
        "# What copies do to a ranker",
        "",
        f"Made data with four copies of every useful feature ({TRAIN} training queries, {TEST:,} test queries,",
        f"{len(SEEDS)} data sets), test NDCG@10. Made by `python -m benchmarks.copies`. Copies are what `collapse` of",
        "`select` means for the ranker: for RankSVM `a x + b`, for boosted trees increasing functions. The difference",
        "to all features has its standard error; the spread is that of one data set. The last column says what each is",
        "equal to in every data set, to nine digits.",
        "",
        "| ranker | trained on | NDCG@10 | against all | spread | the same as |",
        "|---|---|---|---|---|---|",
        *(line for kind in RANKERS for line in row(kind)),
        "",
        "- RankSVM: copies are no news, but two columns share a weight, and pay half of the penalty that one would.",
        "  Without them what they tell is punished more. `select` therefore keeps them in the *safe* answer.",
        "- LightGBM: columns equal to another change nothing. An increasing function is another matter: trees cut it",
        "  at the same training documents, but between them at other places, so test documents fall elsewhere. What is",
        "  lost or gained by that is luck. The *safe* answer drops equal columns alone.",
    ]
    write_whole(PAGE, "\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
