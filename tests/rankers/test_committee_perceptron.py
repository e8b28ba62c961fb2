"""CommitteePerceptron: the pass over pairs against a literal loop, Novikoff's bound, the committee's rules."""

import numpy as np
import pytest
import scipy.sparse as sp
from tests.naive import perceptron as naive
from tests.rankers.conformance import as_sparse, judged

from leanrank import CommitteePerceptron, RankingData
from leanrank.errors import ParameterError, UnknownNameError
from leanrank.kernels.perceptron import csr_perceptron, dense_perceptron
from leanrank.metrics import metric
from leanrank.rankers._base import NothingToLearnWarning
from leanrank.rankers._query_order import preference_pairs


def separable(seed=0, n=60):
    """Every label is the order of w.x, with a gap between labels."""
    rng = np.random.default_rng(seed)
    w = np.array([1.0, -2.0, 0.5])
    X = rng.normal(size=(20 * n, 3))
    s = X @ w
    X = X[np.abs(s - np.round(s)) < 0.2][:n]
    return RankingData(X, np.clip(np.round(X @ w), -3, 3) + 3, np.arange(0, n + 1, 10)), w


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("offer_from", [1, 5, 10**9])
def test_the_kernel_equals_a_literal_loop(sparse, offer_from):
    data = judged(n_queries=4)
    better, worse = preference_pairs(data)[:2]
    order = np.random.default_rng(0).permutation(len(better))
    end, survivors, fallen, mistakes = naive.epoch(data.X, better, worse, order, np.zeros(4), 0)
    w, at, survived, made, offered = np.zeros(4), 0, 0, np.zeros(len(better), dtype=np.int64), []
    rows = sp.csr_array(data.X)
    while True:
        if sparse:
            arrays = (rows.data, rows.indices, rows.indptr)
            at, survived = csr_perceptron(*arrays, better, worse, order, at, survived, offer_from, made, w)
        else:
            at, survived = dense_perceptron(data.X, better, worse, order, at, survived, offer_from, made, w)
        if at == len(order):
            break
        offered.append((w.copy(), survived))
        survived = 0
    np.testing.assert_allclose(w, end, atol=1e-12)
    assert survived == survivors
    np.testing.assert_array_equal(made, mistakes)
    expected = [(v, c) for v, c in fallen if c >= offer_from]
    assert [c for _, c in offered] == [c for _, c in expected]
    for (found, _), (wanted, _) in zip(offered, expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_separable_pairs_are_ordered_within_novikoffs_bound():
    data, w = separable()
    better, worse = preference_pairs(data)[:2]
    z = data.X[better] - data.X[worse]
    margin = (z @ w).min() / np.linalg.norm(w)
    bound = (np.linalg.norm(z, axis=1).max() / margin) ** 2
    ranker = CommitteePerceptron(n_epochs=int(bound) + 1).fit(data)
    assert ranker.n_mistakes_ == 0
    assert (z @ ranker.last_ > 0).all()
    # all mistakes together, counted by running on until there is none
    v, total, rng = np.zeros(3), 0, np.random.default_rng(1)
    while True:
        v, _, fallen, _ = naive.epoch(data.X, better, worse, rng.permutation(len(z)), v, 0)
        total += len(fallen)
        if not fallen:
            break
    assert total <= bound


def test_the_committee_is_sorted_and_small():
    data = judged()
    ranker = CommitteePerceptron(n_members=7, n_epochs=5).fit(data)
    assert ranker.committee_.shape == (7, 4)
    assert (np.diff(ranker.committee_scores_) <= 0).all()
    measured = [metric("map")(data.y, data.X @ w, qid=data.qid) for w in ranker.committee_]
    np.testing.assert_allclose(ranker.committee_scores_, measured, atol=1e-12)
    weights = ranker.committee_scores_ / ranker.committee_scores_.sum()
    np.testing.assert_allclose(ranker.coef_, weights @ ranker.committee_, atol=1e-12)


def test_a_committee_of_one_is_the_best_hypothesis_seen():
    data = judged()
    one = CommitteePerceptron(n_members=1, n_epochs=5).fit(data)
    many = CommitteePerceptron(n_members=10**6, n_epochs=5).fit(data)
    np.testing.assert_array_equal(one.coef_, many.committee_[0])
    assert one.committee_scores_[0] == many.committee_scores_.max()


def test_survival_counts_pairs():
    ranker = CommitteePerceptron(rated_by="survival", n_epochs=3).fit(judged())
    assert (ranker.committee_scores_ == ranker.committee_scores_.round()).all()
    assert ranker.committee_scores_[0] > 1
    assert ranker.score(judged(1)) > 0.9


def test_members_may_vote():
    data = judged()
    average = CommitteePerceptron(n_epochs=5).fit(data)
    vote = CommitteePerceptron(n_epochs=5, combine="vote").fit(data)
    np.testing.assert_array_equal(average.coef_, vote.coef_)
    one = data.query(0)
    ranks = [np.argsort(np.argsort(one.X @ w)) + 1 for w in vote.committee_]
    np.testing.assert_allclose(vote.predict(one), vote.committee_scores_ @ ranks, atol=1e-9)
    assert vote.score(judged(1)) > 0.9
    watched = CommitteePerceptron(n_epochs=5, combine="vote").fit(data, eval_set=judged(1))
    assert watched.n_iter_ <= 5


def test_pairs_that_contradict_are_given_up():
    data = judged()
    noisy = RankingData(data.X, np.where(np.arange(160) % 10 == 0, 3 - data.y, data.y), data.query_ptr)
    kept = CommitteePerceptron(n_epochs=20).fit(noisy)
    bounded = CommitteePerceptron(n_epochs=20, alpha=2).fit(noisy)
    assert bounded.n_mistakes_ < kept.n_mistakes_


def test_sparse_gives_the_same_bits():
    data = judged()
    dense = CommitteePerceptron(n_epochs=5, rated_by="survival").fit(data)
    sparse = CommitteePerceptron(n_epochs=5, rated_by="survival").fit(as_sparse(data))
    np.testing.assert_array_equal(dense.coef_, sparse.coef_)


def test_parameters_are_checked():
    data = judged()
    for name, value in [("n_members", 0), ("n_epochs", 0), ("combine", "x"), ("alpha", -1)]:
        with pytest.raises(ParameterError, match=f"'{name}' parameter of CommitteePerceptron must be"):
            CommitteePerceptron(**{name: value}).fit(data)
    with pytest.raises(UnknownNameError, match="Unknown metric 'x'"):
        CommitteePerceptron(rated_by="x").fit(data)
    with pytest.raises(ParameterError, match="'min_survival' parameter of CommitteePerceptron must be between 0 and 1"):
        CommitteePerceptron(min_survival=2).fit(data)
    with pytest.warns(NothingToLearnWarning, match="CommitteePerceptron"):
        ranker = CommitteePerceptron().fit(data.X[:3], [1, 1, 1], qid=[1, 1, 1])
    assert ranker.coef_.tolist() == [0.0] * 4
