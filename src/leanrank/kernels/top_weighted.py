"""tau_ap, the rank correlation in which the top counts more, of every pair of features inside each query.

Arrays: total (K, K) is added to, above the diagonal; above (documents, words) a set of documents each, as bits.
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Array, Ints, Words, kernel, popcount

#: Bytes of the sets kept at once.
CHUNK_BYTES = 1 << 22
#: One unit of the sums.
UNIT = 2.0**-46


@kernel
def tau_ap_sums(X: Array, query_ptr: Ints, first: int, last: int, total: Ints) -> int:
    """Add (1 + tau_ap) / 2 of features a <= b, the mean of both directions, to `total[a, b]` in units of 2^-46.

    Documents rank by descending value, equal ones in the order of rows. With A_s the documents that feature a
    ranks above s, both directions come from the same counts:

        (1 + tau_ap) / 2 = 1 / (2 (n - 1)) * sum over s of |A_s & B_s| (1 / |A_s| + 1 / |B_s|)

    Returns the number of queries with at least two documents.
    """
    K, counted = X.shape[1], 0
    for q in range(first, last):
        start, n = query_ptr[q], query_ptr[q + 1] - query_ptr[q]
        if n < 2:
            continue
        counted += 1
        n_words = (n + 63) // 64
        step = min(n, max(1, CHUNK_BYTES // (8 * K * n_words)))  # documents whose sets are kept at once
        above = np.empty((K, step, n_words), dtype=np.uint64)
        order, weight = np.empty((K, n), dtype=np.int64), np.empty((K, n))
        for j in range(K):
            order[j] = np.argsort(-X[start : start + n, j], kind="mergesort")
            weight[j, order[j, 0]] = 0.0
            for position in range(1, n):
                weight[j, order[j, position]] = 1.0 / position
        sums = np.zeros((K, K))
        for begin in range(0, n, step):
            end = min(n, begin + step)
            for j in range(K):
                _sets_above(order[j], begin, end, above[j])
            for a in range(K):
                for b in range(a, K):
                    for s in range(begin, end):
                        common = 0
                        for w in range(n_words):
                            common += popcount(above[a, s - begin, w] & above[b, s - begin, w])
                        sums[a, b] += common * (weight[a, s] + weight[b, s])
        for a in range(K):
            for b in range(a, K):
                total[a, b] += np.int64(sums[a, b] / (2 * (n - 1)) / UNIT + 0.5)
    return counted


@kernel
def _sets_above(order: Ints, begin: int, end: int, above: Words) -> None:
    """The sets of documents ranked above documents begin..end-1: those passed so far, as a bit each."""
    passed = np.zeros(above.shape[1], dtype=np.uint64)
    for s in order:
        if begin <= s < end:
            above[s - begin] = passed
        passed[s // 64] |= np.uint64(1) << np.uint64(s % 64)
