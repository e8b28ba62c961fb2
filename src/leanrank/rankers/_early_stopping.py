"""Early stopping: score every iteration on held-out data and keep the best, of equals the earliest."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights
from leanrank.errors import ParameterError
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric


class EarlyStopping:
    """Watch a metric on held-out data, iteration by iteration.

    Parameters
    ----------
    data : RankingData
        The held-out data.
    metric : str or metric
    patience : int or None
        Stop after so many iterations without a new best; None never stops early.

    Attributes
    ----------
    history : list of float
        The metric after each iteration.
    best_iteration : int
        The first iteration with the best value, -1 before any.
    """

    def __init__(self, data: RankingData, metric: Any = "map", patience: int | None = None) -> None:
        if patience is not None and patience < 1:
            raise ParameterError(f"The early_stopping_rounds must be at least 1 or None. Got {patience!r} instead.")
        self.data = data
        self._weight = query_weights(data, "A metric on eval_set")
        self.patience = patience
        self.history: list[float] = []
        self.best_iteration = -1
        self._measure = parse_metric(metric) if isinstance(metric, str) else metric

    def improved(self, scores: Any) -> bool:
        """Record an iteration by its scores of the held-out documents; True if it is the best so far."""
        value = float(mean(self._measure.per_query(self.data.y, scores, self.data.query_ptr), self._weight))
        value = 0.0 if np.isnan(value) else value  # no query is counted: the first iteration is as good as any
        best = self.history[self.best_iteration] if self.history else -np.inf
        self.history.append(value)
        if value > best + 1e-12:  # a gain below rounding is a tie, and ties go to the earliest
            self.best_iteration = len(self.history) - 1
            return True
        return False

    @property
    def exhausted(self) -> bool:
        """Whether patience has run out."""
        return self.patience is not None and len(self.history) - 1 - self.best_iteration >= self.patience
