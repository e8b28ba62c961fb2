"""Copies in `select`: what orders every query alike is one feature to choose, and all of them are the reference."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from leanrank import (
    GAS,
    MRMR,
    ForwardRegression,
    RankingRFE,
    RankSVM,
    StabilitySelection,
    TopK,
    make_ranking,
    metric,
    select,
)
from leanrank.data.ranking_data import RankingData
from leanrank.data.side_columns import SideColumns
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.select.held_out import HeldOut, Material
from leanrank.evaluation.select.saved_selection import selection_of
from leanrank.evaluation.tasks import Tasks
from leanrank.rankers.registry import get
from leanrank.report._summary import summarize
from leanrank.selectors._ranker_selector import copies_of, idle_copies
from leanrank.selectors.limits import Limits

QUICK = {"ranker": RankSVM(C=1.0), "methods": ["mrmr"], "cv": 3, "n_features": 2, "progress": False}
NAMES = ["bm25", "age", "n1", "n2", "exp", "again", "shifted", "by query", "reversed"]
#: What orders every query as "bm25" does.
ALIKE = ("exp", "again", "shifted", "by query")


@pytest.fixture(scope="module")
def copies():
    data = make_ranking(30, n_informative=2, n_redundant=0, n_noise=2, random_state=0)[0]
    x = data.X[:, [0]].astype(float)
    query = np.repeat(np.arange(data.n_queries), data.query_sizes)[:, None]
    X = np.hstack([data.X, np.exp(x), x, 4 * x + 1, x + query, -x])
    return RankingData(X, data.y, data.query_ptr, feature_names=NAMES)


def standing(data, **limits):
    bound = Limits(**limits).bound("select", data.feature_names)
    return copies_of(data, bound).standing(data.feature_names)


def held_out_of(data, scales=()):
    standing = copies_of(data, Limits().bound("select", data.feature_names))
    material = Material(data, None, RankSVM(C=1.0), standing, scales)
    return HeldOut(material, metric("ndcg@10"), cv=3, random_state=0)


def test_limits_decide_which_copy_stays(copies):
    costs = dict.fromkeys(NAMES, 1.0) | {"bm25": 5.0}
    assert standing(copies) == {"bm25": ALIKE}
    assert standing(copies, costs=costs) == {"exp": ("bm25", *ALIKE[1:])}
    assert standing(copies, costs=costs, must_keep=["bm25"]) == {"bm25": ALIKE}
    assert standing(copies, never=["bm25"]) == {"exp": ALIKE[1:]}
    slow = {"groups": {"slow": [*ALIKE]}, "costs": {**dict.fromkeys(NAMES, 1.0), "slow": 3.0}}
    assert standing(copies, **slow) == {"bm25": ALIKE}


@pytest.mark.parametrize(
    ("ranker", "quick"), [("ranksvm", {"C": 1.0}), ("ranknet", {"n_epochs": 2}), ("lightgbm", {"n_estimators": 3})]
)
def test_select_never_keeps_two_copies_and_says_what_stays_for_what(copies, ranker, quick):
    if ranker == "lightgbm":
        pytest.importorskip(ranker)
    chosen = select(copies, **{**QUICK, "ranker": get(ranker, **quick)}, must_keep=["bm25"])
    assert chosen.stands_for == {"bm25": ALIKE}
    assert set(chosen.path[5:]) <= {*ALIKE}  # after all others
    assert {*ALIKE} <= set(chosen.dropped)
    assert "bm25 stands for exp, again, shifted, by query, which order every query as it does." in repr(chosen)
    assert selection_of(json.loads(chosen.to_json()), "file").stands_for == chosen.stands_for
    assert any("bm25 stands for exp" in note for note in summarize(chosen)["notes"])


@pytest.fixture(scope="module")
def scales():
    """The same features on other scales first: what a linear ranker wants comes last."""
    data = make_ranking(60, n_informative=2, n_redundant=0, n_noise=2, noise=0.2, shuffle=False, random_state=1)[0]
    X = data.X.astype(float)
    steep = np.sign(X[:, :2]) * X[:, :2] ** 6
    names = ("bm25 steep", "tf steep", "n1", "n2", "bm25", "tf", "tf again")
    return RankingData(np.hstack([steep, X[:, 2:], X[:, :2], X[:, [1]]]), data.y, data.query_ptr, feature_names=names)


def test_of_copies_a_linear_ranker_gets_the_best_scale_and_trees_the_first(scales):
    linear = select(scales, **QUICK)
    assert set(linear.features) == {"bm25", "tf"}
    assert linear.stands_for == {"bm25": ("bm25 steep",), "tf": ("tf steep", "tf again")}
    assert set(linear.path[4:]) == {"bm25 steep", "tf steep", "tf again"}
    lightgbm = pytest.importorskip("lightgbm")
    booster = lightgbm.LGBMRanker(n_estimators=3, min_child_samples=2, n_jobs=1, verbose=-1)
    trees = select(scales, **{**QUICK, "ranker": booster})
    assert set(trees.features) == {"bm25 steep", "tf steep"}


def test_sets_are_measured_with_the_copies_that_stand_in_the_fold(scales):
    held_out = held_out_of(scales, ((0, 4), (1, 5, 6)))
    with Tasks(Journal(None, {})) as tasks:
        values = held_out.measure(tasks, [[(0, 1)] * 3])[0, 0]
    for i, part in enumerate(held_out.parts):
        np.testing.assert_array_equal(values[part], held_out.fit(i, [4, 5])[0][0])


def test_limits_come_before_the_scale(scales):
    cheap = dict.fromkeys(scales.feature_names, 1.0) | {"bm25": 1.5}
    assert set(select(scales, **QUICK, costs=cheap).features) == {"bm25 steep", "tf"}
    assert "tf steep" in select(scales, **QUICK, must_keep=["tf steep"]).features
    assert "tf again" in select(scales, **QUICK, never=["tf"]).features
    limited = {"families": {"slow": ["bm25", "n1"]}, "at_most": {"slow": 1}}
    assert "bm25 steep" in select(scales, **QUICK, **limited).features


@pytest.mark.parametrize("methods", [["mrmr>rfe"], [TopK(importance="hinge")], [MRMR(similarity="pearson")], "auto"])
def test_every_method_sees_the_copy_that_stands(scales, methods):
    """By its name, and by its values where it looks at values."""
    chosen = select(scales, **{**QUICK, "methods": methods}, effort="thorough")
    assert set(chosen.features) == {"bm25", "tf"}
    assert select(scales, **{**QUICK, "methods": methods, "n_features": None}, effort="thorough").walked


def test_limits_of_a_methods_own_name_features_that_stand(scales):
    own = Limits(must_keep=["bm25 steep"])
    for method in (MRMR(limits=own), ForwardRegression(limits=own)):
        assert "bm25 steep" in select(scales, **{**QUICK, "methods": [method]}).features


def test_nothing_is_prepared_where_no_scale_is_chosen(copies):
    """Of data with missing values a filled copy costs as much as the data."""
    held_out = held_out_of(copies)
    np.testing.assert_array_equal(held_out.columns(0), held_out.material.copies.staying)
    assert "complete" not in vars(held_out.material)


def test_the_scale_of_a_fold_is_chosen_without_the_queries_that_it_tests(scales):
    """With their labels upside down or not: the queries of a fold have no part in what is seen there."""

    def seen(data):
        held_out = held_out_of(data, ((0, 4), (1, 5, 6)))
        return held_out, held_out.columns(0).tolist(), held_out.columns(None).tolist()

    held_out, in_fold, in_all = seen(scales)
    assert in_fold == in_all == [4, 5, 2, 3]
    rows = np.isin(np.repeat(np.arange(scales.n_queries), scales.query_sizes), held_out.parts[0])
    # what is steep explains these labels without rest, and there are many of them
    y = np.where(rows, 1e3 * (1 + scales.X[:, 0] / np.abs(scales.X[:, 0]).max()), scales.y)
    _, in_fold, in_all = seen(RankingData(scales.X, y, scales.query_ptr, feature_names=scales.feature_names))
    assert in_fold == [4, 5, 2, 3]
    assert in_all[0] == 0


def test_sets_are_measured_against_all_features_with_their_copies(copies):
    """The reference is what anybody would train who never heard of copies; leaving them out is no free choice."""
    chosen = select(copies, **QUICK)
    assert chosen.baseline["n_features"] == len(NAMES)
    assert chosen.baseline == select(copies, **QUICK, collapse=False).baseline
    without = select(copies.subset([0, 1, 2, 3, 8]), **QUICK)
    assert chosen.path[:5] == without.path
    assert without.baseline["n_features"] == 5


def test_the_share_of_a_feature_is_that_of_its_copies_too(copies):
    """A ranker divides what copies tell among them: by each alone, none would look important."""
    held_out = held_out_of(copies)
    with Tasks(Journal(None, {})) as tasks:
        held_out.reference(tasks)
    share, (_, whole) = held_out.share(0), held_out.fit(0, range(len(NAMES)))
    np.testing.assert_allclose(share, [whole[[0, 4, 5, 6, 7]].sum(), *whole[[1, 2, 3, 8]]], atol=1e-9)


def test_settings_by_feature_follow_the_copies_that_are_left_out(copies):
    """Each feature keeps its own constraint: among all, and among those that methods choose from."""
    lightgbm = pytest.importorskip("lightgbm")
    monotone = [1, 0, 0, 0, 1, 1, 1, 1, -1]
    booster = lightgbm.LGBMRanker(
        n_estimators=3, min_child_samples=2, n_jobs=1, verbose=-1, monotone_constraints=monotone
    )
    chosen = select(copies, **{**QUICK, "ranker": booster, "methods": ["rfe"]})
    assert chosen.stands_for == {"bm25": ALIKE}


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.3, 1.0]))
@settings(max_examples=15, deadline=None)
def test_no_two_copies_are_chosen_whatever_the_zeros_and_ties(seed, filled):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (90, 5)) * (rng.random((90, 5)) < filled)
    X[:2] = [[0] * 5, [1] * 5]  # nothing is constant
    factor = np.repeat(rng.integers(1, 5, 9), 10)
    family, more = np.array([0, 1, 2, 3, 4, 0, 1, 2]), [np.exp(X[:, 0]), X[:, 1] * factor, X[:, 2]]
    columns = rng.permutation(8)
    data = RankingData(np.column_stack([X, *more])[:, columns], rng.integers(0, 3, 90), np.arange(0, 91, 10))
    chosen = select(data, RankSVM(C=1.0), methods=["importance"], cv=3, n_features=3, progress=False)
    assert len(set(family[columns][list(chosen.indices)])) == 3
    both = select(data, RankSVM(C=1.0), methods=["importance"], cv=3, n_features=8, collapse=False, progress=False)
    assert len(both.features) == 8


def test_copies_stay_where_they_are_asked_for(copies):
    kept = select(copies, **{**QUICK, "n_features": 3}, must_keep=["bm25", "again"])
    assert {"bm25", "again"} < set(kept.features)
    assert kept.stands_for == {"bm25": ("exp", "shifted", "by query")}
    every = select(copies, **QUICK, collapse=False)
    assert every.stands_for == {}
    assert every.baseline["n_features"] == len(NAMES)
    assert every.settings["collapse"] is False


def test_only_what_changes_nothing_in_the_ranker_is_safe_to_drop(copies):
    chosen = select(copies, **QUICK)
    assert len(chosen.safe.features) == len(NAMES)  # a linear ranker punishes the weight of two columns less
    lightgbm = pytest.importorskip("lightgbm")
    booster = lightgbm.LGBMRanker(n_estimators=3, min_child_samples=2, n_jobs=1, verbose=-1)
    chosen = select(copies, **{**QUICK, "ranker": booster})
    assert set(NAMES) - set(chosen.safe.features) == {"again"}
    assert chosen.path[5:] == ("exp", "shifted", "by query")
    assert chosen.baseline["n_features"] == len(NAMES) - 1
    assert "drops 1 copy of another" in chosen.safe.reason
    drawn = select(copies, **{**QUICK, "ranker": booster.set_params(colsample_bytree=0.5)})
    assert len(drawn.safe.features) == len(NAMES)


@pytest.mark.parametrize(("name", "n"), [("lightgbm", 12), ("xgboost", 12)])
def test_boosters_that_ignore_copies_learn_the_same_without_them(copies, name, n):
    pytest.importorskip(name)
    ranker = get(name, n_estimators=n)
    assert ranker.ignores_copies
    left_out = idle_copies(ranker, copies, Limits().bound("select", copies.feature_names)).left_out
    assert [NAMES[j] for j in np.flatnonzero(left_out)] == ["again"]
    fewer = copies.subset(np.flatnonzero(~left_out))
    np.testing.assert_array_equal(
        get(name, n_estimators=n).fit(fewer).predict(fewer), ranker.fit(copies).predict(copies)
    )


def test_which_rankers_a_copy_changes():
    assert not get("ranksvm").ignores_copies
    for name in ("lightgbm", "xgboost"):
        pytest.importorskip(name)
        assert not get(name, colsample_bynode=0.5).ignores_copies
    assert not get("lightgbm", extra_trees=True).ignores_copies
    pytest.importorskip("catboost")
    assert not get("catboost").ignores_copies  # it adds noise to the scores of splits


def test_graphs_by_order_are_computed_once_for_all_folds_and_named_as_in_the_fold(scales, monkeypatch):
    from leanrank.evaluation.select import held_out as module

    computed, real = [], module.feature_graph
    monkeypatch.setattr(module, "feature_graph", lambda part, **how: computed.append(part) or real(part, **how))
    held_out = held_out_of(scales, ((0, 4), (1, 5, 6)))
    held_out._columns = {0: np.array([0, 1, 2, 3]), 1: np.array([4, 5, 2, 3]), 2: np.array([4, 1, 2, 3])}
    graphs = [held_out.graph(i, "map", "kendall") for i in range(3)]
    assert len(computed) == held_out.n_folds
    assert [graph.feature_names[0] for graph in graphs] == ["bm25 steep", "bm25", "bm25"]
    own = real(held_out.folds(1).learned(1), "map", "kendall")
    np.testing.assert_array_equal(graphs[1].similarity, own.similarity)
    np.testing.assert_array_equal(graphs[1].importance, own.importance)
    assert graphs[1].feature_names == own.feature_names
    held_out.graph(1, "hinge", "kendall")
    held_out.graph(2, "hinge", "kendall")
    assert len(computed) == 3 * held_out.n_folds


def test_an_order_that_is_learned_whole_anyway_is_learned_once(scales, monkeypatch):
    """The race asks for the first features of a path, the curve of the winner for all of them."""
    learned, fit = [], ForwardRegression._fit
    monkeypatch.setattr(ForwardRegression, "_fit", lambda self, source: learned.append(source) or fit(self, source))
    select(scales, **{**QUICK, "methods": ["forward-regression", "mrmr-f"], "n_features": None})
    assert len(learned) <= 4  # three folds, and all queries


def test_missing_values_hide_no_feature_and_no_copy(copies):
    """A linear ranker gets the least value of the query in their place: constants and copies are those of that."""
    X = copies.X.copy()
    starts = copies.query_ptr[:-1]
    X[starts, 0] = np.nan  # one document of each query
    least = np.minimum.reduceat(np.where(np.isnan(X[:, 0]), np.inf, X[:, 0]), starts)
    X[:, 5] = X[:, 0]
    X[starts, 5] = least  # the same once it is filled
    holed = RankingData(X, copies.y, copies.query_ptr, feature_names=NAMES, missing=True)
    chosen = select(holed, **QUICK)
    assert chosen.baseline["n_features"] == len(NAMES)
    assert len(chosen.safe.features) == len(NAMES)
    groups = {frozenset([name, *others]) for name, others in chosen.stands_for.items()}
    assert groups == {frozenset(["bm25", "again"]), frozenset(["exp", "shifted", "by query"])}
    lightgbm = pytest.importorskip("lightgbm")  # to which a missing value is one of its own
    booster = lightgbm.LGBMRanker(n_estimators=3, min_child_samples=2, n_jobs=1, verbose=-1)
    assert select(holed, **{**QUICK, "ranker": booster}).stands_for == {"exp": ("shifted", "by query")}


@pytest.mark.parametrize("name", ["gas", "mrmr", "top-k"])
def test_methods_by_name_see_copies_where_they_are_kept(copies, name):
    kept = select(copies, **{**QUICK, "methods": [name], "n_features": 4}, collapse=False)
    assert kept.stands_for == {}
    if name == "top-k":  # which knows nothing of likeness
        assert kept.path[2:7] == ("bm25", *ALIKE)
        assert kept.features[2:] == ("bm25", "exp")


@pytest.mark.parametrize("own", [["n2"], [3]])
@pytest.mark.parametrize("inside", [False, True])
def test_limits_of_a_methods_own_are_of_all_features(copies, own, inside):
    """By name or by number, whatever is left out before it begins, and of a method inside it too."""
    reordered = copies.subset([4, 5, 6, 7, 8, 0, 1, 2, 3])  # copies first: what is left counts otherwise
    names, wanted = reordered.feature_names, own[0] if own == ["n2"] else "n2"
    limits = Limits(must_keep=own if own == ["n2"] else [names.index(wanted)], costs=[1.0] * len(names))
    method = GAS(2, limits=limits)
    method = StabilitySelection(method, n_resamples=3) if inside else method
    assert "n2" in select(reordered, **{**QUICK, "methods": [method]}).features


def test_a_copy_that_a_method_must_keep_stands(copies):
    chosen = select(copies, **{**QUICK, "methods": [GAS(limits=Limits(must_keep=["exp"]))]})
    assert "exp" in chosen.features
    assert chosen.stands_for == {"exp": ("bm25", *ALIKE[1:])}


def test_a_ranker_of_a_methods_own_has_its_settings_by_feature(copies):
    lightgbm = pytest.importorskip("lightgbm")
    monotone = [1, 0, 0, 0, 1, 1, 1, 1, -1]
    booster = lightgbm.LGBMRanker(
        n_estimators=3, min_child_samples=2, n_jobs=1, verbose=-1, monotone_constraints=monotone
    )
    chosen = select(copies, **{**QUICK, "methods": [RankingRFE(booster)]})
    assert chosen.stands_for == {"bm25": ALIKE}


def test_nothing_stands_for_what_is_kept_too(copies):
    chosen = select(copies, **QUICK, must_keep=["bm25"])
    assert chosen.with_answer("safe").copies == []
    assert chosen.at(len(NAMES)).copies == []
    assert chosen.at(len(NAMES)).replaced == {}
    assert chosen.replaced == {"bm25": ALIKE}
    others = select(copies, **QUICK)
    assert "bm25" not in others.features
    assert (others.copies, others.stands_for) == ([], {"bm25": ALIKE})


@pytest.mark.parametrize("ranker", [RankSVM(C=1.0), Ridge(), get("ranknet", n_epochs=2)])
def test_what_is_the_same_in_a_query_is_nothing_to_rankers_of_scaled_features(copies, ranker):
    level = np.repeat(np.arange(copies.n_queries), copies.query_sizes)[:, None]
    data = RankingData(np.hstack([copies.X, level]), copies.y, copies.query_ptr, feature_names=[*NAMES, "length"])
    chosen = select(data, **{**QUICK, "ranker": ranker})
    assert "length" not in chosen.safe.features
    assert "scaled within each query" in repr(chosen)


def test_queries_that_weigh_nothing_tell_no_copies_apart(copies):
    X = copies.X.copy()
    X[: copies.query_ptr[1], 4] *= -1
    weight = np.ones(copies.n_queries)
    weight[0] = 0.0
    data = RankingData(X, copies.y, copies.query_ptr, feature_names=NAMES, beside=SideColumns(query_weight=weight))
    assert select(data, **QUICK).stands_for == {"bm25": ALIKE}
    assert GAS(2).fit(data).stands_for_ == {0: (4, 5, 6, 7)}
