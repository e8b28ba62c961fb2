"""Prepare, fit, score: what a ranker wants of its features, it gets, wherever it is trained."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from leanrank import QueryMinMaxScaler, RankSVM, as_ranker, make_ranking, metric, select
from leanrank.evaluation.folds import QueryFolds
from leanrank.evaluation.select.held_out import HeldOut, Material
from leanrank.evaluation.select.measuring import final_test
from leanrank.evaluation.training import filled, prepared, scaled, train
from leanrank.rankers.registry import get
from leanrank.stats.copies import Copies


@pytest.fixture(scope="module")
def data():
    return make_ranking(24, 12, n_informative=2, n_redundant=1, n_noise=2, random_state=1)[0]


@pytest.fixture(scope="module")
def holed(data):
    X = data.X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    X[data.query_ptr[3] : data.query_ptr[4], 0] = np.nan
    return replace(data, X=X, missing=True)


def test_fill_and_scale_are_what_the_ranker_says(data, holed):
    for ranker in (RankSVM(), as_ranker(Ridge())):
        ready = prepared(holed, ranker)
        assert ready.equals(QueryMinMaxScaler().fit_transform(filled(holed)))
        assert not ready.missing
    tree = as_ranker(DecisionTreeRegressor())
    assert prepared(data, tree) is data
    assert prepared(holed, get("lightgbm")) is holed
    assert not np.isnan(filled(holed).X).any()
    assert filled(data) is data


def test_missing_values_become_the_least_of_their_query(holed):
    full = filled(holed)
    for q in range(holed.n_queries):
        before, after = holed.query(q).X, full.query(q).X
        for j in range(holed.n_features):
            absent = np.isnan(before[:, j])
            least = 0.0 if absent.all() else before[~absent, j].min()
            np.testing.assert_array_equal(after[absent, j], np.full(absent.sum(), least, dtype=after.dtype))
            np.testing.assert_array_equal(after[~absent, j], before[~absent, j])


def test_a_scaler_is_fitted_to_the_training_data_alone(data):
    parts = data.take_queries(range(12)), data.take_queries(range(12, 24))
    once = scaled(QueryMinMaxScaler(), *parts)
    assert [part.n_queries for part in once] == [12, 12]
    assert once[1].equals(QueryMinMaxScaler().fit(parts[0]).transform(parts[1]))


def test_training_equals_doing_it_by_hand(data):
    fold, measure = QueryFolds.cut(data, 3)[0], metric("ndcg@10")
    trained = train(RankSVM(C=1.0), fold, [2, 0])
    by_hand = RankSVM(C=1.0).fit(fold.train.subset([2, 0]), eval_set=fold.valid.subset([2, 0]))
    test = fold.test.subset([2, 0])
    expected = measure.per_query(test.y, by_hand.predict(test), test.query_ptr)
    np.testing.assert_array_equal(trained.per_query(trained.fold.test, measure)[0], expected)
    nothing = train(RankSVM(), fold, [])
    assert nothing.ranker is None
    values = nothing.per_query(nothing.fold.test, measure, metric("map"))
    assert len(values) == 2
    assert (values[0] < 1).any()


def test_a_regressor_learns_from_scaled_features(data):
    """The scale of a feature says nothing to a regularised regressor any more."""
    far = replace(data, X=data.X * np.array([1e-6, 1, 1, 1, 1], dtype=data.X.dtype))
    ranker, measure = as_ranker(Ridge(alpha=1.0)), metric("ndcg@10")
    chosen = select(far, ranker, methods=["mrmr-f"], n_features=2, cv=3, progress=False)
    tested = []
    for part in (data, far):
        learn, valid, test = (part.take_queries(range(a, a + 8)) for a in (0, 8, 16))
        tested.append(final_test(chosen, ranker, measure, learn, valid, test))
    assert tested[0]["all_features"] == pytest.approx(tested[1]["all_features"], abs=1e-6)
    held_out = HeldOut(Material(far, None, ranker, Copies.none(5)), measure, cv=3, random_state=0)
    again = HeldOut(Material(data, None, ranker, Copies.none(5)), measure, cv=3, random_state=0)
    np.testing.assert_allclose(held_out.fit(0, range(5))[0], again.fit(0, range(5))[0], atol=1e-6)
