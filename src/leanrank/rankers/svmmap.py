"""SVMMAP: a linear ranker trained for average precision, by cutting planes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import QUERIES
from leanrank.kernels.products import columns_times, rows_times
from leanrank.kernels.svmmap import most_violated
from leanrank.rankers._base import LinearRanker
from leanrank.rankers._early_stopping import as_grid, best_weights, require_choice

Vector = NDArray[np.float64]

# Rounds for which a constraint may lie idle before it is dropped.
_IDLE_ROUNDS = 50


@declared
class SVMMAP(LinearRanker):
    r"""Structural SVM whose loss is 1 - average precision.

    Minimises

    .. math::
        \tfrac12 \|w\|^2 + \frac CQ \sum_q \max_\pi \left[ 1 - AP(\pi) - w^\top (\Psi(\pi_{true}) - \Psi(\pi)) \right]

    with ``Psi = (1/(r n)) sum over relevant i, other j of +-(x_i - x_j)``, + where i ranks above j.
    The maximum is found exactly in O(r n) per query.

    Parameters
    ----------
    C : float or sequence of floats
        Weight of the mean slack: each of Q queries has C/Q. Where a C multiplies the sum of the slacks, Q times that C
        is meant here. Of several values, the one with the best `eval_metric` on `eval_set` is kept.
    relevance_threshold : float
        Documents with a label of at least this are relevant.
    eps : float
        How far a constraint may be violated when training stops.
    max_iter : int
        Cutting planes at most.

    Attributes
    ----------
    C_ : float
        The C kept.
    n_iter_ : int
        Cutting planes found.
    gap_ : float
        How far the objective may be above its minimum.

    Notes
    -----
    Queries without relevant, or without non-relevant, documents teach nothing and are left out.
    Cost of a round: O(sum of r n + n K), a few hundred rounds at most; memory that of the data.
    Take it when average precision is what counts and judgements are binary.

    References
    ----------
    Y. Yue, T. Finley, F. Radlinski, T. Joachims. A support vector method for optimizing average precision. SIGIR 2007.
    T. Joachims, T. Finley, C.-N. Yu. Cutting-plane training of structural SVMs. Machine Learning 77, 2009.

    Examples
    --------
    >>> ranker = SVMMAP(C=100.0).fit([[1, 0], [0, 1], [0.5, 0.5]], [1, 0, 0], qid=[1, 1, 1])
    >>> ranker.predict([[1, 0], [0, 1]]).round(2)
    array([ 0.5, -0.5])
    """

    _name = "svmmap"
    _learned: ClassVar[dict[str, Any]] = {"coef_": ("K",), "C_": (), "n_iter_": (), "gap_": ()}
    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    C: float | Iterable[float] = field(default=100.0, kw_only=False)
    relevance_threshold: float = 1.0
    eps: float = 1e-3
    max_iter: int = 1000
    eval_metric: Any = "map"

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        grid = np.sort(as_grid("SVMMAP", self.C))
        self._must("eps", "> 0", self.eps > 0)
        self._must("max_iter", ">= 1", self.max_iter >= 1)
        require_choice("SVMMAP", grid, valid)
        planes = _Planes(data, self.relevance_threshold)
        if planes.n_queries == 0:
            self._warn_nothing_to_learn()
        fits = [self._minimise(planes, float(C)) for C in grid]
        best = best_weights(np.array([fit[0] for fit in fits]), valid, self.eval_metric)
        self.coef_, self.n_iter_, self.gap_ = fits[best]
        self.C_ = float(grid[best])

    def _minimise(self, planes: _Planes, C: float) -> tuple[Vector, int, float]:
        """One-slack cutting planes; planes found for a smaller C stay valid and are kept."""
        w = np.zeros(planes.n_features)
        if planes.n_queries == 0 or C == 0.0:
            return w, 0, 0.0
        idle = np.zeros(len(planes.b))
        a = np.zeros(len(planes.b))
        for n_iter in range(self.max_iter + 1):
            G = planes.G @ planes.G.T
            a = maximise_on_simplex(G, planes.b, C, a)
            w = a @ planes.G
            slack = max(0.0, float(np.max(planes.b - planes.G @ w, initial=0.0)))
            g, b = planes.most_violated(w)
            violation = float(b - g @ w) - slack
            if violation <= self.eps or n_iter == self.max_iter:
                break
            idle = np.where(a > 0.0, 0, idle + 1)
            kept = idle < _IDLE_ROUNDS
            planes.keep(kept)
            planes.add(g, b)
            a, idle = np.append(a[kept], 0.0), np.append(idle[kept], 0)
        if violation > self.eps:
            warnings.warn(
                f"SVMMAP stopped after {n_iter} cutting planes with a violation of {violation:.2g} > eps: "
                "raise max_iter, or lower C.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return w, n_iter, C * max(0.0, violation)


class _Planes:
    """Cutting planes: rows of G are mean over queries of Psi(true) - Psi(found), b is the mean loss 1 - AP."""

    def __init__(self, data: RankingData, threshold: float) -> None:
        self._data = data
        self._relevant = data.y >= threshold
        starts = data.query_ptr[:-1]
        r = np.add.reduceat(self._relevant.astype(np.int64), starts)
        self._weight = np.ones(data.n_queries) if data.beside.query_weight is None else data.beside.query_weight
        #: Queries that can be ranked well or badly, or what they weigh.
        self.n_queries = float(self._weight[(r > 0) & (r < data.query_sizes)].sum())
        self.n_features = data.n_features
        self.G = np.zeros((0, data.n_features))
        self.b = np.zeros(0)

    def most_violated(self, w: Vector) -> tuple[Vector, float]:
        data = self._data
        coefficient, loss = np.empty(data.n_rows), np.empty(data.n_queries)
        scores = rows_times(data.X, w)
        most_violated(scores, self._relevant, data.query_ptr, 0, data.n_queries, coefficient, loss)
        coefficient *= np.repeat(self._weight, data.query_sizes)
        loss *= self._weight
        return columns_times(data.X, coefficient) / self.n_queries, float(np.nansum(loss)) / self.n_queries

    def keep(self, kept: NDArray[np.bool_]) -> None:
        self.G, self.b = self.G[kept], self.b[kept]

    def add(self, g: Vector, b: float) -> None:
        self.G, self.b = np.vstack((self.G, g)), np.append(self.b, b)


def maximise_on_simplex(G: Vector, b: Vector, C: float, a: Vector, *, tol: float = 1e-10) -> Vector:
    """Maximise ``b.a - 0.5 a'Ga`` over ``a >= 0, sum a <= C``, starting from a feasible `a`.

    The part of C not spent is one more variable with no gain and no cost, so that the sum is exactly C. On the
    variables above 0 the maximum solves a linear system; the step towards it stops at the first variable that reaches
    0; a variable at 0 whose gradient is above the others' joins (Wolfe's nearest point in a polytope).

    >>> maximise_on_simplex(np.eye(2), np.array([3.0, 1.0]), 2.0, np.zeros(2))
    array([2., 0.])
    """
    m = len(b) + 1
    H = np.zeros((m, m))
    H[1:, 1:] = G
    gain = np.concatenate(([0.0], b))
    x = np.concatenate(([max(0.0, C - a.sum())], a))
    scale = max(1.0, float(np.abs(np.diag(G)).max(initial=0.0)))
    inside = x > 0
    if not inside.any():
        x[0], inside[0] = C, True
    for _ in range(50 * m):
        S = np.flatnonzero(inside)
        k = len(S)
        system = np.ones((k + 1, k + 1))
        system[:k, :k] = H[np.ix_(S, S)] + np.eye(k) * (1e-13 * scale)
        system[k, k] = 0.0
        target = np.linalg.lstsq(system, np.append(gain[S], C), rcond=None)[0]
        step = target[:k] - x[S]
        falling = target[:k] <= 0.0
        if falling.any():
            ratios = np.where(falling, x[S] / np.maximum(-step, 1e-300), np.inf)
            first = int(np.argmin(ratios))
            x[S] += min(1.0, ratios[first]) * step
            x[S[first]] = 0.0
            np.maximum(x, 0.0, out=x)
            inside[S[first]] = False
            continue
        x[S] = target[:k]
        gradient = gain - H @ x
        excess = np.where(inside, -np.inf, gradient - target[k])
        enter = int(np.argmax(excess))
        if excess[enter] <= tol * scale:
            break
        inside[enter] = True
    return x[1:]
