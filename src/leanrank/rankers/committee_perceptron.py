"""CommitteePerceptron: a pair perceptron that keeps its best hypotheses and lets them decide together."""

from __future__ import annotations

import heapq
from dataclasses import field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import rankdata

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.kernels.perceptron import csr_perceptron, dense_perceptron
from leanrank.kernels.products import rows_times
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric
from leanrank.rankers._base import LinearRanker, Scores
from leanrank.rankers._query_order import preference_pairs, query_order

Vector = NDArray[np.float64]

# Pairs are given up only after so many epochs: early mistakes say little about a pair.
_LAG = 5


@declared
class CommitteePerceptron(LinearRanker):
    r"""Perceptron on pairs, averaged over the hypotheses that rank best.

    Goes through the pairs in random order; ``w.(x_i - x_j) > 0`` survives, anything else adds ``x_i - x_j`` to w, after
    w has been offered to the committee, which keeps the `n_members` best. The ranker is their mean, weighted by what
    each scored:

    .. math:: w = \frac{\sum_h \mathrm{score}_h\, w_h}{\sum_h \mathrm{score}_h}

    Parameters
    ----------
    n_members : int
        Size of the committee at most.
    n_epochs : int
        Passes over the pairs; an epoch without a mistake is the last.
    rated_by : str or metric
        What makes a hypothesis good: a metric on the training data, or "survival", how many pairs it survived.
    combine : {"average", "vote"}
        "average": a linear ranker. "vote": members rank a query, and ranks are added with their scores as weights;
        `coef_` stays the average. Predicting then needs to know the queries.
    alpha : int, optional
        Pairs misordered more often than this are given up (after five epochs): for noisy labels.
    min_survival : float
        Only a hypothesis that survived this share of the pairs is offered; bounds the number of evaluations.
    random_state : int, Generator or None
        Shuffles the pairs before each epoch.

    Attributes
    ----------
    committee_ : array of shape (N, K)
        The members, best first.
    committee_scores_ : array of shape (N,)
    last_ : array of shape (K,)
        The last hypothesis.
    n_iter_ : int
        Epochs behind `coef_`: with an `eval_set`, those up to the best.
    n_mistakes_ : int
        Mistakes in the last of them.

    Notes
    -----
    Cost of an epoch: O(p K) for p pairs, and at most 1 / `min_survival` evaluations; memory O(p).
    Take it as a fast learner that leans towards a chosen metric.

    References
    ----------
    J. L. Elsas, V. R. Carvalho, J. G. Carbonell. Fast learning of document ranking functions with the committee
    perceptron. WSDM 2008.

    Examples
    --------
    >>> ranker = CommitteePerceptron().fit([[1, 0], [0, 1], [0.5, 0.5]], [2, 0, 1], qid=[1, 1, 1])
    >>> scores = ranker.predict([[1, 0], [0, 1]])
    >>> bool(scores[0] > scores[1]), ranker.n_mistakes_
    (True, 0)
    """

    _name = "committeeperceptron"
    _learned: ClassVar[dict[str, Any]] = {
        "coef_": ("K",),
        "committee_": ("N", "K"),
        "committee_scores_": ("N",),
        "last_": ("K",),
        "n_iter_": (),
        "n_mistakes_": (),
    }

    n_members: int = field(default=20, kw_only=False)
    n_epochs: int = field(default=50, kw_only=False)
    rated_by: Any = "map"
    combine: str = "average"
    alpha: int | None = None
    min_survival: float = 0.01
    eval_metric: Any = "map"
    early_stopping_rounds: int | None = None
    random_state: Any = 0

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self._must("n_members", ">= 1", self.n_members >= 1)
        self._must("n_epochs", ">= 1", self.n_epochs >= 1)
        self._must("combine", "'average' or 'vote'", self.combine in ("average", "vote"))
        self._must("alpha", "None or >= 0", self.alpha is None or self.alpha >= 0)
        self._must("min_survival", "between 0 and 1", 0 <= self.min_survival <= 1)
        data = data.take_queries(query_order(data))
        better, worse, _ = preference_pairs(data)
        if len(better) == 0:
            self._warn_nothing_to_learn()
            self._keep(_Committee(1), np.zeros(data.n_features), 0, 0)
            return
        rng, watch, committee = self._rng(), self._watch(valid), _Committee(self.n_members)
        w, survived = np.zeros(data.n_features), 0
        mistakes, active = np.zeros(len(better), dtype=np.int64), np.arange(len(better))
        for epoch in range(1, self.n_epochs + 1):
            if self.alpha is not None and epoch > _LAG:
                active = active[mistakes[active] <= self.alpha]
            before = mistakes.sum()
            survived = self._epoch(data, better, worse, rng.permutation(active), mistakes, w, survived, committee)
            made = int(mistakes.sum() - before)
            last = epoch == self.n_epochs or made == 0
            if last:
                committee.offer(self._rate(data, w, survived), w)
            if watch is None or watch.improved(self._members_scores(watch.data, committee, w)):
                self._keep(committee, w, epoch, made)
            if last or (watch is not None and watch.exhausted):
                break

    def _epoch(
        self,
        data: RankingData,
        better: NDArray[np.int64],
        worse: NDArray[np.int64],
        order: NDArray[np.int64],
        mistakes: NDArray[np.int64],
        w: Vector,
        survived: int,
        committee: _Committee,
    ) -> int:
        """Go through the pairs of `order` once; returns how many pairs w has survived at the end."""
        X, at = data.X, 0
        offer_from = max(1, int(np.ceil(self.min_survival * len(better))))
        while True:
            if sp.issparse(X):
                at, survived = csr_perceptron(
                    X.data, X.indices, X.indptr, better, worse, order, at, survived, offer_from, mistakes, w
                )
            else:
                at, survived = dense_perceptron(X, better, worse, order, at, survived, offer_from, mistakes, w)
            if at == len(order):
                return survived
            committee.offer(self._rate(data, w, survived), w)
            survived = 0

    def _rate(self, data: RankingData, w: Vector, survived: int) -> float:
        if self.rated_by == "survival":
            return float(survived)
        measure = parse_metric(self.rated_by)
        return float(np.nan_to_num(mean(measure.per_query(data.y, rows_times(data.X, w), data.query_ptr))))

    def _keep(self, committee: _Committee, w: Vector, epoch: int, mistakes: int) -> None:
        self.committee_scores_, self.committee_ = committee.best_first(w)
        self.coef_ = _average(self.committee_scores_, self.committee_)
        self.last_, self.n_iter_, self.n_mistakes_ = w.copy(), epoch, mistakes

    def _members_scores(self, data: RankingData, committee: _Committee, w: Vector) -> Scores:
        scores, members = committee.best_first(w)
        if self.combine == "vote":
            return _votes(data.X, data.query_ptr, scores, members)
        return rows_times(data.X, _average(scores, members))

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        if self.combine == "vote":
            return _votes(X, query_ptr, self.committee_scores_, self.committee_)
        return super()._scores(X, query_ptr)


class _Committee:
    """The best hypotheses so far; of equals the earlier one is better."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._members: list[tuple[float, int, Vector]] = []  # a heap: score, minus the time of arrival, weights
        self._arrived = 0

    def offer(self, score: float, w: Vector) -> None:
        self._arrived += 1
        entry = (score, -self._arrived, w.copy())
        if len(self._members) < self._size:
            heapq.heappush(self._members, entry)
        elif entry[:2] > self._members[0][:2]:
            heapq.heapreplace(self._members, entry)

    def best_first(self, last: Vector) -> tuple[Vector, Vector]:
        """Scores and weights; where no member has a score above 0, the last hypothesis alone."""
        members = sorted(self._members, key=lambda member: member[:2], reverse=True)
        if not members or members[0][0] <= 0.0:
            return np.zeros(1), last[None, :].copy()
        return np.array([member[0] for member in members]), np.array([member[2] for member in members])


def _average(scores: Vector, members: Vector) -> Vector:
    total = scores.sum()
    average: Vector = scores @ members / total if total > 0 else members[0].copy()
    return average


def _votes(X: Any, query_ptr: NDArray[np.int64], scores: Vector, members: Vector) -> Scores:
    """Sum over members of the document's rank in its query (1 for the last), weighted by the member's score."""
    weights = scores if scores.sum() > 0 else np.ones(len(scores))
    votes = np.zeros(X.shape[0])
    for weight, w in zip(weights, members, strict=True):
        s = rows_times(X, w)
        for a, b in pairwise(query_ptr):
            votes[a:b] += weight * rankdata(s[a:b])
    return votes
