"""Costs, groups, must_keep, never and budget: once for every greedy selector."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.naive import limited_greedy as naive
from tests.selectors.metamorphic import tie_free
from tests.selectors.random_graph import random_graph

from leanrank.errors import ParameterError, UnknownNameError
from leanrank.selectors import GAS, MMR, MPT, MRMR, Limits, TopK
from leanrank.stats.feature_graph import FeatureGraph

SELECTORS = [GAS, MMR, MPT, MRMR, TopK]
GRAPH = FeatureGraph(
    [0.9, 0.8, 0.5, 0.4],
    [[1, 0.9, 0.1, 0.1], [0.9, 1, 0.1, 0.1], [0.1, 0.1, 1, 0.5], [0.1, 0.1, 0.5, 1]],
    ["bm25", "tf", "clicks", "dwell"],
)
LOG = {"log": ["clicks", "dwell"]}


@pytest.mark.parametrize("cls", SELECTORS)
@pytest.mark.parametrize("cost", [1.0, 7.0, 1 / 3, 0.0])
def test_equal_costs_change_nothing(cls, cost):
    for seed in range(20):
        graph = random_graph(seed)
        plain, priced = cls().fit_graph(graph), cls(costs=np.full(graph.n_features, cost)).fit_graph(graph)
        assert priced.ranking_.tolist() == plain.ranking_.tolist()
        np.testing.assert_array_equal(priced.scores_, plain.scores_)
        assert priced.trace_ == plain.trace_
        assert priced.cost_ == pytest.approx(cost * graph.n_features)


@st.composite
def problems(draw):
    m = draw(st.integers(2, 7))
    own = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 5.0]), min_size=m, max_size=m))
    n_groups = draw(st.integers(0, 2))
    groups = [draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=m, unique=True)) for _ in range(n_groups)]
    group_cost = draw(st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=n_groups, max_size=n_groups))
    never = draw(st.lists(st.integers(0, m - 1), max_size=m - 1, unique=True))
    must = draw(st.lists(st.sampled_from([j for j in range(m) if j not in never]), max_size=2, unique=True))
    budget = draw(st.sampled_from([np.inf, 1.0, 4.0, 8.0]))
    return m, own, groups, group_cost, must, never, budget, draw(st.integers(0, 10_000))


@settings(max_examples=60, deadline=None)
@given(problems())
def test_gain_per_cost_is_that_of_the_bills_of_whole_sets(problem):
    m, own, groups, group_cost, must, never, budget, seed = problem
    graph = random_graph(seed, m=m)
    if naive.bill(must, own, groups, group_cost) > budget:
        budget = np.inf
    names = graph.feature_names
    costs = dict(zip(names, own, strict=True)) | {f"g{i}": cost for i, cost in enumerate(group_cost)}
    selector = GAS(
        c=0.4,
        costs=costs,
        groups={f"g{i}": members for i, members in enumerate(groups)},
        must_keep=must,
        never=[names[j] for j in never],
        budget=None if np.isinf(budget) else budget,
    ).fit_graph(graph)
    expected = naive.gas(
        graph.importance, graph.similarity, 0.4, own, groups, group_cost, must_keep=must, never=never, budget=budget
    )
    assert selector.ranking_.tolist() == expected
    assert selector.cost_ == pytest.approx(naive.bill(expected, own, groups, group_cost))


def names_of(selector):
    return [record["name"] for record in selector.fit_graph(GRAPH).trace_]


def test_a_dear_feature_waits():
    assert names_of(TopK()) == ["bm25", "tf", "clicks", "dwell"]
    assert names_of(TopK(costs={"bm25": 4, "tf": 1, "clicks": 1, "dwell": 1})) == ["tf", "clicks", "dwell", "bm25"]


def test_free_features_with_a_gain_come_first():
    assert names_of(TopK(costs=[1, 1, 1, 0])) == ["dwell", "bm25", "tf", "clicks"]


def test_a_loss_is_not_made_good_by_being_dear():
    graph = FeatureGraph([0.9, 0.1, 0.1], [[1, 0.8, 0.8], [0.8, 1, 0], [0.8, 0, 1]])
    assert GAS(c=1.0, costs=[1, 9, 1]).fit_graph(graph).ranking_.tolist() == [0, 2, 1]


def test_a_group_is_paid_by_its_first_member():
    selector = TopK(costs={"bm25": 3, "tf": 3, "clicks": 0.1, "dwell": 0.1, "log": 2}, groups=LOG)
    # clicks costs 2.1 (0.5 / 2.1), after it dwell only 0.1
    assert names_of(selector) == ["bm25", "tf", "clicks", "dwell"]
    cheap = TopK(costs={"bm25": 9, "tf": 9, "log": 2}, groups=LOG)
    assert names_of(cheap) == ["clicks", "dwell", "bm25", "tf"]
    assert cheap.cost_ == 20


def test_groups_without_costs_cost_one_each():
    selector = TopK(groups=LOG).fit_graph(GRAPH)
    assert selector.cost_ == 3
    assert TopK(groups=LOG, budget=1, never=["bm25", "tf"]).fit_graph(GRAPH).selected_.tolist() == [2, 3]


def test_a_group_that_is_not_priced_costs_as_much_as_its_dearest_member():
    limits = Limits.of("GAS", GRAPH.feature_names, costs=[1, 2, 3, 5], groups=LOG)
    assert limits.own.tolist() == [1, 2, 0, 0]
    assert limits.shared.tolist() == [5]
    assert limits.total([]) == 0
    assert limits.total([2]) == limits.total([2, 3]) == 5


def test_must_keep_comes_first_and_never_does_not_come():
    assert names_of(TopK(must_keep=["dwell", "clicks"])) == ["clicks", "dwell", "bm25", "tf"]
    assert names_of(TopK(never="bm25")) == ["tf", "clicks", "dwell"]
    assert names_of(TopK(must_keep=[3], never=np.array([True, False, False, False]))) == ["dwell", "tf", "clicks"]
    gone = TopK(never=["bm25"]).fit_graph(GRAPH)
    assert gone.dropped_.tolist() == []
    assert gone.support_.tolist() == [False, True, True, True]


def test_min_weight_does_not_hold_for_what_must_be_kept():
    assert names_of(GAS(min_weight=0.7, c=0, must_keep=["dwell"])) == ["dwell", "bm25", "tf"]


def test_a_feature_that_does_not_fit_the_budget_is_passed_over():
    selector = TopK(costs={"bm25": 0.1, "tf": 0.9, "clicks": 0.2, "dwell": 0.3}, budget=0.6)
    assert names_of(selector) == ["bm25", "clicks", "dwell"]
    assert selector.cost_ == pytest.approx(0.6)
    assert names_of(TopK(budget=2)) == ["bm25", "tf"]
    assert names_of(TopK(budget=0)) == []


def test_constant_features_keep_their_costs_apart():
    data = tie_free(3)  # feature 4 is constant
    costs = np.array([1, 1, 1, 1, 100, 1, 1, 1, 1.0])
    assert GAS(costs=costs).fit(data).ranking_.tolist() == GAS().fit(data).ranking_.tolist()
    kept = GAS(3, must_keep=[4]).fit(data)
    assert kept.ranking_[0] == 4
    assert kept.dropped_.tolist() == []
    assert GAS(3, must_keep=[8]).fit(data).dropped_.tolist() == [4]


def test_columns_shuffled_with_their_costs():
    data = tie_free(4)
    costs = {name: 1.0 + 3 * (int(name) % 4) for name in data.feature_names}
    order = np.random.default_rng(0).permutation(9)
    a = GAS(costs=costs, must_keep=["3"]).fit(data)
    b = GAS(costs=costs, must_keep=["3"]).fit(data.subset(order))
    assert order[b.ranking_].tolist() == a.ranking_.tolist()
    assert a.cost_ == b.cost_


@pytest.mark.parametrize("cls", SELECTORS)
def test_they_are_parameters_like_any_other(cls):
    given = {"costs": {"a": 1.0}, "groups": {"g": ["a"]}, "must_keep": ["a"], "never": ["b"], "budget": 3.0}
    selector = clone(cls(**given))
    assert {name: selector.get_params()[name] for name in given} == given
    assert "costs" not in repr(cls())


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"costs": [1, 2]}, ParameterError, "The 'costs' parameter of GAS must be a dict, or 4 numbers >= 0"),
        ({"costs": [1, 2, -1, 0]}, ParameterError, "4 numbers >= 0, one per feature"),
        ({"costs": "cheap"}, ParameterError, "a dict, or 4 numbers"),
        ({"costs": {"bm25": 1}}, ParameterError, "no cost for 3 of 4 features, the first of which is 'tf'"),
        ({"costs": {"bm25": -1}}, ParameterError, "numbers >= 0, also that of 'bm25'. Got -1"),
        ({"costs": {"bm52": 1}}, UnknownNameError, "Unknown feature in 'costs' of GAS 'bm52': did you mean 'bm25'"),
        ({"groups": ["bm25"]}, ParameterError, "a dict from a group's name to its features"),
        ({"groups": {"tf": ["bm25"]}}, ParameterError, "Group 'tf' of GAS has the name of a feature"),
        ({"groups": {"log": ["click"]}}, UnknownNameError, "did you mean 'clicks'"),
        ({"must_keep": ["idf"]}, UnknownNameError, "Unknown feature in 'must_keep' of GAS 'idf'"),
        ({"must_keep": [4]}, ParameterError, "names of features or numbers from 0 to 3. Got 4"),
        ({"never": [1.5]}, ParameterError, "The 'never' parameter of GAS must be names of features"),
        ({"never": [0, 1, 2, 3]}, ParameterError, "names every feature"),
        ({"must_keep": ["tf"], "never": ["tf"]}, ParameterError, "'tf' is in both 'must_keep' and 'never' of GAS"),
        ({"budget": -1}, ParameterError, "The 'budget' parameter of GAS must be a number >= 0 or None"),
        ({"budget": 1, "must_keep": ["bm25", "tf"]}, ParameterError, "must be >= 2, the cost of 'must_keep'"),
        ({"n_features_to_select": 1, "must_keep": [0, 1]}, ParameterError, ">= 2, the number of features in"),
        ({"n_features_to_select": 4, "never": [0]}, ParameterError, "<= 3, the number of features that are not in"),
    ],
)
def test_what_cannot_be_is_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        GAS(**parameters).fit_graph(GRAPH)
