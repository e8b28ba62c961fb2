"""Entropy, information gain, chi-squared and symmetrical uncertainty of contingency tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import WEIGHTS
from leanrank.kernels.contingency import class_counts
from leanrank.stats.discretize import Binning
from leanrank.stats.exact_sum import InUnits, as_float, exact_sum, in_units, times, unit_of

#: Counts are whole numbers, or sums of weights.
Counts = NDArray[np.int64] | NDArray[np.float64]
Score = Callable[[Counts], float]


def entropy(counts: Counts) -> float:
    """Entropy in bits of the distribution with these counts, of any shape.

    >>> entropy(np.array([4, 4]))
    1.0
    """
    positive = counts[counts > 0].ravel()
    if positive.size < 2:
        return 0.0
    share = positive / positive.sum()
    return float(-(share * np.log2(share)).sum())


def information_gain(table: Counts) -> float:
    """H(Y) - H(Y|X) = H(X) + H(Y) - H(X, Y) of a table of counts (values of X, values of Y), in bits.

    >>> round(information_gain(np.array([[0, 3], [4, 1]])), 6)
    0.548795
    """
    return max(0.0, entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table))


def chi_squared(table: Counts) -> float:
    """Sum of (O - E)^2 / E over the cells; rows and columns without any count are left out; no Yates correction.

    >>> round(chi_squared(np.array([[0, 3], [4, 1]])), 6)
    4.8
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if table.size == 0:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())


def symmetrical_uncertainty(table: Counts) -> float:
    """2 IG / (H(X) + H(Y)), in [0, 1]; 0 where either entropy is 0.

    >>> round(symmetrical_uncertainty(np.array([[0, 3], [4, 1]])), 5)
    0.56159
    """
    of_x, of_y = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    return 2.0 * information_gain(table) / (of_x + of_y) if of_x > 0.0 and of_y > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class BinCounts(InUnits):
    """Statistic: how often each bin of each feature occurs with each label: (bin, label) counts of each feature.

    Documents with weights count so many of `unit`, see `WeightUnit`.

    Memory: 8 x bins of all features x labels bytes.
    """

    binning: Binning
    labels: NDArray[np.float64]
    unit: float | None = None

    def of(self, block: RankingData) -> NDArray[np.int64]:
        counts = np.zeros((self.binning.offsets[-1], len(self.labels)), dtype=np.int64)
        classes = np.searchsorted(self.labels, block.y.astype(np.float64))
        class_counts(self.binning.codes(block.X, counted_through=True), classes, times(block, self.unit), counts)
        return counts

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b

    def finish(self, partial: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        return np.split(partial, self.binning.offsets[1:-1])


@dataclass(frozen=True, eq=False)
class PerQueryScore:
    """Statistic: the mean over queries of a score of each feature's table of (bin, label) counts.

    A document counts as much as it weighs in the table of its query, and a query in the mean.
    """

    score: Score
    binning: Binning
    labels: NDArray[np.float64]

    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)

    def of(self, block: RankingData) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        offsets, weight = self.binning.offsets, block.beside.weight
        codes = self.binning.codes(block.X, counted_through=True)
        classes = np.searchsorted(self.labels, block.y.astype(np.float64))
        unit = None if weight is None else unit_of(float(weight.sum()))
        counted = in_units(weight, block.n_rows, unit)
        values = np.empty((block.n_queries, len(offsets) - 1))
        for q in range(block.n_queries):
            rows = slice(block.query_ptr[q], block.query_ptr[q + 1])
            counts = np.zeros((offsets[-1], len(self.labels)), dtype=np.int64)
            class_counts(codes[rows], classes[rows], counted[rows], counts)
            tables = np.split(counts if unit is None else counts * unit, offsets[1:-1])
            values[q] = [self.score(table) for table in tables]
        of_query = block.beside.query_weight
        if of_query is None:
            of_query = np.ones(block.n_queries)
        return exact_sum(values * of_query[:, None]), exact_sum(of_query, "the weight of queries")

    def merge(
        self, a: tuple[NDArray[np.int64], NDArray[np.int64]], b: tuple[NDArray[np.int64], NDArray[np.int64]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return a[0] + b[0], a[1] + b[1]

    def finish(self, partial: tuple[NDArray[np.int64], NDArray[np.int64]]) -> NDArray[np.float64]:
        return np.asarray(np.round(as_float(partial[0]) / as_float(partial[1]), 12))
