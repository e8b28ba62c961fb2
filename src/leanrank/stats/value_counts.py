"""How often each value of each feature occurs with each label: all that a supervised discretisation needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError
from leanrank.kernels.value_table import coarsen, count_sorted, least_shift, merge_sorted
from leanrank.stats.exact_sum import InUnits, times

#: Values of a feature that are told apart; of more, neighbours are taken together.
MAX_VALUES = 16_384
#: Labels are classes here: more of them than this are numbers.
MAX_LABELS = 4_096


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
    """Values of one feature, ascending, and how often each occurs with each label: (values, labels).

    Entry v counts the values from values[v] to highest[v]: one value where there are few, otherwise neighbours that
    agree in all but the last `shift` bits. A count of 1 is `unit` documents, see `WeightUnit`.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    highest: NDArray[np.float64]
    shift: int = 0
    unit: float = 1.0

    def at_most(self, n: int) -> ValueTable:
        """The same with neighbours taken together until there are at most `n` entries."""
        if len(self.values) <= n:
            return self
        shift = least_shift(self.values, self.shift, n)
        low, high, counts = self.values.copy(), self.highest.copy(), self.counts.copy()
        left = coarsen(low, high, counts, shift)
        return ValueTable(low[:left].copy(), counts[:left].copy(), high[:left].copy(), shift, self.unit)

    def merged(self, other: ValueTable, n: int) -> ValueTable:
        """Both together, of the same labels, with at most `n` entries."""
        size = len(self.values) + len(other.values)
        low, high, counts = np.empty(size), np.empty(size), np.empty((size, self.counts.shape[1]), dtype=np.int64)
        shift = max(self.shift, other.shift)
        n_values = merge_sorted(
            self.values, self.highest, self.counts, other.values, other.highest, other.counts, shift, low, high, counts
        )
        merged = ValueTable(low[:n_values], counts[:n_values], high[:n_values], shift, self.unit)
        return merged.at_most(n)._owned()

    def _owned(self) -> ValueTable:
        """Without the room that merging left behind."""
        if self.values.base is None:
            return self
        return ValueTable(self.values.copy(), self.counts.copy(), self.highest.copy(), self.shift, self.unit)


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

    def binned(self, cuts: tuple[NDArray[np.float64], ...]) -> list[NDArray[np.int64]] | None:
        """Counts of (bin, label) of each feature; bin j is the interval (cut j-1, cut j].

        None where a cut goes through values that the tables do not tell apart: they have to be counted again.
        """
        out = []
        for table, its_cuts in zip(self.tables, cuts, strict=True):
            bins = np.searchsorted(its_cuts, table.values, side="left")
            if (bins != np.searchsorted(its_cuts, table.highest, side="left")).any():
                return None
            counts = np.zeros((len(its_cuts) + 1, len(self.labels)), dtype=np.int64)
            np.add.at(counts, bins, table.counts)
            out.append(counts)
        return out


@dataclass(frozen=True)
class ValueCounts(InUnits):
    """Statistic: the values of each feature, counted by label over the rows of all queries together.

    A feature of more than `max_values` values has its neighbours taken together: as few of the last bits of all values
    are dropped as leave at most `max_values` different ones. Which ones depends on the values alone, neither on blocks
    nor on their order.

    Memory: 8 (2 + labels) bytes for each value told apart, at most `max_values` per feature.

    Parameters
    ----------
    max_values : int
    unit : float or None, default=None
        What a count of 1 stands for where documents or queries have weights (see `WeightUnit`); data with weights
        are refused without one.

    Examples
    --------
    >>> from leanrank import RankingData, fold
    >>> data = RankingData([[1.0], [1.25], [6.0], [6.5]], [0, 1, 1, 1], [0, 4])
    >>> table = fold(ValueCounts(max_values=2), data).tables[0]
    >>> table.values.tolist(), table.highest.tolist(), table.counts.tolist()
    ([1.0, 6.0], [1.25, 6.5], [[1, 1], [0, 2]])
    """

    max_values: int = MAX_VALUES
    unit: float | None = None

    def of(self, block: RankingData) -> ValueTables:
        block.require_complete("ValueCounts")
        labels, classes = np.unique(block.y.astype(np.float64), return_inverse=True)
        _check_labels(labels)
        classes, counted = classes.astype(np.int64), times(block, self.unit)
        tables = []
        for column in columns(block.X):
            column = column + 0.0  # makes -0.0 the same value as 0.0
            low, counts = np.empty(len(column)), np.zeros((len(column), len(labels)), dtype=np.int64)
            n_values = count_sorted(column, np.argsort(column), classes, counted, low, counts)
            values = low[:n_values].copy()
            table = ValueTable(values, counts[:n_values].copy(), values, unit=self.unit or 1.0)
            tables.append(table.at_most(self.max_values))
        return ValueTables(labels, tuple(tables))

    def merge(self, a: ValueTables, b: ValueTables) -> ValueTables:
        labels = np.union1d(a.labels, b.labels)
        _check_labels(labels)
        pairs = zip(_widened(a, labels), _widened(b, labels), strict=True)
        return ValueTables(labels, tuple(one.merged(other, self.max_values) for one, other in pairs))

    def finish(self, partial: ValueTables) -> ValueTables:
        return partial


def _widened(tables: ValueTables, labels: NDArray[np.float64]) -> Iterator[ValueTable]:
    """The tables with a column for each of `labels`."""
    if len(tables.labels) == len(labels):
        yield from tables.tables
        return
    places = np.searchsorted(labels, tables.labels)
    for table in tables.tables:
        counts = np.zeros((len(table.values), len(labels)), dtype=np.int64)
        counts[:, places] = table.counts
        yield replace(table, counts=counts)


def _check_labels(labels: NDArray[np.float64]) -> None:
    if len(labels) > MAX_LABELS:
        raise DataError(
            f"There are more than {MAX_LABELS:,} different labels, and methods on discretised values take each for a "
            "class of its own. Round the labels to a few grades first."
        )
