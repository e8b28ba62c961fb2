"""ReorderedData: judged documents in another order than the memory they lie in, and some of their features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.data.categories import only_named
from leanrank.data.ranking_data import RankingData, gathered, queries_and_rows


class ReorderedData(RankingData):
    """RankingData that share the matrix of others, whose rows stand elsewhere in it; made by `reordered`.

    Queries, features and blocks that are asked for are copied out of it. All rows are copied at once only where `X`
    itself is asked for, every time, and the copy is not kept. What is made of it (`replace`, `take_queries`, ...) is
    plain RankingData.
    """

    given: RankingData
    order: NDArray[np.int64]
    columns: NDArray[np.int64] | None

    def __new__(cls, *values: Any, **fields: Any) -> RankingData:  # type: ignore[misc]
        """Plain RankingData of these fields: `dataclasses.replace` asks for it."""
        return RankingData(*values, **fields)

    @property
    def X(self) -> Any:
        return gathered(self.given.X, self.order, self.columns)

    @property
    def is_sparse(self) -> bool:
        return self.given.is_sparse

    def _slice(self, first: int, last: int) -> RankingData:
        return self.take_queries(np.arange(first, last))

    def take_queries(self, queries: ArrayLike, features: ArrayLike | None = None) -> RankingData:
        part = self.view(queries, features)
        return RankingData(
            part.X,
            part.y,
            part.query_ptr,
            part.query_ids,
            part.feature_names,
            missing=self.missing,
            beside=part.beside,
            categories=part.categories,
        )

    def view(self, queries: ArrayLike, features: ArrayLike | None = None) -> ReorderedData:
        """These queries and features, as `take_queries` has them, but of the same matrix still."""
        numbers, rows = queries_and_rows(self, queries)
        query_ptr = np.concatenate(([0], np.cumsum(self.query_sizes[numbers])))
        columns = None if features is None else self.feature_indices(features)
        return reordered(self, rows, query_ptr, self.query_ids[numbers], columns)

    def subset(self, features: Any) -> RankingData:
        return self.take_queries(np.arange(self.n_queries), features)

    def __reduce__(self) -> tuple[Any, ...]:
        return reordered, (self.given, self.order, self.query_ptr, self.query_ids, self.columns)


def reordered(
    given: RankingData,
    order: NDArray[np.int64],
    query_ptr: NDArray[np.int64],
    query_ids: NDArray[Any],
    columns: NDArray[np.int64] | None = None,
) -> ReorderedData:
    """These data with row ``order[i]`` in place i, some or all of them, cut into these queries; without comments.

    With `columns` of these features alone, in this order.

    >>> data = RankingData([[3.0], [2.0], [0.0]], [1, 0, 2], [0, 2, 3])
    >>> other = reordered(data, np.array([2, 1, 0]), np.array([0, 1, 3]), np.array([1, 0]))
    >>> other.X.ravel(), other.take_queries([1]).y
    (array([0., 2., 3.]), array([0., 1.], dtype=float32))
    """
    if isinstance(given, ReorderedData):
        order = given.order[order]
        columns = given.columns if columns is None else columns if given.columns is None else given.columns[columns]
        given = given.given
    data: ReorderedData = object.__new__(ReorderedData)
    names = given.feature_names
    kept = names if columns is None else tuple(names[j] for j in columns)
    queries = np.searchsorted(given.query_ptr, order[query_ptr[:-1]], side="right") - 1
    vars(data).update(
        given=given,
        order=order,
        columns=columns,
        y=given.y[order],
        query_ptr=query_ptr,
        query_ids=query_ids,
        feature_names=kept,
        comments=None,
        missing=given.missing,
        beside=given.beside.taken(order, queries),
        categories=only_named(given.categories, kept),
    )
    return data


def with_columns(data: RankingData, columns: NDArray[np.int64]) -> RankingData:
    """Some features of these data; of a dense matrix without a copy of it.

    >>> data = RankingData([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]], [1, 0, 2], [0, 2, 3])
    >>> with_columns(data, np.array([1])).X.ravel()
    array([1., 5., 4.])
    """
    if data.is_sparse:
        return data.subset(columns)
    return reordered(data, np.arange(data.n_rows), data.query_ptr, data.query_ids, columns)
