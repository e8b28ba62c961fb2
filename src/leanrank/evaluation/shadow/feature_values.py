"""The values of every feature in a log, as folds: where to cut them into parts, and how many lie in each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.shadow.changes import for_ranker
from leanrank.kernels._threads import at_most
from leanrank.stats.row_sample import row_keys

Floats = NDArray[np.float64]
#: Parts that hold about as many values each.
PARTS = 10
_SAMPLED = 20_000


@dataclass(frozen=True)
class ValueCuts:
    """Statistic: the cuts of each feature into parts of about as many values, from a random sample of rows.

    Values up to a cut and above the one before it are a part; the first cut is just below the smallest value seen, the
    last is the largest.
    """

    parts: int = PARTS
    size: int = _SAMPLED
    seed: int = 0

    def of(self, block: RankingData) -> tuple[Any, Any]:
        """The rows of the smallest keys."""
        keys = row_keys(block, self.seed)
        rows = np.argsort(keys)[: self.size]
        X = block.X[rows]
        return keys[rows], X.toarray() if block.is_sparse else X

    def merge(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
        """The rows of the smallest keys of both."""
        keys = np.concatenate((a[0], b[0]))
        rows = np.argsort(keys)[: self.size]
        return keys[rows], np.concatenate((a[1], b[1]))[rows]

    def finish(self, partial: tuple[Any, Any]) -> list[Floats]:
        """An ascending array of cuts for each feature; empty where all values are missing."""
        cuts = []
        for column in np.asarray(partial[1], dtype=np.float64).T:
            known = column[~np.isnan(column)]
            if len(known):
                inner = np.quantile(known, np.linspace(0, 1, self.parts + 1)[1:], method="lower")
                known = np.unique(np.append(inner, np.nextafter(known.min(), -np.inf)))
            cuts.append(known)
        return cuts


@dataclass(frozen=True)
class Values:
    """One feature: rows in each part, the last of them those that are missing, and how it goes with the scores."""

    counts: NDArray[np.int64]
    importance: float

    @property
    def missing_share(self) -> float:
        """The share of rows without a value."""
        return round(float(self.counts[-1] / self.counts.sum()), 6)


@dataclass(frozen=True, eq=False)
class FeatureValues:
    """Statistic: rows in each part of each feature, and the correlation of the feature with a ranker's scores.

    The correlation is that of deviations from the means of queries, over all queries: a proxy of importance that needs
    no labels.
    """

    cuts: tuple[Floats, ...]
    ranker: Any

    def of(self, block: RankingData) -> tuple[list[Any], Floats]:
        """Counts of each feature, and sums of products (3, K): with the scores, with itself, of the scores."""
        X = block.dense()
        missing = np.isnan(X) if block.missing else None
        counts = [_counts(X[:, j], cuts) for j, cuts in enumerate(self.cuts)]
        with at_most(1):
            scores = np.asarray(self.ranker.predict(for_ranker(block, self.ranker)), dtype=np.float64)
        own = _deviations(scores[:, None], None, block)
        deviations = _deviations(X, missing, block)
        squares = np.full(len(self.cuts), float((own**2).sum()))
        return counts, np.stack((deviations.T @ own[:, 0], (deviations**2).sum(axis=0), squares))

    def merge(self, a: tuple[list[Any], Floats], b: tuple[list[Any], Floats]) -> tuple[list[Any], Floats]:
        """Both added up."""
        return [one + other for one, other in zip(a[0], b[0], strict=True)], a[1] + b[1]

    def finish(self, partial: tuple[list[Any], Floats]) -> list[Values]:
        """One entry a feature."""
        counts, (products, squares, of_scores) = partial
        scale = np.sqrt(squares * of_scores)
        correlation = np.divide(products, scale, out=np.zeros(len(counts)), where=scale > 0)
        return [Values(count, round(float(r), 6)) for count, r in zip(counts, correlation, strict=True)]


def _counts(column: NDArray[Any], cuts: Floats) -> NDArray[np.int64]:
    """Rows up to each cut, above the last, and missing."""
    known = column[~np.isnan(column)].astype(np.float64)
    parts = np.bincount(np.searchsorted(cuts, known, side="left"), minlength=len(cuts) + 1)
    return np.append(parts, len(column) - len(known)).astype(np.int64)


def _deviations(X: NDArray[Any], missing: NDArray[np.bool_] | None, block: RankingData) -> Floats:
    """Values less the mean of their query; 0 where they are missing."""
    values = np.array(X, dtype=np.float64)
    sizes = block.query_sizes[:, None]
    if missing is not None:
        values[missing] = 0.0
        sizes = np.maximum(1, np.add.reduceat((~missing).astype(np.int64), block.query_ptr[:-1], axis=0))
    means = np.add.reduceat(values, block.query_ptr[:-1], axis=0) / sizes
    values -= np.repeat(means, block.query_sizes, axis=0)
    if missing is not None:
        values[missing] = 0.0
    return values
