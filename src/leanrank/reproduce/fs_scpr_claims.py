"""What Yeh and Tsai state of FS-SCPR, on our rows, and tables of ours beside theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from leanrank.evaluation.unified_ranking import UnifiedRanking, unified_ranking
from leanrank.reproduce.letor_rows import MEASURES, Row
from leanrank.reproduce.outcome import Claim, Table, published

DATASETS = ("HP2004", "NP2004", "OHSUMED", "MQ2008")
SELECTION = ("FS-SCPR", "GAS-E", "FSMSVM", "FSMRank")
LEARNING = ("FS-SCPR", "AdaRank-MAP", "RankSVM-Primal", "ListNet", "RankBoost")
_TABLES = {"RankSVM-Primal": (3, 4, 5, 6), "GAS-E": (7, 8, 9, 10), "FSMSVM": (7, 8, 9, 10)}

#: By data set and method.
Rows = dict[str, dict[str, Row]]


def claims(rows: Mapping[str, Mapping[str, Row]]) -> list[Claim]:
    """The comparisons on each data set, then the unified rankings."""
    stated = []
    for number, dataset in enumerate(DATASETS):
        for other, tables in _TABLES.items():
            text = f"{dataset}: FS-SCPR is above {other} in NDCG@10 and MAP"
            stated.append(_compared(text, f"Table {tables[number]}", rows.get(dataset), other, dataset))
    return [claim for claim in stated if claim is not None] + _rankings(rows)


def _compared(text: str, where: str, of: Mapping[str, Row] | None, other: str, dataset: str) -> Claim | None:
    if of is None:
        return Claim(text, None, f"needs {dataset}", where=where)
    if "FS-SCPR" not in of or other not in of:
        return None
    ours, theirs = of["FS-SCPR"], of[other]
    figures = ", ".join(f"{name} {ours[name]:.4f} and {theirs[name]:.4f}" for name in ("NDCG@10", "MAP"))
    return Claim(text, all(ours[name] > theirs[name] for name in ("NDCG@10", "MAP")), figures, where=where)


def own_ranking(rows: Mapping[str, Mapping[str, Row]], methods: Sequence[str]) -> UnifiedRanking | None:
    """The unified ranking of our figures, over the data sets that all of `methods` ran on."""
    present = [of for of in rows.values() if all(method in of for method in methods)]
    if not present:
        return None
    return unified_ranking([{m: of[m][name] for m in methods} for of in present for name in MEASURES], decimals=4)


def _rankings(rows: Mapping[str, Mapping[str, Row]]) -> list[Claim]:
    stated = []
    for methods, text, wanted, where in (
        (
            SELECTION,
            "Of the selection methods FSMRank has the best unified rank, FS-SCPR the second",
            ["FSMRank", "FS-SCPR"],
            "Table 11",
        ),
        (
            LEARNING,
            "FS-SCPR has the best unified rank beside AdaRank, RankSVM, ListNet and RankBoost",
            ["FS-SCPR"],
            "Table 16",
        ),
    ):
        ranking = own_ranking(rows, methods)
        if ranking is not None:
            score = dict(zip(ranking.methods, ranking.scores.tolist(), strict=True))
            others = max(value for method, value in score.items() if method not in wanted)
            falling = [*(score[method] for method in wanted), others]
            figures = ", ".join(f"{method} {value:.2f}" for method, value in score.items())
            stated.append(Claim(text, all(a > b for a, b in pairwise(falling)), figures, where=where))
    return stated


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
