"""Families in `select`: every answer that is chosen keeps them, at any size, also when it is chosen again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank import LeanSelector, Limits, make_ranking, select
from leanrank.errors import DataError, LeanRankError, ParameterError
from leanrank.evaluation.select.saved_selection import load_selection

DATA, _ = make_ranking(30, docs_per_query=8, n_informative=3, n_redundant=3, n_noise=4, random_state=1)
NAMES = DATA.feature_names
FAMILIES = {"first": list(NAMES[:5]), "last": list(NAMES[7:])}
RULES = {"families": FAMILIES, "at_most": {"first": 2}, "together": ["last", (NAMES[5], NAMES[6])]}
PAIR = {NAMES[5], NAMES[6]}
#: Runs of `select` under rules drawn at random.
MOST = 10


def keeps(features) -> bool:
    chosen = set(features)
    whole = all(not chosen & group or group <= chosen for group in (set(FAMILIES["last"]), PAIR))
    return whole and len(chosen & set(FAMILIES["first"])) <= 2


@pytest.fixture(scope="module")
def chosen():
    return select(DATA, "ranksvm", methods=["gas", "hcas", "mrmr"], cv=3, progress=False, **RULES)


def test_the_answers_keep_the_rules_but_for_the_safe_one_which_says_so(chosen):
    assert keeps(chosen.recommended.features)
    assert keeps(chosen.certified.features)
    assert chosen.safe.risk == "More of a family than its limit allows."


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7])
def test_every_size_asked_for_afterwards_keeps_the_rules(chosen, size):
    at = chosen.at(size)
    assert keeps(at.features)
    assert at.n_features == size


def test_sizes_beyond_what_families_allow_are_refused(chosen):
    with pytest.raises(ParameterError, match="from 1 to 7, as many of the 10 as the families allow"):
        chosen.at(8)


def test_a_cost_and_a_loss_asked_for_afterwards_keep_the_rules(chosen):
    for cost in (1, 2.5, 5, 6, 100):
        cheaper = chosen.cheaper_than(cost)
        assert keeps(cheaper.features)
        assert cheaper.cost <= cost
    assert keeps(chosen.within(0.3).features)


def test_the_rules_are_saved_with_the_selection(chosen, tmp_path):
    chosen.save(tmp_path / "features.json")
    again = load_selection(tmp_path / "features.json")
    assert again.at(5).features == chosen.at(5).features
    assert again.settings["at_most"] == {"first": 2}
    assert again.settings["together"] == [sorted(PAIR), FAMILIES["last"]]


@given(k=st.sampled_from([1, 2, 3, 4, 5, 7]), method=st.sampled_from(["gas", "hcas", "msd", "forward-regression"]))
@settings(max_examples=8, deadline=None)
def test_a_size_asked_for_keeps_the_rules(k, method):
    answer = select(DATA, "ranksvm", methods=[method], n_features=k, cv=3, progress=False, **RULES)
    assert keeps(answer.features)
    assert answer.n_features == k


def test_a_size_that_cannot_be_is_refused_before_any_work():
    with pytest.raises(ParameterError, match="'n_features' parameter of select must be 5, since features"):
        select(DATA, "ranksvm", n_features=4, progress=False, together=[NAMES[:5], NAMES[5:]])
    with pytest.raises(ParameterError, match="'n_features' parameter of select must be <= 7, as many as"):
        select(DATA, "ranksvm", n_features=8, progress=False, **RULES)


def test_a_refusal_names_no_size_that_is_refused_next():
    rules = {"families": {"most": NAMES[1:]}, "at_most": {"most": 1}, "never": NAMES[:1]}
    for size in (10, 9, 2):
        with pytest.raises(ParameterError, match="'n_features' parameter of select must be <= 1, as many as the famil"):
            select(DATA, "ranksvm", n_features=size, progress=False, **rules)
    with pytest.raises(ParameterError, match="'n_features' parameter of select must be from 2 to 10, the number of"):
        select(DATA, "ranksvm", n_features=11, progress=False, must_keep=NAMES[:2])


def test_where_all_that_may_be_taken_is_constant_there_is_nothing_to_select():
    X = np.column_stack([DATA.X[:, :2], np.ones(DATA.n_rows)])
    with pytest.raises(DataError, match="All 1 features that may be taken are constant inside every query"):
        select((X, DATA.y, DATA.qid), "ranksvm", never=["1", "2"], progress=False)


def test_where_nothing_smaller_can_be_had_there_is_nothing_to_select():
    with pytest.raises(ParameterError, match="All 10 features of select go together, so there is nothing to select"):
        select(DATA, "ranksvm", progress=False, together=[NAMES])


def test_halves_that_go_together_are_measured_and_chosen_again_by_halves():
    answer = select(DATA, "ranksvm", methods=["gas"], cv=3, progress=False, together=[NAMES[:5], NAMES[5:]])
    assert {point.k for point in answer.walked} == {5}
    with pytest.raises(ParameterError, match="'k' parameter of at must be 5, since features that go together"):
        answer.at(3)


def test_the_estimator_keeps_the_rules():
    limits = Limits(**RULES)
    lean = LeanSelector("ranksvm", n_features_to_select=5, methods=["gas"], limits=limits, cv=3).fit(DATA)
    assert keeps(lean.get_feature_names_out())
    assert lean.n_features_ == 5


def test_what_goes_together_stands_for_its_free_copies():
    X = np.column_stack([DATA.X, DATA.X[:, 0], DATA.X[:, 1]])
    answer = select((X, DATA.y, DATA.qid), "ranksvm", methods=["gas"], cv=3, progress=False, together=[("1", "3")])
    # 5 and 11 are copies of 1, which does not go alone
    assert answer.stands_for == {"1": ("5", "11"), "2": ("12",)}


@st.composite
def rules(draw: st.DrawFn) -> dict:
    """Families that may overlap, limits of some, groups that go together, and features to keep or to leave."""
    names = st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True)
    families = draw(st.dictionaries(st.sampled_from("abc"), names, max_size=3))
    at_most = {name: draw(st.integers(0, 3)) for name in sorted(families) if draw(st.booleans())}
    together = [*(name for name in sorted(families) if name not in at_most), *draw(st.lists(names, max_size=1))]
    must_keep = draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True))
    return {"families": families, "at_most": at_most, "together": together, "must_keep": must_keep}


@given(given_rules=rules(), method=st.sampled_from(["gas", "hcas", "rfe"]), k=st.one_of(st.none(), st.integers(1, 10)))
@settings(max_examples=MOST, deadline=None)
def test_no_answer_breaks_a_rule(given_rules, method, k):
    """Under rules drawn at random: what is chosen keeps them, or a sentence says why nothing can be."""
    limits = Limits(**given_rules)
    try:
        columns = limits.bound("a test", NAMES)
        answer = select(DATA, "ranksvm", methods=[method], n_features=k, cv=3, progress=False, **given_rules)
    except LeanRankError:
        return
    for chosen in (answer.recommended, answer.certified):
        assert columns.keeps(np.array(chosen.indices))
        assert columns.must_keep[list(chosen.indices)].sum() == columns.must_keep.sum()
    for size in range(1, len(NAMES) + 1):
        try:
            assert columns.keeps(np.array(answer.at(size).indices))
        except ParameterError:
            continue
