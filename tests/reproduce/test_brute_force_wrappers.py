"""The wrapper of BestGain's paper, FSMRank and FSMSVM against brute force, small data sets full of ties."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import feature_worth, fsscpr, set_search
from tests.naive.pairs import pairs, squared_hinge
from tests.reproduce.tied_data import columns, drawn, labels

from leanrank import FSMSVM, ExpectedRankRegression, FSMRank, GreedyWrapper, Similarity
from leanrank.selectors.fsmrank import Fitting

CASES = 200
STRICT = Similarity("kendall", ties="strict")


def test_greedy_wrapper():
    """Every set that can be next is trained on and judged by the precision of all orders of its equal scores."""
    for seed in range(CASES // 2):
        data, parts = drawn(seed)
        y = labels(data, parts)

        def quality(features, data=data, parts=parts, y=y):
            if not features:
                return 0.0
            part = data.subset(np.array(sorted(features)))
            scores = ExpectedRankRegression().fit(part).predict(part).round(9)
            return feature_worth.mean_average_precision([scores[part].tolist() for part in parts], y)

        for delta in (0.005, 0.1):
            wrapper = GreedyWrapper(_Rounded(), metric="map", validation="train", delta=delta).fit(data)
            assert wrapper.selected_.tolist() == set_search.forward(quality, 4, delta=delta), (seed, delta)


class _Rounded(ExpectedRankRegression):
    """Scores that are equal but for the last digits are equal."""

    def _scores(self, X, query_ptr):
        return super()._scores(X, query_ptr).round(9)


def prices(data, parts, w, lambda1, lambda2):
    """What a unit of each feature's weight costs: its likeness to those in use, and its unimportance."""
    A = fsscpr.similarity([data.X[part] for part in parts])
    A = A + max(0.0, -np.linalg.eigvalsh(A)[0]) * np.eye(len(A))  # made convex, as documented
    worth = [feature_worth.mean_average_precision(columns(data, parts, j), labels(data, parts)) for j in range(len(w))]
    return lambda1 * A @ np.abs(w) + lambda2 * (1 - np.array(worth))


def test_fsm_rank():
    """A convex problem: the loss pays what a weight costs, and no more for a feature that has none."""
    used = []
    for seed in range(CASES):
        data, parts = drawn(seed)
        lambda1, lambda2 = ((0.1, 0.1), (0.01, 0.3), (0.3, 0.0))[seed % 3]
        fitting = Fitting(tol=1e-9, max_iter=50_000)
        w = FSMRank(lambda1=lambda1, lambda2=lambda2, similarity=STRICT, fitting=fitting).fit(data).coef_
        _, slope, _ = squared_hinge(data.X @ w, data.y, data.query_ptr)
        pull = -data.X.T @ slope / len(pairs(data.y, data.query_ptr))
        cost = prices(data, parts, w, lambda1, lambda2)
        on = w != 0
        assert pull[on] == pytest.approx(np.sign(w[on]) * cost[on], abs=1e-4), seed
        assert (np.abs(pull[~on]) <= cost[~on] + 1e-4).all(), seed
        used.append(on.sum())
    assert 1 < np.mean(used) < 4


def test_fsm_svm():
    """The largest weights of FSMRank, and a Ranking SVM of them alone."""
    for seed in range(CASES // 2):
        data, _ = drawn(seed)
        same = {"lambda1": 0.05, "lambda2": 0.01, "similarity": STRICT}
        weights = np.abs(FSMRank(**same).fit(data).coef_)
        fitted = FSMSVM(2, C=3.0, **same).fit(data)
        top = fitted.selected_
        assert weights[top].min() >= np.delete(weights, top).max(initial=0.0) - 1e-9, seed
        _, slope, _ = squared_hinge(data.X @ fitted.coef_, data.y, data.query_ptr)
        each = 3.0 / len(pairs(data.y, data.query_ptr))
        assert (fitted.coef_ + each / 2 * data.X.T @ slope)[top] == pytest.approx(np.zeros(len(top)), abs=1e-3), seed
        assert not np.delete(fitted.coef_, top).any(), seed
