"""Certified losses: as their slow twin computes them, monotone along the path, and wrong as rarely as promised."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive.certified_losses import certified_losses as slowly

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.select.certify import certified_losses, loss_bounds
from leanrank.evaluation.select.choice import smallest_within

PATHS = {"n_sets": st.integers(1, 5), "n_queries": st.integers(10, 40), "seed": st.integers(0, 999)}


def _path(n_sets, n_queries, seed, spread=0.1):
    rng = np.random.default_rng(seed)
    reference = rng.random(n_queries)
    steps = rng.normal(-0.01, spread, (n_sets, n_queries)) * (rng.random((n_sets, n_queries)) < 0.6)
    return reference + np.cumsum(steps, axis=0), reference


@settings(max_examples=25, deadline=None)
@given(**PATHS, level=st.sampled_from([0.9, 0.95, 0.99]))
def test_they_are_those_of_the_slow_twin(n_sets, n_queries, seed, level):
    values, reference = _path(n_sets, n_queries, seed)
    fast = certified_losses(values, reference, level=level, n_resamples=60, random_state=seed)
    np.testing.assert_allclose(fast, slowly(values, reference, level, 60, seed), atol=1e-7)


@settings(max_examples=40, deadline=None)
@given(**PATHS)
def test_a_smaller_set_is_never_certified_where_a_larger_one_is_not(n_sets, n_queries, seed):
    values, reference = _path(n_sets, n_queries, seed)
    losses = certified_losses(values, reference, n_resamples=80)
    assert (np.diff(losses) >= 0).all()
    assert (losses >= 0).all()
    # each set is certified where it and all larger ones are bounded, and sets further down do not matter
    bounds = loss_bounds(values - reference, n_resamples=80)
    np.testing.assert_allclose(losses, [max(0.0, bounds[: i + 1].max()) for i in range(n_sets)])
    for loss in (0.0, 0.05, 0.2):
        last = smallest_within(losses, loss)
        assert (last is None) == (bounds[0] > loss)
        assert last is None or (bounds[: last + 1] <= loss + 1e-8).all()


@settings(max_examples=25, deadline=None)
@given(**PATHS)
def test_more_confidence_certifies_less_and_skipped_queries_do_not_count(n_sets, n_queries, seed):
    values, reference = _path(n_sets, n_queries, seed)
    losses = [certified_losses(values, reference, level=level, n_resamples=200) for level in (0.8, 0.95, 0.99)]
    assert (losses[0] <= losses[1]).all()
    assert (losses[1] <= losses[2]).all()
    with_gap = np.insert(values, 3, np.nan, axis=1), np.insert(reference, 3, np.nan)
    np.testing.assert_array_equal(certified_losses(*with_gap, n_resamples=200), losses[1])


def test_what_changes_nothing_is_certified_at_no_loss():
    reference = np.random.default_rng(0).random(50)
    assert certified_losses(reference[None], reference).tolist() == [0.0]
    assert certified_losses(reference[None] - 0.25, reference) == pytest.approx(0.25)


def test_too_few_queries_certify_nothing_at_any_loss():
    values, reference = _path(2, 9, 0)
    assert np.isinf(certified_losses(values, reference)).all()
    with pytest.raises(DataError, match="at least two judged queries"):
        certified_losses(values[:, :1], reference[:1])
    with pytest.raises(ParameterError, match="'level'"):
        certified_losses(values, reference, level=0.3)


@pytest.mark.parametrize("skewed", [False, True])
def test_false_certificates_are_as_rare_as_promised(skewed):
    # every set loses exactly what is asked for: each certificate is a false one. Many sets, one path
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        common = rng.exponential(1.0, 80) if skewed else rng.normal(1.0, 1.0, 80)
        path = -0.01 - 0.05 * (common - 1) + rng.normal(0, 0.02, (12, 80))
        wrong += certified_losses(path, np.zeros(80), n_resamples=300, random_state=seed)[0] <= 0.01
    assert wrong <= 10 + 2 * (200 * 0.05 * 0.95) ** 0.5
