"""RankingBoruta: shadows stay inside queries, decisions are binomial, planted features are told from noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.selectors.metamorphic import tie_free

from leanrank.data.ranking_data import RankingData
from leanrank.data.synthetic import make_ranking
from leanrank.errors import ParameterError
from leanrank.rankers.registry import get
from leanrank.selectors import RankingBoruta
from leanrank.selectors.boruta import decisions, with_shadows

DATA = tie_free(1, n_queries=12)


def test_shadows_are_shuffled_within_queries():
    out = with_shadows(DATA, 11, [(0, j) for j in range(9)])
    assert out.n_features == 20
    np.testing.assert_array_equal(out.X[:, :9], DATA.X)
    for number in range(11):
        shadow, source = out.X[:, 9 + number], DATA.X[:, number % 9]
        for a, b in zip(DATA.query_ptr[:-1], DATA.query_ptr[1:], strict=True):
            assert sorted(shadow[a:b]) == sorted(source[a:b])
    assert not np.array_equal(out.X[:, 9], DATA.X[:, 0])
    assert not np.array_equal(out.X[:, 9], out.X[:, 18])  # a second shadow of the same feature


def test_decisions_are_those_of_scipys_test():
    for rounds in (5, 12, 20):
        hits = np.arange(rounds + 1)
        found = decisions(hits, np.full(rounds + 1, rounds), 0.02)
        for k in hits:
            many = binomtest(k, rounds, 0.5, alternative="greater").pvalue < 0.01
            few = binomtest(k, rounds, 0.5, alternative="less").pvalue < 0.01
            assert found[k] == ("confirmed" if many else "rejected" if few else "tentative")


@pytest.mark.parametrize("ranker", [None, "lightgbm"])
def test_planted_features_are_confirmed_and_noise_is_not(ranker):
    data, truth = make_ranking(80, n_informative=3, n_redundant=0, n_noise=7, random_state=0)
    booster = get("lightgbm", n_estimators=20, n_threads=1) if ranker else None
    found = RankingBoruta(booster).fit(data)
    role = np.array([t.role for t in truth])
    assert (found.decisions_[role == "informative"] == "confirmed").all()
    assert not (found.decisions_[role == "noise"] == "confirmed").any()
    assert (found.decisions_[role == "noise"] == "rejected").sum() >= 5
    assert sorted(found.selected_.tolist()) == np.flatnonzero(found.decisions_ == "confirmed").tolist()
    assert (found.rounds_ <= 20).all()
    assert (found.hits_ <= found.rounds_).all()
    np.testing.assert_allclose(found.scores_, found.hits_ / found.rounds_)


def test_pure_noise_is_never_confirmed():
    rng = np.random.default_rng(0)
    for seed in range(3):
        data, _ = make_ranking(30, n_informative=2, n_redundant=0, n_noise=6, random_state=seed)
        shuffled = RankingData(rng.random(data.X.shape), data.y, data.query_ptr)
        assert RankingBoruta(random_state=seed).fit(shuffled).selected_.size <= 1


def test_the_path_goes_from_confirmed_to_rejected():
    data, _ = make_ranking(40, n_informative=3, n_redundant=0, n_noise=5, random_state=1)
    found = RankingBoruta(n_rounds=12).fit(data)
    kinds = ["confirmed", "tentative", "rejected"]
    order = [kinds.index(found.decisions_[j]) for j in found.order_]
    assert order == sorted(order)
    assert len(found.order_) == 8
    assert RankingBoruta(n_rounds=12, n_features_to_select=2).fit(data).selected_.tolist() == found.order_[:2].tolist()


def test_held_out_data_get_shadows_too():
    data, _ = make_ranking(40, n_informative=3, n_redundant=0, n_noise=5, random_state=1)
    train, valid = data.take_queries(range(30)), data.take_queries(range(30, 40))
    booster = get("lightgbm", n_estimators=20, n_threads=1, early_stopping_rounds=3)
    found = RankingBoruta(booster, importance="shap", n_rounds=8).fit(train, eval_set=valid)
    assert found.rounds_.max() <= 8


def test_constant_features_are_rejected_unseen():
    found = RankingBoruta(n_rounds=3).fit(DATA)
    assert found.decisions_[4] == "rejected"
    assert found.rounds_[4] == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_rounds": 0}, "The 'n_rounds' parameter of RankingBoruta must be a whole number >= 1"),
        ({"alpha": 0}, r"in \(0, 1\)"),
        ({"alpha": 1}, r"in \(0, 1\)"),
        ({"importance": "weight"}, "one of 'auto', 'coef'"),
        ({"random_state": None}, "a whole number >= 0"),
    ],
)
def test_impossible_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        RankingBoruta(**parameters).fit(DATA)
