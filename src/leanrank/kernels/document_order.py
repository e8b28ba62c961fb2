"""The documents of each query in descending order of their scores, column by column: what every metric starts from.

Arrays: scores (n, columns); query_ptr (queries + 1,); keys and orders (columns, n) hold the sorted scores and the
documents, numbered within their query, in the rows of the query; counts (columns, queries), how many of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Array, Floats, Ints, ShortInts, kernel, part

_RUN = 64  # documents ranked by counting; longer lists are merged from such runs
_LANES = 16  # counted lists are padded to a multiple, so that the compiler's vector loop leaves no remainder
_SELECT = 8  # take the top k by selection where the query has at least this many times k documents
_SPARE = 2 * _RUN + _LANES  # room the sort needs beyond the list


@part
def _sort_descending(key: Any, order: Any, n: int, spare_key: Any, spare_order: Any) -> None:
    """Sort key[:n] descending and carry `order` along; equal keys keep their order.

    Runs are sorted by counting: a place is the number of larger keys, n^2 comparisons, but many at a time, no branch.
    Then they are merged, to and fro between the list and the spare room. One function: a part of a part is compiled
    with each of them.
    """
    for start in range(0, n, _RUN):
        length = min(_RUN, n - start)
        padded = (length + _LANES - 1) // _LANES * _LANES
        for i in range(length):
            spare_key[i], spare_order[i], spare_order[_RUN + i] = key[start + i], order[start + i], 0
        for i in range(length, padded):
            spare_key[i] = -np.inf
        for i in range(length):
            value, larger = spare_key[i], 0
            for j in range(padded):
                larger += spare_key[j] > value
            place = start + larger + spare_order[_RUN + larger]
            spare_order[_RUN + larger] += 1  # documents with this key so far
            key[place], order[place] = value, spare_order[i]
    at_key, at_order, to_key, to_order = key, order, spare_key, spare_order
    width, in_spare = _RUN, False
    while width < n:
        for start in range(0, n, 2 * width):
            i, middle, end = start, min(start + width, n), min(start + 2 * width, n)
            j, to = middle, start
            while i < middle and j < end:
                left = at_key[i] >= at_key[j]
                to_key[to] = at_key[i] if left else at_key[j]
                to_order[to] = at_order[i] if left else at_order[j]
                i += left
                j += not left
                to += 1
            rest = i if i < middle else j
            while to < end:
                to_key[to], to_order[to] = at_key[rest], at_order[rest]
                rest += 1
                to += 1
        at_key, at_order, to_key, to_order = to_key, to_order, at_key, at_order
        width *= 2
        in_spare = not in_spare
    if in_spare:
        for i in range(n):
            key[i], order[i] = spare_key[i], spare_order[i]


@kernel
def rank_documents(
    scores: Floats,
    query_ptr: Ints,
    k: int,
    spare_key: Floats,
    spare_order: ShortInts,
    keys: Floats,
    orders: ShortInts,
    counts: ShortInts,
) -> None:
    """Sort the documents of at least the first k positions of each list, tie groups whole.

    The spare arrays are scratch for the longest list and `_SPARE` more.
    """
    for q in range(len(query_ptr) - 1):
        start, end = query_ptr[q], query_ptr[q + 1]
        n = end - start
        top = min(k, n)
        for c in range(scores.shape[1]):
            key, order = keys[c, start:end], orders[c, start:end]
            last = -np.inf
            if top * _SELECT <= n:  # spare_key[:top] = the largest scores, descending
                for i in range(top):
                    spare_key[i] = -np.inf
                for i in range(start, end):
                    value = scores[i, c]
                    if value > spare_key[top - 1]:
                        j = top - 1
                        while j > 0 and spare_key[j - 1] < value:
                            spare_key[j] = spare_key[j - 1]
                            j -= 1
                        spare_key[j] = value
                last = spare_key[top - 1]
            m: Any = np.int64(0)  # a plain 0 is a type of its own: the sort would be compiled twice
            for i in range(n):
                value = scores[start + i, c]
                if value >= last:
                    key[m], order[m] = value, i
                    m += 1
            _sort_descending(key, order, m, spare_key, spare_order)
            counts[c, q] = m


def ranked_documents(scores: Array, query_ptr: Ints, k: int) -> tuple[Floats, ShortInts, ShortInts]:
    """Keys, orders and counts; scores of any floating type become doubles, so that one compiled variant serves all."""
    n_rows, n_columns = scores.shape
    keys, orders = np.empty((n_columns, n_rows)), np.empty((n_columns, n_rows), np.int32)
    counts = np.empty((n_columns, len(query_ptr) - 1), np.int32)
    room = int(np.diff(query_ptr).max()) + _SPARE
    spare = np.empty(room), np.empty(room, np.int32)
    rank_documents(np.ascontiguousarray(scores, np.float64), query_ptr, k, *spare, keys, orders, counts)
    return keys, orders, counts
