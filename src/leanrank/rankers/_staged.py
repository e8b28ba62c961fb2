"""StagedMetric: a booster measured after each of its iterations, as a fold over held-out data."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._optional import require
from leanrank.data.ranking_data import RankingData
from leanrank.metrics._base import Metric
from leanrank.stats.exact_sum import as_float, exact_sum

Partial = tuple[NDArray[np.int64], int]


@dataclass(frozen=True, eq=False)
class StagedMetric:
    """Statistic: the mean over queries of `metric` after 1, 2, ... iterations of a LightGBM model.

    LightGBM's Dask interface cannot stop early: every worker would measure its own part of the held-out data alone.
    This measures all of them, once all iterations are there. Cost: a prediction and a sort for each iteration.
    """

    model_text: str
    metric: Metric
    relabel: Any  # labels as the model was trained with

    def of(self, block: RankingData) -> Partial:
        booster = _booster(self.model_text)
        X, y = block.dense(), np.asarray(self.relabel(block.y), dtype=np.float32)
        scores, values = np.zeros(block.n_rows), np.empty((block.n_queries, booster.num_trees()))
        for i in range(values.shape[1]):
            scores += booster.predict(X, start_iteration=i, num_iteration=1, raw_score=True, num_threads=1)
            values[:, i] = self.metric.per_query(y, scores, block.query_ptr)
        counted = ~np.isnan(values).any(axis=1)
        return exact_sum(values[counted]), int(counted.sum())

    def merge(self, a: Partial, b: Partial) -> Partial:
        return a[0] + b[0], a[1] + b[1]

    def finish(self, partial: Partial) -> NDArray[np.float64]:
        return np.round(as_float(partial[0]) / max(partial[1], 1), 12)  # type: ignore[no-any-return]


class _Last(threading.local):
    """The model this thread read last: a booster keeps its range of iterations to itself, so threads share none."""

    text = ""
    booster: Any = None


_last = _Last()


def _booster(text: str) -> Any:
    if _last.text != text:
        _last.booster = require("lightgbm", "LightGBMAdapter").Booster(model_str=text)
        _last.text = text
    return _last.booster


def best_length(values: NDArray[np.float64], patience: int, min_delta: float = 0.0) -> int:
    """Iterations to keep: the first best one before `patience` of them pass without a gain of more than `min_delta`.

    >>> best_length(np.array([0.2, 0.5, 0.4, 0.5, 0.9]), 2), best_length(np.array([0.2, 0.5, 0.4, 0.5, 0.9]), 3)
    (2, 5)
    """
    best = 0
    for i, value in enumerate(values):
        if value > values[best] + min_delta:
            best = i
        elif i - best >= patience:
            break
    return best + 1
