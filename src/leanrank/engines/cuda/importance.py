"""Metrics of every feature alone on a device, as sums over the queries of a block."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.engines.cuda.ranked_lists import ranked_lists
from leanrank.engines.cuda.units import exact_sum
from leanrank.kernels.ranking_metrics import DISCOUNTED_GAIN, PRECISION_SUM, ideal_gain
from leanrank.metrics._base import per_query_sum, relevant
from leanrank.metrics.average_precision import AP
from leanrank.metrics.ndcg import NDCG, divisors, gains


class _Plan(NamedTuple):
    """A metric as what the kernels take, and what a query's sum is divided by."""

    measure: int
    gain: NDArray[np.float64]
    divisor: NDArray[np.float64]
    by: NDArray[np.float64]


def metric_sums(
    block: RankingData, measure: AP | NDCG, directions: tuple[bool, ...], device: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Exact sums of the metric and of its square (2, directions, K), and the queries that count (K,).

    `directions` says for each direction whether low values rank first.
    """
    plan, sizes = _plan(block, measure), block.query_sizes
    empty = plan.by == 0
    counted = ~empty if measure.empty == "skip" else np.ones(block.n_queries, dtype=bool)
    fixed = np.where(empty, 1.0 if measure.empty == "one" else 0.0, np.nan)  # NaN: the ranks decide
    if isinstance(measure, NDCG) and measure.short == "zero" and measure.k is not None:
        fixed[sizes < measure.k] = 0.0
        counted[sizes < measure.k] = True
    gain, divisor = (torch.from_numpy(array).to(device) for array in (plan.gain, plan.divisor))
    shape = (2, len(directions), block.n_features)
    totals, squares = (torch.zeros(shape, dtype=torch.int64, device=device) for _ in range(2))
    cutoff = block.n_rows if measure.k is None else measure.k
    for lists in ranked_lists(block, device):
        by = lists.on_device(np.where(empty, 1.0, plan.by)[lists.queries])[:, None, None]
        given = lists.on_device(fixed[lists.queries])[:, None, None]
        metric = partial(lists.backend.ranked_metric, lists, plan.measure, gain, divisor, cutoff=cutoff)
        expected = measure.ties == "expected"
        values = torch.stack([metric(expected=expected, ascending=low) for low in directions], dim=1) / by
        values = torch.where(torch.isnan(given), values, given)
        totals += exact_sum(values, "the importance")
        squares += exact_sum(values * values, "the importance")
    weight = np.full(block.n_features, int(counted.sum()), dtype=np.int64)
    return totals.cpu().numpy(), squares.cpu().numpy(), weight


def _plan(block: RankingData, measure: AP | NDCG) -> _Plan:
    """What `AP` and `NDCG` compute before they look at scores."""
    y, ptr = block.y.astype(np.float64), block.query_ptr
    if isinstance(measure, AP):
        gain = relevant(y, measure.relevance_threshold)
        by = per_query_sum(gain, ptr)
        if measure.divisor == "attainable" and measure.k is not None:
            by = np.minimum(by, measure.k)
        return _Plan(PRECISION_SUM, gain, np.ones(1), by)
    gain = gains("NDCG", y, measure.gain, measure.discount)
    divisor = divisors(int(block.query_sizes.max()), measure.discount)
    ideal = np.empty(block.n_queries)
    ideal_gain(gain, ptr, 0, block.n_queries, len(y) if measure.k is None else measure.k, divisor, ideal)
    return _Plan(DISCOUNTED_GAIN, gain, divisor, ideal)
