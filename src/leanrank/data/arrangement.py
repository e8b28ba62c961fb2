"""Data in an order of their own: queries, rows and columns sorted by what is in them, not by where they stood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.reordered import reordered

Hashes = NDArray[np.uint64]

#: Rows hashed at a time: small enough that what is computed on the way stays small.
_HASHED_ROWS = 4_000
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Arrangement:
    """Judged data in canonical order, so that a learner sees the same numbers in the same places whoever shuffled them.

    Sums of floating point numbers, random numbers and folds all depend on order. What trains rankers works on arranged
    data, and gives the same answer, to the last bit, for any order of rows, queries and columns. Keys are
    64-bit hashes of values; only features or rows with equal values everywhere keep the order they had.

    Notes
    -----
    Three passes over the data, O(n K).

    Examples
    --------
    >>> data = RankingData([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]], [1, 0, 2], [0, 2, 3])
    >>> view, other = Arrangement.of(data), Arrangement.of(data.take_queries([1, 0]))
    >>> view.data.equals(other.data), view.queries, other.queries
    (True, array([1, 0]), array([0, 1]))
    """

    # queries and rows sorted, columns as they were; the matrix is that of the data given, not a copy of it
    data: RankingData
    column_rank: NDArray[np.int64]  # (K,): the place of each column in the canonical order
    queries: NDArray[np.int64]  # (Q,): the numbers the queries had before
    rows_sorted: bool = True  # whether the rows of a query are sorted; if not, they are in the order given

    @classmethod
    def of(cls, data: RankingData, *, sort_rows: bool = True) -> Arrangement:
        """Arrange these data; rows stay as they are in their query where their order has a meaning."""
        columns = _column_keys(data)
        rank = np.empty(data.n_features, dtype=np.int64)
        rank[np.argsort(columns, kind="stable")] = np.arange(data.n_features)
        arranged, queries = _sorted(data, columns, rows=sort_rows)
        return cls(arranged, rank, queries, sort_rows)

    def like(self, data: RankingData) -> RankingData:
        """Other data of the same features (held out, say) arranged alike."""
        return _sorted(data, _mix(self.column_rank.astype(np.uint64)), rows=self.rows_sorted)[0]

    def columns(self, features: Iterable[int]) -> list[int]:
        """These features in canonical order, as a learner should get them."""
        return sorted(features, key=lambda j: int(self.column_rank[j]))


def _mix(x: Hashes) -> Hashes:
    """Scramble 64 bits (the finaliser of splitmix64: Steele, Lea and Flood 2014)."""
    x = (x + _GOLDEN).astype(np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def _bits(values: NDArray[np.floating]) -> Hashes:
    """Hashes of numbers; equal numbers have equal ones (0 and -0, float32 and float64, any NaN)."""
    wide = values.astype(np.float64) + 0.0
    wide[np.isnan(wide)] = np.nan
    return _mix(wide.view(np.uint64))


def _row_keys(block: RankingData, columns: Hashes | None, roles: Sequence[str]) -> Hashes:
    """A hash of each row's label, weights and values, whatever the order of columns; by column where they have keys."""
    cells = _bits(block.dense())
    if columns is not None:
        cells ^= columns
    labels = _bits(block.y[:, None])[:, 0]
    for role in roles:
        values = getattr(block.beside, role)
        by_row = np.repeat(values, block.query_sizes) if role == "query_weight" else values
        labels = _mix(labels ^ _bits(by_row.astype(np.float64)))
    return _mix(np.add.reduce(_mix(cells), axis=1) + labels)


def _roles(data: RankingData) -> list[str]:
    """What a learner is given beside the features, where it tells documents or queries apart: not weights of 1."""
    columns = {role: getattr(data.beside, role) for role in ("weight", "position", "query_weight")}
    return [role for role, values in columns.items() if values is not None and (values != values[0]).any()]


def _query_keys(rows: Hashes, query_ptr: NDArray[np.int64]) -> Hashes:
    return _mix(np.add.reduceat(_mix(rows), query_ptr[:-1]))


def _column_keys(data: RankingData) -> Hashes:
    """A hash of each column: its values beside the other values of their row and query, whatever the order of rows."""
    total = np.zeros(data.n_features, dtype=np.uint64)
    roles = _roles(data)
    for block in data.blocks(_HASHED_ROWS):
        rows = _row_keys(block, None, roles)
        rows = rows ^ np.repeat(_query_keys(rows, block.query_ptr), block.query_sizes)
        total += np.add.reduce(_mix(_bits(block.dense()) ^ rows[:, None]), axis=0)
    return _mix(total)


def _sorted(data: RankingData, columns: Hashes, *, rows: bool) -> tuple[RankingData, NDArray[np.int64]]:
    roles = _roles(data)
    keys = np.concatenate([_row_keys(block, columns, roles) for block in data.blocks(_HASHED_ROWS)])
    queries = np.argsort(_query_keys(keys, data.query_ptr), kind="stable")
    place = np.empty(data.n_queries, dtype=np.int64)
    place[queries] = np.arange(data.n_queries)
    order = np.lexsort((keys if rows else np.arange(data.n_rows), np.repeat(place, data.query_sizes)))
    query_ptr = np.concatenate(([0], np.cumsum(data.query_sizes[queries])))
    return reordered(data, order, query_ptr, data.query_ids[queries]), queries
