"""Orders that learners go by: of the queries, of the documents inside each, and the pairs of these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.kernels.pair_dual import pair_rows, pairs_per_query
from leanrank.kernels.products import rows_times

Rows = NDArray[np.int64]


def query_order(data: RankingData) -> NDArray[np.int64]:
    """Numbers of the queries, sorted by their size, their labels and their feature values.

    Learners that visit queries one after the other start from this order and shuffle it, so that the answer does not
    depend on the order of queries in the file, nor on their ids.

    >>> data = RankingData([[1.0], [2.0], [5.0], [4.0], [3.0]], [1, 0, 1, 1, 0], [0, 2, 3, 5])
    >>> query_order(data), query_order(data.take_queries([2, 0, 1]))
    (array([1, 0, 2]), array([2, 1, 0]))
    """
    starts = data.query_ptr[:-1]
    # Irrational weights: two queries agree in the sum only if they agree in every column.
    weights = np.sqrt(np.arange(2, data.n_features + 2)) % 1.0 + 0.5
    mixed = rows_times(data.X, weights)
    values = np.add.reduceat(mixed, starts)
    labels = np.add.reduceat(data.y.astype(np.float64), starts)
    paired = np.add.reduceat(mixed * data.y, starts)
    # Rounded: dense and sparse products differ in the last bits.
    return np.lexsort((paired, values.round(9), labels, data.query_sizes))


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


def preference_pairs(data: RankingData) -> tuple[Rows, Rows, Rows]:
    """Rows of the better and of the worse documents, and where the pairs of each query begin (and the last ones end).

    >>> preference_pairs(RankingData(np.zeros((4, 1)), [1, 0, 2, 2], [0, 2, 4]))
    (array([0]), array([1]), array([0, 1, 1]))
    """
    starts = np.concatenate(([0], np.cumsum(pairs_per_query(data.y, data.query_ptr))))
    better, worse = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.int64)
    pair_rows(data.y, data.query_ptr, better, worse, starts)
    return better, worse, starts
