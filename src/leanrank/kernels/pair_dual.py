"""Dual coordinate descent for a kernel Ranking SVM; pairs are two row numbers, never differences.

Arrays: better, worse (pairs,) rows of the two documents of each pair; visit (pairs,) the pairs in the order of the
visits; gram (n, n) the kernel of every two documents; alpha (pairs,), beta (n,) and f (n,) = gram beta are changed in
place; starts (Q + 1,) where the pairs of each query begin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Array, Floats, Ints, kernel


@kernel
def sweep(gram: Any, better: Any, worse: Any, visit: Any, C: float, alpha: Floats, beta: Floats, f: Floats) -> float:
    """Visit every pair once; returns the largest violation of the optimality conditions met on the way.

    Maximises ``sum a - 0.5 a'Ka, 0 <= a <= C`` one pair at a time: the gradient of pair (i, j) is ``1 - (f_i - f_j)``
    with ``f = gram @ beta`` kept up to date, so a pair that needs no change costs O(1) and any other O(n).
    """
    worst = 0.0
    for k in visit:
        i, j = better[k], worse[k]
        gradient = 1.0 - (f[i] - f[j])
        if (alpha[k] <= 0.0 and gradient <= 0.0) or (alpha[k] >= C and gradient >= 0.0):
            continue
        curvature = gram[i, i] - 2.0 * gram[i, j] + gram[j, j]
        if curvature <= 1e-12:  # identical documents: no weights can part them
            continue
        worst = max(worst, abs(gradient))
        new = min(max(alpha[k] + gradient / curvature, 0.0), C)
        change = new - alpha[k]
        if change == 0.0:
            continue
        alpha[k] = new
        beta[i] += change
        beta[j] -= change
        for row in range(f.shape[0]):
            f[row] += change * (gram[i, row] - gram[j, row])
    return worst


@kernel
def pair_rows(y: Any, query_ptr: Any, better: Any, worse: Any, starts: Any) -> None:
    """Fill the pairs of every query: i ascending, j ascending; query q fills starts[q]:starts[q + 1]."""
    for q in range(query_ptr.shape[0] - 1):
        k = starts[q]
        for i in range(query_ptr[q], query_ptr[q + 1]):
            for j in range(query_ptr[q], query_ptr[q + 1]):
                if y[i] > y[j]:
                    better[k] = i
                    worse[k] = j
                    k += 1


def pairs_per_query(y: Array, query_ptr: Ints) -> Ints:
    """Number of pairs with different labels in each query.

    >>> pairs_per_query(np.array([2, 0, 1, 5]), np.array([0, 3, 4]))
    array([3, 0])
    """
    counts = np.zeros(len(query_ptr) - 1, dtype=np.int64)
    for q in range(len(counts)):
        _, sizes = np.unique(y[query_ptr[q] : query_ptr[q + 1]], return_counts=True)
        counts[q] = (sizes.sum() ** 2 - (sizes**2).sum()) // 2
    return counts
