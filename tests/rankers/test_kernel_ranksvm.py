"""KernelRankSVM against scikit-learn's SVC on the mirrored set of pairs."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC
from tests.naive.pairs import pairs

from leanrank import KernelRankSVM, RankingData
from leanrank.errors import ParameterError
from leanrank.rankers._base import NothingToLearnWarning

KERNELS = [
    ("rbf", {"metric": "rbf", "gamma": 0.3}),
    ("poly2", {"metric": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0}),
    ("linear", {"metric": "linear"}),
]


def make(seed=0, sizes=(8, 1, 6, 9), n_features=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(sum(sizes), n_features))
    y = (np.abs(X[:, 0]) + 0.2 * rng.normal(size=len(X))).round()
    return RankingData(X, y, np.concatenate(([0], np.cumsum(sizes))))


@pytest.mark.parametrize(("kernel", "params"), KERNELS)
@pytest.mark.parametrize("C", [0.05, 2.0])
def test_scores_equal_svc_on_the_mirrored_pairs(kernel, params, C):
    data, new = make(), make(seed=1)
    i, j = pairs(data.y, data.query_ptr).T
    k = pairwise_kernels(data.X, **params)
    K = k[np.ix_(i, i)] - k[np.ix_(i, j)] - k[np.ix_(j, i)] + k[np.ix_(j, j)]
    sign = np.repeat([1, -1], len(i))
    peer = SVC(kernel="precomputed", C=C / 2, tol=1e-6)  # with less, SVC itself stalls
    peer.fit(np.block([[K, -K], [-K, K]]), sign)
    alpha = np.zeros(2 * len(i))
    alpha[peer.support_] = peer.dual_coef_[0]  # signed
    beta = np.zeros(data.n_rows)
    np.add.at(beta, i, alpha[: len(i)] - alpha[len(i) :])
    np.subtract.at(beta, j, alpha[: len(i)] - alpha[len(i) :])
    expected = pairwise_kernels(new.X, data.X, **params) @ beta
    gamma = params.get("gamma", "scale")
    ranker = KernelRankSVM(C=C, C_mode="per_pair", kernel=kernel, gamma=gamma, tol=1e-9, max_iter=20_000).fit(data)
    np.testing.assert_allclose(ranker.predict(new), expected, atol=1e-5 * max(1, np.abs(expected).max()))
    assert abs(peer.intercept_[0]) < 1e-5


def test_total_and_per_pair_differ_by_the_number_of_pairs():
    data = make(2)
    p = len(pairs(data.y, data.query_ptr))
    total = KernelRankSVM(C=3.0, tol=1e-9).fit(data)
    each = KernelRankSVM(C=3.0 / p, C_mode="per_pair", tol=1e-9).fit(data)
    np.testing.assert_array_equal(total.predict(data), each.predict(data))


def test_nystroem_with_every_document_ranks_as_the_squared_hinge_in_the_kernels_space():
    """With all documents as landmarks the map is exact: the solution is f = k beta of the squared hinge."""
    from leanrank.rankers.pairwise_hinge import PairwiseSquaredHinge

    data = make(3)
    C = 2.0
    ranker = KernelRankSVM(C=C, C_mode="per_pair", gamma=0.3, n_landmarks=data.n_rows).fit(data)
    f = ranker.predict(data)
    # Stationarity in function space: beta = -C dL/df / 2, f = k beta.
    k = pairwise_kernels(data.X, metric="rbf", gamma=0.3)
    beta = -0.5 * C * PairwiseSquaredHinge(data).at(f).slope
    np.testing.assert_allclose(k @ beta, f, atol=1e-4)


def test_max_pairs_limits_each_query_and_is_seeded():
    data = make(4, sizes=(30, 2, 20))
    few = [KernelRankSVM(max_pairs=5, random_state=seed).fit(data) for seed in (0, 0, 1)]
    assert len(few[0].support_) <= 2 * 11
    np.testing.assert_array_equal(few[0].predict(data), few[1].predict(data))
    assert (few[0].predict(data) != few[2].predict(data)).any()
    every = KernelRankSVM(max_pairs=10**6).fit(data)
    np.testing.assert_array_equal(every.predict(data), KernelRankSVM().fit(data).predict(data))


def test_scale_is_scikit_learns_gamma():
    data = make(5)
    assert KernelRankSVM().fit(data).gamma_ == pytest.approx(1 / (3 * data.X.var()), rel=1e-9)


def test_refusals(monkeypatch):
    data = make()
    for kernel in ("cubic", "poly", "poly0", 3):
        with pytest.raises(ParameterError, match="The 'kernel' parameter of KernelRankSVM must be 'rbf', 'linear' or"):
            KernelRankSVM(kernel=kernel).fit(data)
    with pytest.raises(ParameterError, match="The 'n_landmarks' parameter of KernelRankSVM must be >= 1 or None"):
        KernelRankSVM(n_landmarks=0).fit(data)
    with pytest.raises(ParameterError, match="The 'gamma' parameter of KernelRankSVM must be > 0 or 'scale'"):
        KernelRankSVM(gamma="auto").fit(data)
    monkeypatch.setattr("leanrank.rankers.kernel_ranksvm._MOST_DOCUMENTS", 10)
    with pytest.raises(ParameterError, match=r"kernel matrix of 2\d documents.*n_landmarks=300"):
        KernelRankSVM().fit(data)


def test_stopping_short_is_said():
    with pytest.warns(ConvergenceWarning, match="KernelRankSVM stopped after 1 sweeps with a violation"):
        KernelRankSVM(C=1e4, max_iter=1).fit(make())


def test_no_pairs_is_a_warning_and_zero_scores():
    with pytest.warns(NothingToLearnWarning, match="KernelRankSVM: no query has two documents"):
        ranker = KernelRankSVM().fit([[1.0], [2.0]], [1, 1], qid=[1, 1])
    assert ranker.predict([[5.0]]).tolist() == [0.0]
