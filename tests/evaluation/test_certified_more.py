"""The simulation behind the page on several metrics, slices and groups: small, and by the very rule of `select`."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import certified_more

from leanrank.evaluation.select.choice import Rule

RULE = Rule(n_features=None, max_loss=0.01, level=0.95, budget=np.inf, priced=False, random_state=0)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(certified_more, "RUNS", 200)
    monkeypatch.setattr(certified_more, "RESAMPLES", 200)


def test_certificates_are_false_no_more_than_they_may():
    rng, limit = np.random.default_rng(0), 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
    assert 0 < certified_more.several_metrics("normal", 100, 3, 0.8, 1, rng) <= limit
    assert certified_more.several_metrics("normal", 100, 2, 0.0, 2, rng) <= 0.03  # both have to err
    assert 0 < certified_more.every_slice("normal", 50, 3, 1, rng) <= limit
    assert certified_more.missed_slices("normal", 50, 3, rng) <= limit
    by_group, by_query = certified_more.in_groups("normal", 50, "five alike", rng)
    assert by_group <= limit
    assert by_query > 0.15


def test_the_rule_of_select_is_the_one_that_is_simulated():
    """All metrics and slices bounded by the loss, and only then."""
    rng = np.random.default_rng(1)
    first, second = np.arange(80) < 40, np.arange(80) >= 40
    agreed = []
    for _ in range(10):
        values = certified_more.alike("normal", 1, 2, 80, 0.5, rng)[0] + rng.uniform(-0.02, 0.06)
        rule = Rule(**{**vars(RULE), "max_losses": (0.01, 0.01), "slices": (first, second)})
        sliced = certified_more.one_more(np.stack([values[:, first], values[:, second]], axis=1))
        bounds = [certified_more.bounds_of(table, resamples=2_000) for table in (values, sliced)]
        certified = bool((np.concatenate(bounds) <= 0.01).all())
        assert (rule.certified(values[:, None], np.zeros((2, 80))) is not None) == certified
        agreed.append(certified)
    assert 0 < sum(agreed) < 10
