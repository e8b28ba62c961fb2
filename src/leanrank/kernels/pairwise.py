"""Sums over pairs of documents of one query, in O(n log n): the pairs are never formed.

A pair (i, j) has y_i > y_j. It is *active* at scores s when its margin is short of 1: ``s_j + 1 > s_i``. For a query
sorted by score, the partners active for one document are a prefix (or a suffix) of the order, so a sweep that keeps
running sums by label in a Fenwick tree meets every document once (Lee and Lin, 2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels._jit import kernel

Vector = NDArray[np.float64]
Index = NDArray[np.int64]


@kernel
def label_levels(y: Any, query_ptr: Index, first: int, last: int, level: NDArray[np.int32]) -> float:
    """Rank of each label among its query's distinct labels (1 = lowest); returns the number of pairs."""
    pairs = 0.0
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        order = np.argsort(y[a:b])
        rank = 0
        run = 0
        for k in range(b - a):
            if k == 0 or y[a + order[k]] > y[a + order[k - 1]]:
                rank += 1
                run = k  # documents with a lower label
            level[a + order[k]] = rank
            pairs += run
    return pairs


@kernel
def score_order(s: Vector, query_ptr: Index, first: int, last: int, order: Index) -> None:
    """Rows of each query by ascending score."""
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        order[a:b] = np.argsort(s[a:b]) + a


@kernel
def active_sums(
    order: Index,
    s: Vector,
    v: Vector,
    level: NDArray[np.int32],
    query_ptr: Index,
    first: int,
    last: int,
    above: Vector,
    below: Vector,
) -> None:
    """Sums of v over the active partners of each document.

    ``above_i = sum of v_j over y_j > y_i, s_i + 1 > s_j`` and ``below_i = sum of v_j over y_j < y_i, s_j + 1 > s_i``.
    With v = 1 these are the numbers of active pairs in which i is the worse, and the better, document.
    """
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        top = 0
        for i in range(a, b):
            top = max(top, level[i])
        if top < 2:
            above[a:b] = 0.0
            below[a:b] = 0.0
            continue
        tree = np.zeros(top + 1)
        total = 0.0
        k = a
        for i in order[a:b]:  # ascending: the partners with s_j < s_i + 1 are a growing prefix
            while k < b and s[i] + 1.0 > s[order[k]]:
                j = order[k]
                node = level[j]
                while node <= top:
                    tree[node] += v[j]
                    node += node & -node
                total += v[j]
                k += 1
            upto = 0.0
            node = level[i]
            while node > 0:
                upto += tree[node]
                node -= node & -node
            above[i] = total - upto if level[i] < top else 0.0
        tree[:] = 0.0
        k = b - 1
        for at in range(b - 1, a - 1, -1):  # descending: the partners with s_j > s_i - 1 are a growing suffix
            i = order[at]
            while k >= a and s[order[k]] + 1.0 > s[i]:
                j = order[k]
                node = level[j]
                while node <= top:
                    tree[node] += v[j]
                    node += node & -node
                k -= 1
            upto = 0.0
            node = level[i] - 1
            while node > 0:
                upto += tree[node]
                node -= node & -node
            below[i] = upto
