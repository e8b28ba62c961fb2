"""How wide the values of a feature are within queries: the constant that brings it to the scale of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData

Vector = NDArray[np.float64]

#: Rows looked at together.
_ROWS = 10_000


def mean_ranges(data: RankingData) -> Vector:
    """Largest less smallest value of each feature, on average over the queries in which it varies.

    1 for a feature that varies in none, and for categories. Scaling each query by its own range needs the other
    documents of the query; dividing by this does not, and is the same where all ranges are.

    >>> X = [[1.0, 0.0, 7.0], [3.0, 0.0, 7.0], [0.0, 5.0, 7.0], [4.0, 5.0, 7.0]]
    >>> mean_ranges(RankingData(X, [1, 0, 1, 0], [0, 2, 4]))
    array([3., 1., 1.])
    """
    total, n_varying = np.zeros(data.n_features), np.zeros(data.n_features)
    for block in data.blocks(_ROWS):
        ranges, n_queries = (_sparse_ranges if block.is_sparse else _dense_ranges)(block.X, block.query_ptr)
        total += ranges
        n_varying += n_queries
    total[data.category_columns] = 0.0
    return np.where(total > 0, total / np.maximum(n_varying, 1), 1.0)


def divided(data: RankingData, scale: Vector) -> RankingData:
    """The data with every feature divided by its constant."""
    X = data.X
    if data.is_sparse:
        return replace(data, X=sp.csr_array((X.data / scale[X.indices], X.indices, X.indptr), shape=X.shape))
    return replace(data, X=(X / scale).astype(X.dtype))


def _dense_ranges(X: Any, query_ptr: NDArray[np.int64]) -> tuple[Vector, Vector]:
    """The sum over queries of each feature's range, and in how many it varies."""
    high = np.fmax.reduceat(X, query_ptr[:-1], axis=0).astype(np.float64)
    ranges = np.nan_to_num(high - np.fmin.reduceat(X, query_ptr[:-1], axis=0))
    return ranges.sum(axis=0), np.count_nonzero(ranges, axis=0).astype(np.float64)


def _sparse_ranges(X: Any, query_ptr: NDArray[np.int64]) -> tuple[Vector, Vector]:
    """The same of the stored values of each query and feature, and of 0 where some are not stored."""
    query = np.repeat(np.arange(len(query_ptr) - 1), np.diff(X.indptr[query_ptr]))
    key = query * X.shape[1] + X.indices
    order = np.argsort(key, kind="stable")
    known, begin, count = np.unique(key[order], return_index=True, return_counts=True)
    if not len(known):
        return np.zeros(X.shape[1]), np.zeros(X.shape[1])
    values = X.data[order].astype(np.float64)
    high, low = np.fmax.reduceat(values, begin), np.fmin.reduceat(values, begin)
    absent = count < np.diff(query_ptr)[known // X.shape[1]]
    high, low = np.where(absent, np.fmax(high, 0.0), high), np.where(absent, np.fmin(low, 0.0), low)
    columns, ranges = known % X.shape[1], np.nan_to_num(high - low)
    total, n_varying = (np.bincount(columns, of, minlength=X.shape[1]) for of in (ranges, ranges > 0))
    return total.astype(np.float64), n_varying.astype(np.float64)
