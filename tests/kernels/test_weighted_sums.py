"""Sums of queries times their weight: exact for weights of few digits, else rounded to 2^-53 of a product."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.naive.weighted_sums import value, weighted

from leanrank.kernels.weighted_sums import add_weighted

K = 3


def of_kernel(total, weight, times=1):
    parts = np.zeros((3, K, K))
    for _ in range(times):
        add_weighted(np.array(total, dtype=np.int64).reshape(K, K), weight, parts)
    return parts


totals = st.lists(st.integers(-(2**46), 2**46), min_size=K * K, max_size=K * K)


@given(totals, st.integers(1, 2**18 - 1), st.integers(-30, 2), st.integers(1, 64))
def test_a_weight_of_few_digits_loses_nothing(total, digits, exponent, times):
    weight = digits * 2.0**exponent
    parts = of_kernel(total, weight, times)
    assert (parts == np.trunc(parts)).all()
    exact, ours = weighted(np.reshape(total, (K, K)), weight), value(parts)
    assert all(ours[a][b] == times * exact[a][b] for a in range(K) for b in range(a, K))
    assert not np.tril(parts, k=-1).any()


@given(totals, st.floats(1e-9, 2.0**36))
def test_any_other_weight_is_rounded_once(total, weight):
    exact, ours = weighted(np.reshape(total, (K, K)), weight), value(of_kernel(total, weight))
    for a in range(K):
        for b in range(a, K):
            lost = abs(exact[a][b]) / 2**52 + Fraction(weight) / 2**66 + Fraction(1, 2**75)
            assert abs(ours[a][b] - exact[a][b]) <= lost
