"""KernelRankSVM: a Ranking SVM with RBF or polynomial kernel, in the dual, or through Nystroem features."""

from __future__ import annotations

import re
import warnings
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import pairwise_kernels

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError, ParameterError
from leanrank.kernels.pair_dual import pairs_per_query, sweep
from leanrank.rankers._base import Ranker
from leanrank.rankers._query_order import preference_pairs
from leanrank.rankers.pairwise_hinge import PairwiseSquaredHinge
from leanrank.rankers.ranksvm import minimise

Vector = NDArray[np.float64]

_KERNELS = re.compile("rbf|linear|poly[1-9][0-9]?")
# Rows of the kernel matrix that still fit in memory (3.2 GB at float64).
_MOST_DOCUMENTS = 20_000
# Rows scored at once: the kernel block of a large prediction stays small.
_SCORED_AT_ONCE = 4_096


@declared
class KernelRankSVM(Ranker):
    r"""Ranking SVM with hinge loss and a kernel: ``f(x) = sum of beta_i k(x_i, x)``.

    Minimises

    .. math:: \tfrac12 \|w\|^2 + C' \sum_{(i,j)} \max(0,\, 1 - (f(x_i) - f(x_j)))

    through its dual ``max sum a - 0.5 a'Ka, 0 <= a <= C'`` with
    ``K((i,j),(k,l)) = k(i,k) - k(i,l) - k(j,k) + k(j,l)``, by coordinate descent. The kernel matrix is one of
    documents, never of pairs.

    Parameters
    ----------
    C : float
        Weight of the loss.
    C_mode : {"total", "per_pair"}
        "total": C' = C / (number of training pairs). "per_pair": C' = C.
    kernel : {"rbf", "linear", "poly2", "poly3", ...}
        ``exp(-gamma |x - z|^2)``, ``x.z``, or ``(gamma x.z + 1)^d`` of any degree d. (A constant c > 0 in place of 1 is
        the same as gamma / c with the weight C c^d.)
    gamma : float or "scale"
        "scale" is 1 / (K var(X)).
    max_pairs : int, optional
        Draw at most so many pairs of each query (seeded). None takes all.
    n_landmarks : int, optional
        Nystroem's approximation, for more documents than a kernel matrix can hold: map to the kernel with so many
        documents (seeded), then train as RankSVM does, with squared hinge. None is exact.
    tol : float
        Stop when no pair violates its optimality condition by more than this.
    max_iter : int
        Sweeps over the pairs at most.
    random_state : int, Generator or None
        Order of the visits, pairs drawn, landmarks.

    Attributes
    ----------
    support_ : array of shape (S, K)
        The documents with a weight (or the landmarks). A kernel machine cannot do without them.
    dual_coef_ : array of shape (S,)
        beta.
    gamma_ : float
    n_iter_ : int

    Notes
    -----
    Cost: n^2 kernel values and, for a sweep, O(p) checks and O(n) for each pair that changes (p pairs, n documents).
    Take it when a linear ranker is clearly short of what trees reach, and the data are small.

    References
    ----------
    R. Herbrich, T. Graepel, K. Obermayer. Support vector learning for ordinal regression. ICANN 1999.
    T. Joachims. Optimizing search engines using clickthrough data. KDD 2002.

    Examples
    --------
    >>> X, y = [[-2.0], [-1.0], [0.0], [1.0], [2.0]], [0, 1, 2, 1, 0]     # best in the middle: no line can rank this
    >>> ranker = KernelRankSVM(C=100.0, gamma=1.0).fit(X, y, qid=[1] * 5)
    >>> int(np.argmax(ranker.predict(X)))
    2
    """

    _name = "kernelranksvm"
    _learned: ClassVar[dict[str, Any]] = {"support_": ("S", "K"), "dual_coef_": ("S",), "gamma_": (), "n_iter_": ()}

    C: float = field(default=1.0, kw_only=False)
    C_mode: str = "total"
    kernel: str = "rbf"
    gamma: float | str = "scale"
    max_pairs: int | None = None
    n_landmarks: int | None = None
    tol: float = 1e-4
    max_iter: int = 1000
    random_state: Any = 0

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self._must("C", "> 0", self.C > 0)
        self._must("C_mode", "'total' or 'per_pair'", self.C_mode in ("total", "per_pair"))
        self._must("max_pairs", ">= 1 or None", self.max_pairs is None or self.max_pairs >= 1)
        self._must("n_landmarks", ">= 1 or None", self.n_landmarks is None or self.n_landmarks >= 1)
        self._check_kernel()
        self.gamma_ = self._gamma(data)
        if not pairs_per_query(data.y, data.query_ptr).any():
            self._warn_nothing_to_learn()
            self.support_, self.dual_coef_, self.n_iter_ = np.zeros((1, data.n_features)), np.zeros(1), 0
        elif self.n_landmarks is not None:
            self._fit_nystroem(data, min(self.n_landmarks, data.n_rows))
        else:
            self._fit_dual(data)

    def _fit_dual(self, data: RankingData) -> None:
        rng = self._rng()
        better, worse = self._pairs(data, rng)
        used, numbers = np.unique(np.concatenate((better, worse)), return_inverse=True)
        if len(used) > _MOST_DOCUMENTS:
            raise ParameterError(
                f"KernelRankSVM would need a kernel matrix of {len(used):,} documents: more than {_MOST_DOCUMENTS:,} "
                "do not fit. Pass n_landmarks=300, say, or fewer queries."
            )
        better, worse = numbers[: len(better)], numbers[len(better) :]
        X = data.X[used]
        gram = np.ascontiguousarray(self._kernel(X, X))
        C = self.C / len(better) if self.C_mode == "total" else self.C
        alpha, beta, f = np.zeros(len(better)), np.zeros(len(used)), np.zeros(len(used))
        self.n_iter_ = 0
        worst = np.inf
        while worst > self.tol and self.n_iter_ < self.max_iter:
            worst = sweep(gram, better, worse, rng.permutation(len(better)), C, alpha, beta, f)
            self.n_iter_ += 1
        if worst > self.tol:
            warnings.warn(
                f"KernelRankSVM stopped after {self.max_iter} sweeps with a violation of {worst:.2g} > tol: "
                "raise max_iter or tol, or lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )
        kept = np.flatnonzero(beta) if beta.any() else np.zeros(1, dtype=np.int64)
        self.support_ = _dense(X[kept])
        self.dual_coef_ = beta[kept]

    def _fit_nystroem(self, data: RankingData, n_landmarks: int) -> None:
        """Features z(x) = k(x, landmarks) N, so that w.z(x) is again a sum of kernels: beta = N w."""
        features = Nystroem(
            n_components=n_landmarks, random_state=int(self._rng().integers(2**31)), **self._kernel_params("kernel")
        )
        mapped = RankingData(features.fit_transform(data.X), data.y, data.query_ptr)
        loss = PairwiseSquaredHinge(mapped)
        scale = 1.0 / loss.n_pairs if self.C_mode == "total" else 1.0
        w, self.n_iter_, _ = minimise(loss, 0.5 * self.C * scale, np.zeros(mapped.n_features), tol=1e-8, max_iter=100)
        self.support_ = _dense(features.components_)
        self.dual_coef_ = features.normalization_.T @ w

    def _pairs(self, data: RankingData, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        better, worse, starts = preference_pairs(data)
        counts = np.diff(starts)
        if self.max_pairs is None or counts.max() <= self.max_pairs:
            return better, worse
        kept = np.concatenate(
            [
                start + np.sort(rng.choice(count, min(count, self.max_pairs), replace=False))
                for start, count in zip(starts[:-1], counts, strict=True)
            ]
        )
        return better[kept], worse[kept]

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Vector:
        out = np.empty(X.shape[0])
        for a in range(0, len(out), _SCORED_AT_ONCE):
            out[a : a + _SCORED_AT_ONCE] = self._kernel(X[a : a + _SCORED_AT_ONCE], self.support_) @ self.dual_coef_
        return out

    def _kernel(self, A: Any, B: Any) -> Vector:
        wide = [M if M.dtype == np.float64 else M.astype(np.float64) for M in (A, B)]
        values: Vector = pairwise_kernels(*wide, **self._kernel_params("metric"))
        return values

    def _kernel_params(self, name: str) -> dict[str, Any]:
        """The kernel in scikit-learn's words, `name` being its word for which."""
        if self.kernel == "linear":
            return {name: "linear"}
        if self.kernel == "rbf":
            return {name: "rbf", "gamma": self.gamma_}
        return {name: "poly", "gamma": self.gamma_, "degree": int(self.kernel[4:]), "coef0": 1.0}

    def _gamma(self, data: RankingData) -> float:
        if self.gamma != "scale":
            self._must("gamma", "> 0 or 'scale'", not isinstance(self.gamma, str) and self.gamma > 0)
            return float(self.gamma)
        total = data.n_rows * data.n_features
        stored = data.X.data if data.is_sparse else data.X
        mean = float(np.sum(stored, dtype=np.float64)) / total
        variance = float(np.sum(np.square(stored, dtype=np.float64))) / total - mean**2
        return 1.0 / (data.n_features * variance) if variance > 1e-300 else 1.0

    def _check_kernel(self) -> None:
        known = isinstance(self.kernel, str) and _KERNELS.fullmatch(self.kernel) is not None
        self._must("kernel", "'rbf', 'linear' or 'poly' with its degree, as in 'poly3'", known)

    def _check_learned(self) -> None:
        self._check_kernel()
        if not (np.isfinite(self.support_).all() and np.isfinite(self.dual_coef_).all() and self.gamma_ > 0):
            raise DataError("the support vectors, their weights and gamma must be finite numbers.")


def _dense(X: Any) -> Vector:
    return np.ascontiguousarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
