"""What `select` shows for its choice: points of curves, stability, and which queries gain and lose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.select.choice import Candidate, Rule, mean
from leanrank.evaluation.select.curve_point import CurvePoint, Evidence, MetricLoss
from leanrank.evaluation.select.stop_rule import Difference
from leanrank.evaluation.stability import nogueira
from leanrank.selectors.selection_record import plain

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
    data: RankingData,
) -> CurvePoint:
    """A point of the path: with the loss it is certified at, and which features and queries it is about."""
    loss = None if math.isinf(certified_loss) else abs(_rounded_down(-certified_loss))
    evidence = Evidence(
        stability=stability_of(candidate, data.feature_names),
        losers=losers(values, reference, data.query_ids),
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
