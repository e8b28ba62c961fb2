"""Copies: found whatever the ties, in any blocks, and the right one of them stays."""

from __future__ import annotations

import tracemalloc
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.data.ranking_data import RankingData
from leanrank.engines.fold import fold
from leanrank.engines.local import LocalEngine
from leanrank.errors import ParameterError
from leanrank.stats.copies import SAME, ColumnHashes, Copies, groups_of_copies
from leanrank.stats.feature_graph import feature_graph


def same_order(x, z, query_ptr):
    """The obvious form: every pair of documents of a query is ordered alike."""
    return all(
        np.sign(x[s] - x[t]) == np.sign(z[s] - z[t])
        for start, end in pairwise(query_ptr)
        for s, t in combinations(range(start, end), 2)
    )


def naive_groups(data, alike):
    groups = []
    for j in range(data.n_features):
        for group in groups:
            if alike(data.X[:, group[0]], data.X[:, j]):
                group.append(j)
                break
        else:
            groups.append([j])
    return [group for group in groups if len(group) > 1]


@st.composite
def with_copies(draw):
    """Few values, many zeros, and columns made of others: copies, affine, increasing over all or in each query."""
    sizes = [2, *draw(st.lists(st.integers(1, 7), min_size=1, max_size=5))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = sum(sizes)
    X = rng.integers(-2, 3, (n, 3)) * (rng.random((n, 3)) < rng.choice([0.1, 0.5, 1.0], 3))
    query = np.repeat(np.arange(len(sizes)), sizes)
    by_query = X[:, [0]] * rng.integers(1, 5, len(sizes))[query][:, None] + query[:, None]
    columns = np.hstack([X, X[:, [0]], 4 * X[:, [1]] + 8, X[:, [1]] ** 3 + X[:, [1]], by_query, -X[:, [2]]])
    return RankingData(columns[:, rng.permutation(8)].astype(float), np.zeros(n), np.cumsum([0, *sizes]))


@given(with_copies())
@settings(max_examples=100, deadline=None)
def test_groups_are_those_of_the_obvious_comparison(data):
    one_query = [0, data.n_rows]
    assert groups_of_copies(data, "values") == naive_groups(data, np.array_equal)
    orders = [not same_order(x, np.zeros_like(x), data.query_ptr) for x in data.X.T]  # something, in some query
    by_query = naive_groups(data, lambda x, z: same_order(x, z, data.query_ptr))
    overall = naive_groups(data, lambda x, z: same_order(x, z, one_query))
    assert groups_of_copies(data, "order") == sorted(
        [g for g in by_query if orders[g[0]]] + [g for g in overall if not orders[g[0]]]
    )
    assert groups_of_copies(data, "increasing") == naive_groups(data, lambda x, z: same_order(x, z, one_query))
    for same in SAME:
        assert groups_of_copies(data, same, LocalEngine(2, block_rows=2)) == groups_of_copies(data, same)


@given(with_copies())
@settings(max_examples=60, deadline=None)
def test_the_graph_finds_the_same_copies_as_the_hashes(data):
    graph = feature_graph(data)
    of_order = [[j for j in group if not graph.constant[j]] for group in groups_of_copies(data, "order")]
    assert graph.copies() == [group for group in of_order if len(group) > 1]
    assert feature_graph(data, similarity="strict").copies() == []


@given(with_copies(), st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_hashes_add_up_over_blocks_in_any_order(data, seed):
    whole = fold(ColumnHashes(), data)
    shuffled = data.take_queries(np.random.default_rng(seed).permutation(data.n_queries))
    for one, other in zip(fold(ColumnHashes(), shuffled, LocalEngine(1, block_rows=1)), whole, strict=True):
        np.testing.assert_array_equal(one, other)


def test_features_that_are_the_same_within_queries_are_looked_at_one_at_a_time():
    X = np.repeat(np.random.default_rng(0).random((1_000, 300)), 20, axis=0)
    X[:, 299] = X[:, 7] ** 3
    data = RankingData(X, np.zeros(len(X)), np.arange(0, len(X) + 1, 20))
    groups_of_copies(data.take_queries(range(5)))  # compiled kernels are loaded
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        assert groups_of_copies(data) == [[7, 299]]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < 0.7 * X.nbytes


def test_what_is_the_same_within_queries_is_a_copy_only_as_a_function_of_the_other():
    """It orders nothing, so that all such features order every query alike; trees use them all the same."""
    length, price = np.repeat([2.0, 3.0, 5.0], 4), np.repeat([7.0, 1.0, 4.0], 4)
    X = np.column_stack([length, np.log(length), price, length, np.arange(12.0)])
    data = RankingData(X, np.zeros(12), [0, 4, 8, 12])
    assert groups_of_copies(data, "order") == [[0, 1, 3]]
    assert groups_of_copies(data, "values") == [[0, 3]]


def test_missing_values_are_missing_in_both():
    nan = np.nan
    X = [[1, 1, 10, 1], [nan, nan, nan, 2], [2, 2, 20, nan], [3, 3, 30, 3]]
    data = RankingData(X, [0, 1, 0, 1], [0, 2, 4], missing=True)
    assert groups_of_copies(data, "values") == [[0, 1]]
    assert groups_of_copies(data, "increasing") == [[0, 1, 2]]


def test_the_cheapest_stays_and_what_must_be_kept_and_never_what_must_not():
    cost = np.array([3.0, 1.0, 1.0, 2.0, 5.0])
    group = [[0, 1, 2, 4]]
    mask = np.eye(5, dtype=bool)
    assert Copies.of(group, cost=np.ones(5)).stands_in.tolist() == [0, 0, 0, 3, 0]
    assert Copies.of(group, cost=cost).stands_in.tolist() == [1, 1, 1, 3, 1]
    assert Copies.of(group, cost=cost, never=mask[1]).stands_in.tolist() == [2, 1, 2, 3, 2]
    assert Copies.of(group, cost=cost, must_keep=mask[4]).stands_in.tolist() == [4, 4, 4, 3, 4]
    both = Copies.of(group, cost=cost, must_keep=mask[0] | mask[4])
    assert both.stands_in.tolist() == [0, 0, 0, 3, 4]
    assert both.left_out.tolist() == [False, True, True, False, False]
    assert both.standing("abcde") == {"a": ("b", "c")}
    assert Copies.of(group, cost=cost, never=np.ones(5, dtype=bool)).stands_in.tolist() == [0, 1, 2, 3, 4]
    assert not Copies.none(5).left_out.any()


def test_a_way_of_being_the_same_that_is_none():
    data = RankingData([[1.0], [2.0]], [0, 1], [0, 2])
    with pytest.raises(ParameterError, match="'same' parameter of groups_of_copies must be one of 'values', 'inc"):
        groups_of_copies(data, "alike")


def test_queries_of_one_id_are_two_where_their_documents_differ():
    """What one column has in the first of them, the other has in the second."""
    rng = np.random.default_rng(0)
    a, b = rng.random(5), rng.random(5)
    X = np.column_stack([np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([a, b])])
    data = RankingData(X, np.zeros(10), [0, 5, 10], query_ids=["same", "same"])
    for same in SAME:
        assert groups_of_copies(data, same) == [[0, 2]]


def test_categories_that_part_the_documents_alike_are_copies_whatever_their_texts():
    colour, farbe, other = [0, 1, 2, np.nan, 0, 1], [2, 0, 1, np.nan, 2, 0], [0, 1, 1, np.nan, 0, 1]
    categories = {"colour": ("blue", "green", "red"), "farbe": ("grün", "rot", "blau"), "other": ("a", "b")}
    data = RankingData(
        np.column_stack([colour, farbe, other]),
        [0, 1, 0, 1, 0, 1],
        [0, 3, 6],
        feature_names=["colour", "farbe", "other"],
        categories=categories,
        missing=True,
    )
    assert groups_of_copies(data, "order") == [[0, 1]]
    assert groups_of_copies(data, "values") == []
