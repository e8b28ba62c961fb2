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
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.collapsed import fit_collapsed
from leanrank.selectors.limits import Limits

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
    fitted = fit_collapsed(selector_of(name), copies)
    assert len(set(FAMILY[fitted.selected_])) == len(fitted.selected_)
    assert fitted.stands_for_ == {0: (5, 7), 1: (6,)}
    assert fitted.n_features_in_ == 8
    assert set(FAMILY[fitted.order_[: len(fitted.selected_)]]) == set(FAMILY[fitted.selected_])
    if not (isinstance(fitted, GraphSelector) and fitted.sees_copies):
        alone = selector_of(name).fit(copies.subset([0, 1, 2, 3, 4]))
        np.testing.assert_array_equal(fitted.selected_, alone.selected_)
        np.testing.assert_array_equal(fitted.scores_[:5], alone.scores_)
        assert np.isnan(fitted.scores_[5:]).all()
        assert [step["reason"] for step in fitted.trace_] == [step["reason"] for step in alone.trace_]
        assert set(fitted.dropped_) >= {5, 6, 7}


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
        fitted = fit_collapsed(registry.get(name), data)
        chosen = FAMILY[columns][fitted.selected_]
        assert len(set(chosen)) == len(chosen)


def test_limits_say_which_copy_stays_and_hold(copies):
    costs = dict.fromkeys(copies.feature_names, 1.0) | {"f0": 3.0}
    rules = Limits(costs=costs, never=["f1"], must_keep=["f4"], budget=3.0)
    fitted = fit_collapsed(registry.get("forward-regression", limits=rules), copies)
    assert {"f4", "f5"} <= {copies.feature_names[j] for j in fitted.selected_}
    assert fitted.stands_for_ == {5: (0, 7)}
    assert not {0, 1} & set(fitted.order_.tolist())
    assert fitted.cost_ <= 3.0


def test_a_size_that_copies_leave_no_room_for_is_said(copies):
    with pytest.warns(UserWarning, match="no copy of another"):
        fitted = fit_collapsed(ReliefF(7), copies)
    assert len(fitted.selected_) == 5


def test_data_that_are_read_block_by_block(copies, tmp_path):
    write_parquet(copies, tmp_path / "copies.parquet")
    here = fit_collapsed(registry.get("information-gain"), copies)
    there = fit_collapsed(registry.get("information-gain", engine="local"), scan_parquet(tmp_path / "copies.parquet"))
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
