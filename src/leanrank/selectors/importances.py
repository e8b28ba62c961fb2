"""Importance of each feature to a trained ranker, by one of several kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.errors import ParameterError
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric
from leanrank.rankers._base import Ranker

KINDS = ("auto", "coef", "gain", "split", "shap", "permutation", "loss")


def importances(
    ranker: Ranker, kind: str, data: RankingData, *, metric: Any = "ndcg@10", n_repeats: int = 5, random_state: Any = 0
) -> NDArray[np.float64]:
    """One importance per feature of a fitted ranker, to 12 significant digits.

    "coef": absolute weights of a linear ranker. They compare only where features have one scale.
    "gain", "split", "shap": a booster's own; SHAP values are those of `data`.
    "permutation": loss of `metric` on `data` when a feature is shuffled within each query.
    "loss": loss of `metric` on `data` when a feature is held at its mean within each query: no random numbers.
    "auto": "coef" of a linear ranker, "gain" of a booster, "permutation" of any other.
    """
    if kind == "auto":
        kind = _natural(ranker)
    if kind == "coef":
        if not hasattr(ranker, "coef_"):
            raise ParameterError(
                f"{type(ranker).__name__} has no coefficients, so its features cannot be ranked by 'coef'. "
                "Use 'permutation', 'loss' or, of a booster, 'gain', 'split' or 'shap'."
            )
        weight = np.abs(np.asarray(ranker.coef_, dtype=np.float64))
    elif kind == "loss":
        weight = _held_at_mean(ranker, data, metric)
    else:
        weight = ranker.importances(kind, data=data, metric=metric, n_repeats=n_repeats, random_state=random_state)
    largest = float(np.abs(weight).max(initial=0.0))
    return weight if largest == 0 else np.asarray(np.round(weight / largest, 12) * largest)


def _natural(ranker: Ranker) -> str:
    if hasattr(ranker, "coef_"):
        return "coef"
    try:
        ranker.importances("gain")
    except ParameterError:
        return "permutation"
    return "gain"


def _held_at_mean(ranker: Ranker, data: RankingData, metric: Any) -> NDArray[np.float64]:
    measure = parse_metric(metric) if isinstance(metric, str) else metric

    def quality(X: Any) -> float:
        return float(mean(measure.per_query(data.y, ranker._scores(X, data.query_ptr), data.query_ptr)))

    X = data.dense().copy()
    whole = quality(X)
    lost = np.zeros(data.n_features)
    for j in range(data.n_features):
        column = X[:, j].copy()
        means = np.add.reduceat(column.astype(np.float64), data.query_ptr[:-1]) / data.query_sizes
        X[:, j] = np.repeat(means, data.query_sizes)
        lost[j] = whole - quality(X)
        X[:, j] = column
    return lost
