"""Of copies the one whose values go best with the labels: the same whatever the order, the unit or the sign."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive.within_query import correlation_within_queries

from leanrank.data.ranking_data import RankingData
from leanrank.stats.best_scale import best_scales


def made(seed):
    """Two features of which either scale may be the better one, and copies of them."""
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 9, (60, 2)).astype(float)
    y = np.digitize(x @ rng.normal(size=2) + x**3 @ rng.normal(size=2) / 40 + rng.normal(size=60), [0, 3, 6])
    return RankingData(np.hstack([x, np.log(x), x**3, 2 * x + 1]), y, np.arange(0, 61, 10))


GROUPS = [[0, 2, 4, 6], [1, 3, 5, 7]]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_it_is_the_largest_correlation_inside_queries(seed):
    data = made(seed)
    for group, best in zip(GROUPS, best_scales(data, GROUPS), strict=True):
        worth = [correlation_within_queries(data.X[:, j], data.y, data.query_ptr) ** 2 for j in group]
        assert best == group[int(np.argmax(np.round(worth, 8)))]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_queries_and_rows_in_another_order_and_labels_in_another_unit_change_nothing(seed):
    data = made(seed)
    rng = np.random.default_rng(seed)
    rows = np.concatenate([10 * q + rng.permutation(10) for q in rng.permutation(6)])
    moved = RankingData(data.X[rows], data.y[rows], data.query_ptr)
    scaled = RankingData(data.X, data.y * np.float32(1e-3), data.query_ptr)
    turned = RankingData(data.X, 3 - data.y, data.query_ptr)
    for other in (moved, scaled, turned):
        np.testing.assert_array_equal(best_scales(other, GROUPS), best_scales(data, GROUPS))


@pytest.mark.parametrize("y", [np.zeros(60), np.repeat(np.arange(6), 10)])
def test_labels_that_tell_nothing_leave_the_first(y):
    data = made(0)
    assert best_scales(RankingData(data.X, y, data.query_ptr), GROUPS).tolist() == [0, 1]
