"""A small quadratic program over a simplex, by active sets: the dual of a cutting-plane method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def maximise_on_simplex(G: Vector, b: Vector, C: float, a: Vector, *, tol: float = 1e-10) -> Vector:
    """Maximise ``b.a - 0.5 a'Ga`` over ``a >= 0, sum a <= C``, starting from a feasible `a`.

    The part of C not spent is one more variable with no gain and no cost, so that the sum is exactly C. On the
    variables above 0 the maximum solves a linear system; the step towards it stops at the first variable that reaches
    0; a variable at 0 whose gradient is above the others' joins (Wolfe's nearest point in a polytope).

    >>> maximise_on_simplex(np.eye(2), np.array([3.0, 1.0]), 2.0, np.zeros(2))
    array([2., 0.])
    """
    m = len(b) + 1
    H = np.zeros((m, m))
    H[1:, 1:] = G
    gain = np.concatenate(([0.0], b))
    x = np.concatenate(([max(0.0, C - a.sum())], a))
    scale = max(1.0, float(np.abs(np.diag(G)).max(initial=0.0)))
    inside = x > 0
    if not inside.any():
        x[0], inside[0] = C, True
    for _ in range(50 * m):
        S = np.flatnonzero(inside)
        k = len(S)
        system = np.ones((k + 1, k + 1))
        system[:k, :k] = H[np.ix_(S, S)] + np.eye(k) * (1e-13 * scale)
        system[k, k] = 0.0
        target = np.linalg.lstsq(system, np.append(gain[S], C), rcond=None)[0]
        step = target[:k] - x[S]
        falling = target[:k] <= 0.0
        if falling.any():
            ratios = np.where(falling, x[S] / np.maximum(-step, 1e-300), np.inf)
            first = int(np.argmin(ratios))
            x[S] += min(1.0, ratios[first]) * step
            x[S[first]] = 0.0
            np.maximum(x, 0.0, out=x)
            inside[S[first]] = False
            continue
        x[S] = target[:k]
        gradient = gain - H @ x
        excess = np.where(inside, -np.inf, gradient - target[k])
        enter = int(np.argmax(excess))
        if excess[enter] <= tol * scale:
            break
        inside[enter] = True
    return x[1:]
