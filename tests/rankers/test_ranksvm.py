"""RankSVM against sums over explicit pairs and against LinearSVC."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from tests.naive.pairs import active_weights, pairs, squared_hinge

from leanrank import RankingData, RankSVM
from leanrank.errors import ParameterError
from leanrank.kernels import pairwise
from leanrank.rankers import PairwiseSquaredHinge
from leanrank.rankers._base import NothingToLearnWarning


def make(seed, sizes=(7, 1, 12, 5), levels=3, n_features=4, dtype=np.float64):
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    X = rng.normal(size=(n, n_features)).astype(dtype)
    y = rng.integers(0, levels, n)
    return RankingData(X, y, np.concatenate(([0], np.cumsum(sizes))))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=5),
    levels=st.sampled_from([1, 2, 3, 40]),
    grid=st.booleans(),
)
def test_value_slope_and_curvature_equal_the_sums_over_pairs(seed, sizes, levels, grid):
    data = make(seed, sizes, levels)
    rng = np.random.default_rng(seed)
    s = rng.normal(size=data.n_rows)
    if grid:  # ties, and margins of exactly 1
        s = np.round(2 * s) / 2
    t = rng.normal(size=data.n_rows)
    value, slope, hessian = squared_hinge(s, data.y, data.query_ptr)
    loss = PairwiseSquaredHinge(data)
    here = loss.at(s)
    assert loss.n_pairs == len(pairs(data.y, data.query_ptr))
    np.testing.assert_allclose(here.value, value, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(here.slope, slope, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(here.curve(t), hessian @ t, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_products_with_the_features_equal_numpy(dtype, sparse):
    data = make(3, dtype=dtype)
    loss = PairwiseSquaredHinge(RankingData(sp.csr_array(data.X), data.y, data.query_ptr) if sparse else data)
    w, v = np.linspace(-1, 2, 4), np.linspace(0, 1, data.n_rows)
    X = data.X.astype(np.float64)
    np.testing.assert_allclose(loss.scores(w), X @ w, rtol=1e-12)
    np.testing.assert_allclose(loss.weights(v), X.T @ v, rtol=1e-12)


def test_active_sums_of_a_query_of_one_label_are_zero():
    above, below = np.full(3, 9.0), np.full(3, 9.0)
    pairwise.active_sums(np.zeros(3), np.ones(3, np.int32), np.ones(3), above, below)
    assert above.tolist() == below.tolist() == [0, 0, 0]


def test_weights_of_active_partners_equal_the_sums_over_pairs():
    data, rng = make(8), np.random.default_rng(8)
    level = (data.y + 1).astype(np.int32)
    s, weight = np.round(rng.normal(size=data.n_rows), 1), rng.random(data.n_rows)
    order = np.lexsort((s, np.repeat(np.arange(data.n_queries), data.query_sizes)))
    s, level = s[order], level[order]
    worse, better = np.empty(data.n_rows), np.empty(data.n_rows)
    pairwise.active_weights(s, level, weight, data.query_ptr, 0, data.n_queries, worse, better)
    np.testing.assert_allclose((worse, better), active_weights(s, level, weight, data.query_ptr), atol=1e-12)


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
def test_the_optimum_is_that_of_linear_svc_on_explicit_pairs(C):
    data = make(5, sizes=(9, 14, 6, 11), levels=4)
    i, j = pairs(data.y, data.query_ptr).T
    z = data.X[i] - data.X[j]
    sign = np.where(np.random.default_rng(0).random(len(z)) < 0.5, -1, 1)
    peer = LinearSVC(loss="squared_hinge", fit_intercept=False, dual=False, C=C, tol=1e-12, max_iter=10**5)
    peer.fit(z * sign[:, None], sign)
    ours = RankSVM(C=2 * C, C_mode="per_pair", tol=1e-14).fit(data)
    np.testing.assert_allclose(ours.coef_, peer.coef_.ravel(), atol=1e-6)
    total = RankSVM(C=2 * C * len(z), C_mode="total", tol=1e-14).fit(data)
    np.testing.assert_allclose(total.coef_, ours.coef_, atol=1e-9)


def test_worked_example():
    ranker = RankSVM(C=2.0, C_mode="per_pair", tol=1e-14).fit([[1, 0], [0, 1], [0.5, 0.5]], [2, 0, 1], qid=[1, 1, 1])
    np.testing.assert_allclose(ranker.coef_, [2 / 3, -2 / 3], atol=1e-9)
    assert ranker.objective_ == pytest.approx(2 / 3, abs=1e-12)


def test_the_objective_is_what_the_pairs_sum_to():
    data = make(8)
    ranker = RankSVM(C=0.7, C_mode="per_pair").fit(data)
    value, _, _ = squared_hinge(data.X @ ranker.coef_, data.y, data.query_ptr)
    assert ranker.objective_ == pytest.approx(0.5 * ranker.coef_ @ ranker.coef_ + 0.35 * value, rel=1e-12)


def test_the_path_equals_separate_fits_and_keeps_the_order_given():
    data = make(9, sizes=(20, 15, 30))
    Cs = [1.0, 100.0, 0.01]
    path = RankSVM(tol=1e-13).path(data, Cs=Cs)
    for row, C in zip(path, Cs, strict=True):
        np.testing.assert_allclose(row, RankSVM(C=C, tol=1e-13).fit(data).coef_, atol=1e-6)


def test_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr("leanrank.rankers.pairwise_hinge._TASK_ROWS", 8)
    data = make(10, sizes=(20, 15, 30))
    fits = [RankSVM(C=5, n_threads=threads).fit(data).coef_ for threads in (1, 2, 3)]
    assert (fits[0] == fits[1]).all()
    assert (fits[0] == fits[2]).all()


def test_c_zero_gives_zero_weights_and_a_constant_feature_none():
    data = make(11)
    assert not RankSVM(C=0.0).fit(data).coef_.any()
    X = data.X.copy()
    X[:, 2] = np.repeat([4.0, -1.0, 3.0, 0.0], data.query_sizes)  # constant within each query
    ranker = RankSVM(C=10.0, tol=1e-12).fit(RankingData(X, data.y, data.query_ptr))
    assert abs(ranker.coef_[2]) < 1e-9
    assert abs(ranker.coef_[0]) > 1e-3


def test_no_pairs_is_a_warning_and_zero_weights():
    with pytest.warns(NothingToLearnWarning, match="no query has two documents with different labels"):
        ranker = RankSVM().fit([[1.0], [2.0], [3.0]], [1, 1, 0], qid=[1, 1, 2])
    assert ranker.coef_.tolist() == [0.0]


def test_parameters_are_refused_by_name():
    data = make(12)
    with pytest.raises(ParameterError, match=r"The 'C' parameter of RankSVM must be a number >= 0 .* Got -1"):
        RankSVM(C=-1).fit(data)
    with pytest.raises(ParameterError, match="The 'C_mode' parameter of RankSVM must be 'total' or 'per_pair'"):
        RankSVM(C_mode="both").fit(data)
    with pytest.raises(ParameterError, match="needs an eval_set to choose among 2 values of C"):
        RankSVM(C=[1, 2]).fit(data)


def test_stopping_short_is_said():
    with pytest.warns(ConvergenceWarning, match="RankSVM stopped after 1 Newton steps short of its minimum"):
        RankSVM(C=1e4, max_iter=1, tol=1e-12).fit(make(13))
