"""Every query's documents ranked by every feature, and what merging these lists gains (BestGain)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import dense_parts
from leanrank.data.weights import QUERIES
from leanrank.kernels._threads import over_queries
from leanrank.kernels.bestgain import list_windows, merge_lists, merged_precisions, precisions
from leanrank.kernels.list_order import rank_lists
from leanrank.metrics._base import Metric
from leanrank.metrics.precision_recall import AP
from leanrank.stats.exact_sum import as_float, exact_sum

Partial = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class Merging:
    """How lists are made, merged and measured."""

    metric: Metric
    relevance_threshold: float = 1.0
    count_picked: bool = False
    shuffle_seed: int | None = None  # None: equal values keep their order in the file

    @property
    def is_average_precision(self) -> bool:
        return isinstance(self.metric, AP) and self.metric.k is None

    def tie_order(self, data: RankingData, query: int) -> NDArray[np.int32]:
        """The order in which equal values of a query's documents are taken, a function of its id alone."""
        assert self.shuffle_seed is not None
        name = crc32(str(data.query_ids[query]).encode())
        n = int(data.query_ptr[query + 1] - data.query_ptr[query])
        return np.random.default_rng([self.shuffle_seed, name]).permutation(n).astype(np.int32)


class RankedLists:
    """The lists of all features in all queries (4 to 6 bytes per value), and the list merged so far in each query."""

    def __init__(self, data: RankingData, merging: Merging, *, n_threads: int | None = None) -> None:
        self.y = data.y
        self.weight = np.ones(data.n_queries) if data.beside.query_weight is None else data.beside.query_weight
        self.query_ptr = data.query_ptr
        self.merging = merging
        self.n_threads = n_threads
        self.relevant = data.y >= merging.relevance_threshold
        self.orders = np.empty((data.n_features, data.n_rows), dtype=np.int32)
        self.varies = np.zeros(data.n_features, dtype=bool)  # inside some query
        at = 0
        for part in dense_parts(data):
            self._rank(part, at)
            at += part.n_rows
        self._windows()
        self.best: NDArray[np.int32] | None = None

    def _rank(self, data: RankingData, at: int) -> None:
        """Fill the lists of these queries, the first row being number `at` of all."""
        bits = np.ascontiguousarray(data.X).view(np.uint32 if data.X.dtype == np.float32 else np.uint64)
        names = (np.arange(data.n_rows) - np.repeat(data.query_ptr[:-1], data.query_sizes)).astype(np.int32)
        if self.merging.shuffle_seed is not None:
            names = np.concatenate([self.merging.tie_order(data, q) for q in range(data.n_queries)])
            bits = bits[names + np.repeat(data.query_ptr[:-1], data.query_sizes)]
        columns = slice(at, at + data.n_rows)
        orders = self.orders[:, columns]

        def work(first: int, last: int) -> None:
            rank_lists(bits, names, data.query_ptr, first, last, orders, self.varies)

        over_queries(work, data.query_ptr, self.n_threads, min_rows=max(1, 50_000 // data.n_features))

    def _windows(self) -> None:
        """Where the relevant documents stand in each list, for queries that have few: (R + 1)^2 of at most n."""
        sizes = np.diff(self.query_ptr)
        n_relevant = np.add.reduceat(self.relevant.astype(np.int64), self.query_ptr[:-1])
        few = (n_relevant > 0) & ((n_relevant + 1) ** 2 <= sizes) & self.merging.is_average_precision
        self.ends_ptr = np.concatenate(([0], np.cumsum(np.where(few, n_relevant + 1, 0))))
        some = bool(few.any())
        self.windows = np.empty(self.orders.shape if some else (len(self.orders), 0), dtype=np.uint16)
        self.ends = np.empty((len(self.orders), int(self.ends_ptr[-1])), dtype=np.int32)
        if some:

            def work(first: int, last: int) -> None:
                lists = (self.orders, self.relevant, self.query_ptr, self.ends_ptr)
                list_windows(*lists, first, last, self.windows, self.ends)

            over_queries(work, self.query_ptr, self.n_threads, min_rows=max(1, 50_000 // len(self.orders)))

    def add(self, feature: int) -> None:
        """Merge the lists of `feature` into those merged so far; the first feature's lists are taken as they are."""
        if self.best is None:
            self.best = self.orders[feature].copy()
            return
        merged = np.empty_like(self.best)
        self._merge(feature, self.best, merged)
        self.best = merged

    def _merge(self, feature: int, best: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        merge_lists(self.orders[feature], best, self.relevant, self.query_ptr, self.merging.count_picked, out)

    def values(self, features: NDArray[np.int64]) -> NDArray[np.float64]:
        """The metric of every query (Q, features) after merging each of `features`; queries left out count 0."""
        if not self.merging.is_average_precision:
            return self._values_by_metric(features)
        out = np.empty((len(self.query_ptr) - 1, len(features)))
        if self.best is None:
            precisions(self.orders, self.relevant, self.query_ptr, features, out)
            return out
        best = self.best

        def work(first: int, last: int) -> None:
            lists = (self.orders, self.windows, self.ends, best, self.relevant, self.query_ptr, self.ends_ptr)
            merged_precisions(*lists, first, last, features, self.merging.count_picked, out)

        min_rows = max(1, 50_000 // max(1, len(features)))
        over_queries(work, self.query_ptr, self.n_threads, min_rows=min_rows)
        return out

    def current(self) -> NDArray[np.float64]:
        """The metric of every query for the lists merged so far."""
        if self.best is None:
            return np.zeros(len(self.query_ptr) - 1)
        if not self.merging.is_average_precision:
            return self._measured(self.best[None, :])[:, 0]
        out = np.empty((len(self.query_ptr) - 1, 1))
        precisions(self.best[None, :], self.relevant, self.query_ptr, np.array([0]), out)
        return out[:, 0]

    def _values_by_metric(self, features: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.best is None:
            return self._measured(self.orders[features])
        merged = np.empty((len(features), len(self.best)), dtype=np.int32)
        for i, feature in enumerate(features):
            self._merge(int(feature), self.best, merged[i])
        return self._measured(merged)

    def _measured(self, lists: NDArray[np.int32]) -> NDArray[np.float64]:
        """The metric of lists (number, rows): a document scores minus its place."""
        offset = np.repeat(self.query_ptr[:-1], np.diff(self.query_ptr))
        place = np.arange(lists.shape[1]) - offset
        scores = np.empty((lists.shape[1], len(lists)))
        for i, ranked in enumerate(lists):
            scores[ranked + offset, i] = -place
        values = self.merging.metric.per_query(self.y, scores, self.query_ptr, n_threads=self.n_threads)
        return np.nan_to_num(values, nan=0.0)

    def partial(self, features: NDArray[np.int64]) -> Partial:
        """Sums over queries of what each of `features` gains, of the metric so far, and of what queries weigh."""
        current, weight = self.current(), self.weight
        gains = (self.values(features) - current[:, None]) * weight[:, None]
        return exact_sum(gains), exact_sum(current * weight), exact_sum(weight, "the weight of queries")


@dataclass(frozen=True, eq=False)
class Gains:
    """Statistic: the mean over queries of what merging each of `features` into the lists of `chosen` gains.

    The merges of the features chosen so far are replayed in each block, so nothing is kept between folds.
    """

    weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    merging: Merging
    chosen: tuple[int, ...]
    features: NDArray[np.int64]

    def of(self, block: RankingData) -> Partial:
        block.require_complete("BestGain")
        lists = RankedLists(block, self.merging, n_threads=1)
        for feature in self.chosen:
            lists.add(feature)
        return lists.partial(self.features)

    def merge(self, a: Partial, b: Partial) -> Partial:
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    def finish(self, partial: Partial) -> tuple[NDArray[np.float64], float]:
        """The mean gain of each feature, and the mean metric so far."""
        gains, current, weight = (as_float(total) for total in partial)
        return np.round(gains / weight, 12), float(np.round(current / weight, 12))
