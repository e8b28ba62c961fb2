"""Copies some of which go together with other features: no two are chosen, whatever brings them, unless asked for."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leanrank import Limits, RankingData, make_ranking, select
from leanrank.errors import LeanRankError, ParameterError
from leanrank.evaluation.fold_run import feature_sets
from leanrank.evaluation.select.again import is_possible
from leanrank.evaluation.select.lean_selector import LeanSelector
from leanrank.selectors import registry
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.gas import GAS
from leanrank.selectors.rfe import RankingRFE
from leanrank.selectors.stability_selection import StabilitySelection
from leanrank.stats.feature_graph import feature_graph

MADE, _ = make_ranking(12, docs_per_query=8, n_informative=3, n_redundant=0, n_noise=2, random_state=3)
NAMES = ("a", "b", "c", "n1", "n2", "exp a", "cube a", "exp b")
#: What each feature says.
SAYS = np.array([0, 1, 2, 3, 4, 0, 0, 1])
DATA = RankingData(
    np.hstack([MADE.X, np.exp(MADE.X[:, [0]]), MADE.X[:, [0]] ** 3, np.exp(MADE.X[:, [1]])]),
    MADE.y,
    MADE.query_ptr,
    feature_names=NAMES,
)
WITH_CONSTANT = RankingData(
    np.hstack([DATA.X, np.ones((len(DATA.y), 1))]), DATA.y, DATA.query_ptr, feature_names=(*NAMES, "one")
)
GRAPH = feature_graph(DATA)
K = len(NAMES)
ON_GRAPHS = ("gas", "mmr", "mpt", "mrmr", "msd", "ngas", "top-k", "xgas")
ON_DATA = ("best-gain-path", "forward-regression", "greedy-wrapper", "ranking-rfe", "rfe", "mrmr>rfe", "blend+mrmr")
APART = {"together": [("a", "c")]}
FREE: dict = {"together": [], "must_keep": [], "never": [], "families": {}, "at_most": {}, "budget": None}


@st.composite
def rules(draw: st.DrawFn) -> dict:
    """Groups that go together, some to keep, some never, limits of families, a budget."""
    column = st.integers(0, K - 1)
    groups = draw(st.lists(st.lists(column, min_size=2, max_size=3, unique=True), min_size=1, max_size=2))
    families = draw(st.dictionaries(st.sampled_from("xy"), st.lists(column, min_size=1, max_size=4), max_size=1))
    return {
        "together": [tuple(group) for group in groups],
        "must_keep": draw(st.lists(column, max_size=2, unique=True)),
        "never": draw(st.lists(column, max_size=1)),
        "families": families,
        "at_most": {name: draw(st.integers(0, 3)) for name in families},
        "budget": draw(st.sampled_from([None, None, 5.0])),
    }


def by_name(rules: dict) -> dict:
    """The same rules, by the names of features."""
    families = {name: [NAMES[j] for j in own] for name, own in rules["families"].items()}
    together = [tuple(NAMES[j] for j in group) for group in rules["together"]]
    named = {rule: [NAMES[j] for j in rules[rule]] for rule in ("must_keep", "never")}
    return {**rules, **named, "families": families, "together": together}


def asked_for(rules: dict) -> set[int]:
    """What must be kept, and what goes together with others: the slow way."""
    grouped = [set(group) for group in rules["together"]]
    asked = set(rules["must_keep"]).union(*grouped)
    return asked - set(rules["never"])


def doubled(chosen: np.ndarray, rules: dict) -> bool:
    """Whether there is a feature that nobody asked for beside a copy of it."""
    own, asked = np.asarray(chosen).tolist(), asked_for(rules)
    return any(SAYS[i] == SAYS[j] and i != j and not {i, j} <= asked for i in own for j in own)


def n_apart(rules: dict, limits: ColumnLimits) -> int:
    """How many features there are without copies: to ask for more is to ask for copies."""
    may = set(np.flatnonzero(limits.payable()).tolist())
    kinds = [{j for j in may if SAYS[j] == kind} for kind in set(SAYS.tolist())]
    return sum(max(len(kind & asked_for(rules)), min(1, len(kind))) for kind in kinds)


def possible(given_rules: dict) -> Limits | None:
    limits = Limits(**given_rules)
    try:
        limits.bound("a test", NAMES)
    except LeanRankError:
        return None
    return limits


def check(fitted, given_rules: dict) -> None:
    """No set has a copy that nobody asked for, and what is left out is told."""
    limits = Limits(**given_rules).bound("a test", NAMES)
    told = {j: kept for kept, others in fitted.stands_for_.items() for j in others}
    assert all(SAYS[j] == SAYS[kept] for j, kept in told.items())
    assert not doubled(fitted.selected_, given_rules)
    assert not set(told) & set(fitted.selected_.tolist())
    assert limits.is_scarce or set(told.values()) <= set(fitted.order_.tolist())
    # where something is scarce, no copies are on the path
    for k in range(1, (K if limits.is_scarce else n_apart(given_rules, limits)) + 1):
        try:
            some = fitted.select(k)
        except ParameterError:
            continue
        assert len(some) == k
        assert not doubled(some, given_rules)
        assert limits.keeps(some)


@given(rules(), st.sampled_from(ON_GRAPHS))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_method_on_a_graph_takes_two(given_rules, method):
    limits = possible(given_rules)
    if limits is not None:
        check(registry.get(method, limits=limits).fit_graph(GRAPH), given_rules)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(rules(), st.sampled_from(ON_DATA))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_method_that_reads_the_data_takes_two(given_rules, method):
    limits = possible(given_rules)
    if limits is not None:
        check(registry.get(method, limits=limits, collapse=True).fit(DATA), given_rules)


def test_what_goes_together_stands_for_free_copies_which_come_last():
    fitted = registry.get("gas", limits=Limits(**APART)).fit(DATA)
    assert fitted.stands_for_ == {1: (7,), 0: (5, 6)}
    assert sorted(fitted.selected_.tolist()) == [0, 1, 2, 3, 4]
    assert fitted.order_[5:].tolist() == [5, 6, 7]
    assert [step["reason"] for step in fitted.trace_[-3:]] == ["copy of 'a'", "copy of 'a'", "copy of 'b'"]
    assert len(fitted.select(8)) == 8  # asked for
    every = registry.get("gas", limits=Limits(**APART), collapse=False).fit(DATA)
    assert sorted(every.selected_.tolist()) == list(range(8))


def test_copies_that_each_go_together_with_others_are_asked_for():
    fitted = registry.get("gas", limits=Limits(together=[("a", "c"), ("exp a", "n1")])).fit(DATA)
    assert sorted(fitted.selected_.tolist()) == [0, 1, 2, 3, 4, 5]
    assert fitted.stands_for_ == {0: (6,), 1: (7,)}


@pytest.mark.parametrize(
    "closed", [{"budget": 6, "costs": [9, 1, 1, 1, 1, 1, 1, 1]}, {"never": ["c"]}, {"families": {"x": "bcn"}}]
)
def test_what_cannot_be_had_with_its_group_stands_for_nothing(closed):
    if "families" in closed:  # the one that may be taken is kept
        closed = {"families": {"x": ["b", "c"]}, "at_most": {"x": 1}, "must_keep": ["b"]}
    fitted = registry.get("gas", limits=Limits(**APART, **closed)).fit(DATA)
    assert fitted.stands_for_ == {5: (6,), 1: (7,)}
    assert 5 in fitted.selected_
    assert 0 not in fitted.selected_


def test_what_must_be_kept_stands_before_what_goes_together():
    fitted = registry.get("gas", limits=Limits(must_keep=["cube a"], **APART)).fit(DATA)
    assert fitted.stands_for_ == {1: (7,), 6: (5,)}
    assert sorted(fitted.selected_.tolist()) == [0, 1, 2, 3, 4, 6]


def test_no_size_is_made_up_with_copies():
    limits = Limits(together=[("a", "c", "n1", "n2")], must_keep=["a"])
    fitted = registry.get("top-k", limits=limits).fit(DATA)
    assert sorted(fitted.selected_.tolist()) == [0, 1, 2, 3, 4]
    pair = Limits(together=[("a", "c"), ("n1", "n2")], never=["b", "exp b"])
    with pytest.warns(UserWarning, match="asked for 3 features, but its limits leave only 2"):
        assert len(registry.get("top-k", n_features_to_select=3, limits=pair).fit(DATA).selected_) == 2
    for refused in (
        lambda: registry.get("top-k", limits=pair).fit(DATA).select(3),
        lambda: registry.get("top-k", n_features_to_select=1, limits=pair).fit(DATA),
    ):
        with pytest.raises(
            ParameterError, match=r"must be 2( or 4)?, since features that go together cannot be parted"
        ):
            refused()


@pytest.mark.parametrize("method", ["hcas", "information-gain", "gas"])
def test_a_comparison_takes_no_two_either(method):
    limits = Limits(together=[(5, 2)])
    sets = feature_sets(registry.get(method, collapse=True), DATA, (1, 2, 3, 4), limits=limits)
    assert sets
    for chosen in sets:
        assert len(set(SAYS[list(chosen.features)])) == len(chosen.features)
        assert not {5, 2} & set(chosen.features) or {5, 2} <= set(chosen.features)


@pytest.mark.parametrize("method", ["hcas", "information-gain", "gas"])
def test_where_limits_forbid_what_stands_a_copy_of_it_may_be_taken(method):
    sets = feature_sets(registry.get(method, collapse=True), DATA, (5,), limits=Limits(never=["a"]))
    assert [sorted(set(SAYS[list(chosen.features)])) for chosen in sets] == [[0, 1, 2, 3, 4]]


def test_resamples_take_no_two():
    inner = registry.get("gas", n_features_to_select=4, limits=Limits(**APART))
    fitted = StabilitySelection(inner, n_resamples=5, threshold=0.1, collapse=True).fit(DATA)
    assert len(set(SAYS[fitted.selected_])) == len(fitted.selected_) > 2


@given(rules(), st.sampled_from(["gas", "rfe", "hcas"]), st.one_of(st.none(), st.integers(1, 5)))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_answer_has_two(given_rules, method, k):
    if possible(given_rules) is None:
        return
    rules_by_name = by_name(given_rules)
    try:
        answer = select(DATA, "ranksvm", methods=[method], n_features=k, cv=3, progress=False, **rules_by_name)
    except LeanRankError:
        return
    assert not doubled(np.array(answer.recommended.indices), given_rules) or answer.recommended.method == "all features"
    for kept, others in answer.stands_for.items():
        assert {SAYS[NAMES.index(name)] for name in (kept, *others)} == {SAYS[NAMES.index(kept)]}
    limits = Limits(**given_rules).bound("a test", NAMES)
    for size in range(1, 1 if limits.is_scarce else n_apart(given_rules, limits) + 1):
        try:
            asked = answer.at(size)
        except ParameterError:
            continue
        assert not doubled(np.array(asked.indices), given_rules)


@pytest.mark.parametrize(
    "methods",
    [
        [RankingRFE("ranksvm", limits=Limits(**APART))],
        ["rfe", GAS(limits=Limits(**APART))],
        ["rfe", GAS(limits=Limits(never=["a"]))],
    ],
)
def test_limits_of_a_methods_own_bring_no_copies_to_any(methods):
    answer = select(DATA, "ranksvm", methods=methods, n_features=5, cv=3, progress=False)
    assert len(set(SAYS[list(answer.recommended.indices)])) == 5
    assert sum(map(len, answer.stands_for.values())) == 3


@given(
    rules(),
    st.one_of(st.just(FREE), rules()),
    st.sampled_from(["gas", "rfe", "mrmr", "forward-regression", "ranking-rfe", "best-gain-path", "mrmr>rfe"]),
    st.one_of(st.none(), st.integers(1, 5)),
    st.booleans(),
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example({**FREE, "together": [(0, 2)]}, {**FREE, "together": [(5, 3)]}, "gas", 4, False)
@example({**FREE, "together": [(0, 1), (0, 1, 5)], "never": [0]}, FREE, "gas", None, False)
@example({**FREE, "must_keep": [5], "together": [(0, 2)]}, {**FREE, "never": [2]}, "gas", 4, True)
@example({**FREE, "never": [5], "together": [(5, 2)]}, FREE, "ranking-rfe", 4, False)
@example({**FREE, "together": [(0, 3)]}, {**FREE, "families": {"x": [3]}, "at_most": {"x": 0}}, "gas", 5, False)
def test_no_answer_has_two_whatever_limits_its_methods_have(own, given_rules, method, k, constant):
    if possible(own) is None or possible(given_rules) is None:
        return
    methods = [registry.get(method, limits=Limits(**own)), "gas"]
    data = WITH_CONSTANT if constant else DATA
    try:
        answer = select(data, "ranksvm", methods=methods, n_features=k, cv=3, progress=False, **by_name(given_rules))
    except LeanRankError:
        return
    chosen, asked = answer.recommended.indices, asked_for(own) | asked_for(given_rules)
    twice = {(i, j) for i in chosen for j in chosen if i < j < K and SAYS[i] == SAYS[j] and not {i, j} <= asked}
    assert not twice or answer.recommended.method == "all features"
    for kept, others in answer.stands_for.items():
        assert {SAYS[NAMES.index(name)] for name in others} == {SAYS[NAMES.index(kept)]}


def test_all_features_less_their_copies_are_measured_where_nothing_smaller_is_recommended():
    answer = select(DATA, "ranksvm", methods=["gas"], cv=3, progress=False, random_state=1, max_loss=0.0, **APART)
    assert len(set(SAYS[list(answer.recommended.indices)])) == answer.recommended.k
    assert {"a", "c"} <= set(answer.recommended.features) or not {"a", "c"} & set(answer.recommended.features)
    assert answer.stands_for["b"] == ("exp b",)
    lean = LeanSelector("ranksvm", methods=["gas"], limits=Limits(**APART), cv=3).fit(DATA)
    assert len(set(SAYS[lean.selected_])) == len(lean.selected_)


def test_an_estimator_makes_no_size_up_with_copies():
    pairs = Limits(together=[("a", "c"), ("n1", "n2")], never=["b", "exp b"])
    lean = LeanSelector("ranksvm", methods=["gas"], limits=pairs, n_features_to_select=2, cv=3).fit(DATA)
    assert [len(lean.select(k)) for k in (2, 4)] == [2, 4]
    assert len(set(SAYS[lean.select(4)])) == 4
    for k in (1, 3):
        with pytest.raises(ParameterError, match="since features that go together cannot be parted"):
            lean.select(k)
    assert len(lean.select(6)) == 6  # asked for


@given(rules(), st.sampled_from(ON_GRAPHS))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_sizes_that_a_refusal_names_can_be_had(given_rules, method):
    limits = possible(given_rules)
    if limits is None:
        return
    fitted = registry.get(method, limits=limits).fit_graph(GRAPH)
    refused: dict[int, str] = {}
    for k in range(1, K + 1):
        try:
            assert len(fitted.select(k)) == k
        except ParameterError as error:
            refused[k] = str(error)
    had = set(range(1, K + 1)) - set(refused)
    for k, said in refused.items():
        if "must be" not in said:  # the path ends before
            assert k > max(had, default=0)
            continue
        named = {int(number) for number in re.findall(r"\d+", said.partition(" must be ")[2].partition(",")[0])}
        assert named
        assert named <= had or ">=" in said
        assert not had or k < max(had) or "<=" in said


def test_fewer_than_must_be_kept_are_refused_of_a_fitted_selector():
    fitted = registry.get("gas", limits=Limits(must_keep=["a", "b", "c"])).fit(DATA)
    assert sorted(fitted.select(3).tolist()) == [0, 1, 2]
    with pytest.raises(ParameterError, match="'k' parameter of GAS must be >= 3, the number of features that must be"):
        fitted.select(2)


def test_a_size_of_an_estimator_is_within_its_budget():
    limits = Limits(costs=[5, 1, 1, 1, 1, 5, 5, 1], budget=3.0)
    lean = LeanSelector("ranksvm", methods=["gas"], limits=limits, cv=3).fit(DATA)
    for k in (1, 2, 3):
        assert limits.bound("a test", NAMES).total(lean.select(k)) <= 3
    with pytest.raises(ParameterError, match="cannot select 4 features"):
        lean.select(4)


def test_where_something_is_scarce_no_answer_asked_for_later_has_copies():
    """The sizes and sets of `at` and `cheaper_than` are those of the selector: no copy fills a place."""
    families = {"family": ["a", "c", "n1"]}
    answer = select(DATA, "ranksvm", methods=["gas"], cv=3, progress=False, families=families, at_most={"family": 1})
    most = [k for k in range(1, K + 1) if is_possible(answer, k)]
    assert most == [1, 2, 3, 4]  # a copy of 'a', 'b', 'n2' and one of the others
    for k in most:
        chosen = answer.at(k)
        assert len(set(SAYS[list(chosen.indices)])) == chosen.n_features == k
        assert answer.cheaper_than(k).n_features <= k
    assert len(set(SAYS[list(answer.cheaper_than(100).indices)])) == answer.cheaper_than(100).n_features
    with pytest.raises(ParameterError, match="from 1 to 4, as many of the 8 as the families allow without copies of"):
        answer.at(5)


def test_a_cost_asked_for_later_keeps_what_must_be_kept_and_is_refused_below_the_cheapest_set():
    rules = {"costs": {"a": 9.0, "n1": 4.0}, "default_cost": 1.0, "must_keep": ["n1"]}
    answer = select(DATA, "ranksvm", methods=["gas"], cv=3, progress=False, **rules)
    for cost in (4, 5, 6.5, 100):
        chosen = answer.cheaper_than(cost)
        assert "n1" in chosen.features
        assert chosen.cost <= cost
    with pytest.raises(ParameterError, match="'cost' parameter of cheaper_than must be >= 4, the cost of the cheapest"):
        answer.cheaper_than(3.9)


def test_where_nothing_can_be_paid_nothing_is_eliminated():
    data, limits = (DATA.X, DATA.y), Limits(costs=np.full(K, 2.0), budget=1.0)
    fitted = registry.get("mrmr>rfe", ranker="ranksvm", limits=limits).fit(*data, qid=DATA.qid)
    assert fitted.order_.tolist() == []
    assert fitted.n_trained_ == 0


@pytest.mark.parametrize(
    "closed", [{"never": ["n1"]}, {"families": {"x": ["n1", "n2"]}, "at_most": {"x": 1}, "must_keep": ["n2"]}]
)
def test_what_a_method_cannot_have_in_the_run_binds_nothing(closed):
    own = GAS(limits=Limits(together=[("a", "n1")]))
    answer = select(DATA, "ranksvm", methods=["gas", own], n_features=4, cv=3, progress=False, **closed)
    assert answer.stands_for == {"a": ("exp a", "cube a"), "b": ("exp b",)}
    assert sorted(answer.features) == ["a", "b", "c", "n2"]


def test_an_estimator_has_the_sizes_of_its_answer_where_something_is_scarce():
    limits = Limits(families={"x": ["n1"]}, at_most={"x": 1})
    lean = LeanSelector("ranksvm", methods=["gas"], limits=limits, cv=3).fit(DATA)
    for k in range(1, K + 1):
        if is_possible(lean.selection_, k):
            assert set(lean.select(k)) == set(lean.selection_.at(k).indices)
        else:
            with pytest.raises(ParameterError, match=f"cannot select {k} features"):
                lean.select(k)


def test_resamples_keep_the_limits_of_the_selector_inside():
    def stable(n: int, **rules) -> list[str]:
        inner = GAS(2, limits=Limits(**rules))
        fitted = StabilitySelection(inner, n_features_to_select=n, n_resamples=5, collapse=True).fit(DATA)
        return fitted.get_feature_names_out().tolist()

    assert "n2" not in stable(4, never=["n2"])
    assert not {"a", "n2"} & set(stable(1, together=[("a", "n2")]))
    assert "n1" in stable(1, must_keep=["n1"])
    assert len(stable(3, budget=2.0)) == 2


@pytest.mark.parametrize("method", ["greedy-wrapper", "best-gain", "msd", "forward-regression", "rfe", "gas"])
def test_a_group_that_is_too_large_for_the_size_is_passed_over_for_one_that_is_not(method):
    limits = Limits(together=[("n2", "b", "c"), ("a", "n1")], never=["exp a", "cube a", "exp b"])
    assert set(registry.get(method, n_features_to_select=2, limits=limits).fit(DATA).selected_) == {0, 3}


@pytest.mark.parametrize("method", ["rfe", "ranking-rfe", "best-gain-path"])
def test_a_method_may_have_to_keep_more_than_the_run_asks_for(method):
    own = registry.get(method, limits=Limits(must_keep=["n1", "n2", "a"]))
    answer = select(DATA, "ranksvm", methods=[own, "gas"], n_features=1, cv=3, progress=False)
    assert answer.n_features == 1


@pytest.mark.parametrize("method", ["mrmr>rfe", "ranking-rfe", "gas"])
def test_elimination_goes_past_sizes_that_part_a_group(method):
    limits = Limits(together=[("n2", "b", "c")])
    assert len(registry.get(method, n_features_to_select=1, limits=limits).fit(DATA).selected_) == 1


def test_fewer_features_than_were_asked_for_are_told():
    limits = Limits(never=["n2", "exp a", "cube a", "exp b"])
    with pytest.warns(UserWarning, match="asked for 5 features, but only 4 of 9 vary .* or in 'never'; others"):
        registry.get("gas", n_features_to_select=5, limits=limits).fit(WITH_CONSTANT)
    limits = Limits(families={"x": ["n1", "b", "exp b"]}, at_most={"x": 1})
    with pytest.warns(UserWarning, match="asked for 5 features, but its limits leave only 4 without copies of others"):
        registry.get("gas", n_features_to_select=5, limits=limits).fit(DATA)


def test_a_method_of_fixed_size_sees_fewer_features():
    never = ["a", "exp a", "cube a", "b", "exp b", "c"]
    assert select(DATA, "ranksvm", methods=[GAS(3)], never=never, cv=3, progress=False).n_features <= 2
