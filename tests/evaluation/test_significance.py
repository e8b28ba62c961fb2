"""Paired tests against scipy, and Holm's correction against the closed testing that it shortens."""

import itertools
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.significance import holm, paired_bootstrap, paired_bootstraps, paired_t_test


@given(st.integers(2, 60), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, -0.3]))
@settings(max_examples=40, deadline=None)
def test_t_test_equals_scipy(n, seed, shift):
    rng = np.random.default_rng(seed)
    a, b = rng.random(n) + shift, rng.random(n)
    found, known = paired_t_test(a, b, confidence=0.9), stats.ttest_rel(a, b)
    np.testing.assert_allclose((found.statistic, found.p), (known.statistic, known.pvalue), rtol=1e-9)
    interval = known.confidence_interval(0.9)
    np.testing.assert_allclose((found.low, found.high), (interval.low, interval.high), rtol=1e-9, atol=1e-12)
    assert found.n == n


def test_t_test_of_equal_differences():
    same = paired_t_test([0.2, 0.5, 0.9], [0.2, 0.5, 0.9])
    assert (same.statistic, same.p) == (0.0, 1.0)
    shifted = paired_t_test([1.5, 2.5, 3.5], [1.0, 2.0, 3.0])
    assert (shifted.statistic, shifted.p, shifted.difference) == (np.inf, 0.0, 0.5)
    assert paired_t_test([1.0, 2.0], [1.5, 2.5]).statistic == -np.inf


@pytest.mark.parametrize("test", [paired_t_test, paired_bootstrap])
def test_fewer_than_two_pairs_are_undefined(test):
    assert np.isnan(test([0.5], [0.4]).p)
    assert np.isnan(test([], []).difference)


@pytest.mark.parametrize("test", [paired_t_test, paired_bootstrap])
def test_queries_left_out_do_not_count(test):
    a, b = np.array([0.1, np.nan, 0.7, 0.4]), np.array([0.2, np.nan, 0.3, 0.1])
    assert test(a, b) == test(a[[0, 2, 3]], b[[0, 2, 3]])


def test_bootstrap_interval_equals_scipy():
    rng = np.random.default_rng(3)
    a, b = rng.random(37), rng.random(37)
    known = stats.bootstrap(
        (a - b,), np.mean, n_resamples=2500, method="percentile", rng=np.random.default_rng(11), confidence_level=0.9
    )
    found = paired_bootstrap(a, b, n_resamples=2500, confidence=0.9, random_state=11)
    np.testing.assert_allclose((found.low, found.high), known.confidence_interval, rtol=1e-9)


def test_bootstrap_p_tends_to_the_share_of_all_resamples():
    d = np.array([0.3, -0.1, 0.2, 0.05])
    means = np.array([np.mean(draw) for draw in itertools.product(d, repeat=4)])
    exact = np.mean(np.abs(means - d.mean()) >= abs(d.mean()) * (1 - 1e-12))
    found = paired_bootstrap(d, np.zeros(4), n_resamples=100_000)
    assert found.p == pytest.approx(exact, abs=0.006)


def test_bootstrap_of_equal_differences():
    assert paired_bootstrap([0.5, 0.5, 0.1], [0.5, 0.5, 0.1]).p == 1.0
    assert paired_bootstrap([0.9, 0.8, 0.4], [0.8, 0.7, 0.3], n_resamples=999).p == 0.001


def test_bootstraps_together_equal_each_alone():
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=n) for n in (9, 30, 9, 1)]
    together = paired_bootstraps(parts, n_resamples=500, random_state=5)
    for d, found in zip(parts, together, strict=True):
        alone = paired_bootstrap(d, np.zeros(len(d)), n_resamples=500, random_state=5)
        np.testing.assert_allclose(
            (found.difference, found.p, found.low, found.high),
            (alone.difference, alone.p, alone.low, alone.high),
            rtol=1e-12,
        )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
@settings(max_examples=50, deadline=None)
def test_holm_equals_closed_testing_by_bonferroni(p):
    # a hypothesis falls when every set of hypotheses that it is in falls (Marcus, Peritz and Gabriel 1976)
    sets = [s for size in range(1, len(p) + 1) for s in combinations(range(len(p)), size)]
    expected = [max(min(1.0, len(s) * min(p[j] for j in s)) for s in sets if i in s) for i in range(len(p))]
    np.testing.assert_allclose(holm(p), expected, rtol=1e-12)


def test_holm_leaves_out_what_is_undefined():
    found = holm([0.01, np.nan, 0.04])
    assert found[[0, 2]].tolist() == [0.02, 0.04]
    assert np.isnan(found[1])
    assert holm([]).tolist() == []


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="two lists of one length"):
        paired_t_test([1, 2], [1, 2, 3])
    with pytest.raises(DataError, match=r"p-values in \[0, 1\]"):
        holm([0.5, 1.5])
    with pytest.raises(ParameterError, match="'n_resamples' parameter"):
        paired_bootstrap([1, 2], [1, 3], n_resamples=0)
    with pytest.raises(ParameterError, match="'confidence' parameter"):
        paired_t_test([1, 2], [1, 3], confidence=95)
