"""The estimate is unbiased, its interval covers, and machine-made labels help or stay out of the way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.naive.shadow_interval import shadow_interval

from leanrank.evaluation.shadow.intervals import Machine, interval
from leanrank.evaluation.shadow.largest import Largest
from leanrank.evaluation.shadow.logged_queries import inclusion_probabilities, systematic

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
        yield interval(loss[taken], probability[taken], N, largest=Largest(50.0), machine=by_machine), loss.sum() / N


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


def test_of_what_nobody_saw_a_perfect_machine_leaves_as_much_as_the_judged_cannot_rule_out():
    loss, share = np.linspace(0.1, 0.2, 98), np.full(98, 1e-4)
    largest = Largest(1e6)
    alone = interval(loss, share, 980_000, largest=largest)
    machine = Machine(loss, float((loss / share).sum()))
    together = interval(loss, share, 980_000, largest=largest, machine=machine)
    # 2 / (2 + 98) of what they can lose, and a sixth without the machine
    assert (together.high - together.mean) / (alone.high - alone.mean) == pytest.approx(0.02 * 6)


def test_all_judged_is_exact():
    loss = np.array([0.5, -0.25, 0.0])
    estimate = interval(loss, np.ones(3), 100)
    assert (estimate.mean, estimate.low, estimate.high) == (0.0025, 0.0025, 0.0025)


def test_nothing_lost_by_the_judged_is_not_nothing_lost_by_all():
    estimate = interval(np.zeros(50), np.full(50, 0.1), 10_000, largest=Largest(20.0))
    assert estimate.mean == 0
    assert estimate.bounded
    # as for a share: of 50 none, so at most 1 - 0.025 ** (1 / 50) of them, each as large as can be
    most = 20.0 * (1 - 0.025 ** (1 / 50)) * 50 / 10_000
    assert estimate.low == pytest.approx(-estimate.high, abs=1e-12)
    assert estimate.high == pytest.approx(most, rel=0.15)


def test_losses_on_one_side_lengthen_that_side():
    loss = np.zeros(60)
    loss[:12] = np.linspace(0.5, 2.0, 12)
    estimate = interval(loss, np.full(60, 0.1), 1_000)
    assert estimate.high - estimate.mean > 1.2 * (estimate.mean - estimate.low)
    turned = interval(-loss, np.full(60, 0.1), 1_000)
    assert (turned.low, turned.high) == pytest.approx((-estimate.high, -estimate.low))


def test_as_many_gains_as_losses_lengthen_neither_side_whatever_their_sizes():
    loss = np.zeros(60)
    loss[:12] = [30.0, *[0.1] * 5, *[-0.1] * 6]
    estimate = interval(loss, np.full(60, 1e-6), 10**9)
    assert estimate.high - estimate.mean == pytest.approx(estimate.mean - estimate.low)
    # with next to nothing judged it is the t interval of 60 values, 3% longer
    half = 1.03 * stats.t.ppf(0.975, 59) * (loss / 1e-6).std(ddof=1) * np.sqrt(60) / 10**9
    assert estimate.high - estimate.mean == pytest.approx(half, rel=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_the_ends_are_those_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 80))
    loss = rng.normal(rng.normal(), 1.0, n) ** 3 * (rng.random(n) < rng.random())
    probability = np.minimum(rng.gamma(1.0, rng.choice([0.01, 0.3, 1.0]), n) + 1e-3, 1.0)
    level = float(rng.choice([0.8, 0.95, 0.99]))
    estimate = interval(loss, probability, 1_000, level=level)
    twin = shadow_interval(loss.tolist(), probability.tolist(), 1_000, level)
    assert (estimate.mean, estimate.low, estimate.high) == pytest.approx(twin, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_what_nobody_saw_is_that_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 80))
    loss = rng.normal(rng.normal(), 1.0, n) * (rng.random(n) < rng.random())
    probability = np.minimum(rng.gamma(1.0, rng.choice([0.01, 0.3, 1.0]), n) + 1e-3, 1.0)
    level, cut = float(rng.choice([0.8, 0.95, 0.99])), float((np.abs(loss) / probability).max() * rng.choice([1, 10]))
    estimate = interval(loss, probability, 1_000, level=level, largest=Largest(cut, beyond=3.0))
    twin = shadow_interval(loss.tolist(), probability.tolist(), 1_000, level, cut, beyond=3.0)
    assert (estimate.mean, estimate.low, estimate.high) == pytest.approx(twin, rel=1e-9, abs=1e-12)
    seen = interval(loss, probability, 1_000, level=level)
    assert estimate.bounded == (estimate.low < seen.low or estimate.high > seen.high)


def test_small_losses_that_were_seen_say_nothing_of_large_ones_that_were_not():
    """Half of all queries lose a little and one in sixty much: a third of the samples of 60 hold none of those."""
    rng = np.random.default_rng(0)
    loss = np.where(rng.random(6_000) < 0.5, 0.1, 0.0)
    loss[:100] = 5.0
    inside = np.zeros(2)
    for _ in range(400):
        taken = rng.choice(6_000, 60, replace=False)
        for which, largest in enumerate((None, Largest(15.0 * 100))):
            estimate = interval(loss[taken], np.full(60, 0.01), 6_000, largest=largest)
            inside[which] += estimate.low <= loss.mean() <= estimate.high
    assert inside[0] < 0.75 * 400
    assert inside[1] > 0.94 * 400


def test_what_nobody_saw_lengthens_the_side_to_which_losses_point_most():
    loss, share = np.zeros(400), np.full(400, 1e-4)
    loss[:100] = 0.1
    largest = Largest(1e6)
    estimate = interval(loss, share, 4_000_000, largest=largest)
    # 3.7 draws' worth of queries that lose a sixth of what they can, and a tenth of that for gains: 1 / sqrt(100)
    most = np.log(40) * 1e6 / 6 / 4_000_000
    assert estimate.high - estimate.mean == pytest.approx(most, rel=1e-3)
    assert estimate.mean - estimate.low == pytest.approx(most / 10, rel=0.01)
    assert estimate.bounded
    turned = interval(-loss, share, 4_000_000, largest=largest)
    assert (turned.low, turned.high) == pytest.approx((-estimate.high, -estimate.low))


def test_skewed_losses_lie_above_the_interval_about_as_rarely_as_they_may():
    """Exponential losses, 30 judged: Student's t lies below the mean about three times as often as it should."""
    rng = np.random.default_rng(0)
    draws = rng.exponential(size=(2_000, 30))
    half = stats.t.ppf(0.975, 29) * draws.std(axis=1, ddof=1) / np.sqrt(30)
    by_t = np.mean(draws.mean(axis=1) + half < 1)
    ours = np.mean([interval(draw, np.full(30, 1e-4), 300_000).high < 1 for draw in draws])
    assert by_t > 0.06
    assert 0.015 < ours < 0.035


def test_heavy_tails_widen_the_interval_where_a_good_part_is_judged():
    loss = np.array([10.0, -10.0, *[0.1, -0.1] * 24])
    widths = []
    for share in (0.001, 0.3):
        estimate = interval(loss, np.full(50, share), round(50 / share))
        spread = np.sqrt(1 - share) * loss.std(ddof=1) / np.sqrt(50)
        widths.append((estimate.high - estimate.mean) / spread)
    assert widths[0] == pytest.approx(1.03 * stats.t.ppf(0.975, 49), rel=1e-6)
    assert widths[1] > 1.1 * widths[0]


def test_what_few_queries_can_lose_widens_the_bound_by_that_alone():
    rng = np.random.default_rng(0)
    most, probability = rng.gamma(2.0, size=800), inclusion_probabilities(rng.gamma(2.0, size=800), 50)
    largest = Largest.of(most, probability)
    everyone = Largest(float((most / probability).max()))
    # the bound on the sum, with 1 - 0.025 ** (1 / 50) of the draws unseen, is the smallest that any cut gives
    missed = 50 * (1 - 0.025 ** (1 / 50))
    sums = [missed * cut + np.maximum(most - cut * probability, 0).sum() for cut in np.linspace(0, everyone.cut, 2_000)]
    assert missed * largest.cut + largest.beyond == pytest.approx(min(sums), rel=1e-4)
    assert largest.cut < everyone.cut
    zeros = np.zeros(50)
    narrow, wide = (interval(zeros, np.full(50, 0.1), N, largest=one) for one in (largest, everyone))
    assert narrow.high < wide.high


def test_the_worst_losses_that_are_possible_are_covered():
    """Queries that lose all that they can, but so few that most samples hold none."""
    rng = np.random.default_rng(0)
    most = rng.gamma(0.5, size=600)
    probability = inclusion_probabilities(rng.gamma(2.0, size=600), 50)
    worst = np.argsort(-most / probability)[: int(0.07 * 600)]
    loss = np.zeros(600)
    loss[worst] = most[worst]
    largest = Largest.of(most, probability)
    inside = 0
    for _ in range(400):
        taken = systematic(probability, rng.permutation(600), rng.random())
        estimate = interval(loss[taken], probability[taken], N, largest=largest)
        inside += estimate.low <= loss.sum() / N <= estimate.high
    assert inside >= 0.94 * 400


def test_judging_that_stopped_early_is_bounded_as_a_smaller_draw():
    probability = np.full(100, 0.2)
    most = np.linspace(1.0, 3.0, 100)
    stopped, drawn = Largest.of(most, probability).judged(0.5), Largest.of(most, probability / 2)
    assert drawn.cut <= stopped.cut  # any cut holds; that of the larger draw is not the best one
    assert drawn.beyond >= stopped.beyond


def test_what_is_drawn_for_certain_is_beyond_nothing_unless_the_judging_stops():
    most, probability = np.array([8.0, 1.0, 1.0, 1.0]), np.array([1.0, 0.5, 0.5, 0.5])
    largest = Largest.of(most, probability)
    assert largest == Largest(2.0, 0.0, 6.0)
    assert largest.judged(1.0) == largest
    assert largest.judged(0.5) == Largest(4.0, 6.0)
