"""Held-out data: every form they are given in, and what they choose: the best iteration, or one of several C."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.door import as_source, in_memory
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import query_weights
from leanrank.errors import DataError, ParameterError
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


def eval_source(eval_set: Any, learner: Any, *, regroup: bool = False, missing: bool = False) -> RankingSource:
    """The held-out data, with the features of the training data; a source is not read yet.

    Parameters
    ----------
    eval_set : RankingData, RankingSource or tuple (X, y, qid)
    learner : estimator
        Knows the features of the training data, as `n_features_in_` and, if they had names, `feature_names_in_`.
    regroup : bool, default=False
        Whether to bring the rows of a query together where they are not adjacent, instead of refusing.
    missing : bool, default=False
        Whether NaN stands for a missing value, rather than being refused.

    Examples
    --------
    >>> from leanrank import RankSVM
    >>> ranker = RankSVM().fit([[1.0, 0.0], [0.0, 1.0]], [1, 0], qid=[7, 7])
    >>> eval_source(([[1.0, 2.0], [3.0, 4.0]], [0, 1], [8, 8]), ranker).n_rows
    2
    """
    parts = eval_set if isinstance(eval_set, tuple) else (eval_set, None, None)
    if len(parts) != 3:
        raise DataError(f"eval_set must be a RankingData or a tuple (X, y, qid). Got {len(parts)} parts.")
    X, y, qid = parts
    source = as_source(X, y, qid=qid, regroup=regroup, missing=missing, owner=type(learner).__name__)
    names = tuple(source.feature_names)
    if len(names) != learner.n_features_in_:
        raise DataError(f"eval_set has {len(names)} features, the training data {learner.n_features_in_}.")
    known = tuple(getattr(learner, "feature_names_in_", names))
    if names == known:
        return source
    if has_names(X) or not isinstance(source, RankingData):
        raise DataError("eval_set has other feature names than the training data, or in another order.")
    return replace(source, feature_names=known)  # an array's columns take the names of the training data's


def eval_data(eval_set: Any, learner: Any, *, owner: str, regroup: bool = False, missing: bool = False) -> RankingData:
    """As `eval_source`, read into memory; missing values that may not be are refused in the name of `owner`."""
    data = in_memory(eval_source(eval_set, learner, regroup=regroup, missing=missing))
    return data if missing else data.require_complete(owner)


def has_names(X: Any) -> bool:
    """Whether the columns have names of their own: an array's and a CSR matrix's are only numbered."""
    return not (isinstance(X, (np.ndarray, list, tuple)) or sp.issparse(X))
