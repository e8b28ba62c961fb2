"""RankNet and ListNet: gradients against finite differences, the optimum against L-BFGS, dense against sparse."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.naive import query_losses as naive
from tests.rankers.conformance import as_sparse, judged

from leanrank import ListNet, RankingData, RankNet, load_ranker
from leanrank.errors import DataError, ParameterError
from leanrank.kernels import query_sgd
from leanrank.rankers._base import NothingToLearnWarning
from leanrank.rankers._query_order import query_order
from leanrank.rankers.listnet import cross_entropy


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(0, 10**6), st.booleans(), st.sampled_from([0.1, 3.0]))
def test_ranknets_slope_equals_finite_differences(n, seed, half_ties, scale):
    rng = np.random.default_rng(seed)
    s, y, slope = scale * rng.normal(size=n), rng.integers(0, 3, n).astype(float), np.empty(n)
    loss = query_sgd.ranknet_slope(s, y, half_ties, slope)
    assert loss == pytest.approx(naive.ranknet(s, y, half_ties), abs=1e-12)
    np.testing.assert_allclose(slope, naive.finite_differences(lambda t: naive.ranknet(t, y, half_ties), s), atol=1e-8)
    assert slope.sum() == pytest.approx(0, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(0, 10**6), st.sampled_from([0.1, 3.0]))
def test_listnets_slope_equals_finite_differences(n, seed, scale):
    rng = np.random.default_rng(seed)
    s, slope = scale * rng.normal(size=n), np.empty(n)
    p = naive.softmax(rng.integers(0, 3, n))
    assert query_sgd.listnet_slope(s, p, slope) == pytest.approx(naive.listnet(s, p), abs=1e-12)
    np.testing.assert_allclose(slope, naive.finite_differences(lambda t: naive.listnet(t, p), s), atol=1e-8)


def test_losses_stay_finite_for_huge_scores():
    slope = np.empty(2)
    assert query_sgd.ranknet_slope(np.array([-1e4, 1e4]), np.array([1.0, 0.0]), False, slope) == pytest.approx(2e4)
    assert slope.tolist() == [-1.0, 1.0]
    assert query_sgd.listnet_slope(np.array([-1e4, 1e4]), np.array([1.0, 0.0]), slope) == pytest.approx(2e4)
    assert slope.tolist() == [-1.0, 1.0]


def test_worked_example_of_listnet():
    data = RankingData(np.eye(2), [1, 0], [0, 2])
    target = np.empty(2)
    query_sgd.softmax_targets(data.y.astype(float), data.query_ptr, target)
    assert target.round(6).tolist() == [0.731059, 0.268941]
    loss, gradient = cross_entropy(data, target, np.zeros(2))
    assert round(loss, 6) == 0.693147
    assert gradient.round(6).tolist() == [-0.231059, 0.231059]


@pytest.mark.parametrize("sparse", [False, True])
def test_the_hidden_layers_step_is_the_gradient(sparse):
    rng = np.random.default_rng(0)
    X, y, ptr = rng.normal(size=(6, 3)), np.array([2.0, 0, 1, 1, 0, 2]), np.array([0, 6])
    V, bias, u = rng.normal(size=(2, 3)), rng.normal(size=2), rng.normal(size=2)

    def loss(flat):
        return naive.ranknet(naive.hidden_scores(X, flat[:6].reshape(2, 3), flat[6:8], flat[8:]), y)

    at = np.concatenate((V.ravel(), bias, u))
    expected = at - 0.3 * naive.finite_differences(loss, at)
    order = np.array([0])
    if sparse:
        rows = sp.csr_array(X)
        met = query_sgd.csr_hidden_epoch(rows.data, rows.indices, rows.indptr, y, ptr, order, 0.3, False, V, bias, u)
    else:
        met = query_sgd.dense_hidden_epoch(X, y, ptr, order, 0.3, False, V, bias, u)
    assert met == pytest.approx(loss(at), abs=1e-12)
    np.testing.assert_allclose(np.concatenate((V.ravel(), bias, u)), expected, atol=1e-8)


@pytest.mark.parametrize("ranker", [RankNet(n_epochs=3), RankNet(3, n_epochs=3), ListNet(n_epochs=3)])
def test_an_epoch_is_one_step_per_query_in_turn(ranker):
    """The linear epochs against a literal loop, and sparse against dense for all."""
    data = judged()
    fitted = ranker.fit(data)
    np.testing.assert_allclose(fitted.predict(data), ranker.fit(as_sparse(data)).predict(data), atol=1e-12)
    if getattr(ranker, "hidden", 0):
        return
    w, rng, order = np.zeros(4), np.random.default_rng(0), query_order(data)
    for _ in range(3):
        for q in rng.permutation(order):
            one = data.query(q)
            s, slope = one.X @ w, np.empty(one.n_rows)
            if isinstance(ranker, ListNet):
                query_sgd.listnet_slope(s, naive.softmax(one.y), slope)
            else:
                query_sgd.ranknet_slope(s, one.y.astype(float), False, slope)
            w = w - ranker.learning_rate * one.X.T @ slope
    np.testing.assert_allclose(ranker.fit(data).coef_, w, atol=1e-12)


def test_listnet_reaches_the_optimum_of_scipy():
    data = judged(n_queries=8)
    target = np.empty(data.n_rows)
    query_sgd.softmax_targets(data.y.astype(float), data.query_ptr, target)

    def loss(w):
        s = data.X @ w
        return np.mean([naive.listnet(s[q : q + 10], target[q : q + 10]) for q in range(0, 80, 10)])

    peer = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-7})
    found = ListNet(solver="lbfgs").fit(data)
    np.testing.assert_allclose(found.coef_[:3], peer.x[:3], atol=1e-4)
    assert found.coef_[3] == pytest.approx(0, abs=1e-12)  # constant
    assert loss(found.coef_) <= peer.fun + 1e-10
    near = ListNet(0.005, 3000).fit(data)
    assert loss(near.coef_) == pytest.approx(peer.fun, abs=1e-4)


def test_the_targets_of_listnet_may_be_gains():
    X, y, qid = np.eye(3), [2, 1, 0], [1, 1, 1]
    raw = ListNet(solver="lbfgs").fit(X, y, qid=qid).predict(X)
    gains = ListNet(solver="lbfgs", label_transform="exp2").fit(X, y, qid=qid).predict(X)
    np.testing.assert_allclose(raw - raw[2], [2, 1, 0], atol=1e-5)
    np.testing.assert_allclose(gains - gains[2], [3, 1, 0], atol=1e-5)


def test_a_hidden_layer_learns_what_no_line_can():
    """Relevant in the middle, not at the ends."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 1))
    data = RankingData(X, np.abs(X[:, 0]) < 0.5, np.arange(0, 601, 20))
    linear = RankNet(0, n_epochs=100).fit(data).score(data, metric="map")
    bent = RankNet(8, n_epochs=400, learning_rate=0.3).fit(data).score(data, metric="map")
    assert linear < 0.75
    assert bent > 0.95


def test_early_stopping_keeps_the_best_epoch():
    data, held_out = judged(n_queries=4), judged(7)
    full = RankNet(4, n_epochs=200, eval_metric="ndcg@5").fit(data, eval_set=held_out)
    short = RankNet(4, n_epochs=full.n_iter_).fit(data)
    np.testing.assert_array_equal(full.predict(held_out), short.predict(held_out))
    stopped = RankNet(4, n_epochs=200, eval_metric="ndcg@5", early_stopping_rounds=5).fit(data, eval_set=held_out)
    assert stopped.n_iter_ <= full.n_iter_
    listnet = ListNet(0.1, 300, solver="sgd").fit(data, eval_set=held_out)
    again = ListNet(0.1, listnet.n_iter_).fit(data)
    np.testing.assert_array_equal(listnet.coef_, again.coef_)
    best = ListNet(n_epochs=50, solver="lbfgs").fit(data, eval_set=held_out)
    assert best.score(held_out, metric="map") >= ListNet(solver="lbfgs").fit(data).score(held_out, metric="map")


def test_ties_at_one_half_draw_equal_labels_together():
    X, y, qid = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), [1, 1, 0], [1, 1, 1]
    apart = RankNet(n_epochs=50).fit(X, y, qid=qid).coef_
    together = RankNet(n_epochs=50, ties="half").fit(X, y, qid=qid).coef_
    assert abs(together[1]) < abs(apart[1])


def test_a_hidden_layer_is_saved_whole(tmp_path):
    path, data = tmp_path / "ranknet.json", judged()
    ranker = RankNet(3, n_epochs=5).fit(data)
    ranker.save(path)
    np.testing.assert_array_equal(load_ranker(path).predict(data), ranker.predict(data))
    document = json.loads(path.read_text())
    document["params"]["hidden"] = 0
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match="3 rows of weights do not fit hidden=0"):
        load_ranker(path)


def test_parameters_are_checked_and_nothing_to_learn_is_said():
    data = judged()
    for ranker, message in [
        (RankNet(-1), "'hidden' parameter of RankNet must be a whole number >= 0. Got -1"),
        (RankNet(learning_rate=0), "'learning_rate' parameter of RankNet must be > 0"),
        (RankNet(n_epochs=0), "'n_epochs' parameter of RankNet must be >= 1"),
        (RankNet(ties="x"), "'ties' parameter of RankNet"),
        (ListNet(0), "'learning_rate' parameter of ListNet must be > 0"),
        (ListNet(n_epochs=0), "'n_epochs' parameter of ListNet"),
        (ListNet(solver="x"), "'solver' parameter of ListNet must be 'sgd' or 'lbfgs'"),
        (ListNet(label_transform="x"), "'label_transform' parameter of ListNet"),
    ]:
        with pytest.raises(ParameterError, match=message):
            ranker.fit(data)
    with pytest.warns(NothingToLearnWarning, match="RankNet: no query has two documents with different labels"):
        assert RankNet(2).fit(data.X[:4], [1, 1, 1, 1], qid=[1, 1, 2, 2]).predict(data).tolist() == [0.0] * 160
    with pytest.warns(NothingToLearnWarning, match="ListNet: no query has two documents"):
        ListNet().fit(data.X[:2], [1, 0], qid=[1, 2])
    with pytest.raises(AttributeError, match="no coef_"):
        _ = RankNet(2, n_epochs=1).fit(data).coef_
