"""What a ranker wants of its features: scaled within queries, or as they are; complete, or with missing values."""

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from leanrank import RankingData, as_ranker, rankers

TREES = [
    DecisionTreeRegressor(),
    ExtraTreeRegressor(),
    RandomForestRegressor(),
    ExtraTreesRegressor(),
    GradientBoostingRegressor(),
    HistGradientBoostingRegressor(),
    BaggingRegressor(),
    BaggingRegressor(ExtraTreeRegressor()),
    AdaBoostRegressor(),
    AdaBoostRegressor(DecisionTreeRegressor(max_depth=2)),
    StackingRegressor([("a", RandomForestRegressor()), ("b", ExtraTreesRegressor())]),
    VotingRegressor([("a", RandomForestRegressor()), ("b", DecisionTreeRegressor())]),
    GridSearchCV(RandomForestRegressor(), {"max_depth": [1, 2]}),
    make_pipeline(RandomForestRegressor()),
]
OTHERS = [
    Ridge(),
    SVR(),
    KNeighborsRegressor(),
    MLPRegressor(),
    BaggingRegressor(Ridge()),
    StackingRegressor([("a", RandomForestRegressor()), ("b", Ridge())]),
    VotingRegressor([("a", Ridge()), ("b", DecisionTreeRegressor())]),
    GridSearchCV(Ridge(), {"alpha": [1, 2]}),
    make_pipeline(Ridge()),
    make_pipeline("passthrough", Ridge()),
]
PREPARED = [make_pipeline(StandardScaler(), Ridge()), make_pipeline(PolynomialFeatures(), RandomForestRegressor())]


def named(estimator):
    return str(estimator).replace("\n", "")


@pytest.mark.parametrize("estimator", TREES, ids=named)
def test_trees_take_features_as_they_are(estimator):
    assert not as_ranker(estimator).wants_scaling


@pytest.mark.parametrize("estimator", OTHERS, ids=named)
def test_all_others_want_them_scaled(estimator):
    assert as_ranker(estimator).wants_scaling


@pytest.mark.parametrize("estimator", PREPARED, ids=named)
def test_a_pipeline_with_a_transformer_prepares_its_own_features(estimator):
    assert not as_ranker(estimator).wants_scaling


@pytest.mark.parametrize("name", rankers.names())
def test_of_our_names_only_boosters_of_trees_do_without_scaling(name):
    pytest.importorskip(name) if name in ("lightgbm", "xgboost", "catboost") else None
    boosters = {"lightgbm", "xgboost", "catboost"}
    assert rankers.get(name).wants_scaling == (name not in boosters)
    assert rankers.get(name).takes_missing == (name in boosters)


def test_boosters_as_regressors_are_trees_too():
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    catboost = pytest.importorskip("catboost")
    for estimator in (lightgbm.LGBMRegressor(), xgboost.XGBRegressor(), catboost.CatBoostRegressor()):
        assert not as_ranker(estimator).wants_scaling


def test_a_linear_xgboost_wants_scaling():
    pytest.importorskip("xgboost")
    assert rankers.get("xgboost", booster="gblinear").wants_scaling
    assert not rankers.get("xgboost", booster="dart").wants_scaling


@pytest.mark.parametrize(
    ("estimator", "takes"),
    [
        (Ridge(), False),
        (HistGradientBoostingRegressor(max_iter=2), True),
        (make_pipeline(SimpleImputer(), Ridge()), True),
        (make_pipeline(StandardScaler(), KNNImputer(), Ridge()), True),
        (make_pipeline(StandardScaler(), Ridge()), False),  # the scaler lets them pass
        (make_pipeline(StandardScaler(), HistGradientBoostingRegressor(max_iter=2)), True),
        (make_pipeline(PolynomialFeatures(), SimpleImputer(), Ridge()), False),
    ],
    ids=named,
)
def test_what_takes_missing_values_is_true_of_the_library(estimator, takes):
    ranker = as_ranker(estimator)
    assert ranker.takes_missing == takes
    X = np.random.default_rng(0).random((40, 3))
    X[3, 0] = np.nan
    data = RankingData(X, np.arange(40) % 3, np.arange(0, 41, 10), missing=True)
    if takes:
        assert np.isfinite(ranker.fit(data).predict(data)).all()
    else:
        with pytest.raises(ValueError, match="NaN"):
            estimator.fit(X, data.y)
        with pytest.raises(ValueError, match="cannot take missing values"):
            ranker.fit(data)
