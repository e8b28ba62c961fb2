"""Rankers with a setting for every feature: trained on some of the features, they get the settings of those."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leanrank import GAS, Protocol, cross_validate, make_ranking, select
from leanrank.evaluation.select.measuring import final_test
from leanrank.metrics import metric
from leanrank.rankers.registry import get
from leanrank.selectors.limits import cegb_params

N = 8
COSTS = np.arange(1.0, N + 1)


@pytest.fixture(scope="module")
def data():
    return make_ranking(40, n_informative=2, n_redundant=2, n_noise=4, random_state=0)[0]


def booster(**settings):
    return get("lightgbm", n_estimators=5, early_stopping_rounds=3, n_threads=1, min_child_samples=2, **settings)


def test_select_and_the_final_test_train_with_penalties(data):
    ranker = booster(**cegb_params(COSTS, data.feature_names, tradeoff=1e-3))
    chosen = select(data, ranker, methods=["gas", "importance"], n_features=3, cv=3, progress=False)
    assert chosen.n_features == 3
    train, valid = data.take_queries(range(30)), data.take_queries(range(30, 40))
    assert set(final_test(chosen, ranker, metric("ndcg@10"), train, valid, valid)) >= {"all_features", "selected"}


def test_a_penalty_stays_with_its_feature(data):
    plain = booster()
    free = select(data, plain, methods=["gas"], n_features=3, cv=3, progress=False)
    penalties = np.full(N, 1e9)
    penalties[list(free.indices)] = 0.0  # what is dear is what the chosen sets do without
    train, valid = data.take_queries(range(30)), data.take_queries(range(30, 40))
    measure = metric("ndcg@10")
    before = final_test(free, plain, measure, train, valid, valid)
    priced = booster(**cegb_params(penalties, data.feature_names))
    assert final_test(free, priced, measure, train, valid, valid)["selected"] == before["selected"]
    dear = booster(**cegb_params(1e9 - penalties, data.feature_names))
    assert final_test(free, dear, measure, train, valid, valid)["selected"] < before["selected"]


def test_cross_validation_cuts_constraints(data):
    ranker = booster(monotone_constraints=[0] * N)
    found = cross_validate(GAS(), ranker, data, k=3, protocol=Protocol(n_splits=3))
    without = cross_validate(GAS(), booster(), data, k=3, protocol=Protocol(n_splits=3))
    assert [r.scores for r in found.records] == [r.scores for r in without.records]


def test_what_must_never_be_taken_is_in_no_final_test(data):
    """It is not in the reference either: a leak would make every set look bad."""
    X = np.column_stack([data.X, data.y])
    leaking = replace(data, X=X.astype(data.X.dtype), feature_names=(*data.feature_names, "leak"))
    chosen = select(leaking, "ranksvm", methods=["gas"], n_features=3, cv=3, never=["leak"], progress=False)
    train, valid = leaking.take_queries(range(30)), leaking.take_queries(range(30, 40))
    tested = final_test(chosen, get("ranksvm"), metric("ndcg@10"), train, valid, valid)
    without = (part.subset(range(data.n_features)) for part in (train, valid, valid))
    honest = select(data, "ranksvm", methods=["gas"], n_features=3, cv=3, progress=False)
    assert tested["all_features"] == final_test(honest, get("ranksvm"), metric("ndcg@10"), *without)["all_features"]
    assert tested["all_features"] < 0.95
