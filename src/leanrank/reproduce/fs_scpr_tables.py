"""Tables of ours beside those of Yeh and Tsai: improvements in percent, and unified rankings."""

from __future__ import annotations

from leanrank.reproduce.fs_scpr_claims import LEARNING, SELECTION, Rows, own_ranking
from leanrank.reproduce.letor_rows import MEASURES
from leanrank.reproduce.outcome import Table, published


def printed(dataset: str, method: str, measure: str) -> float:
    """The figure of a method in the table of a data set, the last where several have it."""
    figures = [
        q.value
        for q in published("fs-scpr")
        if (q.dataset, q.method, q.metric, q.unit) == (dataset, method, measure, "fraction")
    ]
    return figures[-1]


def improvements(rows: Rows) -> Table:
    """By how many percent FS-SCPR is above others: published and ours."""
    lines = []
    for dataset, of in rows.items():
        for other in ("RankSVM-Primal", "GAS-E", "FSMSVM", "FSMRank"):
            if "FS-SCPR" in of and other in of:
                for measure in MEASURES:
                    theirs = printed(dataset, "FS-SCPR", measure) / printed(dataset, other, measure)
                    ours = of["FS-SCPR"][measure] / of[other][measure] if of[other][measure] else float("nan")
                    lines.append((dataset, other, measure, f"{100 * (theirs - 1):+.2f}", f"{100 * (ours - 1):+.2f}"))
    columns = ("data", "FS-SCPR over", "measure", "published %", "ours %")
    return Table("Improvements of FS-SCPR in percent", columns, tuple(lines))


def unified_tables(rows: Rows) -> list[Table]:
    """Our unified rankings, over the data sets that are there."""
    tables = []
    for table, methods in (("11", SELECTION), ("16", LEARNING)):
        ranking = own_ranking(rows, methods)
        if ranking is None:
            continue
        counts = tuple(f"R_{r}" for r in range(1, len(methods) + 1))
        title = f"Unified ranking of our figures on {', '.join(rows)} (counterpart of Table {table})"
        lines = [(m, *map(str, ranking.counts[i]), f"{ranking.scores[i]:.2f}") for i, m in enumerate(ranking.methods)]
        tables.append(Table(title, ("method", *counts, "Rank"), tuple(lines)))
    return tables
