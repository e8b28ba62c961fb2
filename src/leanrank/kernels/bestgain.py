"""BestGain's merge of two ranked lists, and its average precision, in one walk of both.

A list holds the documents 0..n-1 of a query, best first. Its next segment runs from its first document not yet taken
to its next relevant one not yet taken; the merge always takes the shorter of the two next segments (of equal ones,
that of the first list), leaving out documents taken before. When no relevant document is left, the rest of the first
list follows. Both segments are kept up to date while documents are taken, so a merge costs O(n).

What is taken is always the documents of a beginning of one list and of a beginning of the other, both ending in a
relevant document. With few relevant documents R it is therefore cheaper to count how many documents lie between which
relevant ones of both lists, a table of R^2 numbers, and to read all lengths from it.

Arrays: orders (K, n) the list of every feature in every query, best (n,) the merged list so far and order (n,) another,
as numbers of documents within their query; relevant (n,); features (any number,) those asked for; windows (K, n), ends
(K, ends_ptr[Q]) and ends_ptr (Q + 1,) as `list_windows` fills them; state (n,) and places (n,) are scratch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels._jit import Bytes, Flags, Floats, Ints, ShortInts, kernel


@kernel
def average_precision(ranked: ShortInts, relevant: Flags) -> float:
    """AP of a list; 0 without relevant documents."""
    hits, total = 0, 0.0
    for place in range(len(ranked)):
        if relevant[ranked[place]]:
            hits += 1
            total += hits / (place + 1)
    return total / hits if hits else 0.0


@kernel
def _inverse(ranked: ShortInts, places: ShortInts) -> None:
    for place in range(len(ranked)):
        places[ranked[place]] = place


@kernel
def _merge(
    best: ShortInts,
    best_places: ShortInts,
    other: ShortInts,
    other_places: ShortInts,
    relevant: Flags,
    count_picked: bool,
    state: Bytes,
    write: bool,
    out: ShortInts,
) -> float:
    """AP of the merge of two lists, and if asked the merge itself in `out`; places[d]: where a list has document d."""
    n = len(best)
    for document in range(n):
        state[document] = relevant[document]  # 0 or 1; 2 once taken
    start, end, length = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for side in range(2):
        ranked = best if side == 0 else other
        while end[side] < n and state[ranked[end[side]]] == 0:
            end[side] += 1
        length[side] = end[side] + 1
    filled, hits, total = 0, 0, 0.0
    while end[0] < n or end[1] < n:
        which = 0 if end[1] >= n or (end[0] < n and length[0] <= length[1]) else 1
        ranked, places = (best, other_places) if which == 0 else (other, best_places)
        reach, shorter = end[1 - which], 0
        for place in range(start[which], end[which] + 1):
            document = ranked[place]
            new = state[document] < 2
            if write and new:
                out[filled] = document
            state[document] = 2
            filled += new
            shorter += new & (places[document] <= reach)
        if not count_picked:
            length[1 - which] -= shorter
        hits += 1
        total += hits / filled
        start[which] = end[which] + 1
        length[which] = 0
        for side in range(2):  # the list just used goes on; the other one only if its relevant document is gone
            ranked = best if side == 0 else other
            at = end[side]
            if side != which and (at >= n or state[ranked[at]] < 2):
                continue
            more = 0
            at += 1
            while at < n:
                mark = state[ranked[at]]
                more += mark < 2
                if mark == 1:
                    break
                at += 1
            end[side] = at
            length[side] = at + 1 - start[side] if count_picked else length[side] + more
    if write:
        for place in range(n):
            if state[best[place]] < 2:
                out[filled] = best[place]
                filled += 1
    return total / hits if hits else 0.0


@kernel
def list_windows(
    orders: ShortInts,
    relevant: Flags,
    query_ptr: Ints,
    ends_ptr: Ints,
    first: int,
    last: int,
    windows: NDArray[np.uint16],
    ends: ShortInts,
) -> None:
    """Where the relevant documents of each list are, for queries to which ends_ptr gives room (number of them + 1).

    Window i of a list begins at place ends[i] and ends with its relevant document number i at place ends[i + 1] - 1.
    windows[j, row] is the window of a document in the list of feature j: how many relevant ones stand before it.
    """
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        at = ends_ptr[q]
        if ends_ptr[q + 1] == at:
            continue
        for j in range(len(orders)):
            hits = 0
            ends[j, at] = 0
            for place in range(b - a):
                document = orders[j, a + place]
                windows[j, a + document] = hits
                if relevant[a + document]:
                    hits += 1
                    ends[j, at + hits] = place + 1


@kernel
def _merged_precision(
    ranked: ShortInts,
    ends: Ints,
    other_windows: NDArray[np.uint16],
    other_ends: ShortInts,
    count_picked: bool,
    table: ShortInts,
    partner: Ints,
) -> float:
    """AP of the merge of a list and one of which the windows are known; scratch: table (R, R + 2), partner (2, R)."""
    R = len(ends) - 1
    table[:] = 0  # table[i, j + 1]: documents in window i of the first list and window j of the other
    for i in range(R):
        count, j = table[i], 0
        for place in range(ends[i], ends[i + 1]):
            j = other_windows[ranked[place]]
            count[j + 1] += 1
        partner[0, i] = j  # the last one is the relevant document of both windows
        partner[1, j] = i
    for i in range(R):  # table[i, j]: documents in or before window i of the first list, before window j of the other
        running = 0
        for j in range(1, R + 1):
            running += table[i, j]
            table[i, j] = running + (table[i - 1, j] if i > 0 else 0)
    i, j, to, other_to = 0, 0, 0, 0  # windows before i and j are taken
    filled, total = 0, 0.0
    for hits in range(1, R + 1):
        while partner[0, to] < j:
            to += 1
        while partner[1, other_to] < i:
            other_to += 1
        of_first, of_other = ends[to + 1] - ends[i], other_ends[other_to + 1] - other_ends[j]
        both = table[i - 1, j] if i > 0 else 0
        new_first = of_first - table[to, j] + both
        new_other = of_other - (table[i - 1, other_to + 1] if i > 0 else 0) + both
        if of_first <= of_other if count_picked else new_first <= new_other:
            filled += new_first
            to += 1
            i = to
        else:
            filled += new_other
            other_to += 1
            j = other_to
        total += hits / filled
    return total / R


@kernel
def merged_precisions(
    orders: ShortInts,
    windows: NDArray[np.uint16],
    ends: ShortInts,
    best: ShortInts,
    relevant: Flags,
    query_ptr: Ints,
    ends_ptr: Ints,
    first: int,
    last: int,
    features: Ints,
    count_picked: bool,
    out: Floats,
) -> None:
    """out[q, i] = AP of query q's list `best` merged with that of features[i]; windows and ends from `list_windows`."""
    nothing = np.empty(0, np.int32)
    for q in range(first, last):
        a, b, at, stop = query_ptr[q], query_ptr[q + 1], ends_ptr[q], ends_ptr[q + 1]
        ranked, wanted = best[a:b], relevant[a:b]
        if stop > at:
            R = stop - at - 1
            own_ends = np.zeros(R + 1, np.int64)
            hits = 0
            for place in range(b - a):
                if wanted[ranked[place]]:
                    hits += 1
                    own_ends[hits] = place + 1
            table, partner = np.empty((R, R + 2), np.int32), np.empty((2, R), np.int64)
            for i in range(len(features)):
                j = features[i]
                other = (windows[j, a:b], ends[j, at:stop])
                out[q, i] = _merged_precision(ranked, own_ends, *other, count_picked, table, partner)
        else:
            places, state = np.empty((2, b - a), np.int32), np.empty(b - a, np.uint8)
            _inverse(ranked, places[0])
            for i in range(len(features)):
                order = orders[features[i], a:b]
                _inverse(order, places[1])
                out[q, i] = _merge(ranked, places[0], order, places[1], wanted, count_picked, state, False, nothing)


@kernel
def merge_lists(
    order: ShortInts, best: ShortInts, relevant: Flags, query_ptr: Ints, count_picked: bool, out: ShortInts
) -> None:
    """Merge the list `best` of every query with `order` into `out`."""
    for q in range(len(query_ptr) - 1):
        a, b = query_ptr[q], query_ptr[q + 1]
        places, state = np.empty((2, b - a), np.int32), np.empty(b - a, np.uint8)
        _inverse(best[a:b], places[0])
        _inverse(order[a:b], places[1])
        lists = (best[a:b], places[0], order[a:b], places[1])
        _merge(*lists, relevant[a:b], count_picked, state, True, out[a:b])


@kernel
def precisions(orders: ShortInts, relevant: Flags, query_ptr: Ints, features: Ints, out: Floats) -> None:
    """out[q, i] = AP of the list of features[i] in query q."""
    for q in range(len(query_ptr) - 1):
        a, b = query_ptr[q], query_ptr[q + 1]
        for i in range(len(features)):
            out[q, i] = average_precision(orders[features[i], a:b], relevant[a:b])
