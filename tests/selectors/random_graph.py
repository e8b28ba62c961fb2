"""Feature graphs of random numbers, for tests of the algorithms alone."""

from __future__ import annotations

import numpy as np

from leanrank.stats.feature_graph import FeatureGraph


def random_graph(seed: int, m: int | None = None) -> FeatureGraph:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 11)) if m is None else m
    e = rng.random((m, m))
    e = (e + e.T) / 2
    np.fill_diagonal(e, 1.0)
    return FeatureGraph(rng.random(m), e, importance_std=rng.random(m) / 2)
