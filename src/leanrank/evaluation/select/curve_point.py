"""CurvePoint: a method at a size, against all features, by every metric, and which features and queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leanrank.data.json_record import LATER, JsonRecord
from leanrank.evaluation.select.slice_losses import SliceLoss


@dataclass(frozen=True)
class MetricLoss(JsonRecord):
    """A set against all features by one metric.

    Attributes
    ----------
    metric : str
    mean : float
        The metric.
    difference, low, high : float
        Its mean difference to all features; the interval holds for all points of the curve at once.
    certified_loss : float or None
        On the path, the smallest loss at which it is certified over all queries; None where it is at none.
    certified_in_slices : float or None
        The same in every slice, where slices are certified too; None where it is at none.
    """

    metric: str
    mean: float
    difference: float
    low: float
    high: float
    certified_loss: float | None = None
    certified_in_slices: float | None = None

    def holds(self, max_loss: float, *, slices: bool) -> bool:
        """Whether it is certified to lose at most so much; with `slices` in each of them too."""
        losses = [self.certified_loss, *([self.certified_in_slices] if slices else [])]
        return all(loss is not None and round(loss, 9) <= max_loss for loss in losses)


@dataclass(frozen=True)
class Evidence(JsonRecord):
    """What a set changes.

    Attributes
    ----------
    stability : dict
        How alike the sets of the folds are (Nogueira), and in what share of the folds each feature was chosen.
    losers : tuple of dict
        The queries hurt most: query, metric with all features, metric with the set.
    per_query : dict
        How many queries are better, worse and the same, and a histogram of the differences of those that changed
        (`edges`, `counts`).
    """

    stability: dict[str, Any]
    losers: tuple[dict[str, Any], ...]
    per_query: dict[str, Any]


@dataclass(frozen=True)
class CurvePoint(JsonRecord):
    """A method at a size: the metric on held-out queries, against all features.

    Attributes
    ----------
    mean : float
        The metric.
    difference, low, high : float
        Its mean difference to all features; the interval holds for all points of the curve at once.
    per_fold : tuple of float
        The metric of each fold.
    on_path : bool
        Whether it is on the path that answers come from, which in each fold is that of the method chosen without it.
        Its features are the first `k` of `Selection.path`.
    certified_loss : float or None
        On the path, the smallest `max_loss` at which it is certified; None where queries are too few for any.
    evidence : Evidence or None
        On the path, which features and queries it is about.
    metrics : tuple of MetricLoss
        Each of several metrics, the first among them; empty where there is one and slices are not certified.
    slices : tuple of SliceLoss
        On the path, what it does to the first metric in each slice of the queries.
    """

    method: str
    k: int
    cost: float
    mean: float
    difference: float
    low: float
    high: float
    per_fold: tuple[float, ...]
    on_path: bool = False
    certified_loss: float | None = None
    evidence: Evidence | None = None
    metrics: tuple[MetricLoss, ...] = field(default=(), metadata=LATER)
    slices: tuple[SliceLoss, ...] = field(default=(), metadata=LATER)

    def holds(self, max_losses: Mapping[str, float], *, slices: bool) -> bool:
        """Whether it is certified to lose at most so much of each metric; with `slices` in each of them too."""
        if not self.metrics:
            [allowed] = max_losses.values()
            return self.certified_loss is not None and round(self.certified_loss, 9) <= allowed
        return all(one.holds(max_losses[one.metric], slices=slices) for one in self.metrics)
