"""`leanrank order`: with any method, of features that order every query alike one is kept, unless asked otherwise."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from leanrank import RankSVM, make_ranking, scan_parquet, write_letor, write_parquet
from leanrank.cli.app import app
from leanrank.data.ranking_data import RankingData
from leanrank.selectors import ReliefF, registry
from leanrank.selectors.limits import Limits
from leanrank.stats.similarity import Similarity

#: Settings that keep a method short.
QUICK = {
    "greedy-wrapper": {"ranker": RankSVM(C=1.0)},
    "rank-wrapper": {"ranker": RankSVM(C=1.0)},
    "ranking-boruta": {"ranker": RankSVM(C=1.0)},
    "ranking-rfe": {"ranker": RankSVM(C=1.0)},
    "rfe": {"ranker": RankSVM(C=1.0)},
    "mrmr>rfe": {"ranker": RankSVM(C=1.0)},
    "importance": {"ranker": RankSVM(C=1.0)},
    "booster-importance": {"ranker": RankSVM(C=1.0)},
    "importance+mrmr": {"ranker": RankSVM(C=1.0)},
    "blend+mrmr": {"ranker": RankSVM(C=1.0)},
    "consistency": {"min_features": 1},
    "interact": {"min_features": 1},
    "stability-selection": {"selector": ReliefF(3), "n_subsamples": 4},
}
FAMILY = np.array([0, 1, 2, 3, 4, 0, 1, 0])


@pytest.fixture(scope="module")
def copies():
    data = make_ranking(24, 12, n_informative=3, n_redundant=0, n_noise=2, shuffle=False, random_state=0)[0]
    X = data.X.astype(float)
    again = np.column_stack([np.exp(X[:, 0]), X[:, 1], 3 * X[:, 0] + 1])
    names = [f"f{j}" for j in range(8)]
    return RankingData(np.hstack([X, again]), data.y, data.query_ptr, feature_names=names)


def selector_of(name, **more):
    own = {
        key: value
        for key, value in QUICK.get(name, {}).items()
        if key in registry.selector_class(name)._get_param_names()
    }
    return registry.get(name, **own, **more)


@pytest.mark.parametrize("name", registry.names())
def test_no_method_of_the_registry_takes_two_copies(copies, name):
    """It is as if they had never been."""
    fitted = selector_of(name, collapse=True).fit(copies)
    assert len(set(FAMILY[fitted.selected_])) == len(fitted.selected_)
    assert fitted.stands_for_ == {0: (5, 7), 1: (6,)}
    assert fitted.n_features_in_ == 8
    alone = selector_of(name).fit(copies.subset([0, 1, 2, 3, 4]))
    np.testing.assert_array_equal(fitted.selected_, alone.selected_)
    n_path = len(alone.order_)
    np.testing.assert_array_equal(fitted.order_[:n_path], alone.order_)
    assert set(fitted.order_[n_path:]) <= {5, 6, 7}  # behind all others
    np.testing.assert_array_equal(fitted.scores_[:5], alone.scores_)
    assert np.isnan(fitted.scores_[5:]).all()
    assert [step["reason"] for step in fitted.trace_][:n_path] == [step["reason"] for step in alone.trace_]
    assert {*fitted.dropped_, *fitted.order_} >= {5, 6, 7}
    for k in range(1, len(fitted.selected_) + 1):
        np.testing.assert_array_equal(fitted.select(k), alone.select(k))
    assert selector_of(name, collapse=False).fit(copies).stands_for_ == {}


@pytest.mark.parametrize("similarity", ["strict", "tau-b", "spearman", Similarity("pearson", scope="pooled")])
@pytest.mark.parametrize("name", ["gas", "fs-scpr", "msd", "mrmr-f", "fsm-rank"])
def test_methods_on_graphs_that_do_not_show_copies_look_for_them_in_the_data(copies, name, similarity):
    fitted = registry.get(name, similarity=similarity, collapse=True).fit(copies)
    assert fitted.stands_for_ == {0: (5, 7), 1: (6,)}
    assert not {5, 6, 7} & set(fitted.selected_.tolist())
    assert registry.get(name, similarity=similarity, collapse=None).fit(copies).stands_for_ == {}  # as papers have it


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.4, 1.0]))
@settings(max_examples=20, deadline=None)
def test_whatever_the_zeros_and_ties(seed, filled):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (80, 5)) * (rng.random((80, 5)) < filled)
    X[:2] = [[0] * 5, [1] * 5]
    columns = rng.permutation(8)
    data = RankingData(
        np.column_stack([X, np.exp(X[:, 0]), X[:, 1] ** 3, X[:, 0]])[:, columns],
        rng.integers(0, 3, 80),
        np.arange(0, 81, 10),
    )
    for name in ("relieff", "information-gain", "forward-regression", "best-gain-path", "symmetrical-uncertainty"):
        fitted = registry.get(name, collapse=True).fit(data)
        chosen = FAMILY[columns][fitted.selected_]
        assert len(set(chosen)) == len(chosen)


def test_limits_say_which_copy_stays_and_hold(copies):
    costs = dict.fromkeys(copies.feature_names, 1.0) | {"f0": 3.0}
    rules = Limits(costs=costs, never=["f1"], must_keep=["f4"], budget=3.0)
    fitted = registry.get("forward-regression", limits=rules, collapse=True).fit(copies)
    assert {"f4", "f5"} <= {copies.feature_names[j] for j in fitted.selected_}
    assert fitted.stands_for_ == {5: (0, 7)}
    assert not {0, 1} & set(fitted.order_.tolist())
    assert fitted.cost_ <= 3.0


def test_costs_that_are_all_the_same_are_paid_too(copies):
    rules = Limits(costs=[5.0] * 8, budget=10.0)
    fitted = registry.get("forward-regression", limits=rules, collapse=True).fit(copies)
    assert (len(fitted.selected_), fitted.cost_) == (2, 10.0)


def test_what_must_be_kept_has_paid_for_its_group():
    """The copy that is in the group costs nothing more then; the other one could not be paid."""
    data = make_ranking(30, n_informative=2, n_redundant=0, n_noise=1, shuffle=False, random_state=0)[0]
    X = np.column_stack([data.X[:, 0], data.X[:, 0] ** 3, data.X[:, 1:]])
    pages = RankingData(X, data.y, data.query_ptr, feature_names=["a_own", "a_log", "c_log", "n"])
    costs = {"a_own": 3, "n": 3, "log": 4}
    rules = Limits(costs=costs, groups={"log": ["a_log", "c_log"]}, must_keep=["c_log"], budget=5)
    for name in ("gas", "forward-regression"):
        fitted = registry.get(name, limits=rules, collapse=True).fit(pages)
        assert fitted.get_feature_names_out().tolist() == ["a_log", "c_log"]
        assert fitted.stands_for_ == {1: (0,)}


def test_a_copy_whose_family_is_full_does_not_stand(copies):
    rules = Limits(families={"text": ["f0", "f2"]}, at_most={"text": 1}, must_keep=["f2"])
    assert registry.get("gas", limits=rules).fit(copies).stands_for_ == {5: (0, 7), 1: (6,)}


def test_more_features_than_are_different_are_copies_too(copies):
    """They are asked for; whoever names no size gets none."""
    for name in ("relieff", "gas"):
        fitted = registry.get(name, n_features_to_select=7, collapse=True).fit(copies)
        assert len(set(FAMILY[fitted.selected_[:5]])) == 5
        assert fitted.selected_[5:].tolist() == [5, 6]
        assert fitted.trace_[5]["reason"] == "copy of 'f0'"
        assert len(registry.get(name, collapse=True).fit(copies).selected_) == 5


def test_what_must_never_be_taken_leaves_room_for_the_others(copies):
    rules = Limits(never=["f4"])
    fitted = registry.get("forward-regression", n_features_to_select=4, limits=rules, collapse=True).fit(copies)
    assert sorted(fitted.selected_.tolist()) == [0, 1, 2, 3]


def test_what_is_constant_is_no_copy(copies):
    """It is left out for another reason, by every method and engine."""
    X = np.column_stack([copies.X, np.ones((len(copies.X), 2)), np.repeat(np.arange(24.0), 12)])
    data = RankingData(X, copies.y, copies.query_ptr)
    for name in ("gas", "relieff", "information-gain", "forward-regression"):
        fitted = registry.get(name, collapse=True).fit(data)
        assert fitted.stands_for_ == {0: (5, 7), 1: (6,)}
        assert set(fitted.dropped_) == {8, 9, 10}


def test_data_that_are_read_block_by_block(copies, tmp_path):
    write_parquet(copies, tmp_path / "copies.parquet")
    here = registry.get("information-gain", collapse=True).fit(copies)
    source = scan_parquet(tmp_path / "copies.parquet")
    there = registry.get("information-gain", engine="local", collapse=True).fit(source)
    np.testing.assert_array_equal(here.selected_, there.selected_)
    assert there.stands_for_ == here.stands_for_


@pytest.mark.parametrize("method", ["relieff", "gas"])
def test_the_command_tells_what_stands_for_what_and_can_keep_copies(copies, tmp_path, method):
    write_letor(copies, tmp_path / "train.txt")
    called = ["order", str(tmp_path / "train.txt"), "-m", method]
    said = CliRunner().invoke(app, [*called, "-k", "3"])
    assert said.exit_code == 0, said.output
    assert "1 stands for 6, 8: they order every query alike." in said.output
    record = json.loads(CliRunner().invoke(app, [*called, "--json"]).stdout)
    assert record["stands_for"] == {"1": ["6", "8"], "2": ["7"]}
    assert set(record["ids"]) == {1, 2, 3, 4, 5}
    kept = json.loads(CliRunner().invoke(app, [*called, "--keep-copies", "--json"]).stdout)
    assert kept["stands_for"] == {}
    assert set(kept["ids"]) == set(range(1, 9))


def test_a_graph_that_shows_no_copies_is_helped_by_the_data(copies, tmp_path):
    write_letor(copies, tmp_path / "train.txt")
    graph = str(tmp_path / "graph.npz")
    called = ["graph", str(tmp_path / "train.txt"), "--ties", "strict", "-o", graph]
    assert CliRunner().invoke(app, called).exit_code == 0
    alone = CliRunner().invoke(app, ["order", "--graph", graph, "-m", "gas", "-k", "3"])
    assert "Copies were not looked for" in alone.output
    both = CliRunner().invoke(app, ["order", str(tmp_path / "train.txt"), "--graph", graph, "-m", "gas", "-k", "3"])
    assert "1 stands for 6, 8: they order every query alike." in both.output
    assert "not looked for" not in both.output
