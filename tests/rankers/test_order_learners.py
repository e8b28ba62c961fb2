"""ExpectedRankRegression, CohenOrder and OrderSVM: worked examples, oracles, identities."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.preprocessing import PolynomialFeatures
from tests.naive import preference as naive
from tests.rankers.conformance import as_sparse, judged, with_odd_queries

from leanrank import CohenOrder, ExpectedRankRegression, OrderSVM, RankingData, from_orders
from leanrank.errors import DataError, ParameterError
from leanrank.rankers._base import NothingToLearnWarning
from leanrank.rankers._query_order import expected_ranks

ITEMS = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
ORDERS = from_orders(ITEMS, [[0, 1, 2], [2, 0]])


def orders(seed, n_orders=15, size=5, n_items=20, n_features=3):
    rng = np.random.default_rng(seed)
    items = rng.normal(size=(n_items, n_features))
    wish = items @ [1.0, -1.0, 0.5][:n_features]
    lists = []
    for _ in range(n_orders):
        own = rng.choice(n_items, rng.integers(2, size + 1), replace=False)
        lists.append(own[np.argsort(-(wish[own] + 0.5 * rng.normal(size=len(own))))])
    return from_orders(items, lists)


def targets(data):
    """rank / (L + 1), order by order."""
    found = []
    for q in range(data.n_queries):
        y = data.query(q).y
        found += [(np.mean([1 + np.sum(y > v) + i for i in range(np.sum(y == v))])) / (len(y) + 1) for v in y]
    return np.array(found)


def test_targets_of_expected_rank_regression():
    assert (expected_ranks(ORDERS) / [4, 4, 4, 3, 3]).round(3).tolist() == [0.25, 0.5, 0.75, 0.333, 0.667]
    data = with_odd_queries(judged())
    sizes = np.repeat(data.query_sizes, data.query_sizes)
    np.testing.assert_allclose(expected_ranks(data) / (sizes + 1), targets(data), atol=1e-12)


@pytest.mark.parametrize("data", [orders(0), orders(1), with_odd_queries(judged())], ids=["orders", "more", "graded"])
@pytest.mark.parametrize("degree", [1, 2])
def test_expected_rank_regression_equals_linear_regression(data, degree):
    """Also where columns depend on each other: judged() has a constant one."""
    Z = PolynomialFeatures(degree, include_bias=False).fit_transform(data.X)
    peer = LinearRegression().fit(Z, targets(data))
    ranker = ExpectedRankRegression(degree).fit(data)
    np.testing.assert_allclose(ranker.predict(data), -peer.predict(Z), atol=1e-9)
    np.testing.assert_allclose(ranker.coef_, -peer.coef_, atol=1e-9)
    assert ranker.intercept_ == pytest.approx(-peer.intercept_, abs=1e-9)
    np.testing.assert_allclose(ExpectedRankRegression(degree).fit(as_sparse(data)).coef_, ranker.coef_, atol=1e-9)


def test_its_ridge_is_that_of_scikit_learn():
    data = orders(2)
    peer = Ridge(alpha=3.0).fit(data.X, targets(data))
    np.testing.assert_allclose(ExpectedRankRegression(ridge=3.0).fit(data).coef_, -peer.coef_, atol=1e-9)


def test_a_file_with_a_wrong_number_of_weights_is_refused(tmp_path):
    import json

    from leanrank import load_ranker

    path = tmp_path / "err.json"
    ExpectedRankRegression(2).fit(ORDERS).save(path)
    document = json.loads(path.read_text())
    document["params"]["degree"] = 1
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match="'coef_' has 5 weights, expected 2"):
        load_ranker(path)


def test_worked_example_of_cohen():
    ranker = CohenOrder(beta=0.5).fit(ORDERS)
    np.testing.assert_allclose(ranker.weights_.ravel(), [0.1958, 0.310814, 0.246693, 0.246693], atol=5e-7)
    assert np.argsort(-ranker.predict(ITEMS)).tolist() == [2, 0, 1]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.9]))
def test_hedge_and_greedy_equal_literal_loops(seed, beta):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (12, 3)).astype(float)
    data = RankingData(X, rng.integers(0, 3, 12), [0, 1, 5, 12])
    if np.ptp(data.y[1:5]) == 0 and np.ptp(data.y[5:]) == 0:
        return
    ranker = CohenOrder(beta=beta).fit(data)
    np.testing.assert_allclose(ranker.weights_, naive.hedge(X, data.y, data.query_ptr, beta), atol=1e-12)
    for a, b in [(0, 1), (1, 5), (5, 12)]:
        order = naive.greedy(naive.preference(X[a:b], ranker.weights_))
        assert np.argsort(-ranker.predict(X[a:b]), kind="stable").tolist() == order


def test_passes_are_queries_seen_again():
    data = orders(3)
    again = RankingData(
        np.vstack((data.X, data.X)), np.tile(data.y, 2), np.append(data.query_ptr, data.query_ptr[1:] + data.n_rows)
    )
    np.testing.assert_allclose(CohenOrder(passes=2).fit(data).weights_, CohenOrder().fit(again).weights_, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_greedy_agrees_at_least_half_as_well_as_the_best_order(seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.integers(0, 3, (5, 4)).astype(float), rng.dirichlet(np.ones(8)).reshape(4, 2)
    pref = naive.preference(X, weights)
    best = max(naive.agreement(pref, order) for order in permutations(range(5)))
    for components in (False, True):
        ranker = CohenOrder(components=components).fit(np.eye(4), [1, 0, 0, 0], qid=[1] * 4)
        ranker.weights_ = weights
        found = np.argsort(-ranker.predict(X), kind="stable")
        assert naive.agreement(pref, found) >= 0.5 * best - 1e-12


def test_components_find_the_order_where_there_are_no_cycles():
    """One attribute: preferences have no cycles, and the order is that of the attribute."""
    ranker = CohenOrder(components=True).fit(np.array([[2.0], [1.0]]), [1, 0], qid=[1, 1])
    x = np.random.default_rng(0).permutation(30).astype(float)
    assert np.argsort(-ranker.predict(x[:, None])).tolist() == np.argsort(-x).tolist()


def test_the_queries_matter_when_cohen_predicts():
    data = orders(4)
    ranker = CohenOrder().fit(data)
    by_query = ranker.predict(data.X, qid=data.qid)
    assert sorted(by_query[: data.query_ptr[1]]) == sorted(-np.arange(data.query_sizes[0]))
    assert sorted(ranker.predict(data.X)) == sorted(-np.arange(data.n_rows))  # one query of all rows


def objective(data, w, v, b, C, lam):
    """Order SVM's objective, example by example."""
    total = 0.5 * w @ w + 0.5 * lam * np.sum(v * v)
    for q in range(data.n_queries):
        one = data.query(q)
        levels = sorted(set(one.y), reverse=True)
        for x, label in zip(one.X, one.y, strict=True):
            for t in range(1, len(levels)):
                side = 1.0 if levels.index(label) + 1 <= t else -1.0
                total += C * max(0.0, 1 - side * ((w + v[t - 1]) @ x + b[t - 1])) ** 2
    return total


@pytest.mark.parametrize("data", [orders(5), judged(n_queries=4)], ids=["orders", "graded"])
def test_order_svm_reaches_the_optimum_and_its_identity(data):
    C, lam = 0.5, 2.0
    ranker = OrderSVM(C, lam=lam, tol=1e-8).fit(data)
    np.testing.assert_allclose(ranker.coef_, lam * ranker.offsets_.sum(axis=0), atol=1e-5)
    T, K = ranker.offsets_.shape

    def flat(x):
        return objective(data, x[:K], x[K : K + T * K].reshape(T, K), x[K + T * K :], C, lam)

    found = np.concatenate((ranker.coef_, ranker.offsets_.ravel(), ranker.intercepts_))
    peer = minimize(flat, found + 0.01, method="BFGS", options={"maxiter": 30})
    assert flat(found) <= peer.fun + 1e-6
    assert flat(found) < flat(np.zeros_like(found))


def test_large_lam_leaves_one_direction():
    data = orders(6)
    near, far = OrderSVM(lam=1e6).fit(data), OrderSVM(lam=1e-2).fit(data)
    assert np.abs(near.offsets_).max() < 1e-4 * np.abs(near.coef_).max()
    assert np.abs(far.offsets_).max() > np.abs(far.coef_).max()


def test_order_svm_chooses_C_on_held_out_data():
    data, held_out = judged(n_queries=5), judged(2)
    grid = [1e-4, 1e-2, 1.0]
    scores = [OrderSVM(C).fit(data).score(held_out, metric="map") for C in grid]
    chosen = OrderSVM(grid).fit(data, eval_set=held_out)
    assert grid[int(np.argmax(np.round(scores, 6)))] == chosen.C_
    with pytest.raises(ParameterError, match="OrderSVM needs an eval_set to choose among 3 values of C"):
        OrderSVM(grid).fit(data)
    assert OrderSVM(0.0).fit(data).coef_.tolist() == [0.0] * 4


def test_parameters_are_checked():
    for ranker, message in [
        (ExpectedRankRegression(3), "'degree' parameter of ExpectedRankRegression must be 1 or 2"),
        (ExpectedRankRegression(ridge=-1), "'ridge' parameter of ExpectedRankRegression must be >= 0"),
        (CohenOrder(beta=1.0), "'beta' parameter of CohenOrder must be between 0 and 1"),
        (CohenOrder(passes=0), "'passes' parameter of CohenOrder must be >= 1"),
        (OrderSVM(lam=0), "'lam' parameter of OrderSVM must be > 0"),
        (OrderSVM(tol=0), "'tol' parameter of OrderSVM must be > 0"),
        (OrderSVM(max_iter=0), "'max_iter' parameter of OrderSVM must be >= 1"),
        (OrderSVM(-1), "'C' parameter of OrderSVM must be a number >= 0"),
    ]:
        with pytest.raises(ParameterError, match=message):
            ranker.fit(ORDERS)
    with pytest.warns(ConvergenceWarning, match="OrderSVM stopped after 2 iterations"):
        OrderSVM(max_iter=2).fit(orders(7))
    for ranker in (CohenOrder(), OrderSVM()):
        with pytest.warns(NothingToLearnWarning, match=type(ranker).__name__):
            ranker.fit(ITEMS, [1, 1, 1], qid=[1, 1, 1])
