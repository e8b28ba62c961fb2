"""The kernels of changed lists beside their slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive import list_changes as naive

from leanrank.kernels import list_changes as kernels

WHOLE = ("shared", "moved", "first_moved", "largest_move", "union", "total_move")
REAL = ("overlap", "reach", "spread")


def computed(before, after, sizes, k, persistence):
    ptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    n, n_queries = int(ptr[-1]), len(sizes)
    old, new = np.empty(n, np.int32), np.empty(n, np.int32)
    kernels.places(np.asarray(before, float), ptr, 0, n_queries, old)
    kernels.places(np.asarray(after, float), ptr, 0, n_queries, new)
    whole, real = np.zeros((n_queries, kernels.N_WHOLE), np.int64), np.zeros((n_queries, kernels.N_REAL))
    kernels.list_changes(old, new, ptr, 0, n_queries, k, persistence, whole, real)
    return ptr, old, new, whole, real


@st.composite
def cases(draw):
    sizes = draw(st.lists(st.integers(1, 14), min_size=1, max_size=5))
    scores = st.lists(st.integers(-3, 3), min_size=sum(sizes), max_size=sum(sizes))
    return draw(scores), draw(scores), sizes, draw(st.integers(1, 12)), draw(st.sampled_from([0.5, 0.9, 0.98]))


@given(cases())
def test_kernels_agree_with_their_twins(case):
    before, after, sizes, k, persistence = case
    ptr, old, new, whole, real = computed(before, after, sizes, k, persistence)
    for q in range(len(sizes)):
        a, b = ptr[q], ptr[q + 1]
        expected = naive.list_changes(before[a:b], after[a:b], k, persistence)
        assert (old[a:b].tolist(), new[a:b].tolist()) == expected["places"]
        assert dict(zip(WHOLE, whole[q].tolist(), strict=True)) == {name: expected[name] for name in WHOLE}
        np.testing.assert_allclose(real[q], [expected[name] for name in REAL], atol=1e-12)


@given(cases())
def test_a_list_beside_itself_is_unchanged(case):
    before, _, sizes, k, persistence = case
    _, _, _, whole, real = computed(before, before, sizes, k, persistence)
    assert (whole[:, [kernels.MOVED, kernels.LARGEST_MOVE, kernels.TOTAL_MOVE]] == 0).all()
    np.testing.assert_allclose(real[:, kernels.OVERLAP], 1.0, atol=1e-12)
    assert (real[:, kernels.REACH] == 0).all()


def test_lists_turned_round_at_the_first_place():
    """Two documents that change places: agreement 0 at depth 1, then 1."""
    _, _, _, whole, real = computed([2, 1], [1, 2], [2], 10, 0.9)
    assert whole[0].tolist() == [2, 2, 1, 1, 2, 2]
    assert real[0, kernels.OVERLAP] == pytest.approx(0.9)
    assert real[0, kernels.REACH] == pytest.approx(1 - 1 / np.log2(3))


@pytest.mark.parametrize("first", [0, 1])
def test_other_queries_are_left_alone(first):
    ptr = np.array([0, 2, 4], dtype=np.int64)
    out = np.zeros(4, np.int32)
    kernels.places(np.array([1.0, 2.0, 3.0, 1.0]), ptr, first, first + 1, out)
    assert (out[ptr[1 - first] : ptr[2 - first]] == 0).all()
