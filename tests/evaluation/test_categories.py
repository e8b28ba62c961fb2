"""Categories in select, LeanSelector, compare and cross_validate: learned in every fold from what may be seen there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.data.categorical import BRANDS, in_parts, with_categories

from leanrank import LeanSelector, Protocol, cross_validate, drift, select, shadow
from leanrank.data.folds import Fold, Queries
from leanrank.errors import DataError
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.training import filled, prepared, train
from leanrank.metrics.names import metric
from leanrank.rankers import get
from leanrank.rankers._categories import UnknownCategoryWarning


def booster(name="lightgbm"):
    pytest.importorskip(name)
    return get(name, n_estimators=10, n_threads=1)


def test_preparing_leaves_categories_alone():
    data = with_categories()
    for ranker in (get("ranksvm"), booster()):
        ready = prepared(data, ranker)
        np.testing.assert_array_equal(ready.X[:, [1, 3]], data.X[:, [1, 3]])
        assert ready.categories == data.categories
    np.testing.assert_array_equal(filled(data).X, data.X)


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost"])
def test_a_fold_is_trained_as_by_the_library_itself(name):
    from tests.rankers.test_categories import ITSELF, N_TREES

    data = with_categories()
    index = np.split(np.arange(60), [30, 45])
    fold = Fold("first", *(Queries(data, part) for part in index))
    train_part, _, test = in_parts(data)
    ranker = get(name, n_estimators=N_TREES, n_threads=1)
    trained = train(_without_stopping(ranker), fold, range(4))
    ndcg = metric("ndcg@10")
    theirs = ndcg.per_query(test.y, ITSELF[name](train_part, None, test), test.query_ptr)
    np.testing.assert_allclose(trained.per_query(fold.test, ndcg)[0], theirs, atol=1e-12)


def _without_stopping(ranker):
    """The ranker with all its trees: a fold's validation part would choose among them."""

    class Whole(type(ranker)):
        def fit(self, X, y=None, *, qid=None, eval_set=None, regroup=False):
            return super().fit(X, y, qid=qid, regroup=regroup)

    return Whole(estimator=ranker.estimator)


@pytest.mark.parametrize("name", ["ranksvm", "lightgbm"])
def test_select_keeps_the_category_that_matters(name):
    data = with_categories(60)
    ranker = booster() if name == "lightgbm" else name
    chosen = select(data, ranker, methods=["gas", "importance"], n_features=2, cv=3, n_jobs=1, progress=False)
    assert set(chosen.features) == {"bm25", "brand"}
    assert chosen.baseline["n_features"] == 4  # a category is one feature


def test_a_random_category_is_not_selected():
    data = with_categories(60)
    rng = np.random.default_rng(1)
    X = np.column_stack([data.X, rng.integers(0, 240, data.n_rows)])
    lottery = replace(
        data,
        X=X,
        feature_names=(*data.feature_names, "lottery"),
        categories={**data.categories, "lottery": tuple(f"ticket {i}" for i in range(240))},
    )
    for name in ("ranksvm", "rankboost"):
        settings = {"methods": ["gas", "mrmr"], "n_features": 2, "cv": 3, "n_jobs": 1, "progress": False}
        assert set(select(lottery, name, **settings).features) == {"bm25", "brand"}


def test_the_journal_knows_texts(tmp_path):
    data = with_categories(30)
    settings = {"methods": ["gas"], "n_features": 2, "cv": 3, "n_jobs": 1, "progress": False}
    select(data, "ranksvm", journal=tmp_path / "run.sqlite", **settings)
    renamed = replace(data, categories={**data.categories, "colour": ("blau", "grün", "rot")})
    with pytest.raises(Exception, match="other"):
        select(renamed, "ranksvm", journal=tmp_path / "run.sqlite", **settings)


def test_unknown_categories_of_valid_are_told_once():
    train_part, valid, _ = in_parts(with_categories(60))
    X = valid.X.copy()
    X[:3, 1] = len(BRANDS)
    new = replace(valid, X=X, categories={**valid.categories, "brand": (*BRANDS, "new")})
    settings = {"methods": ["gas"], "n_features": 2, "cv": 2, "n_jobs": 1, "progress": False}
    with pytest.warns(UnknownCategoryWarning, match="'brand' in 3 of 180") as told:
        select(train_part, "ranksvm", valid=new, **settings)
    assert sum(issubclass(w.category, UnknownCategoryWarning) for w in told) == 1
    with pytest.raises(DataError, match="'brand' is a number in these data and was a category"):
        select(train_part, "ranksvm", valid=replace(valid, categories={}), **settings)


def test_lean_selector_takes_categories():
    data = with_categories(40)
    lean = LeanSelector("ranksvm", n_features_to_select=2, methods=["gas"], cv=3, n_jobs=1).fit(data)
    assert sorted(lean.selected_.tolist()) == [0, 1]
    assert lean.transform(data).categories == {"brand": BRANDS}


def test_compare_and_cross_validate_take_categories():
    data = with_categories(40)
    protocol = Protocol(n_splits=3)
    result = cross_validate("gas", "ranksvm", data, "ndcg@10", k=2, grid=None, protocol=protocol, n_jobs=1)
    assert {name for record in result.records for name in record.feature_names} == {"bm25", "brand"}
    booster_result = cross_validate(None, booster(), data, "ndcg@10", protocol=protocol, n_jobs=1)
    assert booster_result.mean["ndcg@10"] > 0.8
    compared = compare(data, methods=["gas"], rankers=["ranksvm"], k=[2], metrics=["ndcg@10"], n_jobs=1)
    assert set(compared.runs) == {("ranksvm", None, "all features"), ("ranksvm", 2, "gas")}


def test_a_category_of_one_text_is_no_use():
    data = with_categories(30)
    X = data.X.copy()
    X[:, 3] = 0
    poor = replace(data, X=X, categories={**data.categories, "colour": ("x",)})
    chosen = select(poor, "ranksvm", methods=["gas"], n_features=2, cv=3, n_jobs=1, progress=False)
    assert "colour" not in chosen.features


def test_shadow_compares_models_with_categories_and_drift_refuses_them():
    train_part, _, logged = in_parts(with_categories(40))
    full, pruned = booster().fit(train_part), booster().fit(train_part.subset(["bm25", "brand"]))
    assert shadow(logged, full, pruned).n_queries == logged.n_queries
    with pytest.raises(DataError, match="drift compares numbers, and 'brand' is a category"):
        drift(logged, logged, full, pruned)
