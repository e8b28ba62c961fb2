"""Distinct patterns of discretised values with their label counts, and the inconsistency of a feature set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.kernels.patterns import equal_patterns, inconsistent_rows, inconsistent_rows_without, value_hashes
from leanrank.stats.discretize import Binning
from leanrank.stats.exact_sum import InUnits, times


@dataclass(frozen=True)
class Patterns:
    """Distinct rows of bin codes (patterns, features) and how often each occurs with each label (patterns, labels)."""

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PatternCounts(InUnits):
    """Statistic: the distinct patterns of the features of `binning` together, counted by label.

    Memory: 4 bytes per pattern and feature and 8 per pattern and label, patterns being at most the rows; `finish`
    adds 8 per pattern and feature for hashes. Documents with weights count so many of `unit`, see `WeightUnit`.
    """

    binning: Binning
    labels: NDArray[np.float64]
    unit: float | None = None

    def of(self, block: RankingData) -> Patterns:
        classes = np.searchsorted(self.labels, block.y.astype(np.float64))
        counts = np.zeros((block.n_rows, len(self.labels)), dtype=np.int64)
        counts[np.arange(block.n_rows), classes] = times(block, self.unit)
        return _distinct(self.binning.codes(block.X), counts)

    def merge(self, a: Patterns, b: Patterns) -> Patterns:
        return _distinct(np.concatenate((a.codes, b.codes)), np.concatenate((a.counts, b.counts)))

    def finish(self, partial: Patterns) -> Inconsistency:
        return Inconsistency(partial)


def _distinct(codes: NDArray[np.int32], counts: NDArray[np.int64]) -> Patterns:
    number, n_patterns = equal_patterns(value_hashes(codes).sum(axis=0, dtype=np.uint64))
    first = np.zeros(n_patterns, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    total = np.zeros((n_patterns, counts.shape[1]), dtype=np.int64)
    np.add.at(total, number, counts)
    return Patterns(np.ascontiguousarray(codes[first]), total)


class Inconsistency:
    """U(S) = (1/N) sum over the distinct patterns of S of (count - count of its majority label).

    Monotone: more features never raise it. Counts are whole numbers, of documents or of units of weight, so equal sets
    have exactly equal U.
    """

    def __init__(self, patterns: Patterns) -> None:
        self._of_values = value_hashes(patterns.codes)
        self._counts = patterns.counts
        self.n_rows = int(patterns.counts.sum())
        self.n_features = patterns.codes.shape[1]

    def _hashes(self, features: Sequence[int] | NDArray[np.int64]) -> NDArray[np.uint64]:
        chosen = np.asarray(features, dtype=np.int64)
        return np.asarray(self._of_values[chosen].sum(axis=0, dtype=np.uint64))

    def rows(self, features: Sequence[int] | NDArray[np.int64]) -> int:
        """N U(S): how many rows lie outside the majority of their pattern."""
        return int(inconsistent_rows(self._hashes(features), self._counts))

    def rows_without_each(self, features: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """N U(S - f) for each f of S, in the order given: one pass of the patterns each."""
        chosen = np.asarray(features, dtype=np.int64)
        return inconsistent_rows_without(self._hashes(chosen), self._of_values, self._counts, chosen)
