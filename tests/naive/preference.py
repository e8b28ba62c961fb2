"""Cohen, Schapire and Singer's Hedge and greedy order, preference by preference."""

from itertools import pairwise

import numpy as np
from tests.naive.pairs import pairs


def primitive(sign, u, v):
    difference = sign * (u - v)
    return 1.0 if difference > 0 else 0.5 if difference == 0 else 0.0


def hedge(X, y, query_ptr, beta):
    """Weights of (attribute, sign), shape (K, 2), updated query by query."""
    w = np.full((X.shape[1], 2), 1 / (2 * X.shape[1]))
    for a, b in pairwise(query_ptr):
        own = pairs(y[a:b], [0, b - a])
        if len(own) == 0:
            continue
        for k in range(X.shape[1]):
            for s, sign in enumerate((1, -1)):
                agreement = np.mean([primitive(sign, X[a + u, k], X[a + v, k]) for u, v in own])
                w[k, s] *= beta ** (1 - agreement)
        w /= w.sum()
    return w


def preference(X, w):
    """PREF(u, v) for all u, v."""
    n = len(X)
    return np.array(
        [
            [
                sum(w[k, s] * primitive(sign, X[u, k], X[v, k]) for k in range(X.shape[1]) for s, sign in SIGNS)
                for v in range(n)
            ]
            for u in range(n)
        ]
    )


SIGNS = ((0, 1), (1, -1))


def greedy(pref):
    left, order = list(range(len(pref))), []
    while left:
        potential = [round(sum(pref[v, u] - pref[u, v] for u in left), 10) for v in left]
        order.append(left.pop(int(np.argmax(potential))))
    return order


def agreement(pref, order):
    return sum(pref[order[a], order[b]] for a in range(len(order)) for b in range(a + 1, len(order)))
