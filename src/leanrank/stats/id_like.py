"""Columns that number documents instead of describing them: identifiers and positions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.metrics.correlation import KendallTau

#: So many pairs of documents of one query without equal values make whole numbers look like identifiers by themselves.
MANY_PAIRS = 10_000
#: Positions are told by queries of so many documents, and by so many queries.
LONG_QUERY, LONG_QUERIES = 3, 3
_ID_NAME = re.compile(r"(^|[_\W])(id|ids|docid|doc_?no|uid|uuid|pk|index|row_?(id|number|no))$", re.IGNORECASE)


@dataclass
class Numbering:
    """How the columns of a block number its documents; everything adds up."""

    # (K,): above 0 for columns that hold something else than whole numbers, or that repeat one inside a query
    other: NDArray[np.int64]
    # (K,): above 0 for columns that are not 0, 1, 2, ... or 1, 2, 3, ... in some order in every query
    unplaced: NDArray[np.int64]
    pairs: int  # pairs of documents of one query
    long_queries: int  # queries with documents enough to tell positions from chance

    @classmethod
    def of(cls, block: RankingData, X: NDArray[np.float64]) -> Numbering:
        """That of the documents of a block with the dense values `X`."""
        with np.errstate(invalid="ignore"):
            whole = (np.floor(X) == X).all(axis=0)  # not where a value is missing
        numbers, placed = whole.copy(), whole.copy()
        for begin, end in zip(block.query_ptr[:-1].tolist(), block.query_ptr[1:].tolist(), strict=True):
            left = np.flatnonzero(numbers)
            if not left.size:
                break
            ordered = np.sort(X[begin:end, left], axis=0)
            steps = np.diff(ordered, axis=0)
            numbers[left] = (steps > 0).all(axis=0)
            placed[left] &= (steps == 1).all(axis=0) & np.isin(ordered[0], (0, 1))
        sizes = block.query_sizes
        return cls(
            other=(~numbers).astype(np.int64),
            unplaced=(~(placed & numbers)).astype(np.int64),
            pairs=int((sizes * (sizes - 1) // 2).sum()),
            long_queries=int((sizes >= LONG_QUERY).sum()),
        )

    def __add__(self, other: Numbering) -> Numbering:
        return Numbering(
            self.other + other.other,
            self.unplaced + other.unplaced,
            self.pairs + other.pairs,
            self.long_queries + other.long_queries,
        )

    def positions(self) -> NDArray[np.int64]:
        """Columns that count the documents of every query from 0 or 1 on."""
        enough = self.long_queries >= LONG_QUERIES
        return np.flatnonzero((self.unplaced == 0) & enough)

    def identifiers(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Columns of whole numbers that never repeat inside a query, called like ids or with many chances to repeat."""
        called = np.array([bool(_ID_NAME.search(name)) for name in names])
        likely = called & (self.pairs > 0) if self.pairs < MANY_PAIRS else np.ones(len(names), dtype=bool)
        return np.setdiff1d(np.flatnonzero((self.other == 0) & likely), self.positions())


#: From this mean correlation on, of either sign, a feature is taken for the place itself.
SAME_AS_POSITION = 0.95


def position_sums(block: RankingData, X: NDArray[Any]) -> NDArray[np.float64]:
    """Sums over queries of Kendall's tau-b with the place, and the queries counted, in two rows; 0 without places.

    >>> from leanrank.data.side_columns import SideColumns
    >>> X = np.array([[0.9, 1.0], [0.5, 3.0], [0.1, 2.0]])
    >>> position_sums(RankingData(X, [1, 0, 0], [0, 3], beside=SideColumns(position=[1, 2, 3])), X).round(3).tolist()
    [[-1.0, 0.333], [1.0, 1.0]]
    """
    sums = np.zeros((2, X.shape[1]))
    if block.beside.position is not None:
        scores = np.nan_to_num(np.asarray(X, dtype=np.float64), nan=0.0)
        tau = KendallTau().per_query(block.beside.position, scores, block.query_ptr)
        varies = np.maximum.reduceat(scores, block.query_ptr[:-1]) > np.minimum.reduceat(scores, block.query_ptr[:-1])
        counted = ~np.isnan(tau) & varies
        sums[0], sums[1] = np.where(counted, tau, 0.0).sum(axis=0), counted.sum(axis=0)
    return sums


def same_as_position(sums: NDArray[np.float64]) -> NDArray[np.int64]:
    """The features that order documents as they were shown, or the other way round, in almost every query."""
    mean = np.divide(sums[0], sums[1], out=np.zeros(sums.shape[1]), where=sums[1] > 0)
    return np.flatnonzero(np.abs(mean) >= SAME_AS_POSITION)
