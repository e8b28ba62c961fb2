"""Exact sums: the same bits whatever the order."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.errors import DataError
from leanrank.stats.exact_sum import FRACTION_BITS, as_float, exact_sum, from_fixed

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


@settings(max_examples=50, deadline=None)
@given(values=VALUES, cut=st.integers(0, 40), seed=st.integers(0, 999))
def test_parts_in_any_order_give_the_same_bits(values, cut, seed):
    whole = as_float(exact_sum(np.array(values)))
    moved = np.random.default_rng(seed).permutation(values)
    parts = exact_sum(moved[:cut].reshape(-1)) + exact_sum(moved[cut:].reshape(-1))
    assert as_float(parts) == whole
    assert whole == pytest.approx(fsum(values), rel=1e-15, abs=len(values) * 2.0**-47)


def test_sums_run_over_the_first_axis():
    values = np.arange(12.0).reshape(3, 2, 2) / 8
    np.testing.assert_array_equal(as_float(exact_sum(values)), values.sum(axis=0))


def test_fixed_point_totals_keep_their_value():
    totals = np.array([0, 1, -1, 2**62, 12345678901234567])
    np.testing.assert_array_equal(as_float(from_fixed(totals)), totals * 2.0**-FRACTION_BITS)
    many = sum(from_fixed(np.array([2**62])) for _ in range(1000))  # would overflow as one number
    assert as_float(many) == 1000 * 2.0**16


def test_too_large():
    with pytest.raises(DataError, match="A value of the loss is 1e\\+20: scale the features first"):
        exact_sum(np.array([1e20]), "the loss")
