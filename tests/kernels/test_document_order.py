"""The sort under every metric: stable, descending, whole tie groups; lists around the sizes where it changes method."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank.kernels.document_order import ranked_documents

SIZES = [1, 2, 15, 16, 17, 63, 64, 65, 80, 127, 128, 129, 200, 256, 257, 1000, 1025]


def _rank(column, k):
    keys, orders, counts = ranked_documents(column[:, None], np.array([0, len(column)]), k)
    m = counts[0, 0]
    return keys[0, :m], orders[0, :m]


@pytest.mark.parametrize("levels", [1, 2, 7, 10**6])
@pytest.mark.parametrize("n", SIZES)
def test_sort_is_stable_and_descending(n, levels):
    column = np.random.default_rng(n).integers(-levels, levels, n) / 8
    key, order = _rank(column, n)
    np.testing.assert_array_equal(order, np.argsort(-column, kind="stable"))
    np.testing.assert_array_equal(key, column[order])


def test_sort_takes_infinities_and_both_zeros():
    column = np.tile([0.0, np.inf, -0.0, -np.inf, 5e-324], 7)
    np.testing.assert_array_equal(_rank(column, len(column))[1], np.argsort(-column, kind="stable"))


@pytest.mark.parametrize("levels", [1, 3, 40, 10**6])
@pytest.mark.parametrize(("n", "k"), [(8, 1), (80, 10), (81, 10), (500, 5), (500, 62), (500, 63)])
def test_prefix_holds_whole_tie_groups(n, k, levels):
    column = np.random.default_rng(n + k).integers(0, levels, n).astype(float)
    key, order = _rank(column, k)
    np.testing.assert_array_equal(order, np.argsort(-column, kind="stable")[: len(order)])
    assert len(order) >= k
    outside = np.setdiff1d(np.arange(n), order)
    assert (column[outside] < key[-1]).all()


def test_prefix_of_documents_all_at_minus_infinity():
    np.testing.assert_array_equal(_rank(np.full(30, -np.inf), 2)[1], np.arange(30))


def test_queries_and_columns_are_sorted_on_their_own():
    scores = np.random.default_rng(0).integers(0, 9, (50, 3)).astype(np.float32)
    query_ptr = np.array([0, 1, 30, 50])
    keys, orders, counts = ranked_documents(scores, query_ptr, 50)
    assert counts.tolist() == [[1, 29, 20]] * 3
    for c in range(3):
        for a, b in ((0, 1), (1, 30), (30, 50)):
            expected = np.argsort(-scores[a:b, c], kind="stable")
            np.testing.assert_array_equal(orders[c, a:b], expected)
            np.testing.assert_array_equal(keys[c, a:b], scores[a:b, c][expected])
