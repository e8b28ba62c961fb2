"""Mid-ranks, tau_ap and pairwise losses against their obvious forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata
from tests.naive.concordance import mean_matrix, tau_ap
from tests.naive.pair_losses import losses

from leanrank.kernels.pair_losses import cross_entropy_losses, error_losses, hinge_losses
from leanrank.kernels.rcdr import centred_ranks
from leanrank.kernels.top_weighted import UNIT, tau_ap_sums

PTR = np.array([0, 1, 3, 12, 40, 110])
KERNELS = {"error": error_losses, "hinge": hinge_losses, "cross-entropy": cross_entropy_losses}


def values(seed, decimals=1, dtype=np.float32):
    X = np.random.default_rng(seed).normal(size=(110, 5)).round(decimals).astype(dtype)
    X[:, 4] = 1.0
    return X


def test_centred_ranks_are_scipys_mid_ranks():
    X = values(0)
    for first, last in [(0, 5), (2, 4)]:
        rows = slice(PTR[first], PTR[last])
        out = np.full((PTR[last] - PTR[first], 5), np.nan)
        centred_ranks(X, PTR, first, last, out)
        parts = [X[a:b] for a, b in zip(PTR[first:last], PTR[first + 1 : last + 1], strict=True)]
        expected = np.concatenate([2 * rankdata(part, axis=0) - (len(part) + 1) for part in parts])
        np.testing.assert_array_equal(out, expected)
        assert len(X[rows]) == len(out)


def test_tau_ap_is_the_mean_of_both_directions():
    X = values(1)
    total = np.zeros((5, 5), dtype=np.int64)
    assert tau_ap_sums(X, PTR, 0, 5, total) == 4
    expected = mean_matrix(X, PTR, lambda a, b: (1 + (tau_ap(a, b) + tau_ap(b, a)) / 2) / 2)
    np.testing.assert_allclose(np.triu(total) * UNIT / 4, np.triu(expected), rtol=0, atol=1e-13)


def test_tau_ap_of_a_list_longer_than_a_chunk():
    n = 6100  # sets of more than four megabytes
    X = np.random.default_rng(2).normal(size=(n, 2))
    total = np.zeros((2, 2), dtype=np.int64)
    tau_ap_sums(X, np.array([0, n]), 0, 1, total)
    assert total[0, 0] * UNIT == pytest.approx(1.0, abs=1e-12)
    places = [np.argsort(np.argsort(-X[:, j])) for j in (0, 1)]
    both = []
    for a, b in (places, places[::-1]):
        in_order = b[np.argsort(a)]
        above = np.array([np.count_nonzero(in_order[:i] < in_order[i]) for i in range(1, n)])
        both.append(2 / (n - 1) * (above / np.arange(1, n)).sum() - 1)
    assert total[0, 1] * UNIT == pytest.approx((1 + np.mean(both)) / 2, abs=1e-12)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("loss", KERNELS)
def test_pair_losses(loss, scale):
    X, y = values(3), np.random.default_rng(4).integers(0, 4, 110).astype(np.float32)
    y[:3] = 1  # queries 0 and 1 have no pairs
    found, n_pairs = np.zeros((5, 2, 5)), np.zeros(5, dtype=np.int64)
    KERNELS[loss](X, y, PTR, 0, 5, scale, found, n_pairs)
    assert n_pairs[:2].tolist() == [0, 0]
    assert not found[:2].any()
    for q in range(2, 5):
        rows = slice(PTR[q], PTR[q + 1])
        for j in range(5):
            x = X[rows, j].astype(np.float64)
            for direction, sign in ((0, 1.0), (1, -1.0)):
                pairs = losses(sign * x, y[rows], loss, scale=False) if not scale else (
                    losses(sign * _scaled(x), y[rows], loss)
                )  # fmt: skip
                assert n_pairs[q] == len(pairs)
                assert found[q, direction, j] == pytest.approx(np.mean(pairs), abs=1e-12)


def _scaled(x):
    return (x - x.min()) / (x.max() - x.min()) if x.max() > x.min() else np.zeros(len(x))
