"""ListNet: a linear ranker whose softmax over a query's scores follows the softmax of its labels."""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.kernels.products import columns_times, rows_times
from leanrank.kernels.query_sgd import LISTNET, csr_linear_epoch, dense_linear_epoch, listnet_slope, softmax_targets
from leanrank.rankers._base import LinearRanker
from leanrank.rankers._query_order import query_order

Vector = NDArray[np.float64]


@declared
class ListNet(LinearRanker):
    r"""Linear ListNet with top-one probabilities.

    Minimises

    .. math:: -\sum_q \sum_{i \in q} P_i \log \operatorname{softmax}(X_q w)_i, \qquad P = \operatorname{softmax}(y_q)

    The chance that a document
    is first should be the same by the scores as by the labels. Convex in w; the gradient of a query is
    ``X'(softmax(X w) - P)``.

    Parameters
    ----------
    learning_rate : float
        Length of a step of "sgd".
    n_epochs : int
        Passes over the queries ("sgd"), or iterations at most ("lbfgs").
    solver : {"sgd", "lbfgs"}
        "sgd": a step for every query in turn, as published. "lbfgs": the minimum itself; nothing random.
    label_transform : {"raw", "exp2"}
        P from y, or from 2^y - 1.
    random_state : int, Generator or None
        Shuffles the queries before each epoch.

    Attributes
    ----------
    n_iter_ : int
        Epochs (or iterations) behind `coef_`: with an `eval_set`, those up to the best.

    Notes
    -----
    Cost of an epoch: O(n K), whatever the number of pairs; memory that of the data.
    Take it for many graded labels and long lists, where pairs are too many.

    References
    ----------
    Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai, H. Li. Learning to rank: from pairwise approach to listwise approach. ICML
    2007.

    Examples
    --------
    >>> ranker = ListNet(solver="lbfgs").fit([[1, 0], [0, 1]], [1, 0], qid=[1, 1])
    >>> ranker.coef_.round(4)  # the difference of scores is the difference of labels
    array([ 0.5, -0.5])
    """

    _name = "listnet"
    _learned: ClassVar[dict[str, Any]] = {"coef_": ("K",), "n_iter_": ()}
    learning_rate: float = field(default=0.01, kw_only=False)
    n_epochs: int = field(default=200, kw_only=False)
    solver: str = "sgd"
    label_transform: str = "raw"
    eval_metric: Any = "map"
    early_stopping_rounds: int | None = None
    random_state: Any = 0

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self._must("learning_rate", "> 0", self.learning_rate > 0)
        self._must("n_epochs", ">= 1", self.n_epochs >= 1)
        self._must("solver", "'sgd' or 'lbfgs'", self.solver in ("sgd", "lbfgs"))
        self._must("label_transform", "'raw' or 'exp2'", self.label_transform in ("raw", "exp2"))
        y = data.y.astype(np.float64)
        target = np.empty(data.n_rows)
        softmax_targets(np.exp2(y) - 1.0 if self.label_transform == "exp2" else y, data.query_ptr, target)
        if (data.query_sizes == 1).all():
            self._warn_nothing_to_learn("no query has two documents")
        watch = self._watch(valid)
        best = self._descend(data, target, watch) if self.solver == "sgd" else self._minimise(data, target, watch)
        self.coef_, self.n_iter_ = best

    def _descend(self, data: RankingData, target: Vector, watch: Any) -> tuple[Vector, int]:
        rng, order = self._rng(), query_order(data)
        w = np.zeros(data.n_features)
        best = (w.copy(), 0)
        for epoch in range(1, self.n_epochs + 1):
            linear_epoch(LISTNET, data, target, rng.permutation(order), self.learning_rate, w)
            if watch is None or watch.improved(rows_times(watch.data.X, w)):
                best = (w.copy(), epoch)
            if watch is not None and watch.exhausted:
                break
        return best

    def _minimise(self, data: RankingData, target: Vector, watch: Any) -> tuple[Vector, int]:
        steps: list[Vector] = []
        minimum = minimize(
            lambda w: cross_entropy(data, target, w),
            np.zeros(data.n_features),
            jac=True,
            method="L-BFGS-B",
            callback=lambda w: steps.append(w.copy()),
            options={"maxiter": self.n_epochs, "maxcor": 20, "ftol": 1e-14, "gtol": 1e-8},
        )
        if watch is None or not steps:
            return minimum.x, len(steps)
        for w in steps:
            watch.improved(rows_times(watch.data.X, w))
        return steps[watch.best_iteration], watch.best_iteration + 1


def cross_entropy(data: RankingData, target: Vector, w: Vector) -> tuple[float, Vector]:
    """The mean over queries of ListNet's loss, and its gradient."""
    s, slope, total = rows_times(data.X, w), np.empty(data.n_rows), 0.0
    for a, b in pairwise(data.query_ptr):
        total += listnet_slope(s[a:b], target[a:b], slope[a:b])
    return total / data.n_queries, columns_times(data.X, slope) / data.n_queries


def linear_epoch(
    loss: int,
    data: RankingData,
    target: Vector,
    order: NDArray[np.int64],
    rate: float,
    w: Vector,
    *,
    half_ties: bool = False,
) -> float:
    """A step of length `rate` down the loss of each query of `order`, in turn; w is changed in place.

    Returns the sum of the losses met on the way.
    """
    X, ptr = data.X, data.query_ptr
    if sp.issparse(X):
        arrays = (X.data, X.indices, X.indptr)
        return float(csr_linear_epoch(loss, *arrays, target, ptr, order, rate, half_ties, w))
    return float(dense_linear_epoch(loss, X, target, ptr, order, rate, half_ties, w))
