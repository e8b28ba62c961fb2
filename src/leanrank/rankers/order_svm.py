"""OrderSVM: near-parallel hyperplanes, one for each place of the list, and the direction they share."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import QUERIES, row_weights, without_weightless
from leanrank.kernels.products import columns_times, rows_times
from leanrank.rankers._base import LinearRanker
from leanrank.rankers._early_stopping import as_grid, best_weights, require_choice
from leanrank.rankers._query_order import level_ranks

Vector = NDArray[np.float64]


@declared
class OrderSVM(LinearRanker):
    r"""Linear Order SVM: hyperplane t separates the documents of rank <= t from the others.

    Minimises

    .. math::
        \tfrac12 \|w\|^2 + \tfrac{\lambda}{2} \sum_t \|v_t\|^2
        + C \sum_{x, t} \max(0,\, 1 - g\, ((w + v_t)^\top x + b_t))^2

    over all documents and all t below the number of ranks in their query, g being +1 for rank <= t and -1 otherwise.
    Documents are ordered by
    ``w.x``. At the minimum ``w = lam sum_t v_t``.

    Parameters
    ----------
    C : float or sequence of floats
        Weight of the loss. Of several values, the one with the best `eval_metric` on `eval_set` is kept.
    lam : float
        How parallel the hyperplanes are: the larger, the more they share one direction.
    tol : float
        Largest entry of the gradient at which to stop, relative to the one at 0.
    max_iter : int
        Iterations of L-BFGS at most.

    Attributes
    ----------
    coef_ : array of shape (K,)
        w.
    offsets_ : array of shape (T, K)
        v_t, what hyperplane t adds to the common direction.
    intercepts_ : array of shape (T,)
        b_t.
    C_ : float
        The C kept.
    n_iter_ : int

    Notes
    -----
    Ranks are counted by distinct labels, so graded judgements of long lists need few hyperplanes.
    Cost of an iteration: O(n K T) for T = (largest number of distinct labels in a query) - 1; memory that of the data.
    Take it for orders of a few items each.

    References
    ----------
    H. Kazawa, T. Hirao, E. Maeda. Order SVM: a kernel method for order learning based on generalized order statistics.
    Systems and Computers in Japan 36(1), 2005.

    Examples
    --------
    >>> ranker = OrderSVM().fit([[1, 0], [0, 1], [0.5, 0.5]], [2, 0, 1], qid=[1, 1, 1])
    >>> ranker.predict([[1, 0], [0, 1]]).round(4)
    array([ 0.8, -0.8])
    """

    _name = "ordersvm"
    _learned: ClassVar[dict[str, Any]] = {
        "coef_": ("K",),
        "offsets_": ("T", "K"),
        "intercepts_": ("T",),
        "C_": (),
        "n_iter_": (),
    }

    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    C: float | Iterable[float] = field(default=1.0, kw_only=False)
    lam: float = 1.0
    tol: float = 1e-6
    max_iter: int = 1000
    eval_metric: Any = "map"

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        grid = np.sort(as_grid("OrderSVM", self.C))
        require_choice("OrderSVM", grid, valid)
        self._must("lam", "> 0", self.lam > 0)
        self._must("tol", "> 0", self.tol > 0)
        self._must("max_iter", ">= 1", self.max_iter >= 1)
        counted = without_weightless(data)  # a query that weighs nothing has no hyperplanes
        assert isinstance(counted, RankingData)
        loss = _Hyperplanes(counted, self.lam)
        if loss.n_planes == 0:
            self._warn_nothing_to_learn()
        fits = []
        start = np.zeros(loss.n_parameters)
        for C in grid:
            start, steps = self._minimise(loss, float(C), start)
            fits.append((start, steps))
        best = best_weights(np.array([loss.parts(x)[0] for x, _ in fits]), valid, self.eval_metric)
        self.coef_, self.offsets_, self.intercepts_ = loss.parts(fits[best][0])
        self.n_iter_, self.C_ = fits[best][1], float(grid[best])

    def _minimise(self, loss: _Hyperplanes, C: float, start: Vector) -> tuple[Vector, int]:
        if loss.n_planes == 0 or C == 0.0:
            return np.zeros(loss.n_parameters), 0
        scale = loss.curvature(C)  # in units of which all directions curve about alike
        steepest = np.abs(loss.at(np.zeros(loss.n_parameters), C)[1] / scale).max()

        def scaled(z: Vector) -> tuple[float, Vector]:
            value, gradient = loss.at(z / scale, C)
            return value, gradient / scale

        minimum = minimize(
            scaled,
            start * scale,
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": self.max_iter,
                "maxfun": 4 * self.max_iter,
                "maxcor": 30,
                "ftol": 0.0,
                "gtol": self.tol * steepest,
            },
        )
        if minimum.nit >= self.max_iter:
            warnings.warn(
                f"OrderSVM stopped after {minimum.nit} iterations before its gradient was small: raise max_iter, or "
                "lower C.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return minimum.x / scale, int(minimum.nit)


class _Hyperplanes:
    """The objective as a function of one vector: the normals u_t = w + v_t, then the intercepts of centred features.

    For given normals the best w is ``lam / (1 + lam T) sum_t u_t``, where ``w = lam sum_t v_t``: w needs no search.
    Features are centred, since one far from 0 would make L-BFGS slow.
    """

    def __init__(self, data: RankingData, lam: float) -> None:
        self._X, self._lam = data.X, lam
        rank = level_ranks(data)
        levels = np.maximum.reduceat(rank, data.query_ptr[:-1])
        self.n_planes = int(levels.max()) - 1
        self.n_features = data.n_features
        self.n_parameters = self.n_planes * (data.n_features + 1)
        own = np.repeat(levels, data.query_sizes)
        # g of plane t, 0 where the document's query has no such plane
        self._side = [np.where(t < own, np.where(rank <= t, 1.0, -1.0), 0.0) for t in range(1, self.n_planes + 1)]
        weight = row_weights(data)
        self._times = np.ones(data.n_rows) if weight is None else weight
        share = self._times / self._times.sum()
        self._mean = columns_times(data.X, share)
        squares = data.X.multiply(data.X) if data.is_sparse else np.square(data.X, dtype=np.float64)
        self._variance = np.maximum(0.0, np.asarray(squares.T @ share).ravel() - self._mean**2)

    def parts(self, x: Vector) -> tuple[Vector, Vector, Vector]:
        """w, v and b."""
        u, c = self._normals(x)
        w = self._common(u)
        return w, u - w, c - u @ self._mean

    def _normals(self, x: Vector) -> tuple[Vector, Vector]:
        K, T = self.n_features, self.n_planes
        return x[: T * K].reshape(T, K), x[T * K :]

    def _common(self, u: Vector) -> Vector:
        w: Vector = self._lam / (1.0 + self._lam * self.n_planes) * u.sum(axis=0)
        return w

    def curvature(self, C: float) -> Vector:
        """Square root of how much the objective curves along each parameter, about."""
        sizes = np.array([(self._times * np.abs(side)).sum() for side in self._side])
        of_normals = self._lam + 2.0 * C * np.outer(sizes, self._variance)
        scale: Vector = np.sqrt(np.concatenate((of_normals.ravel(), 2.0 * C * sizes)))
        return scale

    def at(self, x: Vector, C: float) -> tuple[float, Vector]:
        """Value and gradient."""
        u, c = self._normals(x)
        w = self._common(u)
        v = u - w
        value = 0.5 * float(w @ w) + 0.5 * self._lam * float(np.sum(v * v))
        by_normals, by_intercepts = self._lam * v, np.empty(self.n_planes)
        for t, side in enumerate(self._side):
            scores = rows_times(self._X, u[t]) + (c[t] - u[t] @ self._mean)
            short = np.maximum(0.0, np.abs(side) - side * scores)
            weighed = self._times * short
            value += C * float(short @ weighed)
            slope = -2.0 * C * side * weighed
            by_intercepts[t] = slope.sum()
            by_normals[t] += columns_times(self._X, slope) - by_intercepts[t] * self._mean
        return value, np.concatenate((by_normals.ravel(), by_intercepts))
