"""How many judged queries the stop rule needs before it can drop what is useless.

    python -m benchmarks.queries_needed

Made data whose truth is known: some features matter, some are copies of those, some are noise. Writes
docs/queries_needed.md. Finished fits are kept in benchmarks/results/runs, so a run can be interrupted and gone on with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.quality import DOCS, RUNS

from leanrank import make_ranking, select

#: Losses that the stop rule is asked to allow; the first is the default of `select`.
LOSSES = (0.002, 0.01, 0.02)
QUERIES = (125, 250, 500, 1_000, 2_000)
SEEDS = range(3)
PLANTED = {"n_informative": 6, "n_redundant": 12, "n_noise": 14}


def chosen(n_queries: int, seed: int, max_loss: float, *, collapse: bool) -> dict[str, Any]:
    """What the stop rule keeps: how many features, of how many planted sources, and how many of no use."""
    data, truth = make_ranking(n_queries, (10, 40), random_state=seed, **PLANTED)
    run = RUNS / f"queries-{n_queries}-{seed}-{'without' if collapse else 'with'}-copies.db"
    selection = select(
        data, "ranksvm", max_loss=max_loss, answer="certified", collapse=collapse, progress=False, journal=run
    )
    source = {entry.name: entry.source or entry.name for entry in truth if entry.role in ("informative", "redundant")}
    found = {source[name] for name in selection.features if name in source}
    return {
        "kept": selection.n_features,
        "sources": len(found),
        "useless": sum(name not in source for name in selection.features),
    }


def table(*, collapse: bool) -> Iterator[str]:
    """A row for each number of queries and loss."""
    yield "| queries | max_loss | features kept | sources | of no use |"
    yield "|---:|---:|---|---|---|"
    for n_queries in QUERIES:
        for max_loss in LOSSES:
            rows = [chosen(n_queries, seed, max_loss, collapse=collapse) for seed in SEEDS]
            cells = (", ".join(str(row[name]) for row in rows) for name in ("kept", "sources", "useless"))
            line = f"| {n_queries:,} | {max_loss:g} | " + " | ".join(cells) + " |"
            print(line, flush=True)
            yield line


def main() -> None:
    RUNS.mkdir(parents=True, exist_ok=True)
    useful, copies, noise = PLANTED.values()
    lines = [
        "# How many queries the stop rule needs",
        "",
        f"Made data with {useful + copies + noise} features: {useful} that matter, {copies} copies of them and {noise}",
        "of no use; 10 to 40 documents a query. `select` with RankSVM and the stop rule: features kept, how many of",
        f"the {useful} sources are among them, and how many features of no use, for seeds",
        f"{', '.join(map(str, SEEDS))}. Made by `python -m benchmarks.queries_needed`.",
        "",
        *table(collapse=True),
        "",
        "## With copies to choose from",
        "",
        "The same with `--keep-copies`. Sizes that are measured are shares of the number of features to choose from,",
        "so they are others here, and one of them happens to be the number of features that matter.",
        "",
        *table(collapse=False),
    ]
    (DOCS / "queries_needed.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
