"""Forward regression by solving the equations of every set anew; ranks and pairs by loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def pair_moments(X, y, query_ptr, scale):
    """Sums over all pairs of documents of a query of products of differences, over twice their number; per document."""
    n_features = X.shape[1]
    features, labels, spread = np.zeros((n_features, n_features)), np.zeros(n_features), 0.0
    for a, b in pairwise(query_ptr):
        z = np.array([_scaled(X[a:b, j], scale) for j in range(n_features)]).T
        for s in range(b - a):
            for t in range(b - a):
                apart, grades = z[s] - z[t], float(y[a + s]) - float(y[a + t])
                features += np.outer(apart, apart) / (2 * (b - a))
                labels += apart * grades / (2 * (b - a))
                spread += grades * grades / (2 * (b - a))
    n = query_ptr[-1]
    return features / n, labels / n, spread / n


def _scaled(x, scale):
    x = np.asarray(x, dtype=float)
    if scale == "minmax":
        return (x - x.min()) / (x.max() - x.min()) if x.max() > x.min() else np.zeros(len(x))
    return np.array([(np.sum(x < v) + (np.sum(x == v) + 1) / 2) / len(x) for v in x])


def explained(features, labels, spread, chosen, ridge):
    """R^2 of a set."""
    width = np.sqrt(np.diag(features))[chosen]
    G = features[np.ix_(chosen, chosen)] / np.outer(width, width) + ridge * np.eye(len(chosen))
    c = labels[chosen] / width
    return float(c @ np.linalg.solve(G, c)) / spread


def forward_order(features, labels, spread, ridge):
    """The order and what each step gains."""
    left, chosen, gains = list(range(len(labels))), [], []
    before = 0.0
    while left:
        values = [round(explained(features, labels, spread, [*chosen, j], ridge) - before, 11) for j in left]
        best = int(np.argmax(values))
        chosen.append(left.pop(best))
        gains.append(values[best])
        before = explained(features, labels, spread, chosen, ridge)
    return chosen, gains
