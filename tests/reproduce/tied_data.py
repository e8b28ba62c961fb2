"""Small data full of ties, for methods to be compared with brute force on."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from leanrank import RankingData


def drawn(seed, n_features=4, n_values=4, n_levels=3, longest=5):
    """Two to four short queries of few values, so that ties abound; every one has a pair, no feature is constant."""
    rng = np.random.default_rng(seed)
    while True:
        sizes = rng.integers(2, longest + 1, rng.integers(2, 5))
        ptr = np.concatenate(([0], np.cumsum(sizes)))
        n = int(ptr[-1])
        X = rng.integers(0, n_values, (n, n_features)).astype(float)
        y = rng.integers(0, n_levels, n)
        parts = [slice(a, b) for a, b in pairwise(ptr)]
        pairs = all(len(set(y[part])) > 1 for part in parts)
        varying = all(any(np.ptp(X[part, j]) > 0 for part in parts) for j in range(n_features))
        if pairs and varying:
            return RankingData(X, y, ptr), parts


def columns(data, parts, j):
    """The values of a feature, query by query."""
    return [data.X[part, j].tolist() for part in parts]


def labels(data, parts):
    """The labels, query by query."""
    return [data.y[part].astype(int).tolist() for part in parts]
