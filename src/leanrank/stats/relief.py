"""Relief weights as sums over documents of their differences to near documents: the statistics of the Relief family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import QUERIES, row_weights
from leanrank.kernels._threads import over_queries
from leanrank.kernels.relief import differences_dense, differences_sparse, nearest_dense, nearest_sparse
from leanrank.stats.exact_sum import as_float, exact_sum
from leanrank.stats.row_sample import row_keys

# Visited rows of a group where neighbours may be anywhere: what one thread takes at once.
_ROWS = 256

Floats = NDArray[np.float64]


class Extent(NamedTuple):
    """Range of each feature, how often each label occurs, or what its documents weigh."""

    low: Floats
    high: Floats
    labels: Floats
    counts: Floats


@dataclass(frozen=True)
class DataExtent:
    """Statistic: smallest and largest value of each feature over all rows, and the labels with their counts.

    A document counts as much as its query weighs.
    """

    weights: ClassVar[tuple[str, ...]] = (QUERIES,)

    def of(self, block: RankingData) -> Extent:
        block.require_complete("Relief")
        labels, where = np.unique(block.y.astype(np.float64), return_inverse=True)
        counts = np.bincount(where, weights=row_weights(block)).astype(np.float64)
        low, high = block.X.min(axis=0), block.X.max(axis=0)
        if block.is_sparse:
            low, high = low.toarray().ravel(), high.toarray().ravel()
        return Extent(low.astype(np.float64), high.astype(np.float64), labels, counts)

    def merge(self, a: Extent, b: Extent) -> Extent:
        labels, where = np.unique(np.concatenate((a.labels, b.labels)), return_inverse=True)
        counts = np.zeros(len(labels))
        np.add.at(counts, where, np.concatenate((a.counts, b.counts)))
        return Extent(np.minimum(a.low, b.low), np.maximum(a.high, b.high), labels, counts)

    def finish(self, partial: Extent) -> Extent:
        return partial


class Neighbours(NamedTuple):
    """For each row the numbers of its nearest rows of each class, nearest first, and how many there are."""

    rows: NDArray[np.int32]  # (n, classes, k)
    n_near: NDArray[np.int32]  # (n, classes)
    visit: NDArray[np.bool_]  # (n,): rows left out have none

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which of the k places are taken."""
        places: NDArray[np.bool_] = np.arange(self.rows.shape[2]) < self.n_near[:, :, None]
        return places & self.visit[:, None, None]


class Weighing(Protocol):
    """What makes one method of the family: who counts as a class, which rows are visited, what neighbours weigh."""

    def classes(self, data: RankingData) -> tuple[NDArray[np.int64], int]:
        """Class number of each row, and the number of classes."""
        ...

    def visited(self, data: RankingData) -> NDArray[np.bool_]:
        """Rows from which neighbours are looked at."""
        ...

    def weights(self, data: RankingData, neighbours: Neighbours) -> tuple[Floats, Floats]:
        """Weights of the differences (sums, n, classes, k), and plain sums over visited rows to keep (n, scalars)."""
        ...


Partial = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class ReliefSums:
    """Statistic: sums of weighted differences of each feature between documents and their nearest documents.

    Notes
    -----
    Cost: for each query n^2 differences of K features (of the stored ones in sparse data), and n k K per class.

    All sums of a query count as much as it weighs. Where neighbours may be of other queries there are no weights: a
    query that stood there twice would have its documents for neighbours of their own copies.
    """

    weights: ClassVar[tuple[str, ...]] = (QUERIES,)

    weighing: Weighing
    features: NDArray[np.int64]  # columns to use
    scale: Floats  # what their values are multiplied by
    k: int  # neighbours of each class
    euclidean: bool = False  # distance; otherwise Manhattan
    sample: tuple[np.uint64, int] | None = None  # visit only rows of the sample; see `RowSample`

    def of(self, block: RankingData) -> Partial:
        reach = np.column_stack((block.query_ptr[:-1], block.query_ptr[1:]))
        return self._partial(block, block.query_ptr, reach, n_threads=1)

    def of_whole(self, data: RankingData) -> Partial:
        """As `of`, with neighbours from all queries, without weights: everything has to be in memory."""
        rows_ptr = np.append(np.arange(0, data.n_rows, _ROWS), data.n_rows)
        reach = np.tile(np.array([[0, data.n_rows]]), (len(rows_ptr) - 1, 1))
        return self._partial(data, rows_ptr, reach, n_threads=None)

    def merge(self, a: Partial, b: Partial) -> Partial:
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    def finish(self, partial: Partial) -> tuple[Floats, Floats, float]:
        """Sums (sums, K), plain sums, number of visited rows."""
        return as_float(partial[0]), as_float(partial[1]), float(as_float(partial[2]))

    def _partial(
        self, data: RankingData, rows_ptr: NDArray[np.int64], reach: NDArray[np.int64], *, n_threads: int | None
    ) -> Partial:
        rows = self._rows(data)
        classes, n_classes = self.weighing.classes(data)
        visit = self.weighing.visited(data)
        if self.sample is not None:
            visit = visit & (row_keys(data, self.sample[1]) <= self.sample[0])
        nearest = np.zeros((data.n_rows, n_classes, self.k), dtype=np.int32)
        n_near = np.zeros((data.n_rows, n_classes), dtype=np.int32)

        def look(first: int, last: int) -> None:
            rows.nearest(classes, visit, rows_ptr, reach, first, last, self.euclidean, nearest, n_near)

        over_queries(look, rows_ptr, n_threads, min_rows=_ROWS)
        weights, kept = self.weighing.weights(data, Neighbours(nearest, n_near, visit))
        sums = np.empty((len(rows_ptr) - 1, len(weights), len(self.features)))

        def add(first: int, last: int) -> None:
            rows.differences(visit, rows_ptr, first, last, nearest, n_near, weights, sums)

        over_queries(add, rows_ptr, n_threads, min_rows=_ROWS)
        kept, visits = kept[visit], visit[visit].astype(np.float64)
        if data.beside.query_weight is not None:  # the groups are queries then
            of_row = np.repeat(data.beside.query_weight, data.query_sizes)[visit]
            sums *= data.beside.query_weight[:, None, None]
            kept, visits = kept * of_row[:, None], of_row
        return exact_sum(sums, "a Relief sum"), exact_sum(kept, "a Relief sum"), exact_sum(visits, "a weight")

    def _rows(self, data: RankingData) -> _DenseRows | _SparseRows:
        """Scaled values of the chosen features."""
        if data.is_sparse:
            return _SparseRows(sp.csr_array(data.X[:, self.features].astype(np.float64)), self.scale)
        return _DenseRows(np.ascontiguousarray(data.X[:, self.features] * self.scale, dtype=np.float64))


class _DenseRows:
    def __init__(self, X: Floats) -> None:
        self._X = X

    def nearest(self, *where: Any) -> None:
        nearest_dense(self._X, *where)

    def differences(self, *where: Any) -> None:
        differences_dense(self._X, *where)


class _SparseRows:
    def __init__(self, X: sp.csr_array, scale: Floats) -> None:
        X.sum_duplicates()
        self._values = X.data * scale[X.indices]
        self._columns = X.indices.astype(np.int32)
        self._indptr = X.indptr.astype(np.int64)
        self._n_features = X.shape[1]

    def nearest(self, *where: Any) -> None:
        nearest_sparse(self._values, self._columns, self._indptr, self._n_features, *where)

    def differences(self, *where: Any) -> None:
        differences_sparse(self._values, self._columns, self._indptr, self._n_features, *where)


def rows_of_mixed_queries(data: RankingData) -> NDArray[np.bool_]:
    """Rows of queries with at least two different labels."""
    low = np.minimum.reduceat(data.y, data.query_ptr[:-1])
    high = np.maximum.reduceat(data.y, data.query_ptr[:-1])
    return np.repeat(low < high, data.query_sizes)


@dataclass(frozen=True, eq=False)
class ClassDifferences:
    """ReliefF and RankFilter: far from misses (by class, times `miss[c, C]`), near to hits."""

    labels: Floats
    miss: Floats  # (classes, classes): weight of a mean difference from class c to class C; the diagonal is not used
    skip_single_level: bool

    def classes(self, data: RankingData) -> tuple[NDArray[np.int64], int]:
        return np.searchsorted(self.labels, data.y.astype(np.float64)), len(self.labels)

    def visited(self, data: RankingData) -> NDArray[np.bool_]:
        return rows_of_mixed_queries(data) if self.skip_single_level else np.ones(data.n_rows, dtype=bool)

    def weights(self, data: RankingData, neighbours: Neighbours) -> tuple[Floats, Floats]:
        own = self.classes(data)[0]
        of_class = self.miss[own]
        of_class[np.arange(data.n_rows), own] = -1.0
        share = of_class / np.maximum(neighbours.n_near, 1)
        weights = np.broadcast_to(share[:, :, None], neighbours.rows.shape)
        return np.ascontiguousarray(weights)[None], np.empty((data.n_rows, 0))


def rank_weights(there: NDArray[np.bool_], sigma: float | None) -> Floats:
    """Weights of neighbours by their rank 1, 2, ...: exp(-(rank/sigma)^2), or equal; they sum to 1 in each row."""
    rank = np.arange(1, there.shape[1] + 1)
    raw = np.where(there, 1.0 if sigma is None else np.exp(-((rank / sigma) ** 2)), 0.0)
    total = raw.sum(axis=1, keepdims=True)
    return np.asarray(raw / np.where(total > 0.0, total, 1.0))


class _OneClass:
    """Neighbours of every document, whatever their labels."""

    def classes(self, data: RankingData) -> tuple[NDArray[np.int64], int]:
        return np.zeros(data.n_rows, dtype=np.int64), 1

    def visited(self, data: RankingData) -> NDArray[np.bool_]:
        return np.ones(data.n_rows, dtype=bool)


@dataclass(frozen=True, eq=False)
class TargetDifferences(_OneClass):
    """RReliefF: sums of d |x - z| and of |y - y'| d |x - z|; of |y - y'| d, and of rows that have a neighbour."""

    label_range: float
    sigma: float | None

    def weights(self, data: RankingData, neighbours: Neighbours) -> tuple[Floats, Floats]:
        y = data.y.astype(np.float64)
        weight = rank_weights(neighbours.there[:, 0], self.sigma)
        apart = np.abs(y[:, None] - y[neighbours.rows[:, 0]]) / (self.label_range or 1.0)
        both = np.stack((weight, weight * apart))[:, :, None, :]
        kept = np.column_stack(((weight * apart).sum(axis=1), neighbours.there[:, 0].any(axis=1)))
        return np.ascontiguousarray(both), kept


@dataclass(frozen=True, eq=False)
class ScoreDifferences(_OneClass):
    """RankWrapper: neighbours count by how much farther than the median they are in score; and rows that have one."""

    scores: Callable[[RankingData], Floats]
    unit: float  # scores are divided by it, so that sums keep their precision whatever the scores' scale
    sigma: float | None
    normalise: str | None

    def weights(self, data: RankingData, neighbours: Neighbours) -> tuple[Floats, Floats]:
        s = self.scores(data)
        there = neighbours.there[:, 0]
        apart = np.where(there, np.abs(s[:, None] - s[neighbours.rows[:, 0]]), np.nan)
        some = np.asarray(there.any(axis=1))
        significance = np.zeros_like(apart)
        median = np.nanmedian(apart[some], axis=1, keepdims=True)
        significance[some] = apart[some] - median
        if self.normalise is None:
            significance /= self.unit
        else:
            by = median if self.normalise == "median" else np.nanmax(apart[some], axis=1, keepdims=True)
            significance[some] = np.where(by > 0.0, significance[some] / np.where(by > 0.0, by, 1.0), 0.0)
        weight = np.where(there, rank_weights(there, self.sigma) * significance, 0.0)
        return np.ascontiguousarray(weight[None, :, None, :]), some[:, None].astype(np.float64)
