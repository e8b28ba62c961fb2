"""The tables of a comparison: means, ranks, the unified ranking, tests, repetition and stability of features."""

from __future__ import annotations

from typing import Any

from leanrank.evaluation.compare.comparison import DECIMALS
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.report.tables import Table

#: Features named of those most repeated.
REPEATED = 5


def comparison_tables(summary: dict[str, Any]) -> list[Table]:
    """Every table that has rows."""
    tables = [means(summary, ranker) for ranker in summary["rankers"]]
    tables += [ranks(summary, ranker) for ranker in summary["rankers"]]
    tables += [unified(summary), tests(summary), features(summary)]
    return [table for table in tables if table.rows]


def means(summary: dict[str, Any], ranker: str) -> Table:
    """Mean over folds of every metric; the best of each size stands out."""
    metrics = summary["metrics"]
    of_ranker = [row for row in summary["means"] if row["ranker"] == ranker]
    rows = [
        [
            row["k"],
            row["method"],
            *(row["scores"][m] for m in metrics),
            row["n_features"],
            row["selection_seconds"],
            row["training_seconds"],
        ]
        for row in of_ranker
    ]
    best = set()
    for column in range(2, 2 + len(metrics)):
        for k in {row[0] for row in rows if row[0] is not None}:
            figures = {r: round(row[column], DECIMALS) for r, row in enumerate(rows) if row[0] == k}
            best |= {(r, column) for r, figure in figures.items() if figure == max(figures.values())}
    columns = [("k", "whole"), ("method", "text"), *((m, "figure") for m in metrics)]
    columns += [("features", "number"), ("select s", "seconds"), ("train s", "seconds")]
    n_folds = len(summary["settings"]["folds"])
    return Table(f"{ranker}: mean over {n_folds} folds", columns, rows, best=frozenset(best))


def ranks(summary: dict[str, Any], ranker: str) -> Table:
    """Competition ranks by the printed figures."""
    of = {(row["k"], row["metric"]): row["ranks"] for row in summary["ranks"] if row["ranker"] == ranker}
    metrics = summary["metrics"]
    rows = [
        [k, method, *(of[k, m][method] for m in metrics)]
        for k in dict.fromkeys(k for k, _ in of)
        for method in of[k, metrics[0]]
    ]
    columns = [("k", "whole"), ("method", "text"), *((m, "whole") for m in metrics)]
    return Table(f"{ranker}: competition ranks", columns, rows)


def unified(summary: dict[str, Any]) -> Table:
    """Over all columns: Rank, and how often each rank was taken."""
    rows = summary["unified"] or []
    columns = [("method", "text"), ("rank", "two")]
    columns += [(f"R{r}", "whole") for r in range(1, len(rows) + 1)]
    ordered = sorted(rows, key=lambda row: -row["rank"])
    return Table("Unified ranking", columns, [[row["method"], row["rank"], *row["counts"]] for row in ordered])


def tests(summary: dict[str, Any]) -> Table:
    """Every method against all features."""
    rows = [
        [
            row["ranker"],
            row["k"],
            row["method"],
            row["t"]["difference"],
            row["bootstrap"]["low"],
            row["bootstrap"]["high"],
            row["t"]["p"],
            row["t_holm"],
            row["bootstrap"]["p"],
            row["bootstrap_holm"],
        ]
        for row in summary["tests"]["rows"]
    ]
    columns = [("ranker", "text"), ("k", "whole"), ("method", "text"), ("difference", "signed")]
    columns += [("from", "signed"), ("to", "signed"), ("t: p", "figure"), ("Holm", "figure")]
    columns += [("bootstrap: p", "figure"), ("Holm ", "figure")]
    title = f"{summary['tests']['metric']} against {ALL_FEATURES}: paired tests over queries, two-sided"
    return Table(title, columns, rows, note="Intervals of 95% by the bootstrap; p corrected for all rows by Holm.")


def features(summary: dict[str, Any]) -> Table:
    """How often features repeat over folds, and how stable the sets are."""
    rows = [
        [
            row["k"],
            row["method"],
            ", ".join(f"{name} {n}x" for name, n in row["repetition"]["most"][:REPEATED]),
            row["stability"]["nogueira"],
            row["stability"]["low"],
            row["stability"]["high"],
            row["stability"]["kuncheva"],
            row["stability"]["jaccard"],
        ]
        for row in summary["features"]
    ]
    columns = [("k", "whole"), ("method", "text"), ("most repeated", "name"), ("Nogueira", "two"), ("from", "two")]
    columns += [("to", "two"), ("Kuncheva", "two"), ("Jaccard", "two")]
    return Table("Features over folds", columns, rows)


def comparison_facts(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """What was compared, and how."""
    s = summary["settings"]
    return [
        ("folds", ", ".join(str(name) for name, _ in s["folds"])),
        ("features", f"{s['n_features']:,}"),
        ("metrics", "; ".join(definition for _, definition in s["metrics"])),
        ("settings chosen by", s["validation"]),
        ("feature graph", f"importance {s['importance']}, similarity {s['similarity']}"),
        ("selectors tuned", "yes" if s["tune"] else "no"),
        ("scaled by", s["scaler"] or "nothing"),
        ("seed", str(s["random_state"])),
        ("fingerprints of the test data", ", ".join(fingerprint for _, fingerprint in s["folds"])),
        ("unfinished", f"{summary['unfinished']} combinations, in no table"),
        ("report written with", ", ".join(f"{name} {v}" for name, v in summary["versions"].items())),
    ]
