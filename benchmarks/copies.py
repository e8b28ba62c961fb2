"""What copies of features do to a ranker, and what it costs to leave them out.

    python -m benchmarks.copies        # writes docs/copies.md

Copies order every query alike. Made data of `benchmarks.made_kinds`, new ones for each seed, and real data; a ranker is
trained on the training part, stopped and tuned on the validation part, and measured by NDCG@10 on the test part.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.made_kinds import KINDS
from benchmarks.methods_alone import RANKERS, TRAIN, VALID, ranker_of
from benchmarks.quality import ndcg
from benchmarks.quality_data import ELSEWHERE, FIXED, MADE, splits

from leanrank import RankingData
from leanrank.data.folds import Fold
from leanrank.data.whole_file import write_whole
from leanrank.evaluation.select.held_out import Material
from leanrank.evaluation.select.measuring import scales_of
from leanrank.evaluation.training import prepared, train
from leanrank.selectors._ranker_selector import copies_of
from leanrank.selectors.column_limits import ColumnLimits

PAGE = Path(__file__).parent.parent / "docs" / "copies.md"
TEST = 1_000
#: Seeds of the made data: none of those that other pages use.
SEEDS = range(200, 212)
FOUR = "made four copies"
REAL = tuple(name for name in (*FIXED, *ELSEWHERE) if name not in MADE)
FIRST = "the first copy kept"
WAYS = (
    "all features",
    "in another order",
    FIRST,
    "the copy that `select` keeps",
    "any copy kept",
    "equal columns in the place of copies",
)


Parts = list[RankingData]


def made(kind: str, seed: int) -> Parts:
    """New data of a kind: training, validation and test queries."""
    data, _ = KINDS[kind](TRAIN + VALID + TEST, seed)
    return [data.take_queries(part) for part in np.split(np.arange(data.n_queries), [TRAIN, TRAIN + VALID])]


def stand_ins(data: RankingData) -> Any:
    return copies_of(data, ColumnLimits.none(data.n_features)).stands_in


def kept(data: RankingData, ranker: Any) -> list[int]:
    """The columns that methods of `select` choose from for this ranker."""
    limits = ColumnLimits.none(data.n_features)
    copies = copies_of(data, limits)
    material = Material(data, None, ranker, copies, scales_of(ranker, data, limits, copies))
    return [int(j) for j in material.standing(data)]


def columns_of(data: RankingData, ranker: Any, seed: int) -> dict[str, list[int]]:
    """The columns that a ranker is trained on, for each way; a column may come twice."""
    stands_in = stand_ins(data)
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(stands_in == j) for j in np.unique(stands_in)]
    ways = (
        range(data.n_features),
        rng.permutation(data.n_features),
        np.unique(stands_in),
        kept(data, ranker),
        [rng.choice(group) for group in groups],
        stands_in,
    )
    return {way: [int(j) for j in columns] for way, columns in zip(WAYS, ways, strict=True)}


def worth(parts: Parts, ranker: Any, columns: list[int], name: str = FOUR) -> float:
    """Mean test NDCG@10 of a ranker trained on these columns."""
    cut = [RankingData(part.dense()[:, columns], part.y, part.query_ptr) for part in parts]
    trained = train(ranker, Fold("test", *(prepared(part, ranker) for part in cut)), range(len(columns)))
    return float(np.nanmean(trained.per_query(trained.fold.test, ndcg(name))[0]))


def said(apart: Any) -> str:
    return f"{apart.mean():+.4f} ± {apart.std(ddof=1) / np.sqrt(len(apart)):.4f}"


def ways(kind: str) -> Iterator[str]:
    """The first table's rows of a ranker: the mean of each way, and how far it is from all features."""
    values: list[list[float]] = []
    for seed in SEEDS:
        parts, ranker = made(FOUR, seed), ranker_of(kind)
        values.append([worth(parts, ranker, columns) for columns in columns_of(parts[0], ranker, seed).values()])
        print(kind, seed, *(f"{v:.4f}" for v in values[-1]), flush=True)
    table = np.array(values)
    apart = table - table[:, :1]
    first = table - table[:, [WAYS.index(FIRST)]]
    for i, way in enumerate(WAYS):
        same = [name for name, gap in (("all", apart), ("first", first)) if not np.round(gap[:, i], 9).any()]
        cells = (kind, way, f"{table[:, i].mean():.4f}", said(apart[:, i]))
        yield f"| {' | '.join(cells)} | {apart[:, i].std(ddof=1):.4f} | {', '.join(same) or 'neither'} |"


def costs() -> Iterator[str]:
    """The second table's rows: what leaving copies out does to each ranker on each kind of data."""
    for name in (*REAL, *KINDS):
        real = name in REAL
        every = [[s.train, s.valid, s.test] for s in splits(name)] if real else [made(name, seed) for seed in SEEDS[:6]]
        sizes, cells = [], []
        for kind in RANKERS:
            apart = []
            for parts in every:
                staying = kept(parts[0], ranker_of(kind))
                sizes.append((parts[0].n_features, len(staying)))
                whole, less = (
                    worth(parts, ranker_of(kind), columns, name) for columns in ([*range(sizes[-1][0])], staying)
                )
                apart.append(less - whole)
            cells.append(said(np.array(apart)))
        n_all, n_left = np.mean(sizes, axis=0)
        yield f"| {name} | {len(every)} | {n_all:g} | {n_left:.1f} | {' | '.join(cells)} |"
        print(name, *cells, flush=True)


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    lines = [
        "# What copies do to a ranker",
        "",
        "Copies are features that order every query alike. Methods of `select` choose from features without copies,",
        "and what they choose is measured against all features, copies among them. Made by",
        "`python -m benchmarks.copies`.",
        "",
        "## Four copies of every useful feature",
        "",
        f"{len(SEEDS)} made data sets with {TRAIN} training queries and {TEST:,} test queries, test NDCG@10. The",
        "difference to all features has its standard error; the spread is that of one data set. The last column says",
        "what each is equal to in every data set, to nine digits.",
        "",
        "| ranker | trained on | NDCG@10 | against all | spread | the same as |",
        "|---|---|---|---|---|---|",
        *(line for kind in RANKERS for line in ways(kind)),
        "",
        "- RankSVM: a copy on another scale is another column to a linear score, and two columns that share a weight",
        "  pay half of the penalty that one would. Something is lost without them: they stay in the *safe* answer.",
        "  Of those that cost the same, `select` keeps the one whose values go best with the labels; for trees, the",
        "  first.",
        "- LightGBM: columns equal to another change nothing. An increasing function is another matter: trees cut it",
        "  at the same training documents, but between them at other places, so test documents fall elsewhere. What is",
        "  lost or gained by that is luck. The *safe* answer drops equal columns alone.",
        "",
        "## What it costs to leave them out",
        "",
        "All features less their copies, test NDCG@10 against all features; `--keep-copies` (`collapse=False`) leaves",
        "them among what methods choose from.",
        "",
        "| data | data sets or splits | features | without copies | " + " | ".join(RANKERS) + " |",
        "|---|---:|---:|---:|---|---|",
        *costs(),
    ]
    write_whole(PAGE, "\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
