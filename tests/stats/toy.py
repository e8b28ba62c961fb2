"""T1: two queries, four features, the last of them constant; and random data with ties."""

from __future__ import annotations

import numpy as np

from leanrank.data.ranking_data import RankingData

T1 = RankingData(
    [
        [0.9, 0.8, 0.1, 0.5],
        [0.5, 0.6, 0.9, 0.5],
        [0.4, 0.2, 0.5, 0.5],
        [0.1, 0.2, 0.3, 0.5],
        [0.3, 0.4, 0.9, 0.5],
        [0.7, 0.6, 0.2, 0.5],
        [0.1, 0.2, 0.4, 0.5],
    ],
    [2, 1, 0, 0, 0, 1, 0],
    [0, 4, 7],
)


def random_data(seed: int, sizes, n_features: int, *, decimals: int = 1, dtype=np.float64) -> RankingData:
    """Correlated features; few decimals make ties."""
    rng = np.random.default_rng(seed)
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    hidden = rng.normal(size=(ptr[-1], 1))
    X = (hidden * rng.uniform(-1, 1, n_features) + rng.normal(size=(ptr[-1], n_features))).round(decimals)
    return RankingData(X.astype(dtype), rng.integers(0, 3, ptr[-1]), ptr)
