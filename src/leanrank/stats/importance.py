"""Importance: how well each feature ranks alone, as a fold over queries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import dense_parts
from leanrank.data.weights import QUERIES
from leanrank.engines.fold import Arithmetic
from leanrank.errors import require
from leanrank.kernels.pair_losses import cross_entropy_losses, error_losses, hinge_losses
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric
from leanrank.metrics.ndcg import NDCG
from leanrank.metrics.precision_recall import AP
from leanrank.stats.exact_sum import as_float, exact_sum

_LOSSES = {"error": error_losses, "hinge": hinge_losses, "cross-entropy": cross_entropy_losses}


class ImportancePartial(NamedTuple):
    """Sums over queries of the importance and its square, descending and (if wanted) ascending.

    Where queries have weights, these are sums of weights times values, and `weight` is an exact sum (2, K) of weights.
    """

    total: NDArray[np.int64]  # (2 parts of an exact sum, directions, K)
    squares: NDArray[np.int64]
    weight: NDArray[np.int64]  # (K,): queries, or pairs where pairs are pooled


class FeatureScores(NamedTuple):
    """Mean and standard deviation over queries of each feature's importance."""

    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    weight: NDArray[np.int64]
    descending: NDArray[np.bool_]


@dataclass(frozen=True)
class Importance:
    """How well each feature ranks alone: mean over queries of a metric, or of minus a pairwise loss.

    For a metric M the importance of feature j is ``w_j = mean_q M(y_q, x_qj)``; queries the metric's convention
    skips (no relevant document) do not count. For a loss, over the pairs of a query with y_s > y_t and
    d = x_s - x_t:

    ===================  =====================================================  ===================
    ``"error"``          share of pairs with d < 0, ties (d = 0) count 1/2      ``w = 1 - error``
    ``"hinge"``          mean of max(0, 1 - d)                                  ``w = -loss``
    ``"cross-entropy"``  mean of log(1 + exp(-d))                               ``w = -loss``
    ===================  =====================================================  ===================

    Parameters
    ----------
    metric : str or metric
        A name ("map", "ndcg@10"), a metric object, or one of the three losses (GAS-L).
    ties : str
        How a named metric orders equal values. "expected" is the mean over all orders; anything else lets the
        order of rows decide, which makes constant features look good. A metric object keeps its own rule.
    direction : {"desc", "asc", "max"}
        Higher values first, lower values first, or for each feature the better of the two (by its mean over
        all queries).
    average : {"query", "pairs"}
        For losses: mean over the queries that have pairs, or over all pairs of all queries.
    scale : {"query", "none"}
        For losses: bring each feature to [0, 1] inside each query first (constant: 0), or take values as given.

    Notes
    -----
    Cost O(n log n) per feature and query; O(n^2) for "hinge" and "cross-entropy". Sums are exact (see
    `exact_sum`), and the result is rounded to 12 decimals. Where no query has a pair of different labels, a loss tells
    nothing: the importance of every feature is 0. Weights of queries weigh means and deviations; average="pairs" counts
    a query's pairs as often as its weight says. Weights of documents are refused.

    References
    ----------
    X. Geng, T.-Y. Liu, T. Qin, H. Li: Feature selection for ranking. SIGIR 2007.

    Examples
    --------
    >>> from leanrank import RankingData, fold
    >>> data = RankingData([[0.9, 0.1], [0.5, 0.9], [0.4, 0.5], [0.1, 0.3]], [2, 1, 0, 0], [0, 4])
    >>> fold(Importance("error"), data).mean.tolist()
    [1.0, 0.4]
    """

    metric: Any = "map"
    ties: str = "expected"
    direction: str = "desc"
    average: str = "query"
    scale: str = "query"
    weights: ClassVar[tuple[str, ...]] = (QUERIES,)

    def __post_init__(self) -> None:
        require(self, "direction", "'desc', 'asc' or 'max'", self.direction in ("desc", "asc", "max"))
        require(self, "average", "'query' or 'pairs'", self.average in ("query", "pairs"))
        require(self, "scale", "'query' or 'none'", self.scale in ("query", "none"))
        require(self, "average", "'query' for a metric", self.average == "query" or self.is_loss)
        if not self.is_loss:
            self._measure()  # unknown names are refused here, not inside a worker

    @property
    def is_loss(self) -> bool:
        return isinstance(self.metric, str) and self.metric in _LOSSES

    @classmethod
    def named(cls, metric: Any) -> Importance:
        """By its metric; importances pass."""
        return metric if isinstance(metric, Importance) else cls(metric)

    @property
    def of_orders(self) -> bool:
        """Whether it is the same for all features that order every query alike."""
        return self.metric not in ("hinge", "cross-entropy")

    @property
    def accelerated(self) -> bool:
        """Whether there is a form of it for accelerators: of average precision and NDCG."""
        return isinstance(measure := self._measure(), (AP, NDCG)) and measure.ties in ("expected", "input")

    def describe(self) -> dict[str, str]:
        """The parameters as plain text: part of a graph's identity."""
        described = {"metric": self.metric if isinstance(self.metric, str) else repr(self.metric)}
        described["direction"] = self.direction
        if self.is_loss:
            return described | {"average": self.average, "scale": self.scale}
        return described | {"ties": self.ties if isinstance(self.metric, str) else ""}

    def of(self, block: RankingData) -> ImportancePartial:
        """Sums over the queries of a block."""
        block.require_complete("Importance")
        of_part = self._of_losses if self.is_loss else self._of_metric
        return reduce(self.merge, map(of_part, dense_parts(block)))

    def of_on(self, block: RankingData, arithmetic: Arithmetic) -> ImportancePartial:
        """The same sums by an accelerator's arithmetic."""
        if block.beside.query_weight is not None:
            return self.of(block)
        low_first = {"desc": (False,), "asc": (True,), "max": (False, True)}[self.direction]
        return ImportancePartial(*arithmetic.metric_sums(block, self._measure(), low_first))

    def merge(self, a: ImportancePartial, b: ImportancePartial) -> ImportancePartial:
        """The sums of two sets of queries together."""
        return ImportancePartial(a.total + b.total, a.squares + b.squares, a.weight + b.weight)

    def finish(self, partial: ImportancePartial) -> FeatureScores:
        """Means and standard deviations, of the better direction for each feature where both were summed."""
        weight = np.maximum(partial.weight, 1)
        if partial.weight.ndim == 2:
            weight = as_float(partial.weight)
            weight[weight == 0] = 1.0
        means = as_float(partial.total) / weight
        variance = as_float(partial.squares) / weight - means**2
        spread = np.sqrt(np.maximum(variance.round(12), 0.0))  # a variance below 1e-12 is rounding
        means = means.round(12)
        better = (means[1:] > means[:1]).any(axis=0).astype(np.intp)
        columns = np.arange(means.shape[1])
        descending = better == 0 if self.direction != "asc" else np.zeros(means.shape[1], dtype=bool)
        return FeatureScores(means[better, columns], spread[better, columns], partial.weight, descending)

    def _measure(self) -> Any:
        if self.is_loss or not isinstance(self.metric, str):
            return self.metric
        measure = metric(self.metric)
        differs = getattr(measure, "ties", self.ties) != self.ties  # rank correlations have a rule of their own
        return metric(self.metric, ties=self.ties) if differs else measure

    def _of_metric(self, block: RankingData) -> ImportancePartial:
        measure, X = self._measure(), block.X
        serial = {"n_threads": 1} if isinstance(measure, Metric) else {}  # the engine has the threads
        values = []
        if self.direction != "asc":
            values.append(measure.per_query(block.y, X, block.query_ptr, **serial))
        if self.direction != "desc":
            values.append(measure.per_query(block.y, -X, block.query_ptr, **serial))
        stacked = np.stack(values, axis=1)  # (Q, directions, K)
        counted = ~np.isnan(stacked[:, 0])
        stacked[np.isnan(stacked)] = 0.0
        return _sums(stacked, counted.astype(np.int64), block.beside.query_weight)

    def _of_losses(self, block: RankingData) -> ImportancePartial:
        n_queries, K = block.n_queries, block.n_features
        losses, n_pairs = np.zeros((n_queries, 2, K)), np.zeros(n_queries, dtype=np.int64)
        loss = _LOSSES[self.metric]
        loss(block.X, block.y, block.query_ptr, 0, n_queries, self.scale == "query", losses, n_pairs)
        values = 1.0 - losses if self.metric == "error" else -losses
        wanted = {"desc": [0], "asc": [1], "max": [0, 1]}[self.direction]
        weight = n_pairs if self.average == "pairs" else (n_pairs > 0).astype(np.int64)
        return _sums(values[:, wanted], np.repeat(weight[:, None], K, axis=1), block.beside.query_weight)


def _sums(
    values: NDArray[np.float64], weight: NDArray[np.int64], query_weight: NDArray[np.float64] | None
) -> ImportancePartial:
    if query_weight is not None:
        shares = weight * query_weight[:, None]
        weighted = values * shares[:, None, :]
        total, squares = exact_sum(weighted, "the importance"), exact_sum(weighted * values, "the importance")
        return ImportancePartial(total, squares, exact_sum(shares, "the weight of a query"))
    weighted = values * weight[:, None, :]
    return ImportancePartial(
        exact_sum(weighted, "the importance"), exact_sum(weighted * values, "the importance"), weight.sum(axis=0)
    )
