"""The estimate is unbiased, its interval covers, and machine-made labels help or stay out of the way."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank.evaluation.shadow.intervals import Machine, interval
from leanrank.evaluation.shadow.sampling import inclusion_probabilities, systematic

N = 5_000


def population(seed=0):
    rng = np.random.default_rng(seed)
    size = rng.gamma(2.0, size=600)
    return rng, size, (rng.normal(0.1, 1.0, 600) * size) * (rng.random(600) < 0.6)


def runs(n_judged, machine=None, n_runs=400, seed=0):
    rng, size, loss = population(seed)
    probability = inclusion_probabilities(size, n_judged)
    everywhere = None if machine is None else machine(loss, rng)
    for _ in range(n_runs):
        taken = systematic(probability, rng.permutation(600), rng.random())
        by_machine = None if everywhere is None else Machine(everywhere[taken], float(everywhere.sum()))
        yield interval(loss[taken], probability[taken], N, largest=50.0, machine=by_machine), loss.sum() / N


def test_the_estimate_is_unbiased_and_the_interval_covers():
    estimates = list(runs(60))
    truth = estimates[0][1]
    means = np.array([estimate.mean for estimate, _ in estimates])
    assert abs(means.mean() - truth) < 4 * means.std() / np.sqrt(len(means))
    assert np.mean([e.low <= truth <= e.high for e, _ in estimates]) > 0.925


@pytest.mark.parametrize("quality", [1.0, 0.0, -1.0])
def test_a_machine_of_any_quality_keeps_coverage_and_costs_nothing(quality):
    def machine(loss, rng):
        return quality * loss + rng.normal(2.0, loss.std(), len(loss))

    alone, together = list(runs(60)), list(runs(60, machine))
    truth = alone[0][1]
    assert np.mean([e.low <= truth <= e.high for e, _ in together]) > 0.925
    width = np.mean([e.high - e.low for e, _ in together]) / np.mean([e.high - e.low for e, _ in alone])
    assert width < (1.05 if quality == 0 else 0.9)


def test_a_perfect_machine_leaves_nothing_to_doubt():
    for estimate, truth in runs(60, lambda loss, rng: loss, n_runs=5):
        assert estimate.power == pytest.approx(1.0)
        assert estimate.mean == pytest.approx(truth)


def test_all_judged_is_exact():
    loss = np.array([0.5, -0.25, 0.0])
    estimate = interval(loss, np.ones(3), 100)
    assert (estimate.mean, estimate.low, estimate.high) == (0.0025, 0.0025, 0.0025)


def test_nothing_lost_by_the_judged_is_not_nothing_lost_by_all():
    estimate = interval(np.zeros(50), np.full(50, 0.1), 10_000, largest=20.0)
    assert estimate.mean == 0
    assert estimate.bounded
    # as for a share: of 50 none, so at most 1 - 0.025 ** (1 / 50) of them, each as large as can be
    most = 20.0 * (1 - 0.025 ** (1 / 50)) * 50 / 10_000
    assert estimate.low == pytest.approx(-estimate.high, abs=1e-12)
    assert estimate.high == pytest.approx(most, rel=0.15)


def test_few_losses_on_one_side_lengthen_that_side():
    loss = np.zeros(60)
    loss[:12] = np.linspace(0.5, 2.0, 12)
    estimate = interval(loss, np.full(60, 0.1), 1_000)
    assert estimate.high - estimate.mean == pytest.approx(1.5 * (estimate.mean - estimate.low))
    turned = interval(-loss, np.full(60, 0.1), 1_000)
    assert (turned.low, turned.high) == pytest.approx((-estimate.high, -estimate.low))
