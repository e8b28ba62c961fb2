"""Lists of documents in descending order of a feature, against numpy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank.kernels.list_order import rank_lists


@pytest.mark.parametrize("n", [1, 2, 30, 191, 192, 700])
@pytest.mark.parametrize("decimals", [0, 1, 17])
@pytest.mark.parametrize("width", [np.float32, np.float64])
def test_equals_a_stable_sort(n, decimals, width):
    rng = np.random.default_rng(n + decimals)
    X = np.round(rng.standard_normal((n + 5, 4)) * [1.0, 1e-30, 1e20, 3.0], decimals).astype(width)
    X[:, 3] = 2.0
    X[rng.random(n + 5) < 0.3, 0] = -0.0
    ptr = np.array([0, n, n + 5])
    names = np.concatenate((np.arange(n), np.arange(5))).astype(np.int32)
    orders = np.empty((4, n + 5), np.int32)
    varies = np.zeros(4, dtype=bool)
    rank_lists(X.view(np.uint32 if width is np.float32 else np.uint64), names, ptr, 0, 2, orders, varies)
    assert varies.tolist() == [max(np.ptp(X[:n, j]), np.ptp(X[n:, j])) > 0 for j in range(4)]
    for a, b in ((0, n), (n, n + 5)):
        for j in range(4):
            expected = np.argsort(-X[a:b, j], kind="stable")
            assert orders[j, a:b].tolist() == expected.tolist()
