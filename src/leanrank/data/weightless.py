"""What weighs nothing is not there: documents and queries of weight 0 are left out before a method begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leanrank.data.mapped_source import MappedSource
from leanrank.data.ranking_data import BLOCK_ROWS, RankingData, RankingSource
from leanrank.data.weights import row_weights, weights_of
from leanrank.errors import DataError


def rows_that_weigh(data: RankingData) -> NDArray[np.bool_]:
    """Which documents have a weight above 0, and a query that has."""
    weight = row_weights(data)
    return np.ones(data.n_rows, dtype=bool) if weight is None else weight > 0


def without_weightless(source: RankingSource) -> RankingSource:
    """The source without documents and queries that weigh nothing; the same object where there are none.

    >>> from leanrank.data.side_columns import SideColumns
    >>> side = SideColumns(weight=np.array([1.0, 0.0, 2.0, 1.0]), query_weight=np.array([2.0, 0.0]))
    >>> data = RankingData([[1.0], [2.0], [3.0], [4.0]], [1, 0, 0, 1], [0, 3, 4], beside=side)
    >>> without_weightless(data).X.ravel().tolist()
    [1.0, 3.0]
    """
    if not weights_of(source):
        return source
    if not isinstance(source, RankingData):
        return _Weighing(source, _identity, tuple(source.feature_names))
    left = _left(source)
    if left is None:
        raise DataError("All documents here weigh nothing, or their queries do: nothing would count.")
    return left


def _left(data: RankingData) -> RankingData | None:
    weighs = rows_that_weigh(data)
    if weighs.all():
        return data
    if not weighs.any():
        return None
    sizes = np.add.reduceat(weighs.astype(np.int64), data.query_ptr[:-1])
    rows, queries = np.flatnonzero(weighs), np.flatnonzero(sizes)
    if data.beside.weight is None or (sizes[queries] == data.query_sizes[queries]).all():
        return data.take_queries(queries)
    return replace(
        data,
        X=data.X[rows],
        y=data.y[rows],
        query_ptr=np.concatenate(([0], np.cumsum(sizes[queries]))),
        query_ids=data.query_ids[queries],
        comments=None if data.comments is None else data.comments[rows],
        beside=data.beside.taken(rows, queries),
    )


def _identity(block: RankingData) -> RankingData:
    return block


@dataclass(frozen=True, eq=False)
class _Weighing(MappedSource):
    """Blocks of a source without what weighs nothing; one that is left without documents is not there either."""

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[RankingData]:
        for block in self.source.blocks(n_rows):
            left = _left(block)
            if left is not None:
                yield left
