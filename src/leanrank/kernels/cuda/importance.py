"""Metrics of every feature alone on a device, as sums over queries."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from leanrank.kernels.cuda.ranked_lists import RankedLists
from leanrank.kernels.cuda.units import exact_sum


class QueryMetric(NamedTuple):
    """A metric as numbers, for queries whose labels are known and whose orders are not."""

    measure: int  # PRECISION_SUM or DISCOUNTED_GAIN of `kernels.ranking_metrics`
    gain: NDArray[np.float64]  # (n,), of each document
    divisor: NDArray[np.float64]  # of each position
    by: NDArray[np.float64]  # (Q,), what a query's sum is divided by; 0 for a query without a relevant document
    fixed: NDArray[np.float64]  # (Q,), the value of a query whatever the order; NaN: the order decides
    cutoff: int
    expected: bool  # ties are the mean over all orders, else as in the file


def metric_sums(
    pieces: Iterable[RankedLists],
    n_features: int,
    metric: QueryMetric,
    low_first: tuple[bool, ...],
    device: torch.device,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Exact sums of the metric and of its square (2, directions, K); `low_first` says which direction each is."""
    gain, divisor = (torch.from_numpy(array).to(device) for array in (metric.gain, metric.divisor))
    shape = (2, len(low_first), n_features)
    totals, squares = (torch.zeros(shape, dtype=torch.int64, device=device) for _ in range(2))
    divided_by = np.where(metric.by == 0, 1.0, metric.by)
    for lists in pieces:
        by = lists.on_device(divided_by[lists.queries])[:, None, None]
        given = lists.on_device(metric.fixed[lists.queries])[:, None, None]
        ranked = partial(lists.backend.ranked_metric, lists, metric.measure, gain, divisor, cutoff=metric.cutoff)
        values = torch.stack([ranked(expected=metric.expected, ascending=low) for low in low_first], dim=1) / by
        values = torch.where(torch.isnan(given), values, given)
        totals += exact_sum(values, "the importance")
        squares += exact_sum(values * values, "the importance")
    return totals.cpu().numpy(), squares.cpu().numpy()
