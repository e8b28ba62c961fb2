"""Kendall kernels against counting pairs one by one, and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau
from tests.naive.concordance import kendall, mean_matrix

from leanrank.kernels.concordance import HALF, ORDINAL, STRICT, TAU_B, UNIT, add_similarity, kendall_sums
from leanrank.kernels.inversions import count_by_merging

MODES = {"strict": STRICT, "half": HALF, "ordinal": ORDINAL, "tau-b": TAU_B}
# One document, a pair, and sizes around 16 documents (one comparison) and 64 (one word).
SIZES = [1, 2, 3, 15, 16, 17, 31, 33, 64, 65]


def random_columns(n, n_features, decimals, dtype, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)).round(decimals).astype(dtype)
    X[::3, 0] = 0.0
    X[1::3, 0] = -0.0  # the same value
    X[:, -1] = 2.5  # constant
    return X


def sums(X, ptr, mode):
    total = np.zeros((X.shape[1], X.shape[1]), dtype=np.int64)
    return total, kendall_sums(X, np.asarray(ptr, dtype=np.int64), 0, len(ptr) - 1, mode, total)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ties", MODES)
@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_equals_counting_pairs(ties, dtype, n_features):
    ptr = np.concatenate([[0], np.cumsum(SIZES)])
    X = random_columns(ptr[-1], n_features, 1, dtype)
    total, counted = sums(X, ptr, MODES[ties])
    assert counted == len(SIZES) - 1
    expected = mean_matrix(X, ptr, lambda a, b: kendall(a, b, ties))
    np.testing.assert_allclose(np.triu(total) * UNIT / counted, np.triu(expected), rtol=0, atol=1e-13)


@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("ties", MODES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_merging_equals_bits_exactly(dtype, ties, decimals):
    X = random_columns(700, 6, decimals, dtype, seed=1)
    on_bits, _ = sums(X, [0, 700], MODES[ties])
    counts, tied, merged = np.zeros((6, 6), np.int64), np.zeros(6, np.int64), np.zeros((6, 6), np.int64)
    count_by_merging(X, ties in ("half", "tau-b"), ties == "ordinal", counts, tied)
    add_similarity(counts, tied, 700 * 699 // 2, MODES[ties], merged)
    np.testing.assert_array_equal(merged, on_bits)


def test_lists_that_need_many_chunks_of_bits():
    X = random_columns(3000, 70, 2, np.float32, seed=2)[:, :-1]
    total, _ = sums(X, [0, 3000], TAU_B)
    rng = np.random.default_rng(3)
    for a, b in rng.integers(0, X.shape[1], size=(20, 2)):
        tau = 2 * total[min(a, b), max(a, b)] * UNIT - 1
        assert tau == pytest.approx(kendalltau(X[:, a], X[:, b]).statistic, abs=1e-12)


def test_extreme_values_compare_by_value():
    X = np.array([[1e-45, -3e38], [0.0, 3e38], [-1e-45, -1e-38], [3e38, 1e-38]], dtype=np.float32)
    for ties in MODES:
        total, _ = sums(X, [0, 4], MODES[ties])
        assert total[0, 1] * UNIT == pytest.approx(kendall(X[:, 0].astype(float), X[:, 1].astype(float), ties))
        counts, tied, merged = np.zeros((2, 2), np.int64), np.zeros(2, np.int64), np.zeros((2, 2), np.int64)
        count_by_merging(X, ties in ("half", "tau-b"), ties == "ordinal", counts, tied)
        add_similarity(counts, tied, 6, MODES[ties], merged)
        np.testing.assert_array_equal(merged, total)
