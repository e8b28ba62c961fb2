"""Losses of every single feature on the preference pairs of each query, in both directions.

A pair is two documents of a query with y_s > y_t; d = x_s - x_t. `losses[q, 0]` is the mean loss when higher
values rank first, `losses[q, 1]` when lower values do. A query without pairs keeps zeros.

Arrays: losses (last - first, 2, K), zero at the start, and n_pairs (last - first,) count queries from `first`; with
`scale`, every feature of a query is brought to [0, 1] first (the share of misordered pairs does not depend on it).
"""

from __future__ import annotations

import math

import numpy as np

from leanrank.kernels._jit import Array, Floats, Ints, Singles, kernel


@kernel
def error_losses(
    X: Array, y: Singles, query_ptr: Ints, first: int, last: int, scale: bool, losses: Floats, n_pairs: Ints
) -> None:
    """Share of misordered pairs, ties 1/2; O(n log n) by counting labels below in the order of x."""
    longest = 0
    for q in range(first, last):
        longest = max(longest, query_ptr[q + 1] - query_ptr[q])
    tree = np.zeros(longest + 1, dtype=np.int64)  # Fenwick tree over label levels: documents seen so far
    for q in range(first, last):
        start, n = query_ptr[q], query_ptr[q + 1] - query_ptr[q]
        levels = np.unique(y[start : start + n])
        level = np.searchsorted(levels, y[start : start + n])
        total = n * (n - 1) // 2
        for v in range(len(levels)):
            same = np.sum(level == v)
            total -= same * (same - 1) // 2
        n_pairs[q - first] = total
        if total == 0:
            continue
        for j in range(X.shape[1]):
            x = X[start : start + n, j].copy()
            order = np.argsort(x)
            tree[: len(levels) + 1] = 0
            wrong, tied, i = 0, 0, 0  # wrong: pairs with y_s > y_t and x_s < x_t
            while i < n:
                end = i + 1
                while end < n and x[order[end]] == x[order[i]]:
                    end += 1
                for s in range(i, end):  # documents below in x with a higher label
                    k = level[order[s]] + 1
                    below = i
                    while k > 0:
                        below -= tree[k]
                        k -= k & -k
                    wrong += below
                before_group = 0
                for s in range(i, end):
                    k = level[order[s]] + 1
                    while k <= len(levels):
                        tree[k] += 1
                        k += k & -k
                    before_group += 1
                if before_group > 1:
                    tied += _pairs_of_different_labels(level, order, i, end)
                i = end
            losses[q - first, 0, j] = (wrong + 0.5 * tied) / total
            losses[q - first, 1, j] = (total - wrong - 0.5 * tied) / total


@kernel
def _pairs_of_different_labels(level: Array, order: Array, begin: int, end: int) -> int:
    labels = np.empty(end - begin, dtype=np.int64)
    for i in range(begin, end):
        labels[i - begin] = level[order[i]]
    labels.sort()
    n = end - begin
    pairs, run = n * (n - 1) // 2, 1
    for i in range(1, n + 1):
        if i < n and labels[i] == labels[i - 1]:
            run += 1
        else:
            pairs -= run * (run - 1) // 2
            run = 1
    return pairs


@kernel
def _scaled(X: Array, start: int, end: int, scale: bool, out: Floats) -> None:
    """Rows start..end-1 brought to [0, 1] feature by feature (a constant becomes 0), or as they are."""
    for j in range(X.shape[1]):
        low, high = X[start, j], X[start, j]
        for s in range(start, end):
            low, high = min(low, X[s, j]), max(high, X[s, j])
        for s in range(start, end):
            if not scale:
                out[s - start, j] = X[s, j]
            elif high > low:
                out[s - start, j] = (np.float64(X[s, j]) - low) / (np.float64(high) - low)
            else:
                out[s - start, j] = 0.0


@kernel
def _pair_losses(hinge: bool, X: Array, y: Singles, start: int, end: int, scale: bool, losses: Floats) -> int:
    """Fill losses[0] and losses[1] for the query of rows start..end-1; returns the number of its pairs."""
    n, K = end - start, X.shape[1]
    values = np.empty((n, K))
    _scaled(X, start, end, scale, values)
    down, up, pairs = losses[0], losses[1], 0
    for s in range(n):
        for t in range(n):
            if y[start + s] > y[start + t]:
                pairs += 1
                if hinge:
                    for j in range(K):
                        d = values[s, j] - values[t, j]
                        down[j] += max(0.0, 1.0 - d)
                        up[j] += max(0.0, 1.0 + d)
                else:
                    for j in range(K):
                        d = values[s, j] - values[t, j]
                        tail = math.log1p(math.exp(-abs(d)))
                        down[j] += max(0.0, -d) + tail
                        up[j] += max(0.0, d) + tail
    for j in range(K):
        down[j] /= max(pairs, 1)
        up[j] /= max(pairs, 1)
    return pairs


@kernel
def hinge_losses(
    X: Array, y: Singles, query_ptr: Ints, first: int, last: int, scale: bool, losses: Floats, n_pairs: Ints
) -> None:
    """Mean of max(0, 1 - d) over pairs; O(n^2) per feature."""
    for q in range(first, last):
        n_pairs[q - first] = _pair_losses(True, X, y, query_ptr[q], query_ptr[q + 1], scale, losses[q - first])


@kernel
def cross_entropy_losses(
    X: Array, y: Singles, query_ptr: Ints, first: int, last: int, scale: bool, losses: Floats, n_pairs: Ints
) -> None:
    """Mean of log(1 + exp(-d)) over pairs, without overflow; O(n^2) per feature."""
    for q in range(first, last):
        n_pairs[q - first] = _pair_losses(False, X, y, query_ptr[q], query_ptr[q + 1], scale, losses[q - first])
