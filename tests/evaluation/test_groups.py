"""Chance draws groups of queries: copies of a query add nothing to what is known."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank.evaluation.confidence_set import confidence_set
from leanrank.evaluation.select.certify import certified_losses
from leanrank.evaluation.select.resolution import Forecast, resolution
from leanrank.evaluation.select.stop_rule import differences
from leanrank.evaluation.significance import paired_bootstrap, paired_t_test


@pytest.fixture(scope="module")
def once():
    rng = np.random.default_rng(0)
    reference = rng.random(60)
    return np.stack([reference - 0.01 + 0.05 * rng.normal(size=60), reference + 0.02 * rng.normal(size=60)]), reference


@pytest.fixture(scope="module")
def twice(once):
    """Every query under two ids, the second a little later."""
    values, reference = once
    return np.tile(values, 2), np.tile(reference, 2), np.tile(np.arange(60), 2)


def test_copies_in_groups_are_as_if_they_were_not_there(once, twice):
    values, reference, group = twice
    for plain, grouped in zip(differences(*once), differences(values, reference, group=group), strict=True):
        for name in ("mean", "low", "high", "low_one_sided", "p", "error"):
            assert getattr(grouped, name) == pytest.approx(getattr(plain, name), abs=1e-12)
        assert (plain.n_queries, grouped.n_queries) == (60, 120)
    np.testing.assert_allclose(certified_losses(values, reference, group=group), certified_losses(*once), atol=1e-12)
    assert resolution(values - reference, group=group) == pytest.approx(resolution(once[0] - once[1]))
    assert confidence_set(values, group=group) == confidence_set(once[0])


def test_without_groups_the_copies_make_intervals_too_narrow(once, twice):
    values, reference, group = twice
    honest, fooled = (differences(values, reference, group=g)[0] for g in (group, None))
    alone = differences(*once)[0]
    assert honest.high - honest.low >= (alone.high - alone.low) * (1 - 1e-9)
    assert fooled.high - fooled.low < 0.8 * (alone.high - alone.low)


def test_tests_count_groups(once, twice):
    values, reference, group = twice
    for test in (paired_t_test, paired_bootstrap):
        alone, grouped = test(once[0][0], once[1]), test(values[0], reference, group=group)
        assert grouped.n == 60
        assert grouped.difference == pytest.approx(alone.difference)
        assert grouped.p == pytest.approx(alone.p, abs=1e-12)
        assert (grouped.low, grouped.high) == (pytest.approx(alone.low), pytest.approx(alone.high))


def test_the_error_is_that_of_clusters():
    """The textbook's robust error of a mean: sums of residuals in each group, squared."""
    rng = np.random.default_rng(1)
    group = rng.integers(0, 25, 100)
    d = rng.normal(size=25)[group] + rng.normal(size=100)
    mean, sums = d.mean(), np.bincount(group, d - d.mean())
    n = len(np.unique(group))
    error = np.sqrt(n / (n - 1) * (sums[np.bincount(group) > 0] ** 2).sum()) / 100
    test = paired_t_test(d, np.zeros(100), group=group)
    assert test.difference == pytest.approx(mean)
    assert test.statistic == pytest.approx(mean / error)
    assert abs(test.statistic) < abs(paired_t_test(d, np.zeros(100)).statistic)


def test_queries_that_are_skipped_leave_their_group():
    group = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    d = np.array([0.1, np.nan, 0.2, 0.4, np.nan, np.nan, 0.0, -0.2])
    test = paired_t_test(d, np.zeros(8), group=group)
    assert test.n == 3
    assert test.difference == pytest.approx(np.nanmean(d))


def test_few_groups_certify_nothing_however_many_queries_they_have():
    values, group = np.full((1, 90), 0.5), np.repeat(np.arange(9), 10)
    assert np.isinf(certified_losses(values, values[0], group=group)).all()
    assert (certified_losses(values, values[0]) == 0).all()


def test_the_forecast_says_how_many_groups_there_are():
    forecast = Forecast.before(146, 0.002, n_groups=60, n_untested=12)
    assert "146 judged queries in 60 groups (the 12 earliest are never tested) can prove" in forecast.sentence()
    assert forecast.expected > Forecast.before(146, 0.002).expected
    again = Forecast.of_dict(forecast.to_dict())
    assert (again.n_groups, again.n_untested) == (60, 12)
    assert "n_groups" not in Forecast.before(146, 0.002).to_dict()
