"""Per-query scaling: every feature of every query on its own, NaN ignored and kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import kernel


@kernel
def query_minmax(X: Any, query_ptr: Any, first: int, last: int, power: float, out: Any) -> None:
    """out = (x - min) / (max - min) for queries first..last-1; 0 where max = min; `power` = 10^decimals, or 0."""
    n_features = X.shape[1]
    low = np.empty(n_features)
    high = np.empty(n_features)
    for q in range(first, last):
        low[:] = np.inf
        high[:] = -np.inf
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                value = np.float64(X[row, j])
                low[j] = value if value < low[j] else low[j]
                high[j] = value if value > high[j] else high[j]
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                out[row, j] = _share(np.float64(X[row, j]), low[j], high[j], power)


@kernel
def query_minmax_csr(
    data: Any, indices: Any, indptr: Any, n_features: int, query_ptr: Any, first: int, last: int, power: float, out: Any
) -> Any:
    """As `query_minmax` for the stored values of a CSR matrix, absent ones counting as 0.

    Returns the query and feature whose absent values would not stay 0 (a negative minimum), or (-1, -1).
    """
    low = np.zeros(n_features)
    high = np.zeros(n_features)
    stored = np.zeros(n_features, np.int64)
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        for i in range(indptr[a], indptr[b]):
            low[indices[i]] = np.inf
            high[indices[i]] = -np.inf
            stored[indices[i]] = 0
        for i in range(indptr[a], indptr[b]):
            j = indices[i]
            value = np.float64(data[i])
            stored[j] += 1
            low[j] = value if value < low[j] else low[j]
            high[j] = value if value > high[j] else high[j]
        for i in range(indptr[a], indptr[b]):
            j = indices[i]
            if stored[j] < b - a:
                if low[j] < 0.0:
                    return q, j
                low[j] = 0.0
                high[j] = max(high[j], 0.0)
                stored[j] = b - a
        for i in range(indptr[a], indptr[b]):
            j = indices[i]
            out[i] = _share(np.float64(data[i]), low[j], high[j], power)
    return -1, -1


@kernel
def query_standardise(X: Any, query_ptr: Any, first: int, last: int, out: Any) -> None:
    """out = (x - mean) / std (of the population) for queries first..last-1; 0 where all values are equal."""
    n_features = X.shape[1]
    low = np.empty(n_features)
    high = np.empty(n_features)
    unit = np.empty(n_features)
    count = np.empty(n_features)
    mean = np.empty(n_features)
    square = np.empty(n_features)
    for q in range(first, last):
        low[:] = np.inf
        high[:] = -np.inf
        count[:] = 0.0
        mean[:] = 0.0
        square[:] = 0.0
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                value = np.float64(X[row, j])
                low[j] = value if value < low[j] else low[j]
                high[j] = value if value > high[j] else high[j]
        # Values are first brought to [0, 1], where neither their squares nor their sums lose digits or overflow.
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                share = _share(np.float64(X[row, j]), low[j], high[j], 0.0)
                if share == share:
                    count[j] += 1.0
                    mean[j] += share
        for j in range(n_features):
            mean[j] /= max(count[j], 1.0)
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                deviation = _share(np.float64(X[row, j]), low[j], high[j], 0.0) - mean[j]
                if deviation == deviation:
                    square[j] += deviation * deviation
        for j in range(n_features):
            unit[j] = np.sqrt(square[j] / max(count[j], 1.0)) if high[j] > low[j] else 1.0
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                out[row, j] = (_share(np.float64(X[row, j]), low[j], high[j], 0.0) - mean[j]) / unit[j]


@kernel
def _share(value: float, low: float, high: float, power: float) -> float:
    if value != value:
        return np.nan
    if not high > low:
        return 0.0
    half = 0.5 if high - low == np.inf else 1.0  # the range itself may overflow
    share = (half * value - half * low) / (half * high - half * low)
    return np.rint(share * power) / power if power > 0.0 else share
