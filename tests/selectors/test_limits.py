"""Costs, groups, must_keep, never and budget: once for every greedy selector."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.naive import limited_greedy as naive
from tests.selectors.metamorphic import Blocks, check_columns, check_rows_and_queries, tie_free
from tests.selectors.random_graph import random_graph

from leanrank.data.ranking_data import RankingData
from leanrank.errors import ParameterError, UnknownNameError
from leanrank.selectors import CFS, GAS, MMR, MPT, MRMR, MSD, NGAS, XGAS, BestGain, Limits, RankingRFE, TopK, registry
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.stats.feature_graph import FeatureGraph

SELECTORS = [GAS, MMR, MPT, MRMR, TopK, NGAS, XGAS, MSD]
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
        plain, priced = (
            cls().fit_graph(graph),
            cls(limits=Limits(costs=np.full(graph.n_features, cost))).fit_graph(graph),
        )
        assert priced.order_.tolist() == plain.order_.tolist()
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


def limits_of(problem, names):
    """The problem as the parameters of a selector, and as the rules of the naive twins."""
    _, own, groups, group_cost, must, never, budget, _ = problem
    if naive.bill(must, own, groups, group_cost) > budget:
        budget = np.inf
    costs = dict(zip(names, own, strict=True)) | {f"g{i}": cost for i, cost in enumerate(group_cost)}
    parameters = {
        "costs": costs,
        "groups": {f"g{i}": members for i, members in enumerate(groups)},
        "must_keep": must,
        "never": [names[j] for j in never],
        "budget": None if np.isinf(budget) else budget,
    }
    return parameters, naive.Rules(own, groups, group_cost, must, never, budget)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_gain_per_cost_is_that_of_the_bills_of_whole_sets(problem):
    graph = random_graph(problem[-1], m=problem[0])
    limits, rules = limits_of(problem, graph.feature_names)
    r, s = graph.importance, graph.similarity
    expected = [
        (GAS(c=0.4, limits=Limits(**limits)), naive.gas(r, s, 0.4, rules)),
        (NGAS(limits=Limits(**limits)), naive.ngas(r, s, rules)),
        (XGAS(p=0.4, limits=Limits(**limits)), naive.xgas(r, s, 0.4, rules)),
        (MSD(lam=0.4, limits=Limits(**limits)), naive.msd(r, s, 0.4, graph.n_features, rules)),
    ]
    expected += [
        (MSD(size, lam=0.4, limits=Limits(**limits)), naive.msd(r, s, 0.4, size, rules))
        for size in range(max(1, len(rules.must_keep)), graph.n_features - len(rules.never))
    ]
    for selector, path in expected:
        selector.fit_graph(graph)
        assert selector.order_.tolist() == path, selector
        assert selector.cost_ == pytest.approx(rules.bill(path))


def small_data(seed, m):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 10, 5)
    query_ptr = np.concatenate(([0], np.cumsum(sizes)))
    return RankingData(rng.random((sizes.sum(), m)), rng.integers(0, 2, sizes.sum()), query_ptr)


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from([1e-9, 0.02, 0.1]))
def test_bestgain_under_limits_is_its_naive_twin(problem, delta):
    data = small_data(problem[-1], problem[0])
    limits, rules = limits_of(problem, data.feature_names)
    queries = [(q.X.tolist(), q.y.tolist()) for q in map(data.query, range(data.n_queries))]
    found = BestGain(delta=delta, limits=Limits(**limits)).fit(data)
    assert found.order_.tolist() == naive.best_gain(queries, delta, rules)
    assert [step["gain"] for step in found.trace_] == found.gains_[: len(found.trace_)].tolist()
    assert BestGain(delta=delta, limits=Limits(**limits)).fit(Blocks(data, 7)).order_.tolist() == found.order_.tolist()


@pytest.mark.parametrize("cls", [*SELECTORS, BestGain])
def test_whatever_it_costs_the_rules_hold(cls):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(2, 12))
        data, graph = small_data(seed, m), random_graph(seed, m)
        groups = {g: rng.choice(m, int(rng.integers(1, m + 1)), replace=False).tolist() for g in ("a", "b", "c")}
        costs = dict(zip(data.feature_names, rng.random(m), strict=True)) | {"a": 0.7, "b": rng.random()}
        must, never = [0], ([m - 1] if seed % 2 else [])
        given = {"costs": costs, "groups": groups, "must_keep": must, "never": never}
        limits = Limits(**given).bound("GAS", data.feature_names)
        given["budget"] = limits.total(must) + rng.random() * limits.total(np.arange(m)) / 2
        if cls is BestGain:
            found = BestGain(n_features_to_select=m - len(never), limits=Limits(**given)).fit(data)
        else:
            found = cls(limits=Limits(**given)).fit_graph(graph)
        assert found.cost_ == limits.total(found.order_) <= given["budget"] * (1 + 1e-9)
        assert found.order_[0] == 0
        assert not np.isin(never, found.order_).any()
        assert len(set(found.order_.tolist())) == len(found.order_)
        # nothing that could still be paid is left
        assert not Limits(**given).bound("GAS", data.feature_names).open(np.isin(np.arange(m), found.order_)).any()


def names_of(selector):
    return [record["name"] for record in selector.fit_graph(GRAPH).trace_]


def test_a_dear_feature_waits():
    assert names_of(TopK()) == ["bm25", "tf", "clicks", "dwell"]
    assert names_of(TopK(limits=Limits(costs={"bm25": 4, "tf": 1, "clicks": 1, "dwell": 1}))) == [
        "tf",
        "clicks",
        "dwell",
        "bm25",
    ]


def test_free_features_with_a_gain_come_first():
    assert names_of(TopK(limits=Limits(costs=[1, 1, 1, 0]))) == ["dwell", "bm25", "tf", "clicks"]


def test_a_loss_is_not_made_good_by_being_dear():
    graph = FeatureGraph([0.9, 0.1, 0.1], [[1, 0.8, 0.8], [0.8, 1, 0], [0.8, 0, 1]])
    assert GAS(c=1.0, limits=Limits(costs=[1, 9, 1])).fit_graph(graph).order_.tolist() == [0, 2, 1]


def test_a_group_is_paid_by_its_first_member():
    selector = TopK(limits=Limits(costs={"bm25": 3, "tf": 3, "clicks": 0.1, "dwell": 0.1, "log": 2}, groups=LOG))
    # clicks costs 2.1 (0.5 / 2.1), after it dwell only 0.1
    assert names_of(selector) == ["bm25", "tf", "clicks", "dwell"]
    cheap = TopK(limits=Limits(costs={"bm25": 9, "tf": 9, "log": 2}, groups=LOG))
    assert names_of(cheap) == ["clicks", "dwell", "bm25", "tf"]
    assert cheap.cost_ == 20


def test_groups_without_costs_cost_one_each():
    selector = TopK(limits=Limits(groups=LOG)).fit_graph(GRAPH)
    assert selector.cost_ == 3
    assert TopK(limits=Limits(groups=LOG, budget=1, never=["bm25", "tf"])).fit_graph(GRAPH).selected_.tolist() == [2, 3]


def test_a_group_that_is_not_priced_costs_as_much_as_its_dearest_member():
    limits = Limits(costs=[1, 2, 3, 5], groups=LOG).bound("GAS", GRAPH.feature_names)
    assert limits.own.tolist() == [1, 2, 0, 0]
    assert limits.shared.tolist() == [5]
    assert limits.total([]) == 0
    assert limits.total([2]) == limits.total([2, 3]) == 5


@settings(max_examples=40, deadline=None)
@given(problems(), st.booleans())
def test_prices_are_parameters_that_say_the_same(problem, some):
    names = [f"f{j}" for j in range(problem[0])]
    limits = Limits(**limits_of(problem, names)[0]).bound("GAS", names)
    columns = np.arange(problem[0])[1 if some else 0 :][::-1]
    part = limits.only(columns)
    rules = Limits.of_columns(part)
    again = (rules or Limits()).bound("GAS", [names[j] for j in columns])
    assert again.must_keep.tolist() == part.must_keep.tolist()
    # features that all cost the same have no price: each counts 1
    scale = 1.0 if rules is not None and rules.costs is not None else (part.own[0] or np.nan)
    for seed in range(5):
        taken = np.random.default_rng(seed).random(len(columns)) < 0.4
        if np.isnan(scale):
            assert (again.own == 1).all()
            continue
        np.testing.assert_allclose(scale * again.marginal(taken), part.marginal(taken))
        assert scale * again.total(taken) == pytest.approx(part.total(taken))
        assert scale * again.total(taken) == pytest.approx(limits.total(columns[taken]))


def test_equal_prices_are_none():
    assert Limits.of_columns(ColumnLimits.none(3)) is None
    assert Limits.of_columns(Limits(costs=[3, 3], groups={"none": []}).bound("GAS", ["a", "b"])) is None
    assert Limits.of_columns(Limits(costs=[3, 2]).bound("GAS", ["a", "b"])).costs.tolist() == [3, 2]
    # the names of features may be numbers, also those that groups get
    named = Limits(costs={"2": 3, "0": 2, "g": 5}, groups={"g": ["0"]}).bound("GAS", ["2", "0"])
    rules = Limits.of_columns(named)
    assert rules == Limits(costs={0: 3.0, 1: 2.0, 2: 5.0}, groups={2: [1]})
    assert rules.bound("GAS", ["2", "0"]).total([1]) == 7


def test_must_keep_comes_first_and_never_does_not_come():
    assert names_of(TopK(limits=Limits(must_keep=["dwell", "clicks"]))) == ["clicks", "dwell", "bm25", "tf"]
    assert names_of(TopK(limits=Limits(never="bm25"))) == ["tf", "clicks", "dwell"]
    assert names_of(TopK(limits=Limits(must_keep=[3], never=np.array([True, False, False, False])))) == [
        "dwell",
        "tf",
        "clicks",
    ]
    gone = TopK(limits=Limits(never=["bm25"])).fit_graph(GRAPH)
    assert gone.dropped_.tolist() == []
    assert gone.support_.tolist() == [False, True, True, True]


@pytest.mark.parametrize("cls", [*SELECTORS, BestGain])
def test_what_must_be_kept_comes_first_even_if_constant(cls):
    data = tie_free(3)  # feature 4 is constant
    found = cls(limits=Limits(must_keep=[7, 4, 2], never=[0]), n_features_to_select=5).fit(data)
    assert sorted(found.order_[:3].tolist()) == [2, 4, 7]
    assert found.support_[[2, 4, 7]].all()
    assert found.support_.sum() == 5
    assert 0 not in found.order_
    assert found.dropped_.tolist() == []


def test_msd_pays_the_group_of_a_pair_once():
    costs = {"bm25": 1, "tf": 3, "log": 2}
    # bm25 with clicks or dwell costs 3 and is worth 1.6 or 1.55; clicks with dwell costs 2 and is worth 0.95
    assert names_of(MSD(limits=Limits(costs=costs, groups=LOG))) == ["bm25", "clicks", "tf", "dwell"]
    assert names_of(MSD(limits=Limits(costs=costs | {"bm25": 3}, groups=LOG))) == ["clicks", "dwell", "bm25", "tf"]
    assert names_of(MSD(limits=Limits(costs=costs, groups=LOG, budget=2.5))) == ["clicks", "dwell"]


def test_msd_takes_one_alone_where_no_pair_may_be_taken():
    assert names_of(MSD(limits=Limits(must_keep=["dwell"]))) == ["dwell", "bm25", "clicks", "tf"]
    assert names_of(MSD(limits=Limits(must_keep=["dwell", "tf", "clicks"]))) == ["tf", "clicks", "dwell", "bm25"]
    assert names_of(MSD(limits=Limits(budget=3))) == ["bm25", "clicks", "tf"]
    assert names_of(MSD(limits=Limits(costs=[4, 2, 1, 2], budget=2))) == ["clicks"]


def test_ngas_and_xgas_walk_by_importance_per_cost():
    assert names_of(NGAS()) == ["bm25", "clicks", "tf", "dwell"]
    # from tf the least like it is clicks (0.5 for 1), whose neighbour dwell (0.4 for 0.5) is better
    assert names_of(NGAS(limits=Limits(costs=[4, 1, 1, 0.5]))) == ["tf", "dwell", "clicks", "bm25"]
    assert names_of(XGAS(p=0.5)) == ["bm25", "clicks", "tf", "dwell"]
    assert names_of(XGAS(p=0.5, limits=Limits(costs=[1, 1, 2, 1]))) == ["bm25", "dwell", "tf", "clicks"]


def test_bestgain_with_equal_costs_is_bestgain():
    for seed in range(10):
        data = tie_free(seed)
        for parameters in ({}, {"delta": 0.01}, {"n_features_to_select": 6}):
            plain = BestGain(**parameters).fit(data)
            for cost in (1.0, 7.0, 1 / 3, 0.0):
                priced = BestGain(limits=Limits(costs=np.full(9, cost)), **parameters).fit(data)
                assert priced.trace_ == plain.trace_
                assert priced.gains_.tolist() == plain.gains_.tolist()
                assert priced.cost_ == pytest.approx(cost * len(plain.order_))


def test_delta_is_about_the_gain_and_not_for_what_must_be_kept():
    data = tie_free(5)
    plain = BestGain(delta=0.02).fit(data)
    assert 1 < len(plain.order_) < 8
    dear = np.where(np.isin(np.arange(9), plain.order_[1:]), 100.0, 1.0)
    priced = BestGain(delta=0.02, limits=Limits(costs=dear)).fit(data)
    assert all(step["gain"] >= 0.02 for step in priced.trace_[1:])
    assert priced.order_.tolist() != plain.order_.tolist()
    worst = int(np.nanargmin(BestGain(n_features_to_select=8).fit(data).scores_))
    assert BestGain(delta=0.9, limits=Limits(must_keep=[worst])).fit(data).order_.tolist() == [worst]
    pair = BestGain(delta=0.9, limits=Limits(must_keep=[worst, 4])).fit(data)
    assert sorted(pair.order_.tolist()) == sorted([worst, 4])
    assert len(pair.gains_) == 3  # the last was too small
    assert BestGain(delta=0.9, limits=Limits(budget=0)).fit(data).order_.tolist() == []


def test_the_elbow_of_bestgain_is_behind_what_must_be_kept():
    data = tie_free(5)
    plain = BestGain().fit(data)
    assert BestGain(limits=Limits(must_keep=plain.order_[:1])).fit(data).trace_ == plain.trace_
    for must in ([0, 1, 2, 3], [4], list(range(9))):
        assert sorted(BestGain(limits=Limits(must_keep=must)).fit(data).order_[: len(must)].tolist()) == must
    assert BestGain(limits=Limits(budget=0)).fit(data).order_.tolist() == []


def test_a_constant_feature_that_bestgain_must_keep_changes_no_list():
    data = tie_free(3)
    plain, kept = BestGain(delta=1e-9).fit(data), BestGain(delta=1e-9, limits=Limits(must_keep=[4])).fit(data)
    assert kept.order_.tolist() == [4, *plain.order_.tolist()]
    assert kept.gains_.tolist() == [0.0, *plain.gains_.tolist()]
    assert kept.trace_[0]["reason"] == "constant inside every query, but it must be kept"
    assert BestGain(limits=Limits(must_keep=[0])).fit(data.subset([4])).order_.tolist() == [0]
    check_rows_and_queries(lambda: BestGain(delta=1e-9, limits=Limits(must_keep=[4, 1])), data)


def test_bestgain_cannot_stop_before_what_must_be_kept():
    with pytest.raises(ParameterError, match="'max_features' parameter of BestGain must be >= 2, the number of"):
        BestGain(max_features=1, limits=Limits(must_keep=[0, 1])).fit(tie_free(0))
    assert len(BestGain(delta=1e-9, max_features=2, limits=Limits(must_keep=[0, 1])).fit(tie_free(0)).order_) == 2


def test_min_weight_does_not_hold_for_what_must_be_kept():
    assert names_of(GAS(min_weight=0.7, c=0, limits=Limits(must_keep=["dwell"]))) == ["dwell", "bm25", "tf"]


def test_a_feature_that_does_not_fit_the_budget_is_passed_over():
    selector = TopK(limits=Limits(costs={"bm25": 0.1, "tf": 0.9, "clicks": 0.2, "dwell": 0.3}, budget=0.6))
    assert names_of(selector) == ["bm25", "clicks", "dwell"]
    assert selector.cost_ == pytest.approx(0.6)
    assert names_of(TopK(limits=Limits(budget=2))) == ["bm25", "tf"]
    assert names_of(TopK(limits=Limits(budget=0))) == []


def test_constant_features_keep_their_costs_apart():
    data = tie_free(3)  # feature 4 is constant
    costs = np.array([1, 1, 1, 1, 100, 1, 1, 1, 1.0])
    assert GAS(limits=Limits(costs=costs)).fit(data).order_.tolist() == GAS().fit(data).order_.tolist()
    kept = GAS(3, limits=Limits(must_keep=[4])).fit(data)
    assert kept.order_[0] == 4
    assert kept.dropped_.tolist() == []
    assert GAS(3, limits=Limits(must_keep=[8])).fit(data).dropped_.tolist() == [4]


@pytest.mark.parametrize("cls", [*SELECTORS, BestGain])
def test_columns_shuffled_with_their_costs(cls):
    data = tie_free(4)
    costs = {name: 1.0 + 3 * (int(name) % 4) for name in data.feature_names} | {"log": 2.0}
    limits = {"costs": costs, "groups": {"log": ["2", "7", "9"]}, "must_keep": ["3"], "never": ["6"], "budget": 30}
    check_columns(lambda: cls(limits=Limits(**limits)), data)
    check_columns(lambda: cls(n_features_to_select=5, limits=Limits(**limits)), data)
    order = np.random.default_rng(0).permutation(9)
    assert cls(limits=Limits(**limits)).fit(data).cost_ == pytest.approx(
        cls(limits=Limits(**limits)).fit(data.subset(order)).cost_
    )


@pytest.mark.parametrize("cls", [*SELECTORS, BestGain])
def test_they_are_parameters_like_any_other(cls):
    given = {"costs": {"a": 1.0}, "groups": {"g": ["a"]}, "must_keep": ["a"], "never": ["b"], "budget": 3.0}
    selector = clone(cls(limits=Limits(**given)))
    assert selector.get_params()["limits"] == Limits(**given)
    assert repr(Limits(**given)) in " ".join(repr(selector).split())
    assert "limits" not in repr(cls())


def test_limits_are_saved_as_plain_values():
    selector = TopK(limits=Limits(costs=np.array([1, 1, 1, 2]), must_keep=("tf",), budget=3)).fit_graph(GRAPH)
    record = json.loads(json.dumps(selector.to_dict()))
    assert record["parameters"]["limits"] == {
        "type": "Limits",
        "costs": [1, 1, 1, 2],
        "groups": None,
        "must_keep": ["tf"],
        "never": [],
        "budget": 3,
        "families": None,
        "at_most": None,
        "together": [],
    }
    assert TopK().fit_graph(GRAPH).to_dict()["parameters"]["limits"] is None


def test_limits_are_read_once_a_fit(monkeypatch):
    calls = []
    bound = Limits.bound
    monkeypatch.setattr(Limits, "bound", lambda self, owner, names: calls.append(owner) or bound(self, owner, names))
    for selector in (
        GAS(limits=Limits(budget=3)),
        BestGain(limits=Limits(budget=3)),
        RankingRFE(limits=Limits(budget=3)),
    ):
        calls.clear()
        selector.fit(tie_free(0))
        assert calls == [type(selector).__name__]


def test_selectors_that_know_no_limits_have_no_such_parameter():
    for name in registry.names():
        known = registry.selector_class(name)._get_param_names()
        assert not {"costs", "groups", "must_keep", "never", "budget"} & set(known)
    with pytest.raises(TypeError, match="limits"):
        CFS(limits=Limits(budget=3))


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
        ({"must_keep": [4]}, ParameterError, "names of features or indices from 0 to 3. Got 4"),
        ({"never": [1.5]}, ParameterError, "The 'never' parameter of GAS must be names of features"),
        ({"never": [0, 1, 2, 3]}, ParameterError, "names every feature"),
        (
            {"must_keep": ["tf"], "never": ["tf"]},
            ParameterError,
            "'never' parameter of GAS names feature 'tf', which must be kept",
        ),
        ({"budget": -1}, ParameterError, "The 'budget' parameter of GAS must be a number >= 0 or None"),
        ({"budget": 1, "must_keep": ["bm25", "tf"]}, ParameterError, "must be >= 2, the cost of 'must_keep'"),
        ({"n_features_to_select": 1, "must_keep": [0, 1]}, ParameterError, ">= 2, the number of features in"),
        ({"n_features_to_select": 4, "never": [0]}, ParameterError, "<= 3, the number of features that are not in"),
    ],
)
def test_what_cannot_be_is_refused(parameters, error, message):
    size = parameters.pop("n_features_to_select", None)
    with pytest.raises(error, match=message):
        GAS(size, limits=Limits(**parameters)).fit_graph(GRAPH)


def test_limits_are_a_limits():
    with pytest.raises(
        ParameterError, match=r"'limits' parameter of GAS must be a Limits or None. Got \{'budget': 3\}"
    ):
        GAS(limits={"budget": 3}).fit_graph(GRAPH)


def test_an_order_under_limits():
    limits = Limits(costs=[1, 2, 3, 4], must_keep=[3], never=[0], budget=7).bound("GAS", GRAPH.feature_names)
    assert limits.arranged([0, 2, 1, 3]).tolist() == [3, 2, 1]
    assert limits.arranged([1]).tolist() == [3, 1]
    assert limits.affordable([3, 2, 1]).tolist() == [3, 2]
    assert limits.affordable([3, 1, 2]).tolist() == [3, 1]
    assert ColumnLimits.none(4).affordable([2, 0]).tolist() == [2, 0]
