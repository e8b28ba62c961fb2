"""The tables of a shadow: figures of all queries and of slices, drift of features, lists side by side."""

from __future__ import annotations

from typing import Any

from leanrank.report.tables import Table

#: Features whose drift is shown at most.
MOST_FEATURES = 30

FIGURES = (
    ("queries", "n_queries", "whole"),
    ("changed", "changed_share", "percent"),
    ("others", "other_documents_share", "percent"),
    ("other first", "first_place_share", "percent"),
    ("overlap", "overlap", "figure"),
    ("entering", "entered", "two"),
    ("mean move", "mean_move", "two"),
    ("largest", "largest_move", "whole"),
)


def answers(summary: dict[str, Any]) -> list[str]:
    """What judgements and an older log add to the first sentence."""
    return [summary[part]["sentence"] for part in ("loss", "drift") if summary[part]]


def shadow_tables(summary: dict[str, Any]) -> list[Table]:
    """Every table that has rows."""
    beside = [lists(row) for row in summary["most_changed"]]
    tables = [figures(summary), drift(summary), *beside]
    return [table for table in tables if table.rows]


def figures(summary: dict[str, Any]) -> Table:
    """All queries, and each slice."""
    rows = [["all queries", *(summary[name] for _, name, _ in FIGURES)]]
    rows += [[row["slice"], *(row[name] for _, name, _ in FIGURES)] for row in summary["slices"]]
    columns = [("slice", "name"), *((heading, kind) for heading, _, kind in FIGURES)]
    k = summary["k"]
    note = (
        f"Shares of queries whose first {k} places change, hold other documents, begin with another document; "
        f"rank-biased overlap (persistence {summary['persistence']:g}; 1 is the same list); documents entering the "
        f"first {k}; places moved by the documents in either first {k} of changed queries."
    )
    return Table(f"What changes in the first {k} places", columns, rows, note=note)


def drift(summary: dict[str, Any]) -> Table:
    """The most drifted features."""
    features = (summary["drift"] or {}).get("features", [])
    rows = [
        [
            row["name"],
            "yes" if row["used"] else "no",
            row["distribution"],
            row["chance"],
            row["distance"],
            *row["missing"],
            *row["importance"],
        ]
        for row in features[:MOST_FEATURES]
    ]
    columns = [("feature", "name"), ("used", "text"), ("distribution", "figure"), ("chance", "figure")]
    columns += [("distance", "figure"), ("missing", "percent"), ("now", "percent")]
    columns += [("importance", "signed"), ("now ", "signed")]
    note = (
        "Distribution: population stability index, and what chance alone gives; distance: Kolmogorov and Smirnov's; "
        "importance: correlation with the scores of the full ranker inside queries. Used: by the pruned ranker."
    )
    return Table("Drift of features since the older log", columns, rows, note=note)


def lists(row: dict[str, Any]) -> Table:
    """The two lists of a query side by side."""
    title = f"Query {row['query']}: overlap {row['overlap']:.3f}"
    same = "the same in both"
    rows = [
        [place, same if before is None else before, same if after is None else after]
        for place, (before, after) in enumerate(zip(row["full"], row["pruned"], strict=True), start=1)
    ]
    return Table(title, [("place", "whole"), ("full", "name"), ("pruned", "name")], rows)


def shadow_facts(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """What was compared, and how."""
    facts = [
        ("places seen", str(summary["k"])),
        ("persistence of rank-biased overlap", f"{summary['persistence']:g}"),
        *((name, path) for name, path in summary["source"].items()),
    ]
    return [*facts, ("report written with", ", ".join(f"{name} {v}" for name, v in summary["versions"].items()))]
