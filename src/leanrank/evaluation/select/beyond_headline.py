"""What a selection says beyond its headline, in sentences: the other metrics, and the slices of the queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leanrank.evaluation.bootstrap import FEWEST_QUERIES

if TYPE_CHECKING:
    from leanrank.evaluation.select.selection import Selection
    from leanrank.evaluation.select.slice_losses import SliceLoss

#: Slices that are named at most.
NAMED = 6


def metrics_said(selection: Selection) -> str:
    """What the features do to the metrics beside the first; nothing where there is one, or they drop nothing."""
    if selection.point is None or selection.chosen.is_everything:
        return ""
    parts = []
    for one in selection.point.metrics[1:]:
        known = "" if one.certified_loss is None else f", certified at {one.certified_loss:.4f}"
        parts.append(f"{one.metric.upper()} {one.difference:+.4f} [{one.low:+.4f}, {one.high:+.4f}]{known}")
    return "; ".join(parts)


def slices_said(selection: Selection) -> str:
    """What the features do in each slice, the worst first; nothing where there are none, or they drop nothing."""
    if selection.chosen.is_everything:
        return ""
    judged = [one for one in selection.slices if one.mean is not None]
    order = sorted(judged, key=lambda one: (one.low is None, one.mean))
    parts = [_said(one) for one in order[:NAMED]]
    more = [f"{len(order) - NAMED} more"] if len(order) > NAMED else []
    return "; ".join([*parts, *more])


def _said(one: SliceLoss) -> str:
    if one.low is None:
        groups = f" in {one.n_drawn} groups" if one.n_drawn < one.n_queries else ""
        needs = f"{FEWEST_QUERIES}{' groups' * bool(groups)}"
        return f"{one.title} {one.mean:+.4f}, of {one.n_queries} queries{groups}: an interval needs {needs}"
    return f"{one.title} {one.mean:+.4f} [{one.low:+.4f}, {one.high:+.4f}]"
