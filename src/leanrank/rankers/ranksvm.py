"""RankSVM: a linear Ranking SVM trained in the primal, without forming pairs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from leanrank._declared import declared
from leanrank.data.category_means import cross_fitted
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import DOCUMENTS, QUERIES
from leanrank.rankers._base import LinearRanker
from leanrank.rankers._early_stopping import as_grid, best_weights, require_choice
from leanrank.rankers.pairwise_hinge import Margins, PairwiseSquaredHinge

Vector = NDArray[np.float64]

#: Values of C to choose among where none is named.
GRID = (0.01, 0.1, 1.0, 10.0, 100.0)


@declared
class RankSVM(LinearRanker):
    r"""Linear Ranking SVM with squared hinge, by truncated Newton in the primal.

    Minimises

    .. math:: \tfrac12 \|w\|^2 + \frac{C'}{2} \sum_{(i,j)} \max(0,\, 1 - w^\top (x_i - x_j))^2

    the pairs being documents of one query with y_i > y_j. Where documents or queries have weights, a pair counts the
    product of those of its two documents and its query: whole weights are as if each stood there so often. Pairs are
    never formed: one evaluation costs O(n log n + n K), so memory is that of the data.

    Parameters
    ----------
    C : float or sequence of floats
        Weight of the loss. Of several values, the one with the best `eval_metric` on `eval_set` is kept (of equals, the
        smallest); they are fitted as a path, each from the solution of the one before.
    C_mode : {"total", "per_pair"}
        "total": C' = C / (number of training pairs), as the LETOR scripts do, so that a C serves data of any size.
        "per_pair": C' = C, the convention of Chapelle's code. LinearSVC and the paper write C for what is C'/2 here.
    tol : float
        Newton stops when the expected decrease is below `tol` times the objective.
    max_iter : int
        Newton steps at most.
    n_threads : int, optional
        The answer does not depend on it.

    Attributes
    ----------
    C_ : float
        The C kept.
    n_iter_ : int
        Newton steps of the last fit.
    objective_ : float
        The minimum found.

    Notes
    -----
    Cost of a Newton step: O(n log n + n K) times the conjugate gradient steps within it (about ten).
    Use it first: it is the baseline of the papers, fast, convex, and needs no random numbers.

    References
    ----------
    O. Chapelle, S. S. Keerthi. Efficient algorithms for ranking with SVMs. Information Retrieval 13, 2010.
    C.-P. Lee, C.-J. Lin. Large-scale linear RankSVM. Neural Computation 26, 2014.

    Examples
    --------
    >>> ranker = RankSVM(C=2.0, C_mode="per_pair").fit([[1, 0], [0, 1], [0.5, 0.5]], [2, 0, 1], qid=[1, 1, 1])
    >>> ranker.coef_.round(6), round(ranker.objective_, 6)
    (array([ 0.666667, -0.666667]), 0.666667)
    """

    _name = "ranksvm"
    _learned: ClassVar[dict[str, Any]] = {"coef_": ("K",), "C_": (), "n_iter_": (), "objective_": ()}
    _takes_weights: ClassVar[tuple[str, ...]] = (DOCUMENTS, QUERIES)
    C: float | Iterable[float] = field(default=1.0, kw_only=False)
    C_mode: str = "total"
    tol: float = 1e-8
    max_iter: int = 100
    eval_metric: Any = "map"
    n_threads: int | None = None

    def path(self, X: Any, y: Any = None, *, qid: Any = None, Cs: Iterable[float], regroup: bool = False) -> Vector:
        """Weights for each of `Cs`, one row each, in the order given; fitted from the smallest C up, warm-started."""
        data = cross_fitted(self._door(X, y, qid, regroup=regroup))
        grid = self._grid(Cs)
        weights, _, _ = self._path(data, np.sort(grid))
        return weights[np.argsort(np.argsort(grid, kind="stable"), kind="stable")]

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        grid = np.sort(self._grid(self.C))
        require_choice("RankSVM", grid, valid)
        weights, steps, objectives = self._path(data, grid)
        best = best_weights(weights, valid, self.eval_metric)
        self.coef_ = weights[best].copy()
        self.C_ = float(grid[best])
        self.n_iter_ = steps[best]
        self.objective_ = objectives[best]

    def _grid(self, C: Any) -> Vector:
        grid = as_grid("RankSVM", C)
        self._must("C_mode", "'total' or 'per_pair'", self.C_mode in ("total", "per_pair"))
        self._must("tol", "> 0", self.tol > 0)
        self._must("max_iter", ">= 1", self.max_iter >= 1)
        return grid

    def _path(self, data: RankingData, grid: Vector) -> tuple[Vector, list[int], list[float]]:
        loss = PairwiseSquaredHinge(data, n_threads=self.n_threads)
        if loss.n_pairs == 0:
            self._warn_nothing_to_learn()
            return np.zeros((len(grid), data.n_features)), [0] * len(grid), [0.0] * len(grid)
        scale = 1.0 / loss.n_pairs if self.C_mode == "total" else 1.0
        weights, steps, objectives = np.zeros((len(grid), data.n_features)), [], []
        w = np.zeros(data.n_features)
        for row, C in enumerate(grid):
            w, n_steps, value = minimise(loss, 0.5 * C * scale, w, tol=self.tol, max_iter=self.max_iter)
            weights[row] = w
            steps.append(n_steps)
            objectives.append(value)
        return weights, steps, objectives


def minimise(
    loss: PairwiseSquaredHinge, c: float, w: Vector, *, tol: float, max_iter: int
) -> tuple[Vector, int, float]:
    """Minimise ``0.5 |w|^2 + c L(Xw)`` from w; returns w, the number of Newton steps and the minimum."""
    s = loss.scores(w)
    here = loss.at(s)
    gradient = w + c * loss.weights(here.slope)
    value = 0.5 * (w @ w) + c * here.value
    start = max(np.sqrt(gradient @ gradient), 1e-300)
    for step in range(max_iter):
        norm = np.sqrt(gradient @ gradient)
        forcing = min(0.1, np.sqrt(norm / start)) if step else 0.1
        d, t = _newton_direction(loss, here, c, gradient, forcing)
        decrement = -(d @ gradient)
        if decrement <= tol * value or norm == 0.0:
            return w, step, float(value)
        a, here = _line_search(loss, here, c, w, d, s, t)
        w = w + a * d
        s = s + a * t
        gradient = w + c * loss.weights(here.slope)
        before, value = value, 0.5 * (w @ w) + c * here.value
        if value >= before:  # as low as rounding lets it be
            return w, step + 1, float(value)
    warnings.warn(
        f"RankSVM stopped after {max_iter} Newton steps short of its minimum: raise max_iter, or tol.",
        ConvergenceWarning,
        stacklevel=6,
    )
    return w, max_iter, float(value)


def _newton_direction(
    loss: PairwiseSquaredHinge, here: Margins, c: float, gradient: Vector, forcing: float
) -> tuple[Vector, Vector]:
    """Conjugate gradients on H d = -gradient, up to a residual of `forcing` times the gradient; returns d and Xd."""
    d, t = np.zeros_like(gradient), np.zeros(loss.X.shape[0])
    residual = -gradient
    p = residual.copy()
    rr = residual @ residual
    enough = (forcing**2) * rr
    for _ in range(4 * len(gradient) + 20):
        if rr <= enough or rr == 0.0:
            break
        u = loss.scores(p)
        Hp = p + c * loss.weights(here.curve(u))
        a = rr / (p @ Hp)
        d += a * p
        t += a * u
        residual -= a * Hp
        before, rr = rr, residual @ residual
        p = residual + (rr / before) * p
    return d, t


def _line_search(
    loss: PairwiseSquaredHinge, here: Margins, c: float, w: Vector, d: Vector, s: Vector, t: Vector
) -> tuple[float, Margins]:
    """Minimise along d: Newton on the derivative of a convex, piecewise quadratic function of one variable."""
    wd, dd = w @ d, d @ d
    descent = wd + c * (here.slope @ t)
    low, high, a = 0.0, float("inf"), 1.0
    for _ in range(30):
        here = loss.at(s + a * t)
        slope = wd + a * dd + c * (here.slope @ t)
        if abs(slope) <= 1e-3 * abs(descent):
            return a, here
        low, high = (a, high) if slope < 0 else (low, a)
        guess = float(a - slope / (dd + c * (t @ here.curve(t))))
        a = guess if low < guess < high else 0.5 * (low + min(high, 2.0 * a + 1.0))
    return a, loss.at(s + a * t)
