"""Tables of a report on what only some runs have: several metrics, slices of the queries, and folds in time."""

from __future__ import annotations

from typing import Any

from leanrank.report.tables import Table

#: Features whose importance over time is shown.
DRIFTING = 12


def side_tables(summary: dict[str, Any]) -> list[Table]:
    """Those that this summary has the figures for."""
    every = (metrics(summary), slices(summary), drift(summary))
    sliced = any(size["slices"] for size in summary["sizes"])  # if not the one that was chosen
    return [table for table in every if table.rows or (table.name == "slices" and sliced)]


def metrics(summary: dict[str, Any]) -> Table:
    """Every size of the path by every metric."""
    columns: list[tuple[str, str]] = [("features", "whole")]
    names = [metric["name"] for metric in summary["metrics"]]
    for name in names:
        columns += [(name, "figure"), ("against all", "signed"), ("from", "signed"), ("to", "signed")]
        columns += [("certified to lose at most", "figure")]
    keys = ("mean", "difference", "low", "high", "certified_loss")
    rows = [
        [point["k"], *(one[key] for one in point["metrics"] for key in keys)]
        for point in summary["curve"]
        if point["on_path"] and point["metrics"] and len(names) > 1
    ]
    asked = ", ".join(f"{metric['name']} at most {metric['max_loss']:g}" for metric in summary["metrics"])
    note = (
        f"Asked for: {asked}. A set is certified where it is for every metric. Each is tested at the whole level and "
        "nothing is corrected for their number: a set that loses too much of one metric passes only if the test of "
        "that one metric errs."
    )
    return Table("Every metric", columns, rows, note=note)


def slices(summary: dict[str, Any]) -> Table:
    """What the chosen features do in every slice, the worst first."""
    columns = [("slice", "name"), ("queries", "whole"), ("against all", "signed"), ("from", "signed"), ("to", "signed")]
    order = sorted(summary["slices"], key=lambda one: (one["low"] is None, one["mean"] is None, one["mean"] or 0.0))
    rows = [[f"{one['slice']}={one['value']}", one["n_queries"], one["mean"], one["low"], one["high"]] for one in order]
    everywhere = " The certified answer holds in every slice." if summary["settings"].get("certify_slices") else ""
    note = (
        f"{summary['metric']} of the {summary['n_kept']} features kept. The intervals hold for all slices at once "
        f"(Bonferroni); a slice of fewer than ten judged queries, or groups of them, has none.{everywhere}"
    )
    return Table("Slices of the queries", columns, rows, note=note, name="slices")


def drift(summary: dict[str, Any]) -> Table:
    """How the shares of features change over time, the largest change first."""
    known = summary["drift"] or {"windows": [], "features": [], "shares": []}
    columns: list[tuple[str, str]] = [("feature", "name")]
    columns += [(f"until {last:g}", "percent") for _, last in known["windows"]]
    columns += [("change", "signed")]
    rows = [
        [name, *shares, round(shares[-1] - shares[0], 6)]
        for name, shares in zip(known["features"][:DRIFTING], known["shares"], strict=False)
    ]
    note = (
        "The share of each feature in what the ranker of all features makes use of, trained on all queries until a "
        "time; the features whose shares change most."
    )
    return Table("Importance over time", columns, rows, note=note, name="drift")
