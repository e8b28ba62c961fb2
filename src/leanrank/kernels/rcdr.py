"""Mid-ranks, and the rank correlation of every attribute with the order of every query, attributes with near ties.

Arrays: tolerance (K,) is the distance up to which neighbouring values of an attribute are equal; out (Q, K) the
correlations; n_pairs (Q,) the pairs of documents with different labels; tree (levels + 1,) scratch of the counting.
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Array, Floats, Ints, Singles, kernel


@kernel
def _levels(y: Singles) -> tuple[Ints, int, int]:
    """Level of each label counted from 1, number of levels, number of pairs with different labels."""
    order = np.argsort(y)
    level = np.empty(len(y), dtype=np.int64)
    n_levels, of_level, ordered = 0, 0, 0
    for i in range(len(order)):
        if i == 0 or y[order[i]] > y[order[i - 1]]:
            n_levels += 1
            of_level = 0
        level[order[i]] = n_levels
        ordered += i - of_level
        of_level += 1
    return level, n_levels, ordered


@kernel
def _net_concordance(x: Floats, level: Ints, tolerance: float, tree: Ints) -> tuple[int, int]:
    """Pairs with x and the label in the same order, and in opposite order; neither counts ties (Fenwick tree)."""
    n, n_levels = len(x), len(tree) - 1
    order = np.argsort(x)
    tree[:] = 0
    concordant, discordant, group = 0, 0, 0
    for i in range(n + 1):
        if i == n or (i > 0 and x[order[i]] - x[order[i - 1]] > tolerance):  # the group of equal x ends here
            for j in range(group, i):
                at = level[order[j]]
                while at <= n_levels:
                    tree[at] += 1
                    at += at & -at
            group = i
        if i == n:
            break
        below, at = 0, level[order[i]] - 1
        while at > 0:
            below += tree[at]
            at -= at & -at
        up_to, at = 0, level[order[i]]
        while at > 0:
            up_to += tree[at]
            at -= at & -at
        concordant += below
        discordant += group - up_to
    return concordant, discordant


@kernel
def kendall_correlations(
    X: Floats,
    y: Singles,
    query_ptr: Ints,
    first: int,
    last: int,
    tolerance: Floats,
    tau_b: bool,
    out: Floats,
    n_pairs: Ints,
) -> None:
    """out[q, k] = (C - D) / M, or (C - D) / sqrt((C + D) M) with tau_b; M = n_pairs[q] pairs of different labels."""
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        level, n_levels, ordered = _levels(y[a:b])
        n_pairs[q] = ordered
        if ordered == 0:
            out[q] = 0.0
            continue
        tree = np.empty(n_levels + 1, dtype=np.int64)
        for k in range(X.shape[1]):
            concordant, discordant = _net_concordance(X[a:b, k].copy(), level, tolerance[k], tree)
            untied = concordant + discordant
            if untied == 0:
                out[q, k] = 0.0
            elif tau_b:
                out[q, k] = (concordant - discordant) / np.sqrt(float(untied) * float(ordered))
            else:
                out[q, k] = (concordant - discordant) / ordered


@kernel
def _centred_ranks(x: Floats, tolerance: float) -> Floats:
    """Mid-ranks less their mean; values within the tolerance of their neighbour are equal."""
    n = len(x)
    order = np.argsort(x)
    ranks = np.empty(n)
    group = 0
    for i in range(1, n + 1):
        if i == n or x[order[i]] - x[order[i - 1]] > tolerance:
            for j in range(group, i):
                ranks[order[j]] = 0.5 * (group + i - n)
            group = i
    return ranks


@kernel
def spearman_correlations(
    X: Floats, y: Singles, query_ptr: Ints, first: int, last: int, tolerance: Floats, out: Floats, n_pairs: Ints
) -> None:
    """out[q, k] = Pearson correlation of the mid-ranks of attribute k and of the labels, 0 for a constant."""
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        n_pairs[q] = _levels(y[a:b])[2]
        if n_pairs[q] == 0:
            out[q] = 0.0
            continue
        of_label = _centred_ranks(y[a:b].astype(np.float64), 0.0)
        label_square = (of_label * of_label).sum()
        for k in range(X.shape[1]):
            of_x = _centred_ranks(X[a:b, k].copy(), tolerance[k])
            square = (of_x * of_x).sum()
            out[q, k] = (of_x * of_label).sum() / np.sqrt(square * label_square) if square > 0.0 else 0.0


@kernel
def centred_ranks(X: Array, query_ptr: Ints, first: int, last: int, out: Floats) -> None:
    """Fill out[s, j] with twice the mid-rank of document s minus (n + 1): a whole number, mean 0 in each query.

    Equal values share the mean of their ranks. Rows are counted from the first row of query `first`.
    """
    offset = query_ptr[first]
    for q in range(first, last):
        start, end = query_ptr[q], query_ptr[q + 1]
        for j in range(X.shape[1]):
            ranks = _centred_ranks(X[start:end, j].copy(), 0.0)
            for i in range(end - start):
                out[start - offset + i, j] = 2.0 * ranks[i]
