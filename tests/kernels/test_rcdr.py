"""Rank correlations of columns against pairs and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr
from tests.naive import rank_correlation as naive

from leanrank.kernels.rcdr import kendall_correlations, spearman_correlations


def correlations(X, y, tolerance=0.0, tau_b=True):
    X, y = np.array(X, dtype=float), np.array(y, dtype=np.float32)
    ptr, tol = np.array([0, len(y)]), np.full(X.shape[1], tolerance)
    kendall, spearman, pairs = np.empty((1, X.shape[1])), np.empty((1, X.shape[1])), np.empty(1, dtype=np.int64)
    kendall_correlations(X, y, ptr, 0, 1, tol, tau_b, kendall, pairs)
    spearman_correlations(X, y, ptr, 0, 1, tol, spearman, pairs)
    return kendall[0], spearman[0], int(pairs[0])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=25),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_equals_pairs_and_mid_ranks(rows, tau_b, tolerance):
    x, y = zip(*rows, strict=True)
    kendall, spearman, pairs = correlations(np.array([x]).T, y, tolerance, tau_b)
    expected, ordered = naive.kendall(x, y, tau_b=tau_b, tolerance=tolerance)
    assert pairs == ordered
    assert kendall[0] == pytest.approx(expected, abs=1e-12)
    assert spearman[0] == pytest.approx(naive.spearman(x, y, tolerance=tolerance) if ordered else 0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_equals_scipy_on_orders(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, 30), rng.permutation(30)
    kendall, spearman, _ = correlations(x[:, None], y)
    assert kendall[0] == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
    assert spearman[0] == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_worked_example_and_constant():
    kendall, spearman, _ = correlations(np.array([[2, 1, 4, 3], [7, 7, 7, 7]]).T, [1, 2, 3, 4])
    assert kendall[0] == pytest.approx(1 / 3, abs=1e-15)
    assert spearman[0] == pytest.approx(0.6, abs=1e-15)
    assert (kendall[1], spearman[1]) == (0.0, 0.0)
    assert correlations([[1.0], [2.0]], [1, 1]) == ([0.0], [0.0], 0)


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(7)))
def test_daniels_bound(order):
    kendall, spearman, _ = correlations(np.array([order]).T, range(7))
    value = 3 * 7 / 5 * kendall[0] - 2 * 8 / 5 * spearman[0]  # 3 n / (n - 2) tau - 2 (n + 1) / (n - 2) rho
    assert -1 - 1e-12 <= value <= 1 + 1e-12
