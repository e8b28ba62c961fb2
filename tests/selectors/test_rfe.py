"""RankingRFE and BoosterImportance: against scikit-learn's RFE, with boosters, with held-out data."""

from __future__ import annotations

import lightgbm
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC
from tests.naive.limited_greedy import Rules
from tests.selectors.metamorphic import check_columns, check_rows_and_queries, tie_free
from tests.selectors.set_function import SetFunction, SetRanker

from leanrank.data.arrangement import Arrangement
from leanrank.data.ranking_data import RankingData
from leanrank.data.synthetic import make_ranking
from leanrank.errors import ParameterError
from leanrank.rankers.adapters import as_ranker
from leanrank.rankers.ranksvm import RankSVM
from leanrank.rankers.registry import get
from leanrank.selectors import BoosterImportance, Limits, RankingRFE, cegb_params
from leanrank.selectors._ranker_selector import importances

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
        assert [VARYING.index(j) for j in ours.order_] == np.argsort(
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
        assert found.order_.tolist() == np.argsort(-g.worth).tolist()


def test_held_out_data_are_cut_together_with_the_columns():
    g = SetFunction(0, n=9, interaction=0)
    SetRanker.trained.clear()
    RankingRFE(Weighed(g)).fit(DATA, eval_set=DATA.take_queries([0, 1]))
    for features, _, names in SetRanker.trained:
        assert sorted(names) == sorted(str(j + 1) for j in features)


def test_of_equals_the_highest_index_goes_first():
    g = SetFunction(0, n=9)
    g.worth[:] = 1.0
    assert RankingRFE(Weighed(g)).fit(DATA).order_.tolist() == list(range(9))


class Interacting(SetRanker):
    """The coefficient of a feature is what the given set function loses without it, good or bad."""

    def _fit(self, data, valid):
        super()._fit(data, valid)
        chosen = frozenset(int(name) - 1 for name in data.feature_names)
        self.losses_ = self.losses(self.g, [int(name) - 1 for name in data.feature_names], chosen)

    @staticmethod
    def losses(g, features, chosen):
        return [g(chosen) - g(chosen - {j}) for j in features]

    def importances(self, kind, **_):
        return np.array(self.losses_)


def eliminated(g, n, step, rules):
    """The slow twin: bills of whole sets, the least importance per cost saved, one after the other; then back again."""
    left, order = [j for j in range(n) if j in rules.must_keep or j in rules.left(rules.must_keep)], []
    while left:
        loss = {
            j: round(value, 12) for j, value in zip(left, Interacting.losses(g, left, frozenset(left)), strict=True)
        }
        largest = max(loss.values())
        loss = {j: value / largest if largest > 0 else value for j, value in loss.items()}
        for _ in range(max(1, min(step, len(left) - 1))):
            spare = [j for j in left if j not in rules.must_keep] or left
            saved = {j: rules.bill(left) - rules.bill([i for i in left if i != j]) for j in spare}

            def worth(j, saved=saved, loss=loss):
                if loss[j] <= 0:
                    return round(loss[j] * saved[j], 9)
                return round(loss[j] / saved[j], 9) if saved[j] > 1e-9 else float("inf")

            out = min(spare, key=lambda j: (worth(j), loss[j], -round(saved[j], 9), -j))
            order.insert(0, out)
            left.remove(out)
            if set(left) == set(rules.must_keep):
                break
    path = []
    for j in order:
        path += [j] if rules.fits([j], path) else []
    return path


@pytest.mark.parametrize("step", [1, 3])
def test_under_limits_it_is_its_naive_twin(step):
    data = RankingData(np.random.default_rng(0).random((30, 8)), np.arange(30) % 3, [0, 10, 20, 30])
    short = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        g = SetFunction(seed, n=8, interaction=0.2)
        own = rng.choice([0.0, 0.5, 1.0, 2.0, 5.0], 8).tolist()
        groups = [rng.choice(8, int(rng.integers(1, 6)), replace=False).tolist() for _ in range(seed % 3)]
        group_cost = rng.choice([0.0, 1.0, 3.0], len(groups)).tolist()
        order = rng.permutation(8).tolist()
        must, never = order[: seed % 4], order[8 - seed % 3 :]
        rules = Rules(own, groups, group_cost, must, never)
        rules.budget = rules.bill(must) + rng.random() * rules.bill(range(8)) / 3 if seed % 2 else np.inf
        found = RankingRFE(
            Interacting(g),
            importance="gain",
            step=step,
            limits=Limits(
                costs=dict(zip(data.feature_names, own, strict=True)) | {f"g{i}": c for i, c in enumerate(group_cost)},
                groups={f"g{i}": members for i, members in enumerate(groups)},
                must_keep=must,
                never=never,
                budget=None if np.isinf(rules.budget) else rules.budget,
            ),
        ).fit(data)
        assert found.order_.tolist() == eliminated(g, 8, step, rules), seed
        assert found.cost_ == pytest.approx(rules.bill(found.selected_.tolist()))
        assert sorted(found.order_[: len(must)].tolist()) == sorted(must)
        assert all(rules.fits([], found.order_[:n].tolist()) for n in range(len(found.order_) + 1))
        assert not rules.left(found.order_.tolist())  # nothing more could be paid
        short += len(found.order_) < 8 - len(never)
    assert short >= 10


@pytest.mark.parametrize("cost", [1.0, 7.0, 1 / 3, 0.0])
@pytest.mark.parametrize("step", [1, 3, 0.4])
def test_equal_costs_change_nothing(step, cost):
    for ranker, importance in ((RankSVM(), "coef"), (RankSVM(), "permutation")):
        plain = RankingRFE(ranker, importance=importance, step=step).fit(DATA)
        priced = clone(plain).set_params(limits=Limits(costs=np.full(9, cost))).fit(DATA)
        assert priced.trace_ == plain.trace_
        np.testing.assert_array_equal(priced.scores_, plain.scores_)
        assert priced.n_trained_ == plain.n_trained_
        assert priced.cost_ == pytest.approx(8 * cost)


def priced(worth, *, n_features_to_select=None, step=1, **limits):
    """The path of a ranker with these coefficients, whatever the features."""
    g = SetFunction(0, n=len(worth))
    g.worth[:] = worth
    X = np.random.default_rng(0).random((30, len(worth)))
    return RankingRFE(Weighed(g), n_features_to_select, step=step, limits=Limits(**limits)).fit(
        RankingData(X, np.arange(30) % 3, [0, 10, 20, 30])
    )


@pytest.mark.parametrize("weight", [0.2, 0.0])
def test_of_features_of_equal_weight_the_dear_one_goes_first(weight):
    worth = [weight, weight, 0.9, weight]
    assert priced(worth).order_.tolist() == [2, 0, 1, 3]
    assert priced(worth, costs=[2, 4, 1, 1]).order_.tolist() == [2, 3, 0, 1]
    assert priced(worth, costs=[2, 4, 0, 1]).order_.tolist() == [2, 3, 0, 1]


def test_it_is_the_importance_per_cost_that_counts():
    assert priced([0.9, 0.8, 0.3, 0.1], costs=[8, 1, 1, 1]).order_.tolist() == [1, 2, 0, 3]
    assert priced([0.1, 0.8, 0.01], costs=[0, 1, 1]).order_.tolist() == [0, 1, 2]  # free, so nothing is saved


def test_a_group_is_saved_by_the_last_of_its_features_only():
    worth, groups = [0.5, 0.4, 0.3, 0.2], {"log": [0, 1]}
    parameters = {"costs": {"1": 0.1, "2": 0.1, "3": 1, "4": 1, "log": 9}, "groups": groups}
    # 4 (0.2 for 1), 3 (0.3 for 1); 1 and 2 cost 0.1 each while both are there
    assert priced(worth, **parameters).order_.tolist() == [0, 1, 2, 3]
    # with 2 left alone in its group, it saves 9.1 and goes before the others
    assert priced(worth, **parameters, never=[0]).order_.tolist() == [2, 3, 1]
    # also where several are dropped after one training
    assert priced([0.5, 0.01, 0.3, 0.2], **parameters, step=2).order_.tolist() == [2, 3, 0, 1]


def test_must_keep_is_dropped_last_and_never_is_not_trained_on():
    SetRanker.trained.clear()
    found = priced([0.1, 0.5, 0.2, 0.9, 0.3], must_keep=[0, 2], never=["4"], step=3)
    assert found.order_.tolist() == [2, 0, 1, 4]
    assert [sorted(features) for features, *_ in SetRanker.trained] == [[0, 1, 2, 4], [0, 2], [2]]
    assert np.isnan(found.scores_[3])
    constant = RankingRFE(n_features_to_select=3, limits=Limits(must_keep=[4])).fit(DATA)
    assert constant.order_[0] == 4
    assert constant.dropped_.tolist() == []


def test_the_path_keeps_to_the_budget():
    worth = [0.1, 0.5, 0.2, 0.9, 0.3]
    assert priced(worth, budget=3).order_.tolist() == [3, 1, 4]
    assert priced(worth, budget=3, step=4).order_.tolist() == [3, 1, 4]  # no more goes than must
    assert priced(worth, budget=3, n_features_to_select=2).selected_.tolist() == [3, 1]
    assert priced(worth, budget=3, n_features_to_select=4).selected_.tolist() == [3, 1, 4]
    assert priced(worth, budget=0.1 + 0.2, costs=[9, 0.1, 9, 0.2, 9]).cost_ == pytest.approx(0.3)
    assert priced(worth, budget=0).selected_.tolist() == []
    assert priced(worth, budget=2, must_keep=[0]).order_.tolist() == [0, 3]
    with pytest.raises(ParameterError, match="cannot select 4 features: its path has 3 of 5"):
        priced(worth, budget=3).select(4)
    with pytest.raises(ParameterError, match="'budget' parameter of RankingRFE must be >= 2, the cost of 'must_keep'"):
        priced(worth, budget=1, must_keep=[0, 1])


@pytest.mark.parametrize("step", [1, 3])
def test_what_cannot_be_paid_goes_first_and_what_fits_comes_back(step):
    assert priced([0.9, 0.5, 0.1], costs=[2, 1, 1], budget=1, step=step).order_.tolist() == [1]
    # 1 fits alone, but not in its group of one
    group = {"costs": {"1": 0.5, "2": 1, "3": 1, "log": 1}, "groups": {"log": [0]}}
    assert priced([0.9, 0.5, 0.1], **group, budget=1, step=step).order_.tolist() == [1]
    # must_keep takes its part of the budget before
    kept = priced([0.9, 0.5, 0.1, 0.2], costs=[3, 2, 1, 1], budget=3, must_keep=[2], step=step)
    assert kept.order_.tolist() == [2, 1]
    # per cost 2 and 3 go before 1, which then leaves no room for 2 but some for 3
    assert priced([0.9, 0.2, 0.1], costs=[4, 2, 1], budget=5, step=step).order_.tolist() == [0, 2]


@pytest.mark.parametrize("step", [1, 2])
def test_columns_shuffled_with_their_costs(step):
    costs = {name: 1.0 + 3 * (int(name) % 4) for name in DATA.feature_names} | {"log": 2.0}
    limits = {"costs": costs, "groups": {"log": ["2", "7", "9"]}, "must_keep": ["3"], "never": ["6"], "budget": 24}
    check_columns(lambda: RankingRFE(step=step, limits=Limits(**limits)), DATA)
    check_rows_and_queries(lambda: RankingRFE(step=step, limits=Limits(**limits)), DATA)


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
        assert again.order_.tolist() == selector.order_.tolist()


def test_booster_importance_is_the_boosters_own():
    data, _ = make_ranking(20, n_informative=3, n_redundant=2, n_noise=3, random_state=0)
    booster = get("lightgbm", n_estimators=10, n_threads=1)
    found = BoosterImportance(booster, kind="gain").fit(data)
    view = Arrangement.of(data)
    columns = view.columns(range(8))
    own = np.empty(8)
    own[columns] = booster.fit(view.data.subset(columns)).importances("gain")
    np.testing.assert_allclose(found.scores_, own)
    assert found.order_.tolist() == np.argsort(-own).tolist()


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
    penalties = cegb_params({"a": 1, "b": 2, "c": 3}, ["a", "b", "c"])
    ranker = as_ranker(lightgbm.LGBMRanker(n_estimators=5, **penalties))
    cut = ranker.for_columns([2, 0], 3)
    assert cut.estimator.get_params()["cegb_penalty_feature_coupled"] == [3.0, 1.0]
    assert ranker.estimator.get_params()["cegb_penalty_feature_coupled"] == [1.0, 2.0, 3.0]
    with pytest.raises(ParameterError, match="'tradeoff' parameter of cegb_params must be >= 0"):
        cegb_params([1.0], ["a"], tradeoff=-1)


def test_a_dear_feature_is_left_out_by_lightgbm_and_settings_by_feature_are_cut():
    data, _ = make_ranking(40, n_informative=3, n_redundant=3, n_noise=3, random_state=2)
    booster = get("lightgbm", n_estimators=15, n_threads=1, monotone_constraints=[0] * 9)
    gain = BoosterImportance(booster, kind="gain").fit(data)
    dearest = int(gain.order_[0])
    costs = np.ones(9)
    costs[dearest] = 1e6
    priced = clone(booster)
    priced.estimator.set_params(**cegb_params(costs, data.feature_names))
    assert BoosterImportance(priced, kind="gain").fit(data).scores_[dearest] == 0
    assert RankingRFE(priced, importance="gain", step=4).fit(data).order_[0] != dearest


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
