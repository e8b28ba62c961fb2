"""The summary of a shadow, and its tables: figures of queries and slices, drift of features, lists side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingSource
from leanrank.evaluation.shadow.asked import Asked
from leanrank.evaluation.shadow.drift import Drift
from leanrank.evaluation.shadow.estimate import LossEstimate
from leanrank.evaluation.shadow.judging import names_of
from leanrank.evaluation.shadow.shadow import SHOWN, Shadow
from leanrank.report._summary import FORMAT, VERSION, versions
from leanrank.report.tables import Table


def summarize_shadow(
    shadowed: Shadow,
    logged: RankingSource | None = None,
    *,
    loss: LossEstimate | None = None,
    drift: Drift | None = None,
    asked: Asked | None = None,
    show: int = SHOWN,
    source: dict[str, str | None] | None = None,
) -> dict[str, Any]:
    """Everything a report of a shadow says.

    Parameters
    ----------
    shadowed : Shadow
    logged : RankingSource, default=None
        Where the names of documents are looked up.
    loss : LossEstimate, default=None
        What judgements say is lost.
    drift : Drift, default=None
        What changed since an older log.
    asked : Asked, default=None
        The queries that were drawn to be judged: a report in JSON has what their answers need to know of the log.
    show : int, default=10
        Queries to show side by side.
    source : dict, default=None
        The files that it was made of, by what they are.
    """
    figures = shadowed.to_dict(show)
    names = {} if logged is None else names_of(logged, [row["query"] for row in figures["most_changed"]])
    for row in figures["most_changed"]:
        for side in ("full", "pruned"):
            row[side] = [_name(names.get(str(row["query"])), document) for document in row[side]]
    firsts = np.bincount(shadowed.changes.first_moved, minlength=shadowed.k + 1)
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "kind": "shadow",
        "sentence": shadowed.sentence(),
        **figures,
        "features": list(shadowed.features),
        "first_places": firsts[1 : shadowed.k + 1].tolist(),
        "asked": None if asked is None else asked.to_dict(),
        "loss": None if loss is None else {**loss.to_dict(), "sentence": loss.sentence()},
        "drift": None if drift is None else {**drift.to_dict(), "sentence": drift.sentence()},
        "source": {name: path for name, path in (source or {}).items() if path is not None},
        "versions": versions(),
    }


def _name(names: list[str] | None, document: int | None) -> str | None:
    if document is None:
        return None
    return f"document {document}" if names is None else names[document - 1]


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
