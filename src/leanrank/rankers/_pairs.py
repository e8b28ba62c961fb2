"""The preference pairs of all queries, as numbers of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.kernels.pair_dual import pair_rows, pairs_per_query

Rows = NDArray[np.int64]


def preference_pairs(data: RankingData) -> tuple[Rows, Rows, Rows]:
    """Rows of the better and of the worse documents, and where the pairs of each query begin (and the last ones end).

    >>> preference_pairs(RankingData(np.zeros((4, 1)), [1, 0, 2, 2], [0, 2, 4]))
    (array([0]), array([1]), array([0, 1, 1]))
    """
    starts = np.concatenate(([0], np.cumsum(pairs_per_query(data.y, data.query_ptr))))
    better, worse = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.int64)
    pair_rows(data.y, data.query_ptr, better, worse, starts)
    return better, worse, starts
