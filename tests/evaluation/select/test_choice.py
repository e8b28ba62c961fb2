"""What select takes of what it measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leanrank.evaluation.select.choice import Candidate, Rule


def _candidates(*sizes):
    return [Candidate("m", k, (tuple(range(k)),) * 3, float(k)) for k in sizes]


def _noise(n_queries=60):
    noise = 0.3 * np.random.default_rng(0).normal(size=n_queries)
    return noise - noise.mean()


def test_where_nothing_is_proven_all_features_stay_and_it_says_what_could_be():
    everything, noise = np.full(60, 0.5), _noise()
    values = np.stack([everything + 3 * noise, everything + noise - 0.01, everything + noise, everything])
    candidates = _candidates(1, 2, 3, 9)
    rule = Rule(n_features=None, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)
    found = rule.compare(candidates, values)
    choice = rule.choose(candidates, values, found)
    assert (choice.index, choice.proven) == (3, True)
    # the third is the surest
    bound = -found[2].low_one_sided
    assert choice.provable.n_features == 3
    assert bound <= choice.provable.max_loss < bound + 0.001
    assert replace(rule, max_loss=choice.provable.max_loss).choose(candidates, values, found).index == 2
    # a set that costs too much is not there to be kept
    poor = replace(rule, budget=5.0).choose(candidates, values, found)
    assert (poor.index, poor.proven, poor.provable) == (2, False, None)
    assert "60 queries prove only that it loses at most" in poor.reason


def test_the_smallest_proven_set_is_taken_however_good_a_larger_one_looks():
    everything, noise = np.full(60, 0.5), _noise()
    values = np.stack([everything - 0.1, everything - 0.001 + 0.001 * noise, everything + 0.2 + noise, everything])
    rule = Rule(n_features=None, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)
    candidates = _candidates(1, 2, 3, 9)
    choice = rule.choose(candidates, values, rule.compare(candidates, values))
    assert (choice.index, choice.proven, choice.provable) == (1, True, None)


def test_contenders_of_the_stop_rule_are_bounded_better_than_anything_smaller():
    everything, noise = np.full(60, 0.5), _noise()
    rows = [everything - 0.3, everything + noise, everything - 0.1 + noise, everything + 0.1 * noise, everything]
    rule = Rule(n_features=None, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)
    candidates = _candidates(1, 2, 3, 4, 9)
    assert rule.contenders(candidates, np.stack(rows), 8) == [0, 1, 3]
    assert rule.contenders(candidates, np.stack(rows), 2) == [1, 3]


def test_contenders_at_a_fixed_size_are_the_first_of_those_that_may_be_best():
    noise = np.stack([np.random.default_rng(seed).normal(0, 0.05, 60) for seed in range(5)])
    values = 0.5 + noise - np.array([0.0, 0.2, 0.0, 0.0, 0.0])[:, None]
    candidates = [Candidate(name, 2, ((0, 1),) * 3, 2.0) for name in "abcd"]
    candidates.append(Candidate("all features", 3, ((0, 1, 2),) * 3, 3.0))
    rule = Rule(n_features=2, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)
    assert rule.contenders(candidates, values, 8) == [0, 2, 3]
    assert rule.contenders(candidates, values, 2) == [0, 2]


def test_very_few_queries_prove_nothing_and_tell_nothing_apart():
    values = np.stack([np.full(9, 0.9), np.full(9, 0.5), np.full(9, 0.5)])
    candidates = _candidates(1, 2, 3)
    stop = Rule(n_features=None, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)
    choice = stop.choose(candidates, values, stop.compare(candidates, values))
    assert (choice.index, choice.provable) == (2, None)
    assert "9 queries are too few to prove anything" in choice.reason
    poor = replace(stop, budget=2.5).choose(candidates, values, stop.compare(candidates, values))
    assert (poor.index, poor.proven) == (0, False)
    twice = np.repeat(values, 2, axis=1)
    assert stop.choose(candidates, twice, stop.compare(candidates, twice)).index == 0


def test_where_every_smaller_set_loses_for_sure_it_says_so():
    everything, noise = np.full(60, 0.5), 0.01 * _noise()
    values = np.stack([everything - 0.3 + noise, everything - 0.1 + noise, everything])
    candidates = _candidates(1, 2, 3)
    stop = Rule(n_features=None, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)
    choice = stop.choose(candidates, values, stop.compare(candidates, values))
    assert choice.index == 2
    assert choice.reason.startswith("every smaller set that was measured loses more than 0.02; a max_loss of 0.1")
    assert "would leave 2 features or fewer" in choice.reason


def test_sets_of_the_size_asked_for_come_before_smaller_ones():
    rule = Rule(n_features=2, max_loss=0.0, level=0.95, budget=np.inf, priced=False, random_state=0)
    values = np.random.default_rng(0).random((3, 50))
    short = Candidate("short", 1, ((0,),) * 3, 1.0)
    whole = Candidate("whole", 2, ((0, 1),) * 3, 2.0)
    everything = Candidate("all features", 3, ((0, 1, 2),) * 3, 3.0)
    values[0] += 0.5
    for candidates, expected in (([short, whole, everything], 1), ([whole, short, everything], 0)):
        choice = rule.choose(candidates, values, rule.compare(candidates, values))
        assert choice.index == expected
    alone = rule.choose([short, everything], values[:2], rule.compare([short, everything], values[:2]))
    assert alone.index == 0
    assert "fewer than 2 features" in alone.reason
