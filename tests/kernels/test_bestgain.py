"""The merge of two lists against its description on lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import bestgain as naive

from leanrank.kernels.bestgain import average_precision, list_windows, merge_lists, merged_precisions


def merge(best, other, relevant, count_picked=False):
    n = len(best)
    best, other = np.array(best, np.int32), np.array(other, np.int32)
    relevant, ptr = np.array(relevant, dtype=bool), np.array([0, n])
    out = np.empty(n, np.int32)
    merge_lists(other, best, relevant, ptr, count_picked, out)
    expected = naive.average_precision(out.tolist(), lambda d: relevant[d])
    R = int(relevant.sum())
    for room in {0, R + 1 if R else 0}:  # by walking both lists, and by the table
        ends_ptr, windows, ends = np.array([0, room]), np.zeros((1, n), np.uint16), np.zeros((1, room), np.int32)
        list_windows(other[None], relevant, ptr, ends_ptr, 0, 1, windows, ends)
        value = np.empty((1, 1))
        lists = (other[None], windows, ends, best, relevant, ptr, ends_ptr)
        merged_precisions(*lists, 0, 1, np.array([0]), count_picked, value)
        assert value[0, 0] == pytest.approx(expected, abs=1e-14)
    return out.tolist()


@st.composite
def two_lists(draw):
    n = draw(st.integers(1, 14))
    documents = list(range(n))
    return (
        draw(st.permutations(documents)),
        draw(st.permutations(documents)),
        draw(st.lists(st.booleans(), min_size=n, max_size=n)),
    )


@settings(max_examples=150, deadline=None)
@given(two_lists())
def test_equals_the_naive_merge(case):
    best, other, relevant = case
    assert merge(best, other, relevant) == naive.combine(best, other, lambda d: relevant[d])
    assert merge(best, other, relevant, True) == naive.combine_counting_picked(best, other, lambda d: relevant[d])


@pytest.mark.parametrize("seed", range(20))
def test_few_relevant_documents_among_many(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    relevant = np.zeros(n, dtype=bool)
    relevant[rng.choice(n, rng.integers(1, 5), replace=False)] = True
    best, other = rng.permutation(n).tolist(), rng.permutation(n).tolist()
    assert merge(best, other, relevant) == naive.combine(best, other, lambda d: relevant[d])
    assert merge(best, other, relevant, True) == naive.combine_counting_picked(best, other, lambda d: relevant[d])


@settings(max_examples=50, deadline=None)
@given(two_lists())
def test_facts(case):
    best, other, relevant = case
    assert merge(best, best, relevant) == best
    merged = merge(best, other, relevant)
    assert sorted(merged) == sorted(best)
    again = merge(merged, other, relevant)  # the last added gains nothing more
    value = [average_precision(np.array(r, np.int32), np.array(relevant)) for r in (merged, again)]
    assert value[0] == pytest.approx(value[1], abs=1e-14)


def test_worked_example():
    n1, r1, n2, n3, r2, n4 = range(6)
    relevant = [False, True, False, False, True, False]
    best, other = [n1, r1, n2, n3, r2, n4], [n2, r2, n3, n4, r1, n1]
    merged = merge(best, other, relevant)
    assert merged == [n1, r1, n2, r2, n3, n4]
    values = [average_precision(np.array(r, np.int32), np.array(relevant)) for r in (best, merged)]
    assert values == pytest.approx([0.45, 0.50], abs=1e-12)


def test_a_gain_may_be_negative():
    n1, n2, n3, n4, n5, *r = range(10)
    relevant = np.arange(10) >= 5
    best, other = [n1, n2, n3, *r, n4, n5], [n4, n5, r[0], n3, n2, n1, *r[1:]]
    values = [average_precision(np.array(x, np.int32), relevant) for x in (best, merge(best, other, relevant))]
    assert values == pytest.approx([0.469286, 0.387698], abs=5e-7)


def test_lists_of_other_documents_are_united_by_the_description():
    relevant = {1, 7}.__contains__
    assert naive.combine([0, 1], [7, 8], relevant) == [7, 0, 1, 8]
