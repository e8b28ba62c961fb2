"""BestGain's merge of two ranked lists, and its average precision, in one walk of both.

A list holds the documents 0..n-1 of a query, best first. Its next segment runs from its first document not yet taken
to its next relevant one not yet taken; the merge always takes the shorter of the two next segments (of equal ones,
that of the first list), leaving out documents taken before. When no relevant document is left, the rest of the first
list follows. Both segments are kept up to date while documents are taken, so a merge costs O(n).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels._jit import kernel


@kernel
def average_precision(ranked: NDArray[np.int32], relevant: NDArray[np.bool_]) -> float:
    """AP of a list; 0 without relevant documents."""
    hits, total = 0, 0.0
    for place in range(len(ranked)):
        if relevant[ranked[place]]:
            hits += 1
            total += hits / (place + 1)
    return total / hits if hits else 0.0


@kernel
def _merge(
    lists: NDArray[np.int32],
    places: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    count_picked: bool,
    taken: NDArray[np.bool_],
    out: NDArray[np.int32],
) -> float:
    """Write the merge of lists[0] and lists[1] to `out`; return its AP. places[l, d] is where list l has document d."""
    n = lists.shape[1]
    taken[:] = False
    start, end, length = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for which in range(2):
        while end[which] < n and not relevant[lists[which, end[which]]]:
            end[which] += 1
        length[which] = end[which] + 1
    filled, hits, total = 0, 0, 0.0
    while end[0] < n or end[1] < n:
        which = 0 if end[1] >= n or (end[0] < n and length[0] <= length[1]) else 1
        other = 1 - which
        for place in range(start[which], end[which] + 1):
            document = lists[which, place]
            if not taken[document]:
                taken[document] = True
                out[filled] = document
                filled += 1
                if not count_picked and places[other, document] <= end[other]:
                    length[other] -= 1
        hits += 1
        total += hits / filled
        start[which] = end[which] + 1
        length[which] = 0
        for side in range(2):  # the taken segment's list goes on; the other one only if its relevant document is gone
            if side == other and (end[other] >= n or not taken[lists[other, end[other]]]):
                continue
            end[side] += 1
            while end[side] < n:
                document = lists[side, end[side]]
                if not taken[document]:
                    length[side] += 1
                    if relevant[document]:
                        break
                end[side] += 1
            if count_picked:
                length[side] = end[side] + 1 - start[side]
    for place in range(n):
        document = lists[0, place]
        if not taken[document]:
            out[filled] = document
            filled += 1
    return total / hits if hits else 0.0


@kernel
def merged_precisions(
    orders: NDArray[np.int32],
    best: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    query_ptr: NDArray[np.int64],
    first: int,
    last: int,
    features: NDArray[np.int64],
    count_picked: bool,
    out: NDArray[np.float64],
) -> None:
    """out[q, i] = AP of query q's list `best` merged with the list of features[i]; orders (features, rows)."""
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        n = b - a
        lists, places = np.empty((2, n), np.int32), np.empty((2, n), np.int32)
        taken, merged = np.empty(n, np.bool_), np.empty(n, np.int32)
        lists[0] = best[a:b]
        for place in range(n):
            places[0, lists[0, place]] = place
        for i in range(len(features)):
            lists[1] = orders[features[i], a:b]
            for place in range(n):
                places[1, lists[1, place]] = place
            out[q, i] = _merge(lists, places, relevant[a:b], count_picked, taken, merged)


@kernel
def merge_lists(
    order: NDArray[np.int32],
    best: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    query_ptr: NDArray[np.int64],
    count_picked: bool,
    out: NDArray[np.int32],
) -> None:
    """Merge the list `best` of every query with `order` into `out`."""
    for q in range(len(query_ptr) - 1):
        a, b = query_ptr[q], query_ptr[q + 1]
        n = b - a
        lists, places = np.empty((2, n), np.int32), np.empty((2, n), np.int32)
        lists[0] = best[a:b]
        lists[1] = order[a:b]
        for place in range(n):
            places[0, lists[0, place]] = place
            places[1, lists[1, place]] = place
        _merge(lists, places, relevant[a:b], count_picked, np.empty(n, np.bool_), out[a:b])


@kernel
def precisions(
    orders: NDArray[np.int32],
    relevant: NDArray[np.bool_],
    query_ptr: NDArray[np.int64],
    features: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """out[q, i] = AP of the list of features[i] in query q."""
    for q in range(len(query_ptr) - 1):
        a, b = query_ptr[q], query_ptr[q + 1]
        for i in range(len(features)):
            out[q, i] = average_precision(orders[features[i], a:b], relevant[a:b])
