"""RankBoost: the worked example, the bound, and every round against a distribution over pairs written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import rankboost as naive
from tests.naive.pairs import pairs
from tests.rankers.conformance import as_sparse, judged

from leanrank import RankBoost, RankingData
from leanrank.errors import ParameterError
from leanrank.kernels.rankboost import potentials
from leanrank.rankers._base import NothingToLearnWarning

X = np.array([[0.9, 0.2], [0.5, 0.9], [0.4, 0.5], [0.6, 0.1]])
EXAMPLE = RankingData(X, [2, 1, 0, 0], [0, 4])


def test_worked_example():
    ranker = RankBoost(n_rounds=3).fit(EXAMPLE)
    assert ranker.chosen_.tolist() == [0, 0, 1]
    np.testing.assert_allclose(ranker.thresholds_, [0.75, 0.45, 0.15], atol=1e-12)
    np.testing.assert_allclose(ranker.alphas_, [0.693147, 0.458145, 0.560977], atol=5e-7)
    np.testing.assert_allclose(ranker.normalisers_[:2], [0.7, 0.842481], atol=5e-7)
    np.testing.assert_allclose(np.tanh(ranker.alphas_), [0.6, 0.428571, 0.508702], atol=5e-7)  # r
    np.testing.assert_allclose(ranker.predict(X), [1.7123, 1.0191, 0.561, 0.4581], atol=5e-5)


def random_data(seed, n_levels=3, n=14, n_features=3):
    rng = np.random.default_rng(seed)
    return RankingData(rng.integers(0, 6, (n, n_features)) / 4, rng.integers(0, n_levels, n), [0, 1, 5, 9, n])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5]), st.booleans())
def test_rounds_equal_those_of_explicit_pairs(seed, n_levels, negative):
    data = random_data(seed, n_levels)
    if len(pairs(data.y, data.query_ptr)) == 0:
        return
    values = [np.unique(column) for column in data.X.T]
    thresholds = [(v[1:] + v[:-1]) / 2 for v in values]
    expected, D = naive.rounds(data.X, data.y, data.query_ptr, thresholds, 6, negative)
    if any(abs(r) > 1 - 1e-6 for _, _, r, _, _ in expected):
        return  # perfect: there the kernel stops and explicit pairs divide by zero
    ranker = RankBoost(6, negative_weights=negative).fit(data)
    found = np.column_stack((ranker.chosen_, ranker.thresholds_, ranker.alphas_, ranker.normalisers_))
    wanted = np.array([(f, theta, alpha, Z) for f, theta, _, alpha, Z in expected]).reshape(-1, 4)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    # potentials of the last distribution, from factors of i and j
    order = np.lexsort((data.y, np.repeat(np.arange(4), data.query_sizes)))
    pi, F = np.empty(data.n_rows), ranker.predict(data)
    total = potentials(order, data.y, data.query_ptr, 0, 4, F, pi)
    np.testing.assert_allclose(pi / total, naive.potentials(D, data.y, data.query_ptr), atol=1e-10)


@pytest.mark.parametrize("n_threshold", [None, 4])
def test_the_bound_holds(n_threshold):
    data = judged()
    pair = pairs(data.y, data.query_ptr)
    for n_rounds in (1, 5, 40):
        ranker = RankBoost(n_rounds, n_threshold=n_threshold).fit(data)
        F = ranker.predict(data)
        wrong = np.mean(F[pair[:, 0]] <= F[pair[:, 1]] + 1e-12)
        assert wrong <= np.prod(ranker.normalisers_) + 1e-9
        assert (ranker.normalisers_ < 1).all()
    assert np.prod(ranker.normalisers_) < 0.5


def test_equal_steps_run_from_the_largest_value_to_the_smallest():
    ranker = RankBoost(50, n_threshold=4).fit(np.array([[0.0], [1.0], [3.0], [8.0]]), [0, 1, 2, 3], qid=[1] * 4)
    assert set(ranker.thresholds_) <= {0.0, 2.0, 4.0, 6.0}


def test_a_perfect_threshold_ends_the_boosting():
    ranker = RankBoost(100).fit(np.array([[0.0], [0.0], [1.0]]), [0, 0, 1], qid=[1] * 3)
    assert ranker.n_iter_ == 1
    assert np.isfinite(ranker.alphas_).all()


def test_small_values_may_be_preferred():
    data = judged()
    turned = RankingData(-data.X, data.y, data.query_ptr)
    assert (RankBoost(30).fit(turned).alphas_ < 0).any()
    assert RankBoost(30).fit(turned).score(turned) > 0.9
    assert (RankBoost(30, negative_weights=False).fit(turned).alphas_ > 0).all()


def test_validation_keeps_a_prefix():
    data, held_out = judged(), judged(5)
    full = RankBoost(60).fit(data)
    chosen = RankBoost(60).fit(data, eval_set=held_out)
    np.testing.assert_array_equal(chosen.alphas_, full.alphas_[: chosen.n_iter_])
    assert chosen.score(held_out, metric="map") >= full.score(held_out, metric="map")
    stopped = RankBoost(60, early_stopping_rounds=2).fit(data, eval_set=held_out)
    assert stopped.n_iter_ <= chosen.n_iter_


def test_neighbouring_floats_are_parted():
    low = 1.0
    high = np.nextafter(low, 2)
    ranker = RankBoost(1).fit(np.array([[low], [high]]), [0, 1], qid=[1, 1])
    scores = ranker.predict(np.array([[low], [high]]))
    assert scores[1] > scores[0]


def test_sparse_data_give_the_same_rounds():
    data = judged()
    dense, sparse = RankBoost(20).fit(data), RankBoost(20).fit(as_sparse(data))
    np.testing.assert_array_equal(dense.thresholds_, sparse.thresholds_)
    np.testing.assert_array_equal(dense.predict(data), sparse.predict(as_sparse(data)))


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="'n_rounds' parameter of RankBoost must be >= 1"):
        RankBoost(0).fit(EXAMPLE)
    with pytest.raises(ParameterError, match="'n_threshold' parameter of RankBoost must be None or >= 1"):
        RankBoost(n_threshold=0).fit(EXAMPLE)
    with pytest.warns(NothingToLearnWarning, match="RankBoost"):
        assert RankBoost().fit(X, [1, 1, 1, 1], qid=[1] * 4).n_iter_ == 0
