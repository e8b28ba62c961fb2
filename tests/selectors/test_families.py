"""Families: no path, no set and no answer has more of a family than its limit, or parts what goes together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leanrank import Limits, make_ranking
from leanrank.errors import LeanRankError, ParameterError, UnknownNameError
from leanrank.evaluation.fold_run import feature_sets
from leanrank.selectors import registry
from leanrank.selectors.families import Families
from leanrank.stats.feature_graph import feature_graph

K = 9
NAMES = tuple(str(j + 1) for j in range(K))
DATA, _ = make_ranking(12, docs_per_query=8, n_informative=3, n_redundant=2, n_noise=4, random_state=3)
GRAPH = feature_graph(DATA)
ON_GRAPHS = ("gas", "mmr", "mpt", "mrmr", "msd", "ngas", "top-k", "xgas")
#: Methods with limits that train or read the data, and some that know of no limits at all.
ON_DATA = ("best-gain-path", "forward-regression", "greedy-wrapper", "ranking-rfe", "rfe", "importance+mrmr")
WITHOUT = ("hcas", "information-gain", "cfs")


def broken(features: np.ndarray, families: dict[str, list[int]], at_most: dict[str, int], together: list) -> bool:
    """The rules, said once more the slow way."""
    chosen = set(np.asarray(features).tolist())
    groups = [set(families[group]) if isinstance(group, str) else set(group) for group in together]
    parted = any(chosen & group and not group <= chosen for group in groups)
    return parted or any(len(chosen & set(families[name])) > most for name, most in at_most.items())


@st.composite
def rules(draw: st.DrawFn) -> dict:
    """Families that may overlap, limits of some, and groups that go together."""
    columns = st.lists(st.integers(0, K - 1), min_size=1, max_size=5, unique=True)
    families = draw(st.dictionaries(st.sampled_from("abc"), columns, max_size=3))
    names = sorted(families)
    at_most = {name: draw(st.integers(0, 3)) for name in names if draw(st.booleans())}
    pairs = draw(st.lists(st.lists(st.integers(0, K - 1), min_size=2, max_size=3, unique=True), max_size=2))
    together = [name for name in names if draw(st.integers(0, 3)) == 0] + [tuple(pair) for pair in pairs]
    must_keep = draw(st.lists(st.integers(0, K - 1), max_size=2, unique=True))
    never = draw(st.lists(st.integers(0, K - 1), max_size=1))
    budget = draw(st.sampled_from([None, None, 5.0]))
    return {
        "families": families,
        "at_most": at_most,
        "together": together,
        "must_keep": must_keep,
        "never": never,
        "budget": budget,
    }


def possible(given_rules: dict) -> Limits | None:
    limits = Limits(**given_rules)
    try:
        limits.bound("a test", NAMES)
    except LeanRankError:
        return None
    return limits


def check(selector, given_rules: dict) -> None:
    family_rules = [given_rules[name] for name in ("families", "at_most", "together")]
    limits = Limits(**given_rules).bound("a test", NAMES)
    assert not broken(selector.selected_, *family_rules)
    assert not broken(selector.order_, *family_rules)
    assert set(given_rules["must_keep"]) <= set(selector.order_.tolist())
    assert not set(given_rules["never"]) & set(selector.order_.tolist())
    assert len(set(selector.order_.tolist())) == len(selector.order_)
    assert [step["feature"] for step in selector.trace_] == selector.order_.tolist()
    for k in range(1, K + 1):
        try:
            chosen = selector.select(k)
        except ParameterError:
            continue
        assert len(chosen) == k
        assert not broken(chosen, *family_rules)
        assert limits.total(chosen) <= limits.most


@given(rules(), st.sampled_from(ON_GRAPHS))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_path_on_a_graph_breaks_a_rule(given_rules, method):
    limits = possible(given_rules)
    if limits is not None:
        check(registry.get(method, limits=limits).fit_graph(GRAPH), given_rules)


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(rules(), st.sampled_from(ON_DATA))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_path_of_a_method_that_reads_the_data_breaks_a_rule(given_rules, method):
    limits = possible(given_rules)
    if limits is not None:
        check(registry.get(method, limits=limits).fit(DATA), given_rules)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", [*WITHOUT, "gas", "msd", "ranking-rfe"])
def test_a_comparison_keeps_the_rules_of_methods_that_know_of_none(method):
    families, at_most, together = {"a": [0, 1, 2, 3]}, {"a": 2}, [(4, 5, 6)]
    limits = Limits(families=families, at_most=at_most, together=together)
    sets = feature_sets(registry.get(method), DATA, (1, 2, 3, 4, 6, 9), limits=limits)
    assert sets
    for chosen in sets:
        assert not broken(np.array(chosen.features), families, at_most, together)
        assert len(chosen.features) <= chosen.size


@given(rules(), st.permutations(range(K)), st.integers(1, K))
def test_an_order_of_a_method_without_limits_is_brought_under_the_rules(given_rules, order, k):
    limits = possible(given_rules)
    if limits is None:
        return
    columns = limits.bound("a test", NAMES)
    family_rules = [given_rules[name] for name in ("families", "at_most", "together")]
    obeyed = columns.obeyed(order)
    assert not broken(obeyed, *family_rules)
    assert columns.keeps(obeyed)
    assert not broken(columns.first(obeyed, k), *family_rules)
    assert columns.obeyed(obeyed).tolist() == obeyed.tolist()


def test_without_rules_nothing_changes():
    plain = registry.get("gas").fit_graph(GRAPH)
    ruled = registry.get("gas", limits=Limits(families={"a": [0, 1]})).fit_graph(GRAPH)
    assert ruled.order_.tolist() == plain.order_.tolist()
    assert ruled.trace_ == plain.trace_


def test_a_limit_passes_over_what_is_too_much_and_takes_the_next():
    plain = registry.get("top-k", collapse=False).fit_graph(GRAPH).order_.tolist()
    limits = Limits(families={"best": plain[:4]}, at_most={"best": 2})
    limited = registry.get("top-k", limits=limits, collapse=False).fit_graph(GRAPH)
    assert limited.order_.tolist() == [*plain[:2], *plain[4:]]
    with pytest.raises(ParameterError, match="must be <= 7, as many as the families allow"):
        limited.select(8)


def test_what_goes_together_comes_where_its_best_feature_comes():
    *plain, copy = registry.get("top-k").fit_graph(GRAPH).order_.tolist()
    chosen = registry.get("top-k", limits=Limits(together=[(plain[1], plain[-1])])).fit_graph(GRAPH)
    assert chosen.order_.tolist() == [plain[0], plain[1], plain[-1], *plain[2:-1], copy]
    assert chosen.select(2).tolist() == [plain[0], plain[2]]  # two do not fit into one: the next comes instead
    assert chosen.select(3).tolist() == [plain[0], plain[1], plain[-1]]


def test_groups_with_a_feature_in_common_are_one():
    families = Families.of(6, together=[[0, 2], [2, 4], [1, 5]])
    assert families.unit.tolist() == [0, 1, 0, 3, 0, 1]


def test_a_constant_feature_comes_with_those_it_goes_together_with():
    X = np.array(DATA.X, dtype=np.float64)
    X[:, 8] = 1.0
    for method in ("gas", "best-gain-path", "forward-regression", "ranking-rfe"):
        selector = registry.get(method, limits=Limits(together=[(0, 8)])).fit(X, DATA.y, qid=DATA.qid)
        assert (0 in selector.order_) == (8 in selector.order_)


def test_a_copy_that_goes_together_with_others_stands_for_free_ones():
    X = np.column_stack([DATA.X, DATA.X[:, 0], DATA.X[:, 1]])
    limits = Limits(together=[(9, 3)], families={"a": [1], "b": [2]}, at_most={"a": 1})
    selector = registry.get("gas", limits=limits).fit(X, DATA.y, qid=DATA.qid)
    # of two that cost the same the one that no limit counts
    assert selector.stands_for_ == {4: (7,), 10: (1,), 9: (0,)}
    assert {9, 3} <= set(selector.order_.tolist())


REFUSED = [
    ({"families": {"a": [0, 1]}, "at_most": {"a": 1}, "must_keep": [0, 1]}, "allows 1 of family 'a', of which 2 must"),
    ({"families": {"a": [0, 1]}, "at_most": {"a": 1}, "together": ["a"]}, "allows 1 of family 'a', but 2 of it go"),
    ({"together": [(0, 1)], "must_keep": [0], "never": [1]}, "'f01' of .* must be kept and never be taken"),
    ({"families": {"a": [0]}, "at_most": {"a": 0}, "must_keep": [0]}, "allows 0 of family 'a', of which 1 must"),
    ({"families": {"a": [0]}, "at_most": {"a": -1}}, "must be a whole number >= 0 for 'a'. Got -1"),
    ({"families": {"a": [0]}, "at_most": {"a": True}}, "must be a whole number >= 0 for 'a'. Got True"),
    ({"families": [0, 1]}, "must be a dict whose keys are names of families"),
    ({"together": [(0,)]}, "must be names of families, or groups of two features or more"),
    ({"families": {"a": range(K)}, "at_most": {"a": 0}}, "none is left to select"),
    ({"together": DATA.feature_names[:2]}, "must be names of families, or groups of two features or more"),
    ({"costs": [1e308] * K}, "'costs' parameter of GAS must be numbers whose sum is finite"),
]


@pytest.mark.parametrize(("given_rules", "says"), REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(given_rules, says):
    with pytest.raises(ParameterError, match=says):
        registry.get("gas", limits=Limits(**given_rules)).fit_graph(GRAPH)


def test_families_may_be_called_by_numbers_and_groups_be_arrays():
    named = Limits(families={1: [0, 2]}, together=[1])
    for limits in (named, Limits(together=np.array([[0, 2]]))):
        assert limits.bound("a test", NAMES).families.groups() == [[0, 2]]


def test_unknown_families_and_features_are_told_the_nearest():
    with pytest.raises(UnknownNameError, match="family in 'at_most' of GAS 'bm52': did you mean 'bm25'"):
        registry.get("gas", limits=Limits(families={"bm25": [0]}, at_most={"bm52": 1})).fit_graph(GRAPH)
    with pytest.raises(UnknownNameError, match="family in 'together' of GAS 5"):
        registry.get("gas", limits=Limits(together=5)).fit_graph(GRAPH)
    with pytest.raises(UnknownNameError, match="feature in 'families' of GAS '99'"):
        registry.get("gas", limits=Limits(families={"bm25": ["99"]})).fit_graph(GRAPH)


def test_a_size_that_parts_a_group_is_refused_before_any_work():
    limits = Limits(together=[(0, 1, 2), (3, 4, 5), (6, 7, 8)])
    with pytest.raises(ParameterError, match="must be 3 or 6, since features that go together cannot be parted"):
        registry.get("gas", n_features_to_select=4, limits=limits).fit_graph(GRAPH)
    with pytest.raises(ParameterError, match="must be 3, since features that go together"):
        registry.get("gas", n_features_to_select=2, limits=limits).fit_graph(GRAPH)
    assert len(registry.get("gas", n_features_to_select=6, limits=limits).fit_graph(GRAPH).selected_) == 6
