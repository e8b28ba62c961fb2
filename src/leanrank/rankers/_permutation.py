"""Permutation importance for ranking: values are shuffled within a query, never between queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights
from leanrank.errors import ParameterError
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric

Scorer = Callable[[Any, NDArray[np.int64]], NDArray[np.float64]]


def permutation_importances(
    score: Scorer, data: RankingData, metric: Any, n_repeats: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Mean loss of `metric` when a feature is shuffled within each query; K n_repeats predictions."""
    if n_repeats < 1:
        raise ParameterError(f"The 'n_repeats' of permutation importances must be >= 1. Got {n_repeats!r} instead.")
    measure = parse_metric(metric) if isinstance(metric, str) else metric

    weight = query_weights(data, "Permutation importance")

    def quality(X: Any) -> float:
        return float(mean(measure.per_query(data.y, score(X, data.query_ptr), data.query_ptr), weight))

    X = data.dense()
    query_of_row = np.repeat(np.arange(data.n_queries), data.query_sizes)
    whole = quality(data.X)
    lost = np.zeros(data.n_features)
    shuffled = X.copy()
    for j in range(data.n_features):
        if (X[:, j] == X[0, j]).all():
            continue  # shuffling a constant changes nothing
        for _ in range(n_repeats):
            shuffled[:, j] = X[np.lexsort((rng.random(data.n_rows), query_of_row)), j]
            lost[j] += whole - quality(shuffled)
        shuffled[:, j] = X[:, j]
    return lost / n_repeats
