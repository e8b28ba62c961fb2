"""RankBoost's round in O(n K): the potential of every document, then the best threshold of every feature.

Arrays: F (n,) scores so far; pi (n,) potentials; order (n,) rows of each query by ascending label; codes (K, n) how
many thresholds of the feature lie below the value; n_thresholds (K,).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Floats, kernel

# A difference below rounding is a tie.
_TIE = 1e-12


@kernel
def potentials(order: Any, y: Any, query_ptr: Any, first: int, last: int, F: Floats, pi: Floats) -> float:
    """Fill pi with the potential of every document under ``D(i, j) = exp(F_j - F_i)``; return the sum of D over pairs.

    D is a product of a factor of i and a factor of j whatever the number of label levels, so sums over partners are
    running sums over the documents of a query in the order of their labels (`order`: rows, ascending label).
    """
    total = 0.0
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        low, high = F[a], F[a]
        for i in range(a, b):
            low, high = min(low, F[i]), max(high, F[i])
            pi[i] = 0.0
        centre = 0.5 * (low + high)  # D depends on differences only
        below = 0.0  # sum of exp(F_j) over lower labels
        i = a
        while i < b:
            e, group = i, 0.0
            while e < b and y[order[e]] == y[order[i]]:
                row = order[e]
                pi[row] += below * np.exp(centre - F[row])
                total += below * np.exp(centre - F[row])
                group += np.exp(F[row] - centre)
                e += 1
            below += group
            i = e
        above = 0.0  # sum of exp(-F_j) over higher labels
        i = b - 1
        while i >= a:
            e, group = i, 0.0
            while e >= a and y[order[e]] == y[order[i]]:
                row = order[e]
                pi[row] -= above * np.exp(F[row] - centre)
                group += np.exp(centre - F[row])
                e -= 1
            above += group
            i = e
    return total


@kernel
def best_threshold(codes: Any, n_thresholds: Any, pi: Floats, negative: bool) -> tuple[int, int, float]:
    """The feature and threshold with the largest ``|r|`` (or r), ``r = sum of pi over x > threshold``.

    codes : (K, n), how many thresholds of the feature lie below the value; threshold t is passed by codes > t.
    Equals go to the first feature, and its lowest threshold; the feature is -1 if every r is 0.
    """
    best, feature, threshold, r_best = _TIE, -1, -1, 0.0
    sums = np.empty(np.max(n_thresholds) + 1)
    for f in range(codes.shape[0]):
        m = n_thresholds[f]
        sums[: m + 1] = 0.0
        for i in range(codes.shape[1]):
            sums[codes[f, i]] += pi[i]
        r = 0.0
        for t in range(m - 1, -1, -1):
            r += sums[t + 1]
            size = abs(r) if negative else r
            if size > best + _TIE or (feature == f and size > best - _TIE):
                best, feature, threshold, r_best = size, f, t, r
    return feature, threshold, r_best


@kernel
def add_step(codes: Any, feature: int, threshold: int, alpha: float, F: Floats) -> None:
    """F += alpha where the feature exceeds the threshold."""
    for i in range(codes.shape[1]):
        if codes[feature, i] > threshold:
            F[i] += alpha
