"""SVMMAP: the separation oracle against brute force, the quadratic program against scipy, the gap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from tests.naive import average_precision_margin as naive

from leanrank import SVMMAP, RankingData
from leanrank.errors import ParameterError
from leanrank.kernels.svmmap import most_violated
from leanrank.rankers._base import NothingToLearnWarning
from leanrank.rankers.svmmap import maximise_on_simplex


def oracle(scores, relevant):
    """Objective of the ranking the kernel finds, and its loss: w.Psi(found) = w.Psi(true) - c.s."""
    coefficient, loss = np.empty(len(scores)), np.empty(1)
    most_violated(scores, relevant, np.array([0, len(scores)]), 0, 1, coefficient, loss)
    true_order = np.lexsort((-scores, ~relevant))
    return loss[0] + naive.joint(scores, relevant, true_order) - coefficient @ scores, loss[0]


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 5.0]), st.booleans())
def test_the_oracle_equals_brute_force_over_all_rankings(n, seed, scale, tied):
    rng = np.random.default_rng(seed)
    scores = scale * rng.normal(size=n)
    if tied:
        scores = np.round(scores)
    relevant = rng.random(n) < 0.5
    relevant[:2] = [True, False]
    found, _ = oracle(scores, relevant)
    assert found == pytest.approx(naive.most_violated(scores, relevant), abs=1e-12)


def test_worked_example_of_the_oracle():
    scores, relevant = np.array([0.9, 0.2, 0.5, 0.1]), np.array([True, True, False, False])
    found, loss = oracle(scores, relevant)
    assert found == pytest.approx(0.65, abs=1e-12)
    assert loss == pytest.approx(1 - naive.average_precision([False, True, False, True]), abs=1e-12)  # N1 R1 N2 R2
    assert naive.objective(scores, relevant, [0, 1, 2, 3]) == pytest.approx(0.25, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([0.5, 3.0, 100.0]))
def test_the_quadratic_program_reaches_scipys_optimum(m, seed, C):
    rng = np.random.default_rng(seed)
    g = rng.normal(size=(m, 3))  # rank at most 3: singular for m > 3
    G, b = g @ g.T, rng.random(m)
    a = maximise_on_simplex(G, b, C, np.zeros(m))
    assert (a >= 0).all()
    assert a.sum() <= C * (1 + 1e-9)
    peer = minimize(
        lambda x: 0.5 * x @ G @ x - b @ x,
        np.full(m, C / (2 * m)),
        jac=lambda x: G @ x - b,
        bounds=[(0, None)] * m,
        constraints={"type": "ineq", "fun": lambda x: C - x.sum(), "jac": lambda x: -np.ones(m)},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert b @ a - 0.5 * a @ G @ a >= -peer.fun - 1e-6 * max(1.0, abs(peer.fun))


def make(seed=0, n_queries=12, size=9, n_features=4):
    rng = np.random.default_rng(seed)
    n = n_queries * size
    X = rng.normal(size=(n, n_features))
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) > 0.8).astype(int)
    return RankingData(X, y, np.arange(0, n + 1, size))


def primal(data, w, C):
    """0.5 |w|^2 + C mean of slacks, each slack from the oracle; also 1 - MAP of w."""
    slacks, losses = [], []
    for q in range(data.n_queries):
        query = data.query(q)
        relevant = query.y >= 1
        if relevant.any() and not relevant.all():
            s = query.X @ w
            true_order = np.lexsort((-s, ~relevant))
            slacks.append(oracle(s, relevant)[0] - naive.joint(s, relevant, true_order))
            losses.append(1 - naive.average_precision(relevant[np.argsort(-s, kind="stable")]))
    return 0.5 * w @ w + C * np.mean(slacks), np.mean(slacks), np.mean(losses)


@pytest.mark.parametrize("C", [0.5, 20.0])
def test_no_direction_improves_on_the_minimum_by_more_than_the_gap(C):
    data = make()
    ranker = SVMMAP(C=C, eps=1e-6).fit(data)
    value, slack, loss = primal(data, ranker.coef_, C)
    assert ranker.gap_ <= 1e-6 * C
    assert slack >= loss - 1e-9  # the hinge bounds 1 - MAP
    rng = np.random.default_rng(1)
    for length in (1e-3, 0.1, 1.0):
        for _ in range(10):
            there, _, _ = primal(data, ranker.coef_ + length * rng.normal(size=4), C)
            assert there >= value - ranker.gap_ - 1e-9
    assert value < primal(data, np.zeros(4), C)[0]


def test_planes_kept_along_the_path_do_not_change_the_optimum():
    data = make(3)
    one = SVMMAP(C=20.0, eps=1e-7).fit(data)

    class Constant:
        """Prefers later candidates, so that the largest C is kept."""

        calls = 0

        def per_query(self, y, scores, query_ptr):
            self.calls += 1
            return np.full(1, float(self.calls))

    path = SVMMAP(C=[0.1, 20.0, 3.0], eps=1e-7, eval_metric=Constant()).fit(data, eval_set=data)
    assert path.C_ == 20.0
    np.testing.assert_allclose(path.coef_, one.coef_, atol=1e-3)
    assert primal(data, path.coef_, 20.0)[0] == pytest.approx(primal(data, one.coef_, 20.0)[0], abs=1e-5)


def test_c_zero_is_zero_and_queries_of_one_kind_teach_nothing():
    data = make()
    assert not SVMMAP(C=0.0).fit(data).coef_.any()
    extra = RankingData(9 * np.ones((3, 4)), [1, 1, 0], [0, 2, 3], query_ids=[100, 101])
    np.testing.assert_allclose(SVMMAP(C=5.0).fit(data + extra).coef_, SVMMAP(C=5.0).fit(data).coef_, atol=1e-9)
    with pytest.warns(NothingToLearnWarning, match="every document scores 0"):
        assert not SVMMAP().fit(extra).coef_.any()


def test_stopping_short_is_said():
    with pytest.warns(ConvergenceWarning, match="SVMMAP stopped after 2 cutting planes"):
        SVMMAP(C=1e4, max_iter=2).fit(make())
    with pytest.raises(ParameterError, match="The 'eps' parameter of SVMMAP must be > 0"):
        SVMMAP(eps=0).fit(make())
