"""Arranged data are the same, to the last bit, whoever shuffled them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.selectors.metamorphic import shuffled_rows, tie_free

from leanrank.data.arrangement import Arrangement
from leanrank.data.ranking_data import RankingData

DATA = tie_free(0)


def content(view):
    columns = view.columns(range(view.data.n_features))
    return view.data.dense()[:, columns], view.data.y, view.data.query_ptr


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_no_shuffle_shows(seed, coarse):
    rng = np.random.default_rng(seed)
    # Few distinct values: columns, rows and queries often look alike at first sight.
    data = replace(DATA, X=np.round(DATA.X)) if coarse else DATA
    shuffled = shuffled_rows(data, rng).take_queries(rng.permutation(data.n_queries))
    shuffled = shuffled.subset(rng.permutation(data.n_features))
    for ours, theirs in zip(content(Arrangement.of(data)), content(Arrangement.of(shuffled)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_nothing_is_lost():
    view = Arrangement.of(DATA)
    for place, number in enumerate(view.queries):
        ours, theirs = view.data.query(place), DATA.query(int(number))
        assert ours.query_ids.tolist() == theirs.query_ids.tolist()
        rows, others = (np.column_stack([q.X, q.y]) for q in (ours, theirs))
        np.testing.assert_array_equal(rows[np.lexsort(rows.T)], others[np.lexsort(others.T)])
    assert sorted(view.column_rank) == list(range(9))


def test_storage_width_and_minus_zero_do_not_matter():
    X = np.round(DATA.X).astype(np.float32)
    base = RankingData(X, DATA.y, DATA.query_ptr)
    expected = content(Arrangement.of(base))
    for other in (sp.csr_array(X), X.astype(np.float64), np.where(X == 0, -0.0, X)):
        for ours, theirs in zip(expected, content(Arrangement.of(replace(base, X=other))), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_held_out_data_are_arranged_alike():
    rng = np.random.default_rng(1)
    view, valid = Arrangement.of(DATA), tie_free(5)
    order = rng.permutation(9)
    other = Arrangement.of(DATA.subset(order))
    a = view.like(valid).X[:, view.columns(range(9))]
    shuffled = shuffled_rows(valid, rng).take_queries(rng.permutation(valid.n_queries)).subset(order)
    np.testing.assert_array_equal(a, other.like(shuffled).X[:, other.columns(range(9))])


def test_rows_stay_where_their_order_has_a_meaning():
    rng = np.random.default_rng(2)
    view = Arrangement.of(DATA, sort_rows=False)
    assert view.queries.tolist() == Arrangement.of(DATA).queries.tolist()
    np.testing.assert_array_equal(view.data.X, DATA.take_queries(view.queries).X)
    np.testing.assert_array_equal(view.data.y, DATA.take_queries(view.queries).y)
    other = Arrangement.of(DATA.take_queries(rng.permutation(DATA.n_queries)), sort_rows=False)
    np.testing.assert_array_equal(other.data.X, view.data.X)
