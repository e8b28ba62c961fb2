"""What select takes of what it measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leanrank.evaluation.select.choice import Candidate, Rule
from leanrank.evaluation.select.curves import Race
from leanrank.evaluation.select.resolution import resolution

RULE = Rule(n_features=None, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)


def _noise(n_queries=60):
    noise = 0.3 * np.random.default_rng(0).normal(size=n_queries)
    return noise - noise.mean()


def test_where_nothing_is_certified_nothing_is_taken_and_a_larger_loss_is_known():
    everything, noise = np.full(60, 0.5), _noise()
    values = np.stack([everything + noise, everything + noise - 0.01, everything + 3 * noise])
    assert RULE.certified(values, everything) is None
    losses = RULE.certified_losses(values, everything)
    assert replace(RULE, max_loss=losses[0] + 1e-6).certified(values, everything) == 0
    assert replace(RULE, max_loss=losses[2] + 1e-6).certified(values, everything) == 2


def test_the_smallest_certified_set_is_taken_however_good_a_larger_one_looks():
    everything, noise = np.full(60, 0.5), _noise()
    values = np.stack([everything + 0.2 + noise, everything - 0.001 + 0.001 * noise, everything - 0.1])
    assert RULE.certified(values, everything) == 1


def test_a_set_below_one_that_is_not_certified_is_not_either():
    everything, noise = np.full(60, 0.5), _noise()
    values = np.stack([everything - 0.1 + noise, everything + 0.001 * noise])
    assert RULE.certified(values, everything) is None


def test_what_is_recommended_loses_no_more_than_the_queries_can_tell():
    everything, noise = np.full(60, 0.5), _noise()
    values = np.stack([everything + 0.1 * noise, everything + 0.02 + 0.1 * noise, everything - 0.05 + 0.1 * noise])
    told = resolution(values - everything)
    assert 0.002 < told < 0.02
    strict = replace(RULE, max_loss=0.0)
    assert strict.certified(values, everything) is None
    assert strict.recommended(values, everything) == 1
    assert replace(RULE, max_loss=0.5).recommended(values, everything) == 2  # a loss that was asked for stands
    assert replace(RULE, n_features=7).recommended(values[:1], everything) == 0


def test_one_unlucky_set_hides_no_smaller_one_from_a_recommendation():
    everything, noise = np.full(60, 0.5), _noise()
    unlucky, lucky, worse = everything - 0.04 + 0.1 * noise, everything + 0.1 * noise, everything - 0.1 + 0.1 * noise
    values = np.stack([unlucky, lucky, worse])
    strict = replace(RULE, max_loss=0.0)
    assert strict.certified(values, everything) is None
    assert strict.recommended(values, everything) == 1
    assert strict.recommended(values[[0, 2]], everything) is None
    told = resolution(values - everything)
    assert replace(RULE, max_loss=told + 1e-3).certified(values, everything) is None
    assert replace(RULE, max_loss=told + 1e-3).recommended(values, everything) == 1


def test_very_few_queries_certify_nothing():
    values, everything = np.full((2, 9), 0.9), np.full(9, 0.5)
    assert RULE.certified(values, everything) is None
    assert RULE.certified(np.full((2, 18), 0.9), np.full(18, 0.5)) == 1


def test_an_estimate_is_measured_on_queries_that_did_not_choose():
    rng = np.random.default_rng(0)
    reference, folds = rng.random(90), np.split(rng.permutation(90), 3)
    # the smaller set wins by a little on the queries of two folds, and loses much on those of the third
    small = reference + np.where(np.isin(np.arange(90), folds[2]), -0.3, 0.02)
    values = np.stack([reference + 0.001 * rng.normal(size=90), small])
    rule = replace(RULE, max_loss=0.13)
    assert rule.recommended(values, reference) == 1
    estimate = rule.nested(values, reference, folds, "recommended")
    lost = small - reference
    without = [bool(rule.recommended(np.delete(values, f, axis=1), np.delete(reference, f))) for f in folds]
    assert without == [False, False, True]  # only who does not see the third fold takes the small set
    assert abs(estimate.mean - float(lost[folds[2]].sum()) / 90) < 0.001
    # where nothing may be taken that is all features, if they can be paid
    strict = replace(RULE, max_loss=0.0)
    bad = np.stack([reference - 0.4 - 0.01 * rng.random(90)])
    assert strict.nested(bad, reference, folds, "certified").mean == 0
    assert replace(strict, affords_all=False).nested(bad, reference, folds, "certified").mean < -0.4


def _methods(*sizes):
    names = "abcd"[: len(sizes)]
    return [Candidate(name, k, (tuple(range(k)),) * 3, float(k)) for name, k in zip(names, sizes, strict=True)]


def test_a_race_takes_the_first_method_that_is_not_shown_to_be_worse():
    noise = np.stack([np.random.default_rng(seed).normal(0, 0.05, 60) for seed in range(4)])
    values = 0.5 + noise - np.array([0.2, 0.0, 0.0, 0.0])[:, None]
    assert Race(_methods(2, 2, 2, 2), values, RULE).winner() == "b"
    assert Race(_methods(2, 2, 2, 2), values[::-1], RULE).winner() == "a"


def test_the_winner_of_a_fold_does_not_depend_on_its_queries():
    rng = np.random.default_rng(1)
    folds = np.split(rng.permutation(90), 3)
    values = 0.5 + rng.normal(0, 0.05, (3, 90)) + np.array([0.0, 0.03, 0.04])[:, None]
    race = Race(_methods(2, 2, 2), values, RULE)
    for fold, winner in zip(folds, race.winners(folds), strict=True):
        other = values.copy()
        other[:, fold] = rng.normal(0, 5, (3, len(fold)))
        assert Race(race.candidates, other, RULE).winner(fold) == winner


def test_the_answer_is_the_method_of_most_folds_which_the_path_is_measured_by():
    behind = 0.137 + np.tile([1.0, -1.0], 45)  # by 1.3 standard errors on 90 queries, by 1.1 on 60 of them
    race = Race(_methods(2, 2), np.stack([-behind, np.zeros(90)]), RULE)
    folds = np.split(np.arange(90), 3)
    assert race.winner() == "b"
    assert race.winners(folds) == ("a", "a", "a")
    assert race.most_often(race.winners(folds)) == "a"
    assert race.most_often(("b", "a", "b")) == "b"
    assert race.most_often(("b", "a")) == "a"  # of as many, the first in the order of preference


def test_a_race_over_several_sizes_and_part_of_the_queries():
    rng = np.random.default_rng(2)
    values = np.full((4, 80), np.nan)
    values[:, :50] = 0.5 + rng.normal(0, 0.02, (4, 50))
    values[:2, :50] -= 0.2
    candidates = [Candidate(name, k, ((0,),) * 3, 1.0) for name in "ab" for k in (2, 5)]
    assert Race(candidates, values, RULE).winner() == "b"


def test_sets_of_the_size_asked_for_come_before_smaller_ones():
    rule = replace(RULE, n_features=2)
    values = np.random.default_rng(0).random((2, 50))
    values[0] += 0.5
    assert Race(_methods(1, 2), values, rule).winner() == "b"
    assert Race(_methods(2, 1), values, rule).winner() == "a"
    assert Race(_methods(1, 1), values, rule).winner() == "a"
