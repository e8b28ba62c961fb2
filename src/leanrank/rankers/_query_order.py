"""An order of the queries that depends on what is in them, not on where they stand in the data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.kernels.products import rows_times


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
