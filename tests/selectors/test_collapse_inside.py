"""Copies where selectors hold others, get graphs computed before, or train rankers with settings by feature."""

from __future__ import annotations

import json

import lightgbm
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from leanrank import (
    GAS,
    FilteredRFE,
    RankingData,
    RankingRFE,
    RankWrapper,
    RelevanceMRMR,
    StabilitySelection,
    TopK,
    as_ranker,
    feature_graph,
    make_ranking,
    select,
    write_letor,
)
from leanrank.cli.app import run
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.evaluation.fold_run import feature_sets
from leanrank.selectors.limits import Limits

DATA = make_ranking(40, n_informative=2, n_redundant=0, n_noise=4, random_state=0)[0]
#: Column j + 6 orders every query as column j does.
TWICE = RankingData(np.hstack([DATA.X, np.exp(DATA.X)]), DATA.y, DATA.query_ptr)
QUICK = {"effort": "quick", "progress": False, "n_jobs": 1}


def chosen(**more):
    run = select(TWICE, "ranksvm", n_features=4, **QUICK, **more)
    return [j % 6 for j in run.indices]


@pytest.mark.parametrize("limits", [Limits(costs=[5.0] * 6 + [1.0] * 6), Limits(never=list(range(6)))])
def test_copies_obey_the_limits_of_the_selector_inside(limits):
    stable = StabilitySelection(GAS(2, limits=limits), n_resamples=5, collapse=True).fit(TWICE)
    assert sorted(stable.selected_.tolist()) == [7, 8]
    assert stable.frequencies_[[7, 8]].tolist() == [1.0, 1.0]


def test_a_share_of_all_features_stays_one_where_copies_are_left_out():
    stable = StabilitySelection(GAS(0.25), n_resamples=3, collapse=True).fit(TWICE)
    assert stable.frequencies_.sum() == pytest.approx(3.0)  # a quarter of twelve, not of six


def test_whether_to_look_for_copies_reaches_the_selector_inside():
    kept = StabilitySelection(GAS(2), n_resamples=5, collapse=False).fit(TWICE)
    same = StabilitySelection(GAS(2, collapse=False), n_resamples=5).fit(TWICE)
    assert kept.frequencies_.tolist() == same.frequencies_.tolist()
    assert kept.frequencies_[7] > 0


def test_every_point_of_a_grid_looks_for_copies():
    selector = TopK(similarity="strict", collapse=True)
    sets = feature_sets(selector, TWICE, sizes=[3], points=[{}, {}, {}])
    assert len({one.features for one in sets}) == 1
    assert max(sets[0].features) < 6


@pytest.mark.parametrize(
    "method",
    [
        TopK(similarity="strict", collapse=True),
        GAS(collapse=True),
        RelevanceMRMR(collapse=True),
        FilteredRFE(collapse=True),
    ],
)
def test_a_method_that_looks_for_copies_does_so_in_a_run_that_does_not(method):
    assert len(set(chosen(collapse=False, methods=[method]))) == 4
    assert len(set(chosen(collapse=False, methods=[method.set_params(collapse=False)]))) < 4


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (RankingData(DATA.X, DATA.y, DATA.query_ptr), "12 and 6 of them"),
        (TWICE.subset([0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]), "feature 2 is '2' there and '7' here"),
    ],
)
def test_a_graph_is_not_completed_by_other_data(other, said):
    graph = feature_graph(TWICE, similarity="strict")
    with pytest.raises(DataError, match=f"other features: {said}"):
        GAS(2, collapse=True).fit_graph(graph, other)


@pytest.mark.parametrize(
    "method",
    [
        RankingRFE(ranker=Pipeline([("scale", StandardScaler()), ("ranker", Ridge())])),
        RankWrapper(ranker=LogisticRegression()),
    ],
)
def test_what_has_no_settings_by_feature_is_trained_as_it_is(method):
    X = np.hstack([DATA.X[:, :4], np.ones((DATA.n_rows, 1))])  # one column is left out
    data = RankingData(X, DATA.y, DATA.query_ptr)
    assert len(select(data, "ranksvm", methods=[method], n_features=2, **QUICK).features) == 2


def test_settings_by_feature_are_those_of_the_features_that_are_left():
    booster = lightgbm.LGBMRanker(monotone_constraints=[1] * 12, n_estimators=5, verbose=-1)
    wrapper = RankWrapper(3, ranker=as_ranker(booster), collapse=True).fit(TWICE)
    assert len({j % 6 for j in wrapper.selected_.tolist()}) == 3


def test_limits_of_a_method_hold_beside_those_of_the_run():
    costs = dict.fromkeys(TWICE.feature_names, 1.0)
    method = GAS(limits=Limits(never=["2", "8"]))
    assert 1 not in chosen(methods=[method], costs=costs)


def test_an_error_names_the_selector_that_has_the_limits():
    method = StabilitySelection(GAS(2, limits=Limits(must_keep=["nope"])))
    with pytest.raises(UnknownNameError, match="'must_keep' of GAS"):
        select(TWICE, "ranksvm", methods=[method], n_features=2, **QUICK)


@pytest.mark.parametrize("wrong", ["False", "no", 3])
def test_collapse_is_true_false_or_none(wrong):
    with pytest.raises(ParameterError, match="'collapse' parameter of GAS must be True, False or None"):
        GAS(collapse=wrong).fit(TWICE)


@pytest.mark.parametrize(("said", "n_groups"), [("false", 0), ("true", 6), ("null", 6)])
def test_order_takes_collapse_as_a_setting_too(tmp_path, capsys, said, n_groups):
    write_letor(TWICE, tmp_path / "twice.txt")
    assert (
        run(["order", str(tmp_path / "twice.txt"), "-m", "gas", "-k", "3", "--set", f"collapse={said}", "--json"]) == 0
    )
    assert len(json.loads(capsys.readouterr().out)["stands_for"]) == n_groups


def test_order_says_of_no_chosen_copy_that_another_stands_for_it(tmp_path, capsys):
    write_letor(TWICE, tmp_path / "twice.txt")
    assert run(["order", str(tmp_path / "twice.txt"), "-m", "gas", "-k", "8"]) == 0
    out = capsys.readouterr().out
    assert out.count("copy of") == 2
    assert out.count("stands for") == 4
