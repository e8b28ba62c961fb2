"""Description-length cuts against the recursion on sorted rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import mdl as naive

from leanrank.kernels.mdl import mdl_cuts


def fast(values, labels, better_encoding=False, times=1, unit=1.0):
    distinct, where = np.unique(np.asarray(values, dtype=float), return_inverse=True)
    classes = np.unique(labels, return_inverse=True)[1]
    counts = np.zeros((len(distinct), classes.max() + 1), dtype=np.int64)
    np.add.at(counts, (where, classes), times)
    return mdl_cuts(distinct, distinct, counts, unit, better_encoding).tolist()


@pytest.mark.parametrize("better_encoding", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_equals_the_naive_recursion(seed, better_encoding):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    values = np.round(rng.random(n), 1 + seed % 3)
    labels = np.digitize(values + rng.normal(0, 0.15, n), [0.3, 0.7][: 1 + seed % 2])
    assert fast(values, labels, better_encoding) == naive.mdl_cuts(
        values.tolist(), labels.tolist(), better_encoding=better_encoding
    )


@pytest.mark.parametrize("better_encoding", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_units_of_documents_are_documents_so_often(seed, better_encoding):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 50))
    values = np.round(rng.random(n), 1 + seed % 3)
    labels = np.digitize(values + rng.normal(0, 0.15, n), [0.3, 0.7][: 1 + seed % 2])
    times = rng.integers(1, 5, n)
    rows = np.repeat(values, times).tolist(), np.repeat(labels, times).tolist()
    expected = naive.mdl_cuts(*rows, better_encoding=better_encoding)
    assert fast(values, labels, better_encoding, times) == expected
    assert fast(values, labels, better_encoding, times << 30, 2.0**-30) == expected


def test_some_cut_is_found_above_and_none_in_noise():
    rng = np.random.default_rng(0)
    x = rng.random(300)
    assert len(fast(x, x > 0.5)) == 1
    assert fast(x, rng.random(300) > 0.5) == []


def test_worked_examples():
    assert fast(range(30), np.repeat([0, 1, 2], 10)) == [9.5, 19.5]
    assert fast([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0]) == [0.5]
    assert fast([3.0, 3.0, 3.0], [0, 1, 0]) == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=1, max_size=60), st.randoms())
def test_cuts_lie_between_neighbours_and_ignore_the_order_of_rows(rows, random):
    values, labels = zip(*rows, strict=True)
    cuts = fast(values, labels)
    assert all(c not in values for c in cuts)
    assert cuts == sorted(set(cuts))
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert fast(*zip(*shuffled, strict=True)) == cuts
    assert fast([3 * v - 7 for v in values], labels) == [3 * c - 7 for c in cuts]


def test_many_classes_do_not_overflow():
    labels = list(range(700))  # 3^700 is larger than any float
    assert fast(labels, labels) == naive.mdl_cuts(labels, labels)
