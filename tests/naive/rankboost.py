"""RankBoost with its distribution over pairs written out."""

import numpy as np
from tests.naive.pairs import pairs


def rounds(X, y, query_ptr, thresholds, n_rounds, negative=True):
    """(feature, threshold, r, alpha, Z) of each round; thresholds[f] ascending."""
    pair = pairs(y, query_ptr)
    D = np.full(len(pair), 1 / len(pair))
    found = []
    for _ in range(n_rounds):
        best = (0, None)
        for f in range(X.shape[1]):
            for theta in thresholds[f]:
                h = X[:, f] > theta
                r = sum(d * (int(h[i]) - int(h[j])) for d, (i, j) in zip(D, pair, strict=True))
                if (abs(r) if negative else r) > best[0] + 1e-11:
                    best = (abs(r), (f, theta, r))
        if best[1] is None:
            break
        f, theta, r = best[1]
        if abs(r) >= 1 - 1e-12:  # perfect: alpha is infinite
            found.append((f, theta, r, np.inf, 0.0))
            break
        h = (X[:, f] > theta).astype(float)
        alpha = 0.5 * np.log((1 + r) / (1 - r))
        D = D * np.exp(alpha * (h[pair[:, 1]] - h[pair[:, 0]]))
        found.append((f, theta, r, alpha, D.sum()))
        D = D / D.sum()
    return found, D


def potentials(D, y, query_ptr):
    pi = np.zeros(len(y))
    for d, (i, j) in zip(D, pairs(y, query_ptr), strict=True):
        pi[i] += d
        pi[j] -= d
    return pi
