"""Copies in `select`: only what tells this very ranker the same becomes one feature."""

from __future__ import annotations

import json

import numpy as np
import pytest

from leanrank import RankSVM, make_ranking, select
from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.select.saved_selection import selection_of
from leanrank.rankers.registry import get
from leanrank.report._summary import summarize
from leanrank.selectors._ranker_selector import copies_to, idle_copies
from leanrank.selectors.limits import Limits

QUICK = {"ranker": RankSVM(C=1.0), "methods": ["mrmr"], "cv": 3, "n_features": 2, "progress": False}
NAMES = ["bm25", "age", "n1", "n2", "exp", "again", "shifted", "by query", "reversed"]


@pytest.fixture(scope="module")
def copies():
    data = make_ranking(30, n_informative=2, n_redundant=0, n_noise=2, random_state=0)[0]
    x = data.X[:, [0]].astype(float)
    query = np.repeat(np.arange(data.n_queries), data.query_sizes)[:, None]
    X = np.hstack([data.X, np.exp(x), x, 4 * x + 1, x + query, -x])
    return RankingData(X, data.y, data.query_ptr, feature_names=NAMES)


def standing(ranker, data, **limits):
    bound = Limits(**limits).bound("select", data.feature_names)
    return copies_to(get(ranker) if isinstance(ranker, str) else ranker, data, bound).standing(data.feature_names)


def test_what_is_a_copy_depends_on_the_ranker(copies):
    assert standing("ranksvm", copies) == {"bm25": ("again", "shifted")}
    assert standing("ranknet", copies) == {"bm25": ("again",)}
    pytest.importorskip("lightgbm")
    assert standing("lightgbm", copies) == {"bm25": ("exp", "again", "shifted")}


def test_limits_decide_which_copy_stays(copies):
    costs = dict.fromkeys(NAMES, 1.0) | {"bm25": 5.0}
    assert standing("ranksvm", copies, costs=costs) == {"again": ("bm25", "shifted")}
    assert standing("ranksvm", copies, costs=costs, must_keep=["bm25"]) == {"bm25": ("again", "shifted")}
    assert standing("ranksvm", copies, never=["bm25"]) == {"again": ("shifted",)}
    slow = {"groups": {"slow": ["again", "shifted"]}, "costs": {**dict.fromkeys(NAMES, 1.0), "slow": 3.0}}
    assert standing("ranksvm", copies, **slow) == {"bm25": ("again", "shifted")}


def test_select_never_keeps_two_copies_and_says_what_stays_for_what(copies):
    chosen = select(copies, **QUICK)
    assert chosen.stands_for == {"bm25": ("again", "shifted")}
    assert chosen.baseline["n_features"] == len(NAMES) - 2
    assert not {"again", "shifted"} & set(chosen.path)
    assert {"again", "shifted"} <= set(chosen.dropped)
    assert "bm25 stands for again, shifted" in repr(chosen)
    assert selection_of(json.loads(chosen.to_json()), "file").stands_for == chosen.stands_for
    assert any("bm25 stands for again, shifted" in note for note in summarize(chosen)["notes"])


def test_copies_stay_where_they_are_asked_for(copies):
    kept = select(copies, **{**QUICK, "n_features": 3}, must_keep=["bm25", "again"])
    assert {"bm25", "again"} < set(kept.features)
    assert kept.stands_for == {"bm25": ("shifted",)}
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
    assert set(NAMES) - set(chosen.path) == {"exp", "again", "shifted"}
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
