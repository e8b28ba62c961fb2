"""Stability of selections: worked examples and the properties that define the measures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.stability import jaccard, kuncheva, nogueira, stability


def test_nogueira_by_hand():
    # d = 4, M = 3, sets {0,1}, {0,1}, {0,2}: p = (1, 2/3, 1/3, 0); s2 = 3/2 p(1-p) = (0, 1/3, 1/3, 0), mean 1/6;
    # mean size 2, so chance = 1/2 * 1/2 = 1/4; 1 - (1/6)/(1/4) = 1/3.
    value, low, high = nogueira([[0, 1], [0, 1], [0, 2]], 4)
    assert value == pytest.approx(1 / 3)
    # parts: z.p/d = (5/12, 5/12, 1/3); k kbar/d2 = 1/4; value/2 (2*1/4 - 1/2 - 1/2 + 1) = 1/12; times 4:
    # (1, 1, 2/3); mean 8/9; sum of squares 2/27; variance 4/9 * 2/27 = 8/243.
    half = 1.959963984540054 * np.sqrt(8 / 243)
    assert (low, high) == pytest.approx((1 / 3 - half, 1 / 3 + half))


def test_kuncheva_by_hand():
    # d = 10, k = 3, pairs share 3, 2, 2: (3*10-9)/21 = 1, (20-9)/21 twice.
    assert kuncheva([[0, 1, 2], [0, 1, 2], [0, 1, 5]], 10) == pytest.approx((1 + 11 / 21 + 11 / 21) / 3)


def test_jaccard_by_hand():
    assert jaccard([[0, 1, 2], [1, 2, 3], []]) == pytest.approx((2 / 4 + 0 + 0) / 3)
    assert jaccard([[], []]) == 1.0


def test_same_sets_are_stable():
    found = stability([[1, 3]] * 5, 6)
    assert (found.nogueira, found.low, found.high, found.kuncheva, found.jaccard) == (1, 1, 1, 1, 1)


@given(st.integers(2, 6), st.integers(2, 9), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_nogueira_equals_kuncheva_for_sets_of_one_size(n_sets, d, seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, d))
    sets = [rng.choice(d, k, replace=False).tolist() for _ in range(n_sets)]
    assert nogueira(sets, d)[0] == pytest.approx(kuncheva(sets, d), abs=1e-12)


def test_random_sets_are_not_stable():
    rng = np.random.default_rng(0)
    sets = [np.flatnonzero(rng.random(40) < 0.3) for _ in range(400)]
    value, low, high = nogueira(sets, 40)
    assert abs(value) < 0.01
    assert low < 0 < high


def test_undefined_where_there_is_no_choice():
    assert np.isnan(nogueira([[], []], 3)).all()
    assert np.isnan(nogueira([[0, 1, 2]] * 2, 3)).all()
    assert np.isnan(kuncheva([[0], [0, 1]], 3))
    assert np.isnan(kuncheva([[0, 1, 2]] * 2, 3))


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="at least two are needed, got 1"):
        jaccard([[0]])
    with pytest.raises(DataError, match=r"Feature number 5 is outside 0\.\.4"):
        kuncheva([[5], [0]], 5)
    with pytest.raises(ParameterError, match="'confidence' parameter"):
        nogueira([[0], [1]], 3, confidence=2)
