"""Sum over queries of each attribute's rank correlation with the order of the labels, after a projection (RCDR)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import dense_parts
from leanrank.kernels.rcdr import kendall_correlations, spearman_correlations
from leanrank.stats.exact_sum import as_float, exact_sum

# Attributes nearer than this share of their range are tied: projection leaves rounding errors where ties were.
TIE = 1e-10


class Spread(NamedTuple):
    """Rows, mean, sum of squared deviations, smallest and largest value of each column."""

    n: int
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def std(self) -> NDArray[np.float64]:
        """Standard deviation of each column to 12 digits (so that blocks do not matter), 1 for a constant."""
        std = np.sqrt(self.squares / self.n)
        std[self.low == self.high] = 1.0
        return np.array([float(f"{value:.12g}") for value in std])


@dataclass(frozen=True)
class ColumnSpread:
    """Statistic: where each column lies and how far it spreads, over all rows."""

    def of(self, block: RankingData) -> Spread:
        block.require_complete("RCDR")
        return reduce(self.merge, (_spread(part.X.astype(np.float64)) for part in dense_parts(block)))

    def merge(self, a: Spread, b: Spread) -> Spread:
        n = a.n + b.n
        apart = b.mean - a.mean
        return Spread(
            n,
            a.mean + apart * (b.n / n),
            a.squares + b.squares + apart**2 * (a.n * b.n / n),
            np.minimum(a.low, b.low),
            np.maximum(a.high, b.high),
        )

    def finish(self, partial: Spread) -> Spread:
        return partial


def _spread(X: NDArray[np.float64]) -> Spread:
    mean = X.mean(axis=0)
    return Spread(len(X), mean, ((X - mean) ** 2).sum(axis=0), X.min(axis=0), X.max(axis=0))


Partial = tuple[NDArray[np.int64], int, int]


@dataclass(frozen=True, eq=False)
class RankCorrelation:
    """Statistic: R_k = sum over queries of the correlation of attribute k with the labels, and what it is a sum of.

    Attributes are divided by `scale`, then freed of their part along the rows of `basis` (orthonormal). A query whose
    labels are all equal, or with a single document, is not counted.
    """

    kind: str
    tau_b: bool
    by_pairs: bool
    scale: NDArray[np.float64]
    width: NDArray[np.float64]  # range of each attribute, after scaling
    basis: NDArray[np.float64]

    def of(self, block: RankingData) -> Partial:
        return reduce(self.merge, map(self._of_dense, dense_parts(block)))

    def _of_dense(self, block: RankingData) -> Partial:
        X = block.X / self.scale
        for component in self.basis:
            X -= np.outer(X @ component, component)
        values = np.empty((block.n_queries, block.n_features))
        n_pairs = np.empty(block.n_queries, dtype=np.int64)
        where = (X, block.y, block.query_ptr, 0, block.n_queries, TIE * self.width)
        if self.kind == "kendall":
            kendall_correlations(*where, self.tau_b, values, n_pairs)
        else:
            spearman_correlations(*where, values, n_pairs)
        if self.by_pairs:
            values *= n_pairs[:, None]
        return exact_sum(values), int((n_pairs > 0).sum()), int(n_pairs.sum())

    def merge(self, a: Partial, b: Partial) -> Partial:
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    def finish(self, partial: Partial) -> tuple[NDArray[np.float64], int, int]:
        """R, the number of queries counted, and their pairs of different labels."""
        total, n_queries, n_pairs = partial
        return np.round(as_float(total), 12), n_queries, n_pairs
