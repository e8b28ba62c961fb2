"""Splits that keep queries whole: scikit-learn splitters over qid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, KFold, ShuffleSplit

from leanrank._declared import declared
from leanrank.data.columns import id_column
from leanrank.data.grouping import numbered, query_offsets
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError, ParameterError, is_whole, require

Pair = tuple[NDArray[np.int64], NDArray[np.int64]]


class _QuerySplitter(BaseCrossValidator):  # type: ignore[misc]
    """Splits query numbers with a scikit-learn splitter, then hands out the rows of those queries."""

    # With metadata routing on, qid (or groups) and query_group reach `split` without being asked for.
    __metadata_request__split: ClassVar[dict[str, bool]] = {"groups": True, "qid": True, "query_group": True}

    n_splits: int

    def _over_queries(self, n_queries: int, what: str = "queries") -> Any:
        """The scikit-learn splitter that cuts `n_queries` queries, or groups of queries."""
        raise NotImplementedError

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, *, qid: Any = None) -> int:
        """The number of splits; the arguments are ignored."""
        self._check_n_splits()
        return int(self.n_splits)

    def _check_n_splits(self) -> None:
        require(self, "n_splits", "a whole number >= 1", is_whole(self.n_splits, 1))

    def split(
        self, X: Any, y: Any = None, groups: Any = None, *, qid: Any = None, query_group: Any = None
    ) -> Iterator[Pair]:
        """Yield the row numbers of the training and of the test part of every split.

        Parameters
        ----------
        X : array, CSR matrix, frame or RankingData
            Only its number of rows matters; RankingData brings its own queries.
        y : ignored
        groups, qid : array of shape (n,)
            The query of every row, under scikit-learn's name or ours: one of them. Rows of a query need not be
            adjacent.
        query_group : array of shape (n,), optional
            What several queries have in common, the same in all rows of a query: they are never parted. RankingData
            bring their own.

        Yields
        ------
        train, test : arrays of int64
            Row numbers in increasing order.
        """
        yield from self._split(X, groups, qid, query_group=query_group)

    def _split(self, X: Any, groups: Any, qid: Any, **columns: Any) -> Iterator[Pair]:
        """The rows by queries, and by columns with one value for each query; RankingData have those not given."""
        query_ptr, order = self._queries(X, groups, qid)
        known = {role: getattr(X.beside, role) for role in columns} if isinstance(X, RankingData) else {}
        given = {role: values for role, values in columns.items() if values is not None}
        known |= {role: of_queries(values, role, query_ptr, order) for role, values in given.items()}
        for train, test in self._numbers(len(query_ptr) - 1, **known):
            yield _rows(query_ptr, order, train), _rows(query_ptr, order, test)

    def split_queries(self, data: RankingData) -> Iterator[Pair]:
        """Yield the query numbers of the training and of the test part, for `data.take_queries`."""
        for train, test in self._numbers(data.n_queries, data.beside.query_group, data.beside.time):
            yield np.sort(train), np.sort(test)

    def _numbers(
        self, n_queries: int, query_group: NDArray[Any] | None = None, time: NDArray[Any] | None = None
    ) -> Iterator[Pair]:
        """Query numbers of the training and of the test part; groups are drawn as queries are, and never parted."""
        self._check_n_splits()
        if query_group is None:
            yield from self._over_queries(n_queries).split(np.empty(n_queries))
            return
        number = numbered(query_group)
        n_groups = int(number.max()) + 1
        for train, test in self._over_queries(n_groups, "query groups").split(np.empty(n_groups)):
            yield np.flatnonzero(np.isin(number, train)), np.flatnonzero(np.isin(number, test))

    def _queries(self, X: Any, groups: Any, qid: Any) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        if isinstance(X, RankingData) and groups is None and qid is None:
            return X.query_ptr, None
        if (groups is None) == (qid is None):
            got = "Got neither" if qid is None else "Got both"
            raise DataError(
                f"{type(self).__name__} needs the query of every row: pass qid (or groups, the same under "
                f"scikit-learn's name). {got}."
            )
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        query_ptr, _, order = query_offsets(id_column(groups if qid is None else qid), n_rows=n_rows, regroup=True)
        return query_ptr, order


@declared
class QueryKFold(_QuerySplitter):
    """K folds of whole queries: every query is in exactly one test part.

    Folds differ by at most one query, counted in queries, not in rows. Queries of one group are in one fold; then folds
    differ by at most one group.

    Parameters
    ----------
    n_splits : int
        Number of folds, at least 2 and at most the number of queries.
    shuffle : bool
        Whether queries are dealt at random; otherwise a fold is a run of queries in the order of appearance.
    random_state : int, RandomState or None
        Seed of the shuffle.

    Examples
    --------
    >>> qid = ["a", "a", "b", "c", "c", "c"]
    >>> for train, test in QueryKFold(n_splits=3).split(qid, qid=qid):
    ...     print(train, test)
    [2 3 4 5] [0 1]
    [0 1 3 4 5] [2]
    [0 1 2] [3 4 5]
    """

    n_splits: int = field(default=5, kw_only=False)
    shuffle: bool = False
    random_state: Any = None

    def _over_queries(self, n_queries: int, what: str = "queries") -> KFold:
        if self.n_splits < 2:
            raise ParameterError.of("QueryKFold", "n_splits", "a whole number >= 2", self.n_splits)
        if self.n_splits > n_queries:
            raise DataError(
                f"QueryKFold cannot make {self.n_splits} folds of {n_queries} {what}: a query is never split. "
                f"Use n_splits <= {n_queries}.",
                owner="QueryKFold",
                parameter="n_splits",
            )
        return KFold(self.n_splits, shuffle=self.shuffle, random_state=self.random_state if self.shuffle else None)


@declared
class QueryShuffleSplit(_QuerySplitter):
    """Random training and test parts of whole queries, drawn anew for every split.

    Parameters
    ----------
    n_splits : int
        Number of splits.
    test_size, train_size : float, int or None
        Share (of queries) or number of queries; of groups, where queries have them. Test is 0.2 if neither is given;
        train is the rest.
    random_state : int, RandomState or None
        Seed.

    Examples
    --------
    >>> qid = [1, 1, 2, 2, 3, 3, 4, 4]
    >>> for train, test in QueryShuffleSplit(n_splits=2, test_size=0.25, random_state=0).split(qid, qid=qid):
    ...     print(train, test)
    [0 1 2 3 6 7] [4 5]
    [2 3 4 5 6 7] [0 1]
    """

    n_splits: int = field(default=10, kw_only=False)
    test_size: float | int | None = None
    train_size: float | int | None = None
    random_state: Any = None

    def _over_queries(self, n_queries: int, what: str = "queries") -> ShuffleSplit:
        for name in ("test_size", "train_size"):
            _check_size(name, getattr(self, name), n_queries)
        test_size = 0.2 if self.test_size is None and self.train_size is None else self.test_size
        sizes = {"test_size": test_size, "train_size": self.train_size}
        try:  # sizes that do not fit, before any of the caller's random numbers are drawn
            next(ShuffleSplit(1, random_state=0, **sizes).split(np.empty(n_queries)))
        except ValueError as error:
            raise DataError(
                f"QueryShuffleSplit cannot cut {n_queries} {what} with test_size={self.test_size} and "
                f"train_size={self.train_size}: {error}"
            ) from error
        return ShuffleSplit(self.n_splits, random_state=self.random_state, **sizes)


def separable(data: RankingData) -> int:
    """How many parts of whole queries there can be: as many as groups, where queries have them."""
    group = data.beside.query_group
    return data.n_queries if group is None else len(np.unique(group))


def of_queries(values: Any, name: str, query_ptr: NDArray[np.int64], order: NDArray[np.int64] | None) -> NDArray[Any]:
    """One value for each query, of values for each row; a query with two of them is refused."""
    column = np.asarray(values)
    if column.shape != (query_ptr[-1],):
        raise DataError(f"{name} needs one value for each row, {query_ptr[-1]:,} in all. Got shape {column.shape}.")
    column = column if order is None else column[order]
    first = column[query_ptr[:-1]]
    other = column != np.repeat(first, np.diff(query_ptr))
    if other.any():
        row = int(np.argmax(other))
        query = int(np.searchsorted(query_ptr, row, side="right")) - 1
        raise DataError(f"{name} is {first[query]} and {column[row]} in one query: give all rows of a query the same.")
    return np.asarray(first)


def _check_size(name: str, size: Any, n_queries: int) -> None:
    whole = is_whole(size, -np.inf)
    if whole and not 1 <= size < n_queries:
        rule = f"from 1 to {n_queries - 1}, as there are {n_queries} queries"
        raise ParameterError.of("QueryShuffleSplit", name, rule, size)
    if not (size is None or whole or (isinstance(size, (float, np.floating)) and 0 < size < 1)):
        raise ParameterError.of("QueryShuffleSplit", name, "a share in (0, 1) or a number of queries", size)


def _rows(query_ptr: NDArray[np.int64], order: NDArray[np.int64] | None, queries: Any) -> NDArray[np.int64]:
    chosen = np.zeros(len(query_ptr) - 1, dtype=bool)
    chosen[queries] = True
    rows = np.flatnonzero(np.repeat(chosen, np.diff(query_ptr)))
    return rows if order is None else np.sort(order[rows])
