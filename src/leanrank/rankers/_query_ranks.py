"""Ranks of documents within their query by label, 1 for the best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData


def expected_ranks(data: RankingData) -> NDArray[np.float64]:
    """Rank of each document in its query; documents of one label share the mean of their ranks.

    >>> expected_ranks(RankingData(np.zeros((5, 1)), [2, 0, 1, 1, 1], [0, 3, 5]))
    array([1. , 3. , 2. , 1.5, 1.5])
    """
    order, query, new = _by_label(data)
    place = np.arange(data.n_rows) - data.query_ptr[query] + 1.0
    group = np.cumsum(new) - 1
    means = np.bincount(group, place) / np.bincount(group)
    ranks = np.empty(data.n_rows)
    ranks[order] = means[group]
    return ranks


def level_ranks(data: RankingData) -> NDArray[np.int64]:
    """Number of the document's label among the distinct labels of its query, 1 for the highest.

    >>> level_ranks(RankingData(np.zeros((5, 1)), [2, 0, 1, 1, 1], [0, 3, 5]))
    array([1, 3, 2, 1, 1])
    """
    order, query, new = _by_label(data)
    level = np.cumsum(new)
    first = level[data.query_ptr[:-1]]
    ranks = np.empty(data.n_rows, dtype=np.int64)
    ranks[order] = level - first[query] + 1
    return ranks


def _by_label(data: RankingData) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Rows by query, best label first; their queries; and whether a new group of equal labels begins."""
    query = np.repeat(np.arange(data.n_queries), data.query_sizes)
    order = np.lexsort((-data.y, query))
    y = data.y[order]
    new = np.ones(data.n_rows, dtype=bool)
    new[1:] = (y[1:] != y[:-1]) | (query[1:] != query[:-1])
    return order, query, new
