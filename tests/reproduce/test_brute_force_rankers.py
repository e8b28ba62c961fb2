"""Every learner of the papers against brute force, small data sets full of ties."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from tests.naive import adarank, average_precision_margin, feature_worth, perceptron, preference, query_losses
from tests.naive import rankboost as boosting
from tests.naive.pairs import pairs, squared_hinge
from tests.reproduce.tied_data import drawn, labels

from leanrank import (
    SVMMAP,
    AdaRank,
    CohenOrder,
    CommitteePerceptron,
    ExpectedRankRegression,
    KernelRankSVM,
    ListNet,
    OrderSVM,
    RankBoost,
    RankNet,
    RankSVM,
)
from leanrank.rankers._query_order import query_order

CASES = 200


def test_adarank():
    tested = 0
    for seed in range(CASES):
        data, parts = drawn(seed, n_values=6, longest=7)
        queries = [(data.X[part].tolist(), y) for part, y in zip(parts, labels(data, parts), strict=True)]
        expected = adarank.rounds(queries, 4)
        if expected is None:
            continue
        fitted = AdaRank("map", 4, on_fixed_point="stop").fit(data)  # what else to do there is no part of the paper
        assert fitted.chosen_.tolist() == [k for k, _ in expected], seed
        assert fitted.alphas_ == pytest.approx([alpha for _, alpha in expected], abs=1e-10), seed
        tested += 1
    assert tested > CASES // 2


def test_rankboost():
    tested = 0
    for seed in range(CASES):
        data, _ = drawn(seed)
        values = [np.unique(column) for column in data.X.T]
        thresholds = [(v[1:] + v[:-1]) / 2 for v in values]
        expected, _ = boosting.rounds(data.X, data.y, data.query_ptr, thresholds, 3)
        if any(abs(r) > 1 - 1e-6 for _, _, r, _, _ in expected):
            continue  # a perfect threshold has no finite weight
        fitted = RankBoost(3).fit(data)
        taken = np.column_stack((fitted.chosen_, fitted.thresholds_, fitted.alphas_))
        assert taken == pytest.approx(np.array([(f, t, alpha) for f, t, _, alpha, _ in expected]), abs=1e-9), seed
        tested += 1
    assert tested > CASES // 2


def test_ranksvm():
    """The objective is strongly convex: where its slope by pairs is 0 it is least."""
    for seed in range(CASES):
        data, _ = drawn(seed)
        C = (0.1, 1.0, 30.0)[seed % 3]
        w = RankSVM(C, tol=1e-14).fit(data).coef_
        _, slope, _ = squared_hinge(data.X @ w, data.y, data.query_ptr)
        each = C / len(pairs(data.y, data.query_ptr))
        assert w + each / 2 * data.X.T @ slope == pytest.approx(np.zeros(4), abs=1e-5), seed


def test_kernel_ranksvm():
    """Its objective, pairs written out, is that of scikit-learn's SVC on pairs and their mirror images."""
    for seed in range(CASES):
        data, _ = drawn(seed, n_features=2)
        i, j = pairs(data.y, data.query_ptr).T
        k = rbf_kernel(data.X, gamma=0.4)
        K = k[np.ix_(i, i)] - k[np.ix_(i, j)] - k[np.ix_(j, i)] + k[np.ix_(j, j)]
        C = (0.3, 5.0)[seed % 2]
        peer = SVC(kernel="precomputed", C=C / 2, tol=1e-6)
        peer.fit(np.block([[K, -K], [-K, K]]), np.repeat([1, -1], len(i)))
        alpha = np.zeros(2 * len(i))
        alpha[peer.support_] = peer.dual_coef_[0]
        alpha = alpha[: len(i)] - alpha[len(i) :]
        theirs = 0.5 * alpha @ K @ alpha + C * np.maximum(0, 1 - K @ alpha).sum()
        fitted = KernelRankSVM(C, C_mode="per_pair", gamma=0.4, tol=1e-8, max_iter=20_000).fit(data)
        f, beta = fitted.predict(data), fitted.dual_coef_
        norm = beta @ rbf_kernel(fitted.support_, gamma=0.4) @ beta
        ours = 0.5 * norm + C * np.maximum(0, 1 - (f[i] - f[j])).sum()
        assert ours == pytest.approx(theirs, abs=1e-5 * max(1, theirs)), seed


def test_svm_map():
    """The worst ranking found among all; no step in any of twelve directions leads below the gap that is stated."""

    def primal(w, C, data, parts):
        slacks = []
        for part in parts:
            relevant = data.y[part] >= 1
            if relevant.any() and not relevant.all():
                s = data.X[part] @ w
                truth = average_precision_margin.joint(s, relevant, np.lexsort((-s, ~relevant)))
                slacks.append(average_precision_margin.most_violated(s, relevant) - truth)
        return 0.5 * w @ w + C * np.mean(slacks)

    for seed in range(CASES // 2):
        data, parts = drawn(seed, n_levels=2, longest=4, n_features=3)
        C = (0.5, 10.0)[seed % 2]
        fitted = SVMMAP(C, eps=1e-6).fit(data)
        least, rng = primal(fitted.coef_, C, data, parts), np.random.default_rng(seed)
        for length in (1e-3, 0.03, 1.0):
            for _ in range(4):
                there = primal(fitted.coef_ + length * rng.normal(size=3), C, data, parts)
                assert there >= least - fitted.gap_ - 1e-9, seed


def descended(data, loss, rate, n_epochs):
    """A step against the finite differences of each query's loss, in the order that the seed 0 draws."""
    w, rng, order = np.zeros(data.n_features), np.random.default_rng(0), query_order(data)
    for _ in range(n_epochs):
        for q in rng.permutation(order):
            one = data.query(q)
            w = w - rate * query_losses.finite_differences(lambda v, one=one: loss(one.X @ v, one.y), w)
    return w


def test_ranknet():
    for seed in range(CASES):
        data, _ = drawn(seed)
        fitted = RankNet(learning_rate=0.1, n_epochs=2).fit(data)
        assert fitted.coef_ == pytest.approx(descended(data, query_losses.ranknet, 0.1, 2), abs=1e-7), seed


def test_listnet():
    def loss(s, y):
        return query_losses.listnet(s, query_losses.softmax(y))

    for seed in range(CASES):
        data, parts = drawn(seed)
        fitted = ListNet(0.1, 2).fit(data)
        assert fitted.coef_ == pytest.approx(descended(data, loss, 0.1, 2), abs=1e-7), seed

        def whole(w, data=data, parts=parts):
            return np.mean([loss(data.X[part] @ w, data.y[part]) for part in parts])

        if seed % 5:
            continue
        minimum = ListNet(solver="lbfgs", n_epochs=500).fit(data).coef_
        # On separable lists the minimum lies far out, where all is flat.
        assert query_losses.finite_differences(whole, minimum) == pytest.approx(np.zeros(4), abs=1e-4), seed


def test_committee_perceptron():
    """Pair by pair, every hypothesis that fell rated by the precision of its order over all orders of equal scores."""
    for seed in range(CASES):
        data, _ = drawn(seed)
        fitted = CommitteePerceptron(1000, n_epochs=2, min_survival=0.0).fit(data)
        data = data.take_queries(query_order(data))
        better, worse = pairs(data.y, data.query_ptr).T
        rng, w, survived, offered = np.random.default_rng(0), np.zeros(4), 0, []
        for _ in range(2):
            order = rng.permutation(len(better))
            w, survived, fallen, mistakes = perceptron.epoch(data.X, better, worse, order, w, survived)
            offered += [v for v, survivors in fallen if survivors >= 1]
            if not mistakes.any():
                break
        ones = [data.query(q) for q in range(data.n_queries)]
        y = [one.y.astype(int).tolist() for one in ones]
        scores = [
            feature_worth.mean_average_precision([(one.X @ v).tolist() for one in ones], y) for v in (*offered, w)
        ]
        assert fitted.coef_ == pytest.approx(np.average([*offered, w], axis=0, weights=scores), abs=1e-9), seed


def test_expected_rank_regression():
    """Targets by counting, the fit by the normal equations of all columns and a constant."""
    for seed in range(CASES):
        data, parts = drawn(seed, n_levels=4)
        target = []
        for y in labels(data, parts):
            place = [1 + sum(v > u for v in y) + (sum(v == u for v in y) - 1) / 2 for u in y]
            target += [r / (len(y) + 1) for r in place]
        Z = np.column_stack((data.X, np.ones(data.n_rows)))
        fit = Z @ np.linalg.pinv(Z) @ target
        assert ExpectedRankRegression().fit(data).predict(data) == pytest.approx(-fit, abs=1e-9), seed


def test_cohen():
    for seed in range(CASES):
        data, parts = drawn(seed)
        beta = (0.5, 0.9)[seed % 2]
        fitted = CohenOrder(beta).fit(data)
        w = preference.hedge(data.X, data.y, data.query_ptr, beta)
        assert fitted.weights_ == pytest.approx(w, abs=1e-12), seed
        scores = fitted.predict(data)
        for part in parts:
            order = preference.greedy(preference.preference(data.X[part], fitted.weights_))
            assert np.argsort(-scores[part], kind="stable").tolist() == order, seed


def test_order_svm():
    """The objective example by example has no slope at the fit; it is convex."""

    def objective(flat, data, parts, n_planes, C, lam):
        w, v, b = flat[:3], flat[3 : 3 + 3 * n_planes].reshape(n_planes, 3), flat[3 + 3 * n_planes :]
        total = 0.5 * w @ w + 0.5 * lam * (v**2).sum()
        for part in parts:
            levels = sorted(set(data.y[part]), reverse=True)
            for x, label in zip(data.X[part], data.y[part], strict=True):
                for t in range(len(levels) - 1):
                    side = 1.0 if levels.index(label) <= t else -1.0
                    total += C * max(0.0, 1 - side * ((w + v[t]) @ x + b[t])) ** 2
        return total

    for seed in range(CASES // 4):
        data, parts = drawn(seed, n_features=3)
        C, lam = (0.1, 2.0)[seed % 2], 1.5
        fitted = OrderSVM(C, lam=lam, tol=1e-9, max_iter=5000).fit(data)
        n_planes = len(fitted.intercepts_)
        flat = np.concatenate((fitted.coef_, fitted.offsets_.ravel(), fitted.intercepts_))
        slope = query_losses.finite_differences(
            lambda x, of=(data, parts, n_planes, C, lam): objective(x, *of), flat, step=1e-5
        )
        assert slope == pytest.approx(np.zeros(len(flat)), abs=1e-4), seed
