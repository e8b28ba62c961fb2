"""How alike each feature and the place at which documents were shown order the documents of a query."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.metrics.correlation import KendallTau

#: From this mean correlation on, of either sign, a feature is taken for the place itself.
SAME_AS_POSITION = 0.95


def position_sums(block: RankingData, X: NDArray[Any]) -> NDArray[np.float64]:
    """Sums over queries of Kendall's tau-b with the place, and the queries counted, in two rows; 0 without places.

    >>> from leanrank.data.side_columns import SideColumns
    >>> X = np.array([[0.9, 1.0], [0.5, 3.0], [0.1, 2.0]])
    >>> position_sums(RankingData(X, [1, 0, 0], [0, 3], beside=SideColumns(position=[1, 2, 3])), X).round(3).tolist()
    [[-1.0, 0.333], [1.0, 1.0]]
    """
    sums = np.zeros((2, X.shape[1]))
    if block.beside.position is not None:
        scores = np.nan_to_num(np.asarray(X, dtype=np.float64), nan=0.0)
        tau = KendallTau().per_query(block.beside.position, scores, block.query_ptr)
        varies = np.maximum.reduceat(scores, block.query_ptr[:-1]) > np.minimum.reduceat(scores, block.query_ptr[:-1])
        counted = ~np.isnan(tau) & varies
        sums[0], sums[1] = np.where(counted, tau, 0.0).sum(axis=0), counted.sum(axis=0)
    return sums


def same_as_position(sums: NDArray[np.float64]) -> NDArray[np.int64]:
    """The features that order documents as they were shown, or the other way round, in almost every query."""
    mean = np.divide(sums[0], sums[1], out=np.zeros(sums.shape[1]), where=sums[1] > 0)
    return np.flatnonzero(np.abs(mean) >= SAME_AS_POSITION)
