"""RankingRFE and BoosterImportance: against scikit-learn's RFE, with boosters, with held-out data."""

from __future__ import annotations

import lightgbm
import numpy as np
import pytest
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC
from tests.selectors.metamorphic import tie_free
from tests.selectors.set_function import SetFunction, SetRanker

from leanrank.data.ranking_data import RankingData
from leanrank.data.synthetic import make_ranking
from leanrank.errors import ParameterError
from leanrank.rankers.ranksvm import RankSVM
from leanrank.rankers.registry import get
from leanrank.selectors import BoosterImportance, RankingRFE, cegb_params
from leanrank.selectors.arrangement import Arrangement
from leanrank.selectors.cegb import for_columns, with_costs
from leanrank.selectors.importances import importances

DATA = tie_free(7, n_queries=20)
VARYING = [j for j in range(9) if j != 4]


def differences(data):
    """x_i - x_j of all pairs of a query with y_i > y_j, every second one mirrored, with its sign as class."""
    Z = []
    for a, b in zip(data.query_ptr[:-1], data.query_ptr[1:], strict=True):
        X, y = data.X[a:b], data.y[a:b]
        Z += [X[i] - X[j] for i in range(b - a) for j in range(b - a) if y[i] > y[j]]
    sign = np.where(np.arange(len(Z)) % 2, 1, -1)
    return np.array(Z) * sign[:, None], sign


@pytest.mark.parametrize("step", [1, 3])
def test_it_eliminates_as_scikit_learns_rfe_on_difference_vectors(step):
    Z, sign = differences(DATA)
    C = 0.5
    svm = LinearSVC(C=C, loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-10, max_iter=10_000)
    ours = RankingRFE(RankSVM(2 * C, C_mode="per_pair", tol=1e-12), importance="coef", step=step).fit(DATA)
    for size in (1, 3, 5):
        theirs = RFE(svm, n_features_to_select=size, step=step).fit(Z[:, VARYING], sign)
        assert sorted(ours.select(size).tolist()) == [VARYING[j] for j in np.flatnonzero(theirs.support_)]
    if step == 1:
        assert [VARYING.index(j) for j in ours.ranking_] == np.argsort(
            RFE(svm, n_features_to_select=1).fit(Z[:, VARYING], sign).ranking_
        ).tolist()


class Weighed(SetRanker):
    """Its coefficients are known; it remembers what it was trained on."""

    def _fit(self, data, valid):
        super()._fit(data, valid)
        self.coef_ = self.g.worth[[int(name) - 1 for name in data.feature_names]]


def test_steps_and_shares_of_those_left():
    data = RankingData(np.random.default_rng(0).random((30, 10)), np.arange(30) % 3, [0, 10, 20, 30])
    g = SetFunction(0, n=10, interaction=0)
    for step, sizes in ((1, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]), (4, [10, 6, 2, 1]), (0.5, [10, 5, 3, 2, 1])):
        SetRanker.trained.clear()
        found = RankingRFE(Weighed(g), step=step).fit(data)
        assert [len(features) for features, *_ in SetRanker.trained] == sizes
        assert found.n_trained_ == len(sizes)
        assert found.ranking_.tolist() == np.argsort(-g.worth).tolist()


def test_held_out_data_are_cut_together_with_the_columns():
    g = SetFunction(0, n=9, interaction=0)
    SetRanker.trained.clear()
    RankingRFE(Weighed(g)).fit(DATA, eval_set=DATA.take_queries([0, 1]))
    for features, _, names in SetRanker.trained:
        assert sorted(names) == sorted(str(j + 1) for j in features)


def test_of_equals_the_highest_index_goes_first():
    g = SetFunction(0, n=9)
    g.worth[:] = 1.0
    assert RankingRFE(Weighed(g)).fit(DATA).ranking_.tolist() == list(range(9))


@pytest.mark.parametrize("importance", ["gain", "split", "shap", "permutation", "loss", "auto"])
def test_a_booster_keeps_the_planted_features(importance):
    data, truth = make_ranking(40, n_informative=3, n_redundant=0, n_noise=9, random_state=1)
    valid, _ = make_ranking(20, n_informative=3, n_redundant=0, n_noise=9, random_state=1)
    booster = get("lightgbm", n_estimators=15, early_stopping_rounds=5, n_threads=1)
    for selector in (
        RankingRFE(booster, 3, importance=importance, step=3),
        BoosterImportance(booster, 3, kind=importance),
    ):
        selector.fit(data, eval_set=valid)
        assert [truth[j].role for j in selector.selected_].count("informative") >= 2
        again = selector.__sklearn_clone__().fit(data, eval_set=valid)
        assert again.ranking_.tolist() == selector.ranking_.tolist()


def test_booster_importance_is_the_boosters_own():
    data, _ = make_ranking(20, n_informative=3, n_redundant=2, n_noise=3, random_state=0)
    booster = get("lightgbm", n_estimators=10, n_threads=1)
    found = BoosterImportance(booster, kind="gain").fit(data)
    view = Arrangement.of(data)
    columns = view.columns(range(8))
    own = np.empty(8)
    own[columns] = booster.fit(view.data.subset(columns)).importances("gain")
    np.testing.assert_allclose(found.scores_, own)
    assert found.ranking_.tolist() == np.argsort(-own).tolist()


def test_features_of_a_query_as_a_whole_may_matter_to_a_tree_only():
    rng = np.random.default_rng(0)
    query_kind = np.repeat(rng.integers(0, 2, 40), 10)
    x = rng.random(400)
    data = RankingData(
        np.column_stack([query_kind, x]), np.where(query_kind == 1, x, 1 - x) > 0.7, np.arange(0, 401, 10)
    )
    tree = BoosterImportance(get("lightgbm", n_estimators=10, n_threads=1)).fit(data)
    assert tree.dropped_.tolist() == []
    assert tree.scores_[0] > 0
    assert BoosterImportance(RankSVM()).fit(data).dropped_.tolist() == [0]


def test_boosters_take_missing_values():
    X = DATA.X.copy()
    X[::3, 0] = np.nan
    data = RankingData(X, DATA.y, DATA.query_ptr, missing=True)
    assert BoosterImportance(get("lightgbm", n_estimators=3, n_threads=1), 2).fit(data).support_.sum() == 2
    with pytest.raises(ValueError, match="BoosterImportance cannot take missing values"):
        BoosterImportance().fit(data)


def test_loss_is_what_the_metric_loses_without_the_feature():
    ranker = RankSVM().fit(DATA)
    found = importances(ranker, "loss", DATA, metric="map")
    held = DATA.X.copy()
    for a, b in zip(DATA.query_ptr[:-1], DATA.query_ptr[1:], strict=True):
        held[a:b, 3] = held[a:b, 3].mean()
    without = RankingData(held, DATA.y, DATA.query_ptr)
    assert found[3] == pytest.approx(ranker.score(DATA, metric="map") - ranker.score(without, metric="map"), abs=1e-9)
    assert found[4] == 0


def test_cegb_penalties_follow_the_features():
    params = cegb_params({"a": 1, "b": 2, "log": 4}, ["a", "b", "c", "d"], groups={"log": ["c", "d"]}, tradeoff=0.1)
    assert params == {"cegb_tradeoff": 0.1, "cegb_penalty_feature_coupled": [1.0, 2.0, 2.0, 2.0]}
    ranker = with_costs(lightgbm.LGBMRanker(n_estimators=5), {"a": 1, "b": 2, "c": 3}, ["a", "b", "c"])
    cut = for_columns(ranker, [2, 0], 3)
    assert cut.estimator.get_params()["cegb_penalty_feature_coupled"] == [3.0, 1.0]
    assert ranker.estimator.get_params()["cegb_penalty_feature_coupled"] == [1.0, 2.0, 3.0]
    assert isinstance(with_costs("ranksvm", [1, 1], ["a", "b"]), RankSVM)
    with pytest.raises(ParameterError, match="'tradeoff' parameter of cegb_params must be >= 0"):
        cegb_params([1.0], ["a"], tradeoff=-1)


def test_a_dear_feature_is_left_out_by_lightgbm_and_settings_by_feature_are_cut():
    data, _ = make_ranking(40, n_informative=3, n_redundant=3, n_noise=3, random_state=2)
    booster = get("lightgbm", n_estimators=15, n_threads=1, monotone_constraints=[0] * 9)
    gain = BoosterImportance(booster, kind="gain").fit(data)
    dearest = int(gain.ranking_[0])
    costs = np.ones(9)
    costs[dearest] = 1e6
    priced = with_costs(booster, costs, data.feature_names, tradeoff=1.0)
    assert BoosterImportance(priced, kind="gain").fit(data).scores_[dearest] == 0
    assert RankingRFE(priced, importance="gain", step=4).fit(data).ranking_[0] != dearest


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (RankingRFE(importance="weight"), "The 'importance' parameter of RankingRFE must be one of 'auto', 'coef'"),
        (RankingRFE(step=0), "a number of features >= 1 or a share"),
        (RankingRFE(step=1.5), "a number of features >= 1 or a share"),
        (RankingRFE(step=True), "a number of features >= 1 or a share"),
        (RankingRFE(importance="gain"), "The 'kind' parameter of RankSVM must be 'permutation'. Got 'gain'"),
        (BoosterImportance(kind="cover"), "The 'kind' parameter of BoosterImportance must be one of"),
        (RankingRFE(SetRanker(len), importance="coef"), "SetRanker has no coefficients"),
        (RankingRFE(42), "as_ranker takes an estimator"),
    ],
)
def test_impossible_parameters(selector, message):
    with pytest.raises(ParameterError, match=message):
        selector.fit(DATA)
