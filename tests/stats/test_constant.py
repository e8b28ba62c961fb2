"""Constant features: inside queries, not across them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from leanrank.data.ranking_data import RankingData
from leanrank.engines.fold import fold
from leanrank.engines.local import LocalEngine
from leanrank.stats.constant import Constant

X = np.array(
    [[1.0, 5.0, 0.0, 1.0], [1.0, 5.0, 0.0, 1.0], [2.0, 6.0, 0.0, 1.0], [2.0, 7.0, 0.0, 1.0], [9.0, 8.0, 3.0, 1.0]]
)
PTR = [0, 2, 4, 5]


def test_constant_inside_every_query():
    data = RankingData(X, np.zeros(5), PTR)
    sparse = RankingData(sp.csr_array(X), np.zeros(5), PTR)
    for source in (data, sparse):
        for rows in (1, 3, 100):
            assert fold(Constant(), source, LocalEngine(1, block_rows=rows)).tolist() == [True, False, True, True]


def test_nothing_is_called_constant_without_two_documents_to_compare():
    assert fold(Constant(), RankingData(X, np.zeros(5), np.arange(6))).tolist() == [False] * 4
