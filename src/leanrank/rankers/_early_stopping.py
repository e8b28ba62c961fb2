"""What held-out data choose: the best iteration of a learner, of equals the earliest, or one of several C."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights
from leanrank.errors import ParameterError
from leanrank.kernels.products import rows_times
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


def as_grid(owner: str, C: Any) -> NDArray[np.float64]:
    """The values of C, in the order given.

    >>> as_grid("RankSVM", [10, 1])
    array([10.,  1.])
    """
    try:
        grid = np.atleast_1d(np.asarray(list(C) if np.iterable(C) else C, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.zeros(0)
    if grid.size == 0 or not np.isfinite(grid).all() or (grid < 0).any():
        raise ParameterError.of(owner, "C", "a number >= 0 or several of them", C)
    return grid


def require_choice(owner: str, grid: NDArray[np.float64], valid: RankingData | None) -> None:
    """Several values need held-out data to choose by."""
    if len(grid) > 1 and valid is None:
        raise ParameterError(f"{owner} needs an eval_set to choose among {len(grid)} values of C: pass it, or one C.")


def best_weights(weights: NDArray[np.float64], valid: RankingData | None, metric: Any) -> int:
    """The row of `weights` with the best metric on held-out data; of equals the first."""
    if valid is None or len(weights) == 1:
        return 0
    watch = EarlyStopping(valid, metric)
    for w in weights:
        watch.improved(rows_times(valid.X, w))
    return watch.best_iteration
