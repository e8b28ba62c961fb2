"""CurvePoint: a method at a size, against all features, by every metric, and which features and queries that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.json_record import LATER, JsonRecord
from leanrank.evaluation.select.choice import Candidate, Rule, mean
from leanrank.evaluation.select.slice_losses import SliceLoss
from leanrank.evaluation.select.stop_rule import Difference
from leanrank.evaluation.stability import nogueira
from leanrank.selectors.features_file import plain


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
        On the path, the smallest `max_loss` at which it is certified; None where queries are too few for any, and of
        all features less their copies, which are no step of the path that is tested.
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


#: How many of the queries that lose most are named.
LOSERS = 10
#: Bins of the histogram of differences per query.
BINS = 40

Values = NDArray[np.float64]


def curve_point(
    candidate: Candidate,
    values: Values,
    difference: Difference,
    folds: Sequence[NDArray[np.int64]],
    weight: Values | None = None,
) -> CurvePoint:
    """A candidate beside all features."""
    return CurvePoint(
        method=candidate.method,
        k=candidate.k,
        cost=candidate.cost,
        mean=mean(values, weight),
        difference=round(difference.mean, 6),
        low=_rounded_down(difference.low),
        high=round(difference.high, 6),
        per_fold=tuple(mean(values[test], None if weight is None else weight[test]) for test in folds),
    )


def on_path(
    point: CurvePoint,
    certified_loss: float,
    candidate: Candidate,
    values: Values,
    reference: Values,
    names: Sequence[str],
    query_ids: NDArray[Any],
) -> CurvePoint:
    """A point of the path: with the loss it is certified at, and which features and queries it is about.

    The features of the candidate are numbers of `names`.
    """
    loss = None if math.isinf(certified_loss) else abs(_rounded_down(-certified_loss))
    evidence = Evidence(
        stability=stability_of(candidate, names),
        losers=losers(values, reference, query_ids),
        per_query=changes(values - reference),
    )
    return replace(point, on_path=True, certified_loss=loss, evidence=evidence)


def metric_losses(
    rule: Rule, names: Sequence[str], values: Values, reference: Values, n_path: int
) -> list[tuple[MetricLoss, ...]]:
    """What each point of a curve does to each metric: the path first, all features last.

    `values` (metrics, points, queries) and `reference` (metrics, queries); the first `n_path` points are the path.
    """
    by_metric = []
    for name, table, own in zip(names, values, reference, strict=True):
        path = table[:n_path]
        losses = rule.certified_losses(path, own) if n_path else np.array([])
        sliced = [rule.losses_in(mask, path, own) for mask in rule.slices] if n_path else []
        in_slices = np.max(sliced, axis=0) if sliced else np.full(n_path, np.inf)
        between = len(table) - n_path - 1
        known = [*map(rounded_up, losses), *[None] * between, 0.0]
        known_in_slices = [*map(rounded_up, in_slices), *[None] * between, 0.0]
        rows = zip(table, rule.compare(table, own), known, known_in_slices, strict=True)
        by_metric.append([_metric_loss(name, mean(row, rule.weight), d, loss, inside) for row, d, loss, inside in rows])
    return list(zip(*by_metric, strict=True))


def _metric_loss(
    name: str, value: float, difference: Difference, certified: float | None, in_slices: float | None
) -> MetricLoss:
    low, high = _rounded_down(difference.low), round(difference.high, 6)
    return MetricLoss(name, value, round(difference.mean, 6), low, high, certified, in_slices)


def rounded_up(loss: float) -> float | None:
    """A bound of a loss to six digits, so that what it promises is kept; None where it is infinite.

    >>> rounded_up(0.00123456), rounded_up(math.inf)
    (0.001235, None)
    """
    return None if math.isinf(loss) else max(0.0, math.ceil(round(loss * 1e6, 3)) / 1e6)


def _rounded_down(bound: float) -> float:
    """So that what it promises is kept."""
    return math.floor(round(bound * 1e6, 3)) / 1e6


def stability_of(candidate: Candidate, names: Sequence[str]) -> dict[str, Any]:
    """How alike the sets of the folds are, and in what share of them each feature is."""
    chosen = np.zeros((len(candidate.sets), len(names)), dtype=bool)
    for row, features in enumerate(candidate.sets):
        chosen[row, list(features)] = True
    index, low, high = nogueira(candidate.sets, len(names))
    often = chosen.mean(axis=0)
    order = np.argsort(-often, kind="stable")
    frequency = {names[j]: round(float(often[j]), 6) for j in order if often[j] > 0}
    return {"nogueira": plain(index), "low": plain(low), "high": plain(high), "frequency": frequency}


def losers(values: Values, baseline: Values, query_ids: NDArray[Any]) -> tuple[dict[str, Any], ...]:
    """The queries hurt most."""
    change = np.nan_to_num(values - baseline, nan=0.0)
    order = np.argsort(np.round(change, 12), kind="stable")[:LOSERS]
    return tuple(
        {
            "query": str(query_ids[q]),
            "all_features": round(float(baseline[q]), 6),
            "selected": round(float(values[q]), 6),
        }
        for q in order
        if change[q] < 0
    )


def changes(difference: Values) -> dict[str, Any]:
    """Queries better, worse and the same, and a histogram of those that changed; 0 is always between two bins."""
    counted = np.round(difference[~np.isnan(difference)], 9)
    largest = max(float(np.abs(counted).max(initial=0.0)), 1e-6)
    edges = np.round(np.linspace(-largest, largest, BINS + 1), 6)
    counts, _ = np.histogram(np.clip(counted[counted != 0], edges[0], edges[-1]), edges)
    return {
        "better": int((counted > 0).sum()),
        "worse": int((counted < 0).sum()),
        "same": int((counted == 0).sum()),
        "edges": edges.tolist(),
        "counts": counts.tolist(),
    }
