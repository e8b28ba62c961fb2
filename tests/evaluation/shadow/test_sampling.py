"""Queries are drawn with the probabilities that are stated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leanrank.errors import ParameterError
from leanrank.evaluation.shadow.logged_queries import draw, inclusion_probabilities, systematic


@given(st.lists(st.floats(0, 5), min_size=1, max_size=60), st.integers(1, 70))
def test_probabilities_add_up_and_none_is_small(sizes, n):
    probability = inclusion_probabilities(np.array(sizes), n)
    assert probability.sum() == pytest.approx(min(n, len(sizes)))
    assert (probability <= 1).all()
    assert (probability >= min(1, n / len(sizes)) / 2 - 1e-12).all()
    order = np.argsort(sizes)
    assert (np.diff(probability[order]) >= -1e-12).all()


def test_a_query_is_drawn_as_often_as_its_probability_says():
    rng = np.random.default_rng(0)
    probability = inclusion_probabilities(rng.gamma(1.0, size=40), 9)
    hits, runs = np.zeros(40), 4_000
    for _ in range(runs):
        taken = systematic(probability, rng.permutation(40), rng.random())
        assert len(taken) == len(set(taken.tolist())) == 9
        hits[taken] += 1
    error = np.sqrt(probability * (1 - probability) / runs)
    assert (np.abs(hits / runs - probability) < 4.5 * error + 1e-9).all()


def test_a_draw_depends_on_names_and_seed_not_on_the_order_of_queries():
    rng = np.random.default_rng(1)
    names, sizes = np.arange(200), rng.random(200)
    probability = inclusion_probabilities(sizes, 20)
    turned = rng.permutation(200)
    here = names[draw(probability, names, 3)]
    there = names[turned][draw(probability[turned], names[turned], 3)]
    assert here.tolist() == there.tolist()
    assert here.tolist() != names[draw(probability, names, 4)].tolist()


def test_no_query_cannot_be_asked_for():
    with pytest.raises(ParameterError, match="whole number >= 1"):
        inclusion_probabilities(np.ones(3), 0)
