"""The convex problem of FSMRank, by accelerated projected gradient steps, without forming pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError
from leanrank.rankers.pairwise_hinge import PairwiseSquaredHinge

Vector = NDArray[np.float64]

# Lanczos finds the largest curvature to this share; the step is shortened by twice as much.
_SLACK = 0.01


@dataclass(frozen=True)
class Solution:
    """A minimum: u and v stacked, the objective, how far the optimality conditions are violated, steps taken."""

    x: Vector
    value: float
    violation: float
    n_iter: int

    @property
    def w(self) -> Vector:
        """The weights u - v."""
        u, v = np.split(self.x, 2)
        return np.asarray(u - v)


class FSMProblem:
    """``min over u, v >= 0 of (1/p) sum over pairs of max(0, 1 - (u - v).z)^2 + (lambda1/2) s'As + lambda2 b's``

    with s = u + v, p pairs z = x_i - x_j of documents of one query with y_i > y_j. A is made positive semidefinite, if
    it is not, by raising its diagonal. At a minimum u_j v_j = 0, so that s = |w|.

    Parameters
    ----------
    data : RankingData
    similarity : array of shape (K, K)
        A.
    unimportance : array of shape (K,)
        b, >= 0.
    """

    def __init__(self, data: RankingData, similarity: Vector, unimportance: Vector) -> None:
        self.loss = PairwiseSquaredHinge(data)
        self.b = np.asarray(unimportance, dtype=np.float64)
        eigenvalues = eigvalsh(similarity)
        shift = max(0.0, -float(eigenvalues[0]))
        self.A = similarity + shift * np.eye(len(self.b)) if shift > 1e-12 else np.asarray(similarity)
        self._norm_A = float(eigenvalues[-1]) + shift
        self._norm_loss = self._curvature() if self.loss.n_pairs else 0.0

    @property
    def n_features(self) -> int:
        return len(self.b)

    def at(self, x: Vector, lambda1: float, lambda2: float) -> tuple[float, Vector]:
        """The objective and its gradient at x = (u, v)."""
        u, v = np.split(x, 2)
        s = u + v
        As = self.A @ s
        value = 0.5 * lambda1 * (s @ As) + lambda2 * (self.b @ s)
        g_s = lambda1 * As + lambda2 * self.b
        if self.loss.n_pairs == 0:
            return float(value), np.concatenate([g_s, g_s])
        here = self.loss.at(self.loss.scores(u - v))
        g_w = self.loss.weights(here.slope) / self.loss.n_pairs
        return float(value + here.value / self.loss.n_pairs), np.concatenate([g_s + g_w, g_s - g_w])

    def minimise(
        self, lambda1: float, lambda2: float, start: Vector | None = None, *, tol: float = 1e-7, max_iter: int = 5000
    ) -> Solution:
        """Nesterov's steps with restarts (Beck and Teboulle 2009, O'Donoghue and Candes 2015) from `start`, or from 0.

        Stops where the optimality conditions hold to `tol`: the gradient G >= 0, and x G = 0.
        """
        x = np.zeros(2 * self.n_features) if start is None else start.copy()
        lipschitz = 2.0 * (self._norm_loss + lambda1 * self._norm_A)
        y, t = x, 1.0
        for step in range(1, max_iter + 1):
            _, G = self.at(y, lambda1, lambda2)
            if step % 10 == 1 and self._violation(y, G) <= tol and (y >= 0).all():
                x = y
                break
            new = np.maximum(0.0, y - G / lipschitz) if lipschitz > 0 else np.zeros_like(y)
            if (y - new) @ (new - x) > 0:  # the momentum points uphill
                t, y = 1.0, new
            else:
                t_next = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
                y = new + ((t - 1.0) / t_next) * (new - x)
                t = t_next
            x = new
        value, G = self.at(x, lambda1, lambda2)
        return Solution(x, value, self._violation(x, G), step)

    @staticmethod
    def _violation(x: Vector, G: Vector) -> float:
        """How far G >= 0, x G = 0 are from holding: a step of length 1 would change x by so much at most."""
        return float(np.abs(np.minimum(x, G)).max())

    def _curvature(self) -> float:
        """The largest eigenvalue of (2/p) Z'Z, which bounds the curvature of the mean loss."""
        flat = self.loss.at(np.zeros(self.loss.X.shape[0]))  # all pairs are short of their margin here

        def product(d: Vector) -> Vector:
            return self.loss.weights(flat.curve(self.loss.scores(np.ascontiguousarray(d).ravel()))) / self.loss.n_pairs

        start = np.ones(self.n_features)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            first = product(start)
            if not first.any():  # features that cancel, or too small to be multiplied
                start = np.random.default_rng(0).standard_normal(self.n_features)
                first = product(start)
        if not (np.isfinite(first).all() and first.any()):
            raise DataError(
                "The differences between documents of a query are too large or too small to be multiplied with each "
                "other: scale the features first, for example with QueryMinMaxScaler."
            )
        if self.n_features < 3:
            columns = [product(e) for e in np.eye(self.n_features)]
            return float(np.abs(np.linalg.eigvalsh(np.array(columns))).max())
        operator = LinearOperator((self.n_features,) * 2, matvec=product, dtype=np.float64)
        try:
            largest = eigsh(operator, k=1, which="LA", v0=start, tol=_SLACK, return_eigenvectors=False)
        except ArpackError as error:
            raise DataError(
                f"The pairs of documents have no largest curvature that could be found ({str(error)[:60]}): scale the "
                "features first, for example with QueryMinMaxScaler."
            ) from error
        return float(largest[0]) * (1.0 + 2.0 * _SLACK)
