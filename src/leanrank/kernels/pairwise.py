"""Sums over pairs of documents of one query, in O(n log n): the pairs are never formed.

A pair (i, j) has y_i > y_j. It is *active* at scores s when its margin is short of 1: ``s_j + 1 > s_i``. For a query
sorted by score, the partners active for one document are a prefix (or a suffix) of the order, so a sweep that keeps
running sums by label in a Fenwick tree meets every document once (Lee and Lin, 2014).

Arrays, all (n,): level the rank of a document's label within its query, from 1; s scores; order the rows of each query
by ascending score, and sorted_* what follows that order; v any values by row.
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Floats, Ints, ShortInts, kernel


@kernel
def label_levels(y: Floats, query_ptr: Ints, first: int, last: int, level: ShortInts) -> float:
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
def sort_by_score(
    scores: Floats,
    level: ShortInts,
    query_ptr: Ints,
    first: int,
    last: int,
    order: Ints,
    sorted_scores: Floats,
    sorted_level: ShortInts,
) -> None:
    """Rows of each query by ascending score, with their scores and levels in that order (read on end from then on)."""
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        ascending = np.argsort(scores[a:b])
        for k in range(a, b):
            order[k] = a + ascending[k - a]
            sorted_scores[k] = scores[order[k]]
            sorted_level[k] = level[order[k]]


@kernel
def active_sums(s: Floats, level: ShortInts, v: Floats, above: Floats, below: Floats) -> None:
    """Sums of v over the active partners of each document of one query, whose rows are in ascending order of s.

    ``above_i = sum of v_j over y_j > y_i, s_i + 1 > s_j`` and ``below_i = sum of v_j over y_j < y_i, s_j + 1 > s_i``.
    """
    n = len(s)
    top = 0
    for i in range(n):
        top = max(top, level[i])
        above[i] = 0.0
        below[i] = 0.0
    if top < 2:
        return
    tree = np.zeros(top + 1)
    total = 0.0
    k = 0
    for i in range(n):  # ascending: the partners with s_j < s_i + 1 are a growing prefix
        while k < n and s[i] + 1.0 > s[k]:
            node = level[k]
            while node <= top:
                tree[node] += v[k]
                node += node & -node
            total += v[k]
            k += 1
        upto = 0.0
        node = level[i]
        while node > 0:
            upto += tree[node]
            node -= node & -node
        above[i] = total - upto if level[i] < top else 0.0
    tree[:] = 0.0
    k = n - 1
    for i in range(n - 1, -1, -1):  # descending: the partners with s_j > s_i - 1 are a growing suffix
        while k >= 0 and s[k] + 1.0 > s[i]:
            node = level[k]
            while node <= top:
                tree[node] += v[k]
                node += node & -node
            k -= 1
        upto = 0.0
        node = level[i] - 1
        while node > 0:
            upto += tree[node]
            node -= node & -node
        below[i] = upto


@kernel
def active_weights(
    s: Floats, level: ShortInts, v: Floats, query_ptr: Ints, first: int, last: int, as_worse: Floats, as_better: Floats
) -> None:
    """What the partners weigh in the active pairs in which a document is the worse, and the better; v their weights."""
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        active_sums(s[a:b], level[a:b], v[a:b], as_worse[a:b], as_better[a:b])


@kernel
def pull(
    order: Ints,
    s: Floats,
    level: ShortInts,
    active: Floats,
    v: Floats,
    query_ptr: Ints,
    first: int,
    last: int,
    out: Floats,
) -> None:
    """``out_i = sum of v_i - v_j over the active partners j of i``; s, level and active sorted, v and out by row."""
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        here, above, below = np.empty(b - a), np.empty(b - a), np.empty(b - a)
        for k in range(a, b):
            here[k - a] = v[order[k]]
        active_sums(s[a:b], level[a:b], here, above, below)
        for k in range(a, b):
            out[order[k]] = active[k] * here[k - a] - above[k - a] - below[k - a]
