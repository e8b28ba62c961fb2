"""CohenOrder: learn how far to trust each attribute's preferences, then order a query to agree with them."""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import QUERIES
from leanrank.kernels._threads import over_queries
from leanrank.kernels.preference import attribute_losses, balances, greedy_order
from leanrank.rankers._base import Ranker, Scores

Vector = NDArray[np.float64]


@declared
class CohenOrder(Ranker):
    r"""Learning to order things: Hedge weights over the preferences of single attributes, then a greedy order.

    Every attribute, with either sign, prefers u to v by ``R(u, v)`` = 1, 1/2 (equal) or 0. Hedge multiplies its weight
    by ``beta^loss`` for each query, loss being 1 - the mean of R over the pairs of that query;

    .. math:: \mathrm{PREF}(u, v) = \sum_l w_l R_l(u, v)

    A query is ordered by taking, again and again, the document with the largest
    ``sum over those left of PREF(v, u) - PREF(u, v)``: at least half as good as the best order, which is NP-hard.

    The score of a document is minus its position in its query (0 first): scores of different queries do not compare,
    and predicting needs `qid`, else all rows are one query.

    Parameters
    ----------
    beta : float
        Between 0 and 1: the smaller, the faster bad attributes lose weight.
    passes : int
        How often Hedge goes through the queries.
    components : bool
        Order the strongly connected components of the graph of preferences first, then greedily within each. Never
        worse for preferences without cycles.

    Attributes
    ----------
    weights_ : array of shape (K, 2)
        Weight of each attribute, as it is and with its sign turned; they sum to 1.

    Notes
    -----
    Weights are products over queries, so neither their order nor the order of passes matters.
    Cost: O(p K) to learn from p pairs, O(L^2 K) to order a list of L documents; memory O(L^2).
    Take it for short lists of preferences with few orders to learn from.

    References
    ----------
    W. W. Cohen, R. E. Schapire, Y. Singer. Learning to order things. JAIR 10, 1999.

    Examples
    --------
    >>> from leanrank import from_orders
    >>> items = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    >>> ranker = CohenOrder(beta=0.5).fit(from_orders(items, [[0, 1, 2], [2, 0]]))
    >>> ranker.weights_.round(4)
    array([[0.1958, 0.3108],
           [0.2467, 0.2467]])
    >>> ranker.predict(items)  # the third first, then the first
    array([-1., -2., -0.])
    """

    _name = "cohenorder"
    _learned: ClassVar[dict[str, Any]] = {"weights_": ("K", 2)}

    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    beta: float = field(default=0.9, kw_only=False)
    passes: int = 1
    components: bool = False

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self._must("beta", "between 0 and 1, both excluded", 0 < self.beta < 1)
        self._must("passes", ">= 1", self.passes >= 1)
        X, loss = data.dense(), np.empty((data.n_queries, data.n_features))

        def work(first: int, last: int) -> None:
            attribute_losses(X, data.y, data.query_ptr, first, last, loss)

        over_queries(work, data.query_ptr, min_rows=2_000)
        known, weight = ~np.isnan(loss[:, 0]), data.beside.query_weight
        loss = loss[known]
        if len(loss) == 0:
            self._warn_nothing_to_learn()
        times = 1.0 if weight is None else weight[known, None]
        total = np.stack(((times * loss).sum(axis=0), (times * (1.0 - loss)).sum(axis=0)), axis=1)
        exponent = self.passes * np.log(self.beta) * total
        weights = np.exp(exponent - exponent.max())
        self.weights_ = weights / weights.sum()

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        weight = self.weights_[:, 0] - self.weights_[:, 1]
        scores = np.zeros(X.shape[0])
        for a, b in pairwise(query_ptr):
            rows = X[a:b]
            order = self._order(np.ascontiguousarray(rows.toarray() if sp.issparse(rows) else rows), weight)
            scores[a + order] = -np.arange(b - a, dtype=np.float64)
        return scores

    def _order(self, X: Any, weight: Vector) -> NDArray[np.int64]:
        n = X.shape[0]
        balance, order = np.empty((n, n)), np.empty(n, dtype=np.int64)
        balances(X, weight, balance)
        groups = _components(balance) if self.components else [np.arange(n)]
        start = 0
        for members in groups:
            greedy_order(balance, members, order[start : start + len(members)])
            start += len(members)
        return order


def _components(balance: Vector) -> list[NDArray[np.int64]]:
    """Strongly connected components of "u is preferred to v", in topological order: preferred ones first."""
    preferred = balance > 1e-12
    count, label = connected_components(sp.csr_array(preferred), connection="strong")
    groups = [np.flatnonzero(label == c) for c in range(count)]
    edges = np.zeros((count, count), dtype=bool)
    np.logical_or.at(edges, (label[:, None], label[None, :]), preferred)
    waiting = edges & ~np.eye(count, dtype=bool)
    ordered: list[NDArray[np.int64]] = []
    left = set(range(count))
    while left:  # next: of the components nobody left is preferred to, the one with the first document
        free = [c for c in left if not any(waiting[d, c] for d in left)]
        chosen = min(free, key=lambda c: int(groups[c][0]))
        ordered.append(groups[chosen])
        left.remove(chosen)
    return ordered
