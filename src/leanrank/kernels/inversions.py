"""Kendall concordance of every pair of features of one very long list, by merge sort.

O(n log n) a pair of features (W. Knight, JASA 1966) where `concordance.py` is O(n^2) single bits.

Arrays: X (n, K) is one list; counts (K, K) above the diagonal and tied (K,) pairs of documents; keys and documents (2,
n) are the buffers of the sort.
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Array, Ints, ShortInts, Words, kernel


@kernel
def count_by_merging(X: Array, signed: bool, ordinal: bool, counts: Ints, tied: Ints) -> None:
    """Fill counts[a, b], a <= b, with concordant pairs (minus discordant ones if signed), and tied pairs by feature.

    With sequences sorted by a and then by b, the inversions of b are the discordant pairs D, and
    C = n(n-1)/2 - D - tied_a - tied_b + tied_both. `ordinal` breaks ties by row: the earlier one is greater.
    """
    n, K = X.shape
    order, rank = np.empty((K, n), dtype=np.int32), np.empty((K, n), dtype=np.int32)
    keys, documents = np.empty((2, n), dtype=np.uint64), np.empty((2, n), dtype=np.int32)
    for j in range(K):
        tied[j] = _rank(X[:, j].copy(), ordinal, keys, documents, order[j], rank[j])
    pairs = n * (n - 1) // 2
    group, slot = np.empty(n + 1, dtype=np.int32), np.empty(n, dtype=np.int32)
    sequence, spare = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for a in range(K):
        group[:] = n
        for i in range(n - 1, -1, -1):
            group[rank[a, order[a, i]]] = i  # where the documents of a rank begin
        for b in range(a, K):
            slot[:] = group[:n]
            for i in range(n):  # documents by b, dealt out by rank in a
                s = order[b, i]
                sequence[slot[rank[a, s]]] = rank[b, s]
                slot[rank[a, s]] += 1
            both, run = 0, 0
            for i in range(1, n):
                same = sequence[i] == sequence[i - 1] and group[rank[a, order[a, i]]] < i
                run = run + 1 if same else 0
                both += run
            discordant = _inversions(sequence, spare)
            concordant = pairs - discordant - tied[a] - tied[b] + both
            counts[a, b] = concordant - discordant if signed else concordant


@kernel
def _rank(column: Array, ordinal: bool, keys: Words, documents: ShortInts, order: ShortInts, rank: ShortInts) -> int:
    """Ascending order and ranks (equal values share one, unless ordinal); returns the number of tied pairs."""
    n, now = len(column), _sort(column, keys, documents)
    tied, begin, next_rank = 0, 0, 0
    while begin < n:
        end = begin + 1
        while end < n and keys[now, end] == keys[now, begin]:
            end += 1
        for i in range(begin, end):
            s = documents[now, begin + end - 1 - i if ordinal else i]
            order[i] = s
            rank[s] = i if ordinal else next_rank
        if not ordinal:
            tied += (end - begin) * (end - begin - 1) // 2
        begin = end
        next_rank += 1
    return tied


@kernel
def _sort(column: Array, keys: Words, documents: ShortInts) -> int:
    """Radix sort, 11 bits at a time, on the bits of the numbers; returns which row of the buffers holds the result."""
    n, zero = len(column), column.dtype.type(0)
    for s in range(n):
        column[s] += zero  # -0.0 and 0.0 are one value
        documents[0, s] = s
    if column.itemsize == 4:
        digits, sign, ones = 3, np.uint64(1 << 31), np.uint64(0xFFFFFFFF)
        narrow = column.view(np.uint32)
        for s in range(n):
            key = np.uint64(narrow[s])
            keys[0, s] = key ^ (ones if key & sign else sign)
    else:
        digits, sign, ones = 6, np.uint64(1 << 63), ~np.uint64(0)
        wide = column.view(np.uint64)
        for s in range(n):
            keys[0, s] = wide[s] ^ (ones if wide[s] & sign else sign)
    now, low = 0, np.uint64(2047)
    for d in range(digits):
        shift, count = np.uint64(11 * d), np.zeros(2048, dtype=np.int64)
        for i in range(n):
            count[(keys[now, i] >> shift) & low] += 1
        total = 0
        for v in range(2048):
            count[v], total = total, total + count[v]
        for i in range(n):
            v = (keys[now, i] >> shift) & low
            keys[1 - now, count[v]] = keys[now, i]
            documents[1 - now, count[v]] = documents[now, i]
            count[v] += 1
        now = 1 - now
    return now


@kernel
def _inversions(values: ShortInts, spare: ShortInts) -> int:
    """Number of i < j with values[i] > values[j]; sorts `values` on the way."""
    n, inverted = len(values), 0
    for start in range(0, n, 16):
        for i in range(start + 1, min(n, start + 16)):
            value, k = values[i], i
            while k > start and values[k - 1] > value:
                values[k] = values[k - 1]
                k -= 1
            values[k] = value
            inverted += i - k
    source, target, width = values, spare, 16
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(n, start + width), min(n, start + 2 * width)
            i, j = start, middle
            for k in range(start, end):
                if j >= end or (i < middle and source[i] <= source[j]):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    inverted += middle - i
                    j += 1
        source, target = target, source
        width *= 2
    return inverted
