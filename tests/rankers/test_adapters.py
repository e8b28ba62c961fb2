"""Adapters: each library's quirks, importances, early stopping."""

import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from tests.rankers.conformance import as_sparse, judged, new

from leanrank import RankingData, RankSVM, as_ranker, rankers
from leanrank.errors import DataError, LeanRankError, MissingExtraError, MissingValuesError, ParameterError
from leanrank.rankers.adapters import RegressorAdapter
from leanrank.selectors._ranker_selector import importances

BOOSTERS = ["catboost", "lightgbm", "xgboost"]


@pytest.fixture(params=BOOSTERS)
def booster(request):
    pytest.importorskip(request.param)
    return request.param


def relabelled(data, y):
    return RankingData(data.X, y, data.query_ptr, data.query_ids)


def test_the_librarys_own_estimator_gives_the_same_scores_as_by_hand():
    lightgbm = pytest.importorskip("lightgbm")
    data = judged()
    estimator = lightgbm.LGBMRanker(n_estimators=8, min_child_samples=3, verbosity=-1, n_jobs=1)
    by_hand = lightgbm.LGBMRanker(**estimator.get_params()).fit(data.X, data.y, group=data.query_sizes)
    ranker = as_ranker(estimator).fit(data)
    np.testing.assert_array_equal(ranker.predict(data), by_hand.booster_.predict(data.X))
    assert not hasattr(estimator, "booster_") or estimator.__sklearn_is_fitted__() is False


def test_xgboost_by_hand():
    xgboost = pytest.importorskip("xgboost")
    data = judged()
    estimator = xgboost.XGBRanker(n_estimators=8, objective="rank:ndcg", n_jobs=1)
    by_hand = xgboost.XGBRanker(**estimator.get_params())
    by_hand.fit(data.X, data.y, qid=np.repeat(np.arange(data.n_queries), data.query_sizes))
    np.testing.assert_array_equal(as_ranker(estimator).fit(data).predict(data), by_hand.predict(data.X))


def test_labels_over_thirty(booster):
    data = judged()
    ranker = new(booster).fit(relabelled(data, data.y * 40))
    assert ranker.score(data) > 0.8


def test_fractions_and_negative_labels(booster):
    data = judged()
    odd = relabelled(data, data.y / 3 - 0.5)
    if booster == "catboost":
        assert new(booster, objective="QueryRMSE").fit(odd).score(data) > 0.8
    else:
        with pytest.raises(DataError, match=r"takes whole labels from 0: the label of row \d+ is .* labels='rank'"):
            new(booster).fit(odd)
    by_rank = new(booster, labels="rank").fit(odd)
    np.testing.assert_array_equal(by_rank.predict(data), new(booster).fit(data).predict(data))
    with pytest.raises(ParameterError, match=r"The 'labels' parameter of .* must be 'keep' or 'rank'"):
        new(booster, labels="log").fit(data)


def test_early_stopping_keeps_the_best_iteration(booster):
    """With labels of pure noise held out, few trees are best; the model kept is the one cut there."""
    data, held_out = judged(), judged(1)
    noise = relabelled(held_out, np.random.default_rng(0).integers(0, 3, held_out.n_rows))
    stopped = new(booster, n_estimators=60, learning_rate=0.3, early_stopping_rounds=3).fit(data, eval_set=noise)
    whole = new(booster, n_estimators=60, learning_rate=0.3).fit(data)
    assert n_trees(stopped, booster) < n_trees(whole, booster) == 60
    best = new(booster, n_estimators=60, learning_rate=0.3).fit(data, eval_set=noise)
    assert n_trees(best, booster) < 60


def n_trees(ranker, booster):
    if booster == "catboost":
        return ranker.estimator_.tree_count_
    return ranker.estimator_.num_trees() if booster == "lightgbm" else ranker.estimator_.num_boosted_rounds()


def test_eval_metrics_by_name(booster):
    data, held_out = judged(), judged(1)
    for metric in ("ndcg", "ndcg@5", "map", "map@5"):
        new(booster, eval_metric=metric).fit(data, eval_set=held_out)
    with pytest.raises(LeanRankError, match="Unknown eval_metric of a booster 'auc'"):
        new(booster, eval_metric="auc").fit(data, eval_set=held_out)
    with pytest.raises(ParameterError, match=r"'early_stopping_rounds' parameter of .* must be >= 1 or None"):
        new(booster, early_stopping_rounds=0).fit(data, eval_set=held_out)


def test_importances_are_uniform(booster):
    data = judged()
    ranker = new(booster).fit(data)
    kinds = ["gain", "shap"] if booster == "catboost" else ["gain", "split", "shap"]
    for kind in kinds:
        found = ranker.importances(kind, data=data)
        assert found.shape == (4,)
        assert np.argmax(found) == 0, kind
        assert found[3] == 0.0  # constant
        np.testing.assert_allclose(ranker.importances(kind, data=as_sparse(data)), found, rtol=1e-6)
    with pytest.raises(ParameterError, match="SHAP importances are measured on data"):
        ranker.importances("shap")
    with pytest.raises(ParameterError, match=r"The 'kind' parameter of .*Adapter must be 'gain'"):
        ranker.importances("weight")
    with pytest.raises(ParameterError, match="Permutation importances are measured on data"):
        ranker.importances("permutation")


def test_the_fitted_model_and_its_importances_are_shown(booster):
    data = judged()
    ranker = new(booster)
    assert not hasattr(ranker, "estimator_")
    assert not hasattr(ranker, "feature_importances_")
    ranker.fit(data)
    library = pytest.importorskip(booster)
    assert type(ranker.estimator_) is (library.CatBoost if booster == "catboost" else library.Booster)
    np.testing.assert_array_equal(ranker.feature_importances_, ranker.importances("gain"))
    assert ranker.feature_importances_.shape == (4,)
    copy = pickle.loads(pickle.dumps(ranker))
    np.testing.assert_array_equal(copy.feature_importances_, ranker.feature_importances_)


def test_catboost_with_nothing_to_learn_has_an_empty_model():
    pytest.importorskip("catboost")
    data = relabelled(judged(), np.zeros(judged().n_rows))
    with pytest.warns(UserWarning, match="all labels are equal"):
        ranker = new("catboost").fit(data)
    assert ranker.estimator_.tree_count_ is None
    np.testing.assert_array_equal(ranker.feature_importances_, np.zeros(4))


def test_a_regressor_shows_its_own():
    data = judged()
    forest = as_ranker(RandomForestRegressor(5, random_state=0)).fit(data)
    assert isinstance(forest.estimator_, RandomForestRegressor)
    np.testing.assert_array_equal(forest.feature_importances_, forest.estimator_.feature_importances_)
    linear = as_ranker(LinearRegression()).fit(data)
    assert linear.estimator_.coef_.shape == (4,)
    assert not hasattr(linear, "feature_importances_")


def test_total_gain_is_the_sum_over_splits():
    pytest.importorskip("xgboost")
    ranker = new("xgboost").fit(judged())
    trees = ranker.estimator_.trees_to_dataframe()
    for j, gain in enumerate(ranker.importances("gain")):
        assert gain == pytest.approx(trees.loc[trees.Feature == f"f{j}", "Gain"].sum(), rel=1e-4)


def test_xgboost_map_binarises_labels():
    pytest.importorskip("xgboost")
    data = judged()
    graded = new("xgboost", objective="rank:map").fit(data)
    binary = new("xgboost", objective="rank:map").fit(relabelled(data, data.y >= 1))
    np.testing.assert_array_equal(graded.predict(data), binary.predict(data))


def test_a_query_too_long_for_lightgbm_is_named(monkeypatch):
    pytest.importorskip("lightgbm")
    monkeypatch.setattr("leanrank.rankers.lightgbm_adapter._LONGEST_QUERY", 9)
    with pytest.raises(DataError, match="at most 9 documents of a query: query 100 has 10"):
        new("lightgbm").fit(judged())


def test_a_lightgbm_refusal_is_ours():
    pytest.importorskip("lightgbm")
    with pytest.raises(LeanRankError, match="LightGBM refused"):
        new("lightgbm", objective="no such objective").fit(judged())


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingExtraError, match=r"needs the package 'lightgbm': pip install lightgbm, or the extra"):
        rankers.get("lightgbm")


def test_any_regressor_ranks():
    data = judged()
    ranker = as_ranker(LinearRegression()).fit(data)
    np.testing.assert_allclose(ranker.predict(data), LinearRegression().fit(data.X, data.y).predict(data.X))
    forest = as_ranker(RandomForestRegressor(5, random_state=0)).fit(data)
    assert np.argmax(forest.importances("gain")) == 0
    with pytest.raises(LeanRankError, match="LinearRegression cannot be saved without a pickle"):
        ranker.save("never.json")


def test_a_regressor_gets_only_what_it_can_take():
    data = judged()
    dense_only = as_ranker(HistGradientBoostingRegressor(max_iter=5))
    np.testing.assert_allclose(dense_only.fit(as_sparse(data)).predict(sp.csr_array(data.X)), dense_only.predict(data))
    X = data.X.copy()
    X[3, 0] = np.nan
    assert np.isfinite(dense_only.fit(X, data.y, qid=data.qid).predict(X)).all()
    with pytest.raises(MissingValuesError, match="NaN in feature '1', row 3"):
        as_ranker(LinearRegression()).fit(X, data.y, qid=data.qid)
    with pytest.raises(MissingValuesError, match="LinearRegression cannot take missing values"):
        as_ranker(LinearRegression()).fit(RankingData(X, data.y, data.query_ptr, missing=True))


def test_as_ranker_says_what_it_takes():
    ranker = RankSVM()
    assert as_ranker(ranker) is ranker
    assert isinstance(as_ranker("ranksvm"), RankSVM)
    assert isinstance(as_ranker(LinearRegression(), labels="rank"), RegressorAdapter)
    with pytest.raises(ParameterError, match="LogisticRegression is a classifier"):
        as_ranker(LogisticRegression())
    with pytest.raises(ParameterError, match=r"not a class: write LinearRegression\(\)"):
        as_ranker(LinearRegression)
    with pytest.raises(ParameterError, match=r"an estimator with fit and predict. Got int"):
        as_ranker(3)
    with pytest.raises(ParameterError, match="RankSVM is a ranker already"):
        as_ranker(ranker, labels="rank")


def test_a_linear_model_of_xgboost_stops_where_it_is_and_has_no_gain():
    """Its rounds cannot be parted, and there are no splits."""
    pytest.importorskip("xgboost")
    data = judged()
    ranker = rankers.get("xgboost", booster="gblinear", n_estimators=5).fit(data, eval_set=data)
    assert np.isfinite(ranker.predict(data)).all()
    for kind in ("gain", "split"):
        with pytest.raises(ParameterError, match="Use 'permutation' or 'loss'"):
            ranker.importances(kind)
    assert len(importances(ranker, "auto", data)) == data.n_features
