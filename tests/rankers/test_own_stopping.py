"""An LGBMRanker, XGBRanker or CatBoostRanker keeps its own early stopping, metric and seed."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from tests.rankers.conformance import judged

from leanrank import RankingData, as_ranker, make_ranking, rankers, select
from leanrank.errors import ParameterError
from leanrank.kernels._threads import at_most
from leanrank.rankers._lightgbm_watching import OwnWatching

MANY = 400


@pytest.fixture(scope="module")
def train():
    return judged()


@pytest.fixture(scope="module")
def noise():
    """Held-out labels that are pure noise: few trees are best, so whoever stops early stops soon."""
    held_out = judged(1)
    y = np.random.default_rng(0).integers(0, 3, held_out.n_rows)
    return RankingData(held_out.X, y, held_out.query_ptr, held_out.query_ids)


def numbers(data):
    return np.repeat(np.arange(data.n_queries), data.query_sizes)


LIGHTGBM = {"n_estimators": MANY, "learning_rate": 0.2, "min_child_samples": 3, "verbosity": -1, "n_jobs": 1}


class TestLightGBM:
    lightgbm = pytest.importorskip("lightgbm")

    def mine(self, **settings):
        return self.lightgbm.LGBMRanker(**LIGHTGBM, **settings)

    def by_hand(self, train, valid, settings, **arguments):
        model = self.mine(**settings)
        held_out = {"eval_group": [valid.query_sizes]}
        if "eval_X" in signature(model.fit).parameters:
            held_out |= {"eval_X": (valid.X,), "eval_y": (valid.y,)}
        else:  # LightGBM 4.6
            held_out["eval_set"] = [(valid.X, valid.y)]
        return model.fit(train.X, train.y, group=train.query_sizes, **held_out, **arguments)

    @pytest.mark.parametrize("name", ["early_stopping_round", "early_stopping_rounds", "n_iter_no_change"])
    def test_it_stops_as_it_says(self, monkeypatch, train, noise, name):
        trained = []
        watched = self.lightgbm.Booster.update
        monkeypatch.setattr(self.lightgbm.Booster, "update", lambda *a, **k: trained.append(1) or watched(*a, **k))
        ranker = as_ranker(self.mine(**{name: 5})).fit(train, eval_set=noise)
        assert len(trained) == ranker.estimator_.num_trees() + 5 < MANY
        trained.clear()
        hand = self.by_hand(train, noise, {name: 5}, eval_metric="ndcg", eval_at=[10])
        assert ranker.estimator_.num_trees() == hand.best_iteration_
        np.testing.assert_array_equal(ranker.predict(noise), hand.predict(noise.X))

    @pytest.mark.parametrize(
        "settings",
        [
            {"metric": "map", "eval_at": [3]},
            {"metric": ["ndcg", "map"]},
            {"metric": "auc", "first_metric_only": True},
            {"eval_at": [2, 7], "early_stopping_min_delta": 0.01},
            {"metrics": "map", "ndcg_eval_at": "1,4"},
        ],
    )
    @pytest.mark.filterwarnings("ignore:Found '.*eval_at' in params")
    def test_its_metrics_and_its_least_gain_decide(self, train, noise, settings):
        settings = {**settings, "early_stopping_round": 7}
        ranker = as_ranker(self.mine(**settings)).fit(train, eval_set=noise)
        by_hand = dict(settings)
        cutoffs = [int(k) for k in by_hand["ndcg_eval_at"].split(",")] if "ndcg_eval_at" in by_hand else None
        hand = self.by_hand(train, noise, by_hand, **({} if cutoffs is None else {"eval_at": cutoffs}))
        assert ranker.estimator_.num_trees() == hand.best_iteration_
        np.testing.assert_array_equal(ranker.predict(noise), hand.predict(noise.X))

    def test_what_is_asked_of_the_ranker_comes_first(self, train, noise):
        stubborn = self.mine(early_stopping_round=300, metric="auc")
        ours = as_ranker(stubborn, early_stopping_rounds=4, eval_metric="map@5").fit(train, eval_set=noise)
        plain = as_ranker(self.mine(), early_stopping_rounds=4, eval_metric="map@5").fit(train, eval_set=noise)
        np.testing.assert_array_equal(ours.predict(noise), plain.predict(noise))
        assert stubborn.get_params()["early_stopping_round"] == 300

    def test_of_a_cluster_it_says_what_can_be_measured(self):
        assert OwnWatching.of({"metric": "rank_xendcg"}).first() == ("ndcg", 1)
        with pytest.raises(ParameterError, match="'metric' parameter of LGBMRanker must be 'ndcg' or 'map'"):
            OwnWatching.of({"metric": ["auc"]}).first()


XGBOOST = {"objective": "rank:ndcg", "n_estimators": MANY, "learning_rate": 0.3, "n_jobs": 1}


class TestXGBoost:
    xgboost = pytest.importorskip("xgboost")

    def mine(self, **settings):
        return self.xgboost.XGBRanker(**XGBOOST, **settings)

    def by_hand(self, train, valid, **settings):
        model = self.mine(**settings)
        watching = {"eval_set": [(valid.X, valid.y)], "eval_qid": [numbers(valid)], "verbose": False}
        return model.fit(train.X, train.y, qid=numbers(train), **watching)

    @pytest.mark.parametrize(
        ("settings", "as_watched"),
        [
            ({"early_stopping_rounds": 5}, {"eval_metric": "ndcg@10-"}),
            ({"early_stopping_rounds": 5, "eval_metric": "ndcg@2"}, {}),
            ({"early_stopping_rounds": 5, "eval_metric": ["ndcg@2", "ndcg@8"]}, {}),
        ],
    )
    def test_it_stops_as_it_says(self, train, noise, settings, as_watched):
        ranker = as_ranker(self.mine(**settings)).fit(train, eval_set=noise)
        hand = self.by_hand(train, noise, **settings, **as_watched)
        assert hand.get_booster().num_boosted_rounds() < MANY
        assert ranker.estimator_.num_boosted_rounds() == hand.best_iteration + 1
        np.testing.assert_array_equal(ranker.predict(noise), hand.predict(noise.X))

    def test_a_callback_of_its_own_stops_it(self, train, noise):
        stops = {"rounds": 3, "min_delta": 0.01}
        stopping, seen = self.xgboost.callback.EarlyStopping, []

        class Counter(self.xgboost.callback.TrainingCallback):
            def after_iteration(self, model, epoch, evals_log):
                seen.append(epoch)
                return False

        mine = self.mine(callbacks=[Counter(), stopping(**stops)], eval_metric="ndcg@5")
        ranker = as_ranker(mine).fit(train, eval_set=noise)
        trained = len(seen)
        hand = self.by_hand(train, noise, callbacks=[stopping(**stops)], eval_metric="ndcg@5")
        assert trained == hand.get_booster().num_boosted_rounds() < MANY
        np.testing.assert_array_equal(ranker.predict(noise), hand.predict(noise.X))
        as_ranker(mine).fit(train, eval_set=noise)  # the callback keeps nothing of an earlier fit
        assert len(seen) == 2 * trained
        given = as_ranker(mine, early_stopping_rounds=9).fit(train, eval_set=noise)
        plain = self.by_hand(train, noise, early_stopping_rounds=9, eval_metric="ndcg@5")
        np.testing.assert_array_equal(given.predict(noise), plain.predict(noise.X))

    def test_map_takes_graded_labels(self, train, noise):
        graded = as_ranker(self.mine(early_stopping_rounds=5, eval_metric="map@5")).fit(train, eval_set=noise)
        binary = RankingData(noise.X, noise.y >= 1, noise.query_ptr)
        hand = self.by_hand(train, binary, early_stopping_rounds=5, eval_metric="map@5")
        np.testing.assert_array_equal(graded.predict(noise), hand.predict(noise.X))


CATBOOST = {
    "loss_function": "YetiRank",
    "iterations": MANY,
    "learning_rate": 0.3,
    "verbose": False,
    "thread_count": 1,
    "allow_writing_files": False,
}


class TestCatBoost:
    catboost = pytest.importorskip("catboost")

    def mine(self, **settings):
        return self.catboost.CatBoostRanker(**CATBOOST, **settings)

    def pool(self, data):
        return self.catboost.Pool(data.X, data.y, group_id=numbers(data))

    @pytest.mark.parametrize(
        ("settings", "as_watched"),
        [
            ({"early_stopping_rounds": 5}, {"eval_metric": "NDCG:type=Exp;top=10"}),
            ({"od_type": "Iter", "od_wait": 6, "eval_metric": "MAP:top=5"}, {}),
            ({"od_type": "IncToDec", "od_pval": 0.01, "od_wait": 8, "eval_metric": "NDCG:top=4"}, {}),
            ({"od_wait": 5, "od_type": "Iter", "eval_metric": "NDCG:top=3", "use_best_model": False}, {}),
        ],
    )
    def test_it_stops_as_it_says(self, train, noise, settings, as_watched):
        ranker = as_ranker(self.mine(**settings)).fit(train, eval_set=noise)
        hand = self.mine(**{"use_best_model": True, **settings, **as_watched})
        hand.fit(self.pool(train), eval_set=self.pool(noise))
        assert ranker.estimator_.tree_count_ == hand.tree_count_ < MANY
        np.testing.assert_allclose(ranker.predict(noise), hand.predict(noise.X), rtol=1e-12)

    def test_what_is_asked_of_the_ranker_comes_first(self, train, noise):
        stubborn = self.mine(od_type="IncToDec", od_pval=0.5, eval_metric="PFound")
        ours = as_ranker(stubborn, early_stopping_rounds=4, eval_metric="map@5").fit(train, eval_set=noise)
        plain = as_ranker(self.mine(), early_stopping_rounds=4, eval_metric="map@5").fit(train, eval_set=noise)
        np.testing.assert_array_equal(ours.predict(noise), plain.predict(noise))


def own(name, **settings):
    """A library's ranker that stops by itself."""
    library = pytest.importorskip(name)
    usual = {"n_estimators": 40, "learning_rate": 0.2, "random_state": 0, **settings}
    if name == "lightgbm":
        return library.LGBMRanker(**usual, min_child_samples=3, verbosity=-1)
    if name == "xgboost":
        return library.XGBRanker(**usual)
    return library.CatBoostRanker(**usual, verbose=False)


BOOSTERS = ["catboost", "lightgbm", "xgboost"]


@pytest.mark.parametrize("name", BOOSTERS)
def test_nothing_said_nothing_changed(name, train, noise):
    """Without early stopping of its own every iteration is trained, and the best by ndcg@10 kept."""
    ranker, by_name = as_ranker(own(name)), as_ranker(own(name), eval_metric="ndcg@10")
    np.testing.assert_array_equal(
        ranker.fit(train, eval_set=noise).predict(noise), by_name.fit(train, eval_set=noise).predict(noise)
    )


@pytest.mark.parametrize("name", BOOSTERS)
def test_without_held_out_data_there_is_nothing_to_stop_on(name, train):
    stops = {"use_best_model": True} if name == "catboost" else {}
    whole = as_ranker(own(name)).fit(train)
    stopping = as_ranker(own(name, early_stopping_rounds=2, **stops)).fit(train)
    np.testing.assert_array_equal(stopping.predict(train), whole.predict(train))


@pytest.mark.parametrize("name", BOOSTERS)
def test_the_seed_is_its_own(name, train):
    drawn = {"subsample": 0.5, "bootstrap_type": "Bernoulli"} if name == "catboost" else {"subsample": 0.5}
    if name == "lightgbm":
        drawn["subsample_freq"] = 1
    one, again, other = (as_ranker(own(name, **drawn, random_state=s)).fit(train).predict(train) for s in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("name", BOOSTERS)
def test_threads_change_nothing(name, monkeypatch):
    data = make_ranking(60, (20, 30), random_state=0)[0]
    monkeypatch.setenv("LEANRANK_THREADS", "2")
    two = rankers.get(name, n_estimators=20).fit(data)
    assert two._n_threads() == 2
    with at_most(1):
        one = rankers.get(name, n_estimators=20).fit(data)
        assert one._n_threads() == 1
        np.testing.assert_array_equal(one.predict(data), two.predict(data))
    assert rankers.get(name, n_threads=3)._n_threads() == 3


def test_select_trains_few_of_many_trees(monkeypatch):
    """The estimator's early stopping holds at every fit of a run."""
    lightgbm = pytest.importorskip("lightgbm")
    data = make_ranking(40, (5, 8), n_informative=3, n_redundant=2, n_noise=5, random_state=0)[0]
    trees, fits = [], []
    update, begin = lightgbm.Booster.update, lightgbm.Booster.__init__
    monkeypatch.setattr(lightgbm.Booster, "update", lambda *a, **k: trees.append(1) or update(*a, **k))
    monkeypatch.setattr(
        lightgbm.Booster, "__init__", lambda *a, **k: fits.extend([1] * ("train_set" in k)) or begin(*a, **k)
    )
    mine = lightgbm.LGBMRanker(
        n_estimators=1500, early_stopping_round=3, min_child_samples=3, learning_rate=0.3, verbosity=-1, n_jobs=1
    )
    select(data, mine, methods=["gas"], cv=3, n_features=3, progress=False)
    assert fits
    assert len(trees) < 100 * len(fits)
