"""Per-query scaling: every feature of every query on its own, NaN ignored and kept.

Arrays: out has the shape of X, or of the stored values of a CSR matrix; low, width, half (K,) are scratch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import kernel


@kernel
def query_minmax(X: Any, query_ptr: Any, first: int, last: int, power: float, out: Any) -> None:
    """out = (x - min) / (max - min) for queries first..last-1; 0 where max = min; `power` = 10^decimals, or 0."""
    n_features = X.shape[1]
    low = np.empty(n_features)
    width = np.empty(n_features)
    half = np.empty(n_features)
    for q in range(first, last):
        _ranges(X, query_ptr[q], query_ptr[q + 1], low, width, half)
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                out[row, j] = (half[j] * np.float64(X[row, j]) - low[j]) / width[j]
        if power > 0.0:
            for row in range(query_ptr[q], query_ptr[q + 1]):
                for j in range(n_features):
                    # Again from X: rounded as float64, whatever the width of out.
                    share = (half[j] * np.float64(X[row, j]) - low[j]) / width[j]
                    out[row, j] = np.rint(share * power) / power


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
            start, width, half = _range(low[j], high[j])
            share = (half * np.float64(data[i]) - start) / width
            out[i] = np.rint(share * power) / power if power > 0.0 else share
    return -1, -1


@kernel
def query_standardise(X: Any, query_ptr: Any, first: int, last: int, out: Any) -> None:
    """out = (x - mean) / std (of the population) for queries first..last-1; 0 where all values are equal."""
    n_features = X.shape[1]
    low = np.empty(n_features)
    width = np.empty(n_features)
    half = np.empty(n_features)
    count = np.empty(n_features)
    mean = np.empty(n_features)
    std = np.empty(n_features)
    for q in range(first, last):
        # Values are first brought to [0, 1], where neither their squares nor their sums lose digits or overflow.
        _ranges(X, query_ptr[q], query_ptr[q + 1], low, width, half)
        count[:] = 0.0
        mean[:] = 0.0
        std[:] = 0.0
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                share = (half[j] * np.float64(X[row, j]) - low[j]) / width[j]
                known = share == share
                count[j] += 1.0 if known else 0.0
                mean[j] += share if known else 0.0
        for j in range(n_features):
            count[j] = max(count[j], 1.0)
            mean[j] /= count[j]
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                deviation = (half[j] * np.float64(X[row, j]) - low[j]) / width[j] - mean[j]
                std[j] += deviation * deviation if deviation == deviation else 0.0
        for j in range(n_features):
            std[j] = np.sqrt(std[j] / count[j])
            std[j] = std[j] if std[j] > 0.0 else 1.0
        for row in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(n_features):
                out[row, j] = ((half[j] * np.float64(X[row, j]) - low[j]) / width[j] - mean[j]) / std[j]


@kernel
def _ranges(X: Any, begin: int, end: int, low: Any, width: Any, half: Any) -> None:
    """Fill what brings rows begin..end-1 to [0, 1]: see `_range`."""
    low[:] = np.inf
    width[:] = -np.inf  # the largest value, for now
    for row in range(begin, end):
        for j in range(X.shape[1]):
            value = np.float64(X[row, j])
            low[j] = value if value < low[j] else low[j]
            width[j] = value if value > width[j] else width[j]
    for j in range(X.shape[1]):
        low[j], width[j], half[j] = _range(low[j], width[j])


@kernel
def _range(low: float, high: float) -> Any:
    """Start, width and factor such that (factor * x - start) / width is in [0, 1]; 0 for a constant, NaN for NaN."""
    if low > high:  # no value but NaN
        return 0.0, 1.0, 1.0
    if low == high:
        return low, 1.0, 1.0
    if high - low == np.inf:
        return 0.5 * low, 0.5 * high - 0.5 * low, 0.5
    return low, high - low, 1.0
