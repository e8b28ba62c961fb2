"""RankBoost: boosting over pairs, with thresholds on single features as weak rankers."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError
from leanrank.kernels.rankboost import add_step, best_threshold, potentials
from leanrank.rankers._base import Ranker, Scores

Vector = NDArray[np.float64]


@declared
class RankBoost(Ranker):
    r"""Boosted thresholds: ``F(x) = sum_t alpha_t 1[x_f(t) > theta_t]``.

    D is a distribution over the pairs, uniform at first. A round takes the feature and threshold with the largest
    ``|r|``, adds it with the weight alpha,

    .. math::
        r = \sum_{(i,j)} D(i, j)\, (h(x_i) - h(x_j)), \qquad \alpha = \tfrac12 \ln \frac{1 + r}{1 - r}

    and multiplies ``D(i, j)`` by ``exp(alpha (h(x_j) - h(x_i))) / Z``. The share of pairs in the wrong order (or tied)
    is at most the product of the Z.

    Parameters
    ----------
    n_rounds : int
        Rounds at most.
    n_threshold : int, optional
        Thresholds of a feature, in equal steps from its largest value to its smallest. None: the midpoint of every two
        neighbouring values.
    negative_weights : bool
        Whether small values may be preferred (largest ``|r|``, as published), or only large ones (largest r).

    Attributes
    ----------
    chosen_ : array of shape (T,)
        The feature of each round.
    thresholds_ : array of shape (T,)
    alphas_ : array of shape (T,)
    normalisers_ : array of shape (T,)
        Z of each round.
    n_iter_ : int
        Rounds kept: with an `eval_set`, those up to the best.

    Notes
    -----
    Cost: O(K n log n) once, then O(n K) per round whatever the number of pairs, since ``D(i, j)`` is a factor of i
    times a factor of j. Memory: two bytes per feature value beside the data (four with more than 65,535 thresholds).
    Take it where features work by thresholds, are not scaled, or are not positively oriented.

    References
    ----------
    Y. Freund, R. Iyer, R. E. Schapire, Y. Singer. An efficient boosting algorithm for combining preferences. JMLR 4,
    2003.

    Examples
    --------
    >>> X = [[0.9, 0.2], [0.5, 0.9], [0.4, 0.5], [0.6, 0.1]]
    >>> ranker = RankBoost(n_rounds=3).fit(X, [2, 1, 0, 0], qid=[1, 1, 1, 1])
    >>> ranker.thresholds_, ranker.alphas_.round(4)
    (array([0.75, 0.45, 0.15]), array([0.6931, 0.4581, 0.561 ]))
    >>> ranker.predict(X).round(4)
    array([1.7123, 1.0191, 0.561 , 0.4581])
    """

    _name = "rankboost"
    _learned: ClassVar[dict[str, Any]] = {
        "chosen_": ("T",),
        "thresholds_": ("T",),
        "alphas_": ("T",),
        "normalisers_": ("T",),
        "n_iter_": (),
    }

    n_rounds: int = field(default=300, kw_only=False)
    n_threshold: int | None = None
    negative_weights: bool = True
    eval_metric: Any = "map"
    early_stopping_rounds: int | None = None

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self._must("n_rounds", ">= 1", self.n_rounds >= 1)
        self._must("n_threshold", "None or >= 1", self.n_threshold is None or self.n_threshold >= 1)
        thresholds = [self._thresholds(np.unique(column)) for column in _columns(data.X)]
        counts = np.array([len(t) for t in thresholds])
        codes = np.empty((data.n_features, data.n_rows), dtype=np.uint16 if counts.max() < 2**16 else np.int32)
        for code, column, steps in zip(codes, _columns(data.X), thresholds, strict=True):
            code[:] = np.searchsorted(steps, column, side="left")
        order = np.lexsort((data.y, np.repeat(np.arange(data.n_queries), data.query_sizes)))
        F, pi, watch = np.zeros(data.n_rows), np.empty(data.n_rows), self._watch(valid)
        seen = None if watch is None else np.zeros(watch.data.n_rows)
        rounds: list[tuple[int, float, float, float]] = []
        kept, perfect = 0, False
        total = potentials(order, data.y, data.query_ptr, 0, data.n_queries, F, pi)
        if total == 0.0:
            self._warn_nothing_to_learn()
        while total > 0.0 and len(rounds) < self.n_rounds and not perfect:
            f, t, r = best_threshold(codes, counts, pi / total, self.negative_weights)
            if f < 0:
                break
            perfect = abs(r) >= 1.0 - 1e-9  # in every pair the one is above the threshold, the other not
            r = float(np.clip(r, -1.0 + 1e-9, 1.0 - 1e-9))
            alpha = 0.5 * np.log((1.0 + r) / (1.0 - r))
            add_step(codes, f, t, alpha, F)
            before, total = total, potentials(order, data.y, data.query_ptr, 0, data.n_queries, F, pi)
            rounds.append((f, thresholds[f][t], alpha, total / before))
            if watch is None or seen is None:
                kept = len(rounds)
                continue
            seen += alpha * (_column(watch.data.X, f) > thresholds[f][t])
            kept = len(rounds) if watch.improved(seen) else kept
            if watch.exhausted:
                break
        self._keep(rounds[:kept])

    def _thresholds(self, values: NDArray[Any]) -> Vector:
        """Thresholds of a feature with these distinct values (ascending), ascending."""
        known = values.astype(np.float64)
        if len(known) < 2:
            return np.zeros(0)
        if self.n_threshold is None:
            between = known[:-1] + 0.5 * (known[1:] - known[:-1])
            return np.where(between < known[1:], between, known[:-1])
        low, high = known[0], known[-1]
        steps = high - (high - low) * np.arange(self.n_threshold, 0, -1) / self.n_threshold
        steps[0] = low
        return np.unique(steps[steps < high])

    def _keep(self, rounds: list[tuple[int, float, float, float]]) -> None:
        table = np.array(rounds, dtype=np.float64).reshape(-1, 4)
        self.chosen_ = table[:, 0].astype(np.int64)
        self.thresholds_, self.alphas_, self.normalisers_ = table[:, 1:].T.copy()
        self.n_iter_ = len(rounds)

    def _check_learned(self) -> None:
        if len(self.chosen_) and not 0 <= self.chosen_.min() <= self.chosen_.max() < self.n_features_in_:
            raise DataError(f"'chosen_' names features outside 0..{self.n_features_in_ - 1}.")

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        scores = np.zeros(X.shape[0])
        for f in np.unique(self.chosen_):
            own = np.flatnonzero(self.chosen_ == f)
            own = own[np.argsort(self.thresholds_[own], kind="stable")]
            height = np.concatenate(([0.0], np.cumsum(self.alphas_[own])))  # a step at each threshold
            scores += height[np.searchsorted(self.thresholds_[own], _column(X, int(f)), side="left")]
        return scores


def _column(X: Any, j: int) -> Vector:
    column = X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]
    return np.asarray(column, dtype=np.float64)


def _columns(X: Any) -> Any:
    """Columns one by one, dense, without a dense copy of a sparse matrix."""
    if not sp.issparse(X):
        return iter(X.T)
    by_column = X.tocsc()
    return (by_column[:, [j]].toarray().ravel() for j in range(X.shape[1]))
