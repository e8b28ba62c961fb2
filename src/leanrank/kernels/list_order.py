"""Every query's documents in the order of every feature, equal values as they come: a stable radix sort of keys."""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Array, Flags, Ints, ShortInts, Words, kernel

_BITS = 11
_BUCKETS = 1 << _BITS
# Below so many documents clearing the buckets costs more than comparing keys.
_FEW = 192


@kernel
def _ascending(keys: Words, counts: ShortInts, order: ShortInts) -> None:
    """Stable ascending order of keys, least significant digits first; counts (digits, buckets) is scratch."""
    n, n_digits = len(keys), len(counts)
    key, other_key = keys.copy(), np.empty_like(keys)
    place, other_place = np.empty(n, np.int32), np.empty(n, np.int32)
    mask = np.uint64(_BUCKETS - 1)
    counts[:] = 0
    for i in range(n):
        place[i] = i
        for digit in range(n_digits):
            counts[digit, (np.uint64(key[i]) >> np.uint64(_BITS * digit)) & mask] += 1
    for digit in range(n_digits):
        start, size, count = 0, 0, counts[digit]
        for bucket in range(_BUCKETS):
            size = count[bucket]
            if size == n:
                break
            count[bucket] = start
            start += size
        if size == n:  # all in one bucket: nothing to do
            continue
        shift = np.uint64(_BITS * digit)
        for i in range(n):
            digits = (np.uint64(key[i]) >> shift) & mask
            to = count[digits]
            count[digits] = to + 1
            other_key[to] = key[i]
            other_place[to] = place[i]
        key, other_key = other_key, key
        place, other_place = other_place, place
    for i in range(n):
        order[i] = place[i]


@kernel
def rank_lists(
    bits: Array, names: ShortInts, query_ptr: Ints, first: int, last: int, orders: ShortInts, varies: Flags
) -> None:
    """orders[j, a + i]: the document at place i of query a.. in descending order of feature j.

    bits (rows, features) are finite floating-point numbers seen as unsigned whole numbers of the same width; names
    (rows,) the numbers of the documents inside their query. varies[j] is set where a query has two values.
    """
    width = 8 * bits.itemsize
    sign = np.uint64(1) << np.uint64(width - 1)
    counts = np.empty((-(-width // _BITS), _BUCKETS), np.int32)
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        keys = np.empty((bits.shape[1], b - a), bits.dtype)
        for i in range(b - a):
            for j in range(bits.shape[1]):
                value = np.uint64(bits[a + i, j])
                # Larger negative numbers have smaller bits; turn the others round. -0.0, the sign alone, is 0.0.
                keys[j, i] = value if value > sign else (value ^ (sign - np.uint64(1))) & ~sign
        order = np.empty(b - a, np.int32)
        for j in range(bits.shape[1]):
            if b - a < _FEW:
                ascending = np.argsort(keys[j], kind="mergesort")
                for i in range(b - a):
                    order[i] = ascending[i]
            else:
                _ascending(keys[j], counts, order)
            if keys[j, order[0]] != keys[j, order[-1]]:
                varies[j] = True
            for place in range(b - a):
                orders[j, a + place] = names[a + order[place]]
