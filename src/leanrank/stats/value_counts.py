"""How often each value of each feature occurs with each label: all that a supervised discretisation needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData


def columns(X: Any, features: Iterable[int] | None = None) -> Iterator[NDArray[np.float64]]:
    """Columns of a dense or sparse matrix one by one (all, or these), dense, float64."""
    wanted = range(X.shape[1]) if features is None else features
    if isinstance(X, np.ndarray):
        for j in wanted:
            yield np.ascontiguousarray(X[:, j], dtype=np.float64)
        return
    by_column = sp.csc_array(X)
    by_column.sum_duplicates()
    for j in wanted:
        stored = slice(by_column.indptr[j], by_column.indptr[j + 1])
        column = np.zeros(by_column.shape[0])
        column[by_column.indices[stored]] = by_column.data[stored]
        yield column


@dataclass(frozen=True)
class ValueTable:
    """Distinct values of one feature, ascending, and how often each occurs with each label: (values, labels)."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class ValueTables:
    """One `ValueTable` per feature, and the labels its columns stand for."""

    labels: NDArray[np.float64]
    tables: tuple[ValueTable, ...]

    @property
    def label_counts(self) -> NDArray[np.int64]:
        return np.asarray(self.tables[0].counts.sum(axis=0), dtype=np.int64)

    def subset(self, features: NDArray[np.int64]) -> ValueTables:
        """Only these features."""
        return ValueTables(self.labels, tuple(self.tables[j] for j in features))

    def binned(self, cuts: tuple[NDArray[np.float64], ...]) -> list[NDArray[np.int64]]:
        """Counts of (bin, label) of each feature; bin j is the interval (cut j-1, cut j]."""
        out = []
        for table, its_cuts in zip(self.tables, cuts, strict=True):
            counts = np.zeros((len(its_cuts) + 1, len(self.labels)), dtype=np.int64)
            np.add.at(counts, np.searchsorted(its_cuts, table.values, side="left"), table.counts)
            out.append(counts)
        return out


class ValueCounts:
    """Statistic: the values of each feature, counted by label over the rows of all queries together.

    Memory: one number per distinct value of each feature and label; at most rows x features x (1 + labels) numbers.
    """

    def of(self, block: RankingData) -> ValueTables:
        block.require_complete("ValueCounts")
        labels, classes = np.unique(block.y.astype(np.float64), return_inverse=True)
        tables = []
        for column in columns(block.X):
            values, where = np.unique(column + 0.0, return_inverse=True)  # + 0.0 makes -0.0 the same value as 0.0
            counts = np.bincount(where * len(labels) + classes, minlength=len(values) * len(labels))
            tables.append(ValueTable(values, counts.reshape(len(values), len(labels)).astype(np.int64)))
        return ValueTables(labels, tuple(tables))

    def merge(self, a: ValueTables, b: ValueTables) -> ValueTables:
        labels = np.union1d(a.labels, b.labels)
        in_a, in_b = np.searchsorted(labels, a.labels), np.searchsorted(labels, b.labels)
        tables = []
        for one, other in zip(a.tables, b.tables, strict=True):
            values = np.union1d(one.values, other.values)
            counts = np.zeros((len(values), len(labels)), dtype=np.int64)
            counts[np.ix_(np.searchsorted(values, one.values), in_a)] += one.counts
            counts[np.ix_(np.searchsorted(values, other.values), in_b)] += other.counts
            tables.append(ValueTable(values, counts))
        return ValueTables(labels, tuple(tables))

    def finish(self, partial: ValueTables) -> ValueTables:
        return partial
