"""RankNet: gradient descent on the logistic loss of all pairs of a query; linear, or with one hidden layer."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError
from leanrank.kernels.query_sgd import RANKNET, csr_hidden_epoch, dense_hidden_epoch
from leanrank.rankers._base import Ranker, Scores
from leanrank.rankers._query_order import query_order
from leanrank.rankers.listnet import linear_epoch

Vector = NDArray[np.float64]
Weights = tuple[Vector, Vector, Vector]


@declared
class RankNet(Ranker):
    r"""Neural ranker trained so that ``P(i before j) = 1 / (1 + exp(-(s_i - s_j)))`` is 1 for y_i > y_j.

    Minimises the mean over the p pairs

    .. math:: \frac1p \sum_{(i,j)} \log(1 + e^{-(s_i - s_j)})

    one step per query: ``lambda_ij = -1/(1 + exp(s_i - s_j))`` is summed for each document first, so that a query is
    propagated back once. The score is ``w.x`` or, with H hidden units, ``sum_h u_h tanh(V_h.x + b_h)``.

    Parameters
    ----------
    hidden : int
        Units of the hidden layer; 0 for a linear ranker.
    learning_rate : float
        Length of a step. Losses are means over the pairs of a query, so it does not depend on their number.
    n_epochs : int
        Passes over the queries.
    ties : {"ignore", "half"}
        "half": documents of one label are pairs too, with the target probability 1/2.
    random_state : int, Generator or None
        Draws the first weights of a hidden layer and shuffles the queries before each epoch.

    Attributes
    ----------
    weights_ : array of shape (H, K), or (1, K) for a linear ranker
    biases_ : array of shape (H,)
    output_ : array of shape (H,), or [1.0] for a linear ranker
    n_iter_ : int
        Epochs behind the weights: with an `eval_set`, those up to the best.
    loss_ : float
        Mean loss of a query met in the last of these epochs.

    Notes
    -----
    Cost of an epoch: O(p + n K max(1, H)) for p pairs; memory that of the data.
    Take the hidden layer where a linear score is too stiff and a booster too large.

    References
    ----------
    C. Burges, T. Shaked, E. Renshaw, A. Lazier, M. Deeds, N. Hamilton, G. Hullender. Learning to rank using gradient
    descent. ICML 2005.

    Examples
    --------
    >>> ranker = RankNet(n_epochs=20).fit([[1, 0], [0, 1], [0.5, 0.5]], [2, 0, 1], qid=[1, 1, 1])
    >>> scores = ranker.predict([[1, 0], [0, 1]])
    >>> bool(scores[0] > scores[1])
    True
    """

    _name = "ranknet"
    _learned: ClassVar[dict[str, Any]] = {
        "weights_": ("H", "K"),
        "biases_": ("H",),
        "output_": ("H",),
        "n_iter_": (),
        "loss_": (),
    }

    takes_constants_in = True

    hidden: int = field(default=0, kw_only=False)
    learning_rate: float = 0.1
    n_epochs: int = 100
    ties: str = "ignore"
    eval_metric: Any = "map"
    early_stopping_rounds: int | None = None
    random_state: Any = 0

    @property
    def coef_(self) -> Vector:
        """The weights of a linear RankNet; one with a hidden layer has none."""
        if self.hidden:
            raise AttributeError("A RankNet with a hidden layer is not linear: it has no coef_.")
        weights: Vector = self.weights_[0]
        return weights

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self._must("hidden", "a whole number >= 0", isinstance(self.hidden, (int, np.integer)) and self.hidden >= 0)
        self._must("learning_rate", "> 0", self.learning_rate > 0)
        self._must("n_epochs", ">= 1", self.n_epochs >= 1)
        self._must("ties", "'ignore' or 'half'", self.ties in ("ignore", "half"))
        y = data.y.astype(np.float64)
        starts = data.query_ptr[:-1]
        learns = np.maximum.reduceat(y, starts) > np.minimum.reduceat(y, starts)
        if not learns.any():
            self._warn_nothing_to_learn()
            zeros = np.zeros((max(1, self.hidden), data.n_features))
            self._keep((zeros, np.zeros(len(zeros)), np.ones(len(zeros))), 0, 0.0)
            return
        rng, order, watch = self._rng(), query_order(data), self._watch(valid)
        order = order[learns[order]]
        weights = self._start(data.n_features, rng)
        for epoch in range(1, self.n_epochs + 1):
            loss = self._epoch(data, y, rng.permutation(order), weights) / len(order)
            if watch is None or watch.improved(forward(watch.data.X, *weights, linear=not self.hidden)):
                best = ((weights[0].copy(), weights[1].copy(), weights[2].copy()), epoch, loss)
            if watch is not None and watch.exhausted:
                break
        self._keep(*best)

    def _start(self, n_features: int, rng: np.random.Generator) -> Weights:
        if not self.hidden:
            return np.zeros((1, n_features)), np.zeros(1), np.ones(1)
        V = rng.uniform(-0.1, 0.1, (self.hidden, n_features))
        return V, np.zeros(self.hidden), rng.uniform(-0.1, 0.1, self.hidden)

    def _epoch(self, data: RankingData, y: Vector, order: NDArray[np.int64], weights: Weights) -> float:
        V, bias, u = weights
        X, ptr, rate, half_ties = data.X, data.query_ptr, float(self.learning_rate), self.ties == "half"
        if not self.hidden:
            return linear_epoch(RANKNET, data, y, order, rate, V[0], half_ties=half_ties)
        if sp.issparse(X):
            arrays = (X.data, X.indices, X.indptr)
            return float(csr_hidden_epoch(*arrays, y, ptr, order, rate, half_ties, V, bias, u))
        return float(dense_hidden_epoch(X, y, ptr, order, rate, half_ties, V, bias, u))

    def _keep(self, weights: Weights, n_iter: int, loss: float) -> None:
        self.weights_, self.biases_, self.output_ = weights
        self.n_iter_, self.loss_ = n_iter, float(loss)

    def _check_learned(self) -> None:
        if len(self.weights_) != max(1, self.hidden):
            raise DataError(f"{len(self.weights_)} rows of weights do not fit hidden={self.hidden}.")

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        return forward(X, self.weights_, self.biases_, self.output_, linear=not self.hidden)


def forward(X: Any, V: Vector, bias: Vector, u: Vector, *, linear: bool) -> Scores:
    """The scores of documents under the weights."""
    z = X @ V.T.astype(np.float64)
    scores: Scores = z[:, 0] if linear else np.tanh(z + bias) @ u
    return scores.astype(np.float64)
