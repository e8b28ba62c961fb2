"""The pair perceptron: from one hypothesis worth keeping to the next.

Arrays: better, worse (pairs,) rows of the two documents of each pair; order (any number,) pairs in the order of the
visits; mistakes (pairs,) how often a pair was misordered, added to; w (K,) the hypothesis, changed in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Floats, kernel


@kernel
def dense_perceptron(
    X: Any, better: Any, worse: Any, order: Any, start: int, survived: int, offer_from: int, mistakes: Any, w: Floats
) -> tuple[int, int]:
    """Go through the pairs ``order[start:]``: a pair with ``w.z > 0`` survives, any other adds z to w.

    Stops before the mistake that ends a run of at least `offer_from` survivors, so that the caller can look at w;
    called again with `survived` = 0 from that place, it makes the mistake. Returns where it stopped and how many pairs
    the present w has survived.
    """
    for at in range(start, len(order)):
        pair = order[at]
        i, j = better[pair], worse[pair]
        margin = 0.0
        for k in range(X.shape[1]):
            margin += w[k] * (np.float64(X[i, k]) - np.float64(X[j, k]))
        if margin > 0.0:
            survived += 1
            continue
        if survived >= offer_from:
            return at, survived
        for k in range(X.shape[1]):
            w[k] += np.float64(X[i, k]) - np.float64(X[j, k])
        mistakes[pair] += 1
        survived = 0
    return len(order), survived


@kernel
def csr_step(values: Any, columns: Any, starts: Any, i: int, j: int, factor: float, w: Floats) -> float:
    """w.z for z = x_i - x_j, column by column as the dense loop adds (so to the same bits); w grows by factor z."""
    margin = 0.0
    a, b = starts[i], starts[j]
    while a < starts[i + 1] or b < starts[j + 1]:
        left = columns[a] if a < starts[i + 1] else len(w)
        right = columns[b] if b < starts[j + 1] else len(w)
        z = 0.0
        column = min(left, right)
        if left == column:
            z += np.float64(values[a])
            a += 1
        if right == column:
            z -= np.float64(values[b])
            b += 1
        margin += w[column] * z
        w[column] += factor * z
    return margin


@kernel
def csr_perceptron(
    values: Any,
    columns: Any,
    starts: Any,
    better: Any,
    worse: Any,
    order: Any,
    start: int,
    survived: int,
    offer_from: int,
    mistakes: Any,
    w: Floats,
) -> tuple[int, int]:
    """`dense_perceptron` on the rows of a CSR matrix (columns ascending)."""
    for at in range(start, len(order)):
        pair = order[at]
        i, j = better[pair], worse[pair]
        if csr_step(values, columns, starts, i, j, 0.0, w) > 0.0:
            survived += 1
            continue
        if survived >= offer_from:
            return at, survived
        csr_step(values, columns, starts, i, j, 1.0, w)
        mistakes[pair] += 1
        survived = 0
    return len(order), survived
