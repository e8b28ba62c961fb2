"""Simultaneous bounds: they cover as often as promised, and know exact ties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.select.stop_rule import differences, pareto_front


def test_one_candidate_is_close_to_the_t_interval():
    rng = np.random.default_rng(3)
    values = rng.normal(0.01, 0.1, (1, 300))
    found = differences(values, np.zeros(300), max_loss=0.0, n_resamples=20_000)[0]
    low, high = stats.t.interval(0.95, 299, loc=values.mean(), scale=stats.sem(values[0]))
    assert found.low == pytest.approx(low, abs=2e-3)
    assert found.high == pytest.approx(high, abs=2e-3)
    p = stats.ttest_1samp(values[0], 0, alternative="greater").pvalue
    assert found.p == pytest.approx(p, abs=0.02)


def test_the_bounds_hold_for_all_candidates_at_once():
    # 20 useless candidates: some looks good by luck, yet no bound should say so more than 5% of the time
    wrong = 0
    for seed in range(100):
        values = np.random.default_rng(seed).normal(0, 0.1, (20, 80))
        found = differences(values, np.zeros(80), n_resamples=400, random_state=seed)
        wrong += any(d.low_one_sided > 0 for d in found)
    assert wrong <= 12  # 5 expected; a bound per candidate alone would be wrong about 64 times


def test_more_candidates_widen_the_interval():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 0.1, (30, 100))
    alone = differences(values[:1], np.zeros(100))[0]
    among = differences(values, np.zeros(100))[0]
    assert among.low < alone.low
    assert among.p >= alone.p


def test_equal_rankings_have_no_doubt():
    same = np.random.default_rng(0).random(50)
    found = differences(same[None], same, max_loss=0.002)[0]
    assert (found.mean, found.low, found.high, found.low_one_sided) == (0, 0, 0, 0)
    assert found.p < 0.01


def test_skipped_queries_do_not_count():
    values = np.array([[0.1, np.nan, 0.3, 0.2]])
    assert differences(values, np.zeros(4))[0].n_queries == 3
    with pytest.raises(DataError, match="at least two judged queries"):
        differences(np.array([[0.1, np.nan]]), np.zeros(2))
    with pytest.raises(ParameterError, match="'level'"):
        differences(values, np.zeros(4), level=0.2)


def test_large_tables_are_resampled_in_chunks(monkeypatch):
    from leanrank.evaluation import bootstrap

    values = np.random.default_rng(0).normal(size=(3, 40))
    whole = differences(values, np.zeros(40), n_resamples=100)
    monkeypatch.setattr(bootstrap, "_CHUNK_CELLS", 400)
    assert differences(values, np.zeros(40), n_resamples=100) == whole


def test_pareto_front_keeps_one_of_equal_points():
    assert pareto_front([(1.0, 2, 1.0), (1.0, 2, 1.0), (0.5, 3, 2.0)]) == [0]
    assert pareto_front([]) == []


def test_few_queries_that_differ_prove_little():
    one = np.zeros(100)
    one[0] = -0.15
    found = differences(one[None], np.zeros(100), max_loss=0.002)[0]
    assert found.low_one_sided < -0.003  # the mean is -0.0015
    assert found.p > 0.2
    assert differences(np.array([[0.3, -0.3]]), np.zeros(2))[0].low < -0.3
    # each query loses .15 with chance .04: .006 in the mean, which "at most .002" denies
    wrong = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        values = np.where(rng.random((5, 100)) < 0.04, -0.15, 0.0)
        found = differences(values, np.zeros(100), max_loss=0.002, n_resamples=300, random_state=seed)
        wrong += any(d.low_one_sided >= -0.002 and d.mean < 0 for d in found)
    assert wrong <= 5


def test_a_difference_that_is_the_same_everywhere_leaves_the_other_bounds_alone():
    everything = np.full(60, 0.5)
    noisy = everything + 0.3 * np.random.default_rng(0).normal(size=60)
    alone = differences(noisy[None], everything)[0]
    constant, beside = differences(np.stack([everything - 0.3, noisy]), everything)  # 0.2 - 0.5 is not quite -0.3
    assert (constant.low, constant.high) == (pytest.approx(-0.3), pytest.approx(-0.3))
    assert beside.low == pytest.approx(alone.low)
