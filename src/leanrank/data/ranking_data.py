"""RankingData: judged documents grouped by query, checked once, then trusted everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from leanrank.data import ranking_checks as checks
from leanrank.data.categories import Categories, category_columns, checked_categories, only_named, recoded, united
from leanrank.data.columns import check_values
from leanrank.data.side_columns import SideColumns, joined
from leanrank.errors import DataError, MissingValuesError, ParameterError, UnknownNameError

Matrix: TypeAlias = "NDArray[np.float32] | NDArray[np.float64] | sp.csr_array"

#: Rows of a block where the caller names no other size.
BLOCK_ROWS = 100_000
#: Rows hashed at a time: they are held as CSR, twice.
_HASHED_ROWS = 2_000
_NOTHING_BESIDE = SideColumns()


@runtime_checkable
class RankingSource(Protocol):
    """Anything that can be folded over: it yields blocks of whole queries, as often as asked."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[RankingData]:
        """The data from the first query on, in blocks of about `n_rows` rows; no query is in two."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Judged documents of some queries: features, labels, and where each query begins.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, K)
        Feature values. float32 and float64 are kept as given; anything else becomes float64.
    y : array of shape (n,)
        Labels, higher is better.
    query_ptr : array of shape (Q + 1,)
        Query i owns the rows ``query_ptr[i]:query_ptr[i + 1]``; no query is empty.
    query_ids : array of shape (Q,), optional
        Names of the queries, int64 or str. Counted from 0 if not given.
    feature_names : sequence of str, optional
        "1".."K" if not given.
    comments : sequence of str, optional
        One text per document, "" where there is none.
    missing : bool
        Whether NaN in X stands for a missing value. Otherwise NaN is refused. Infinity always is.
    beside : SideColumns
        Weights, positions, times, groups and slices, where there are any.
    categories : mapping of str to tuple of str
        The texts of the features that are categories: X holds their numbers, counted from 0, and NaN where a category
        is missing. Dense data only.

    Examples
    --------
    >>> data = RankingData([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]], [1, 0, 2], [0, 2, 3], feature_names=["bm25", "age"])
    >>> data
    RankingData: 3 documents, 2 queries (1 to 2 documents, median 1.5), 2 features
      labels    0: 1, 1: 1, 2: 1
      features  bm25, age
      storage   dense float64
    >>> data.query(1).y
    array([2.], dtype=float32)
    >>> data.subset(["age"]).X.ravel()
    array([1., 5., 4.])
    """

    X: Any
    y: NDArray[np.float32]
    query_ptr: NDArray[np.int64]
    query_ids: NDArray[Any] = None  # type: ignore[assignment]
    feature_names: tuple[str, ...] = ()
    comments: NDArray[np.object_] | None = None
    missing: bool = False
    beside: SideColumns = _NOTHING_BESIDE
    categories: Categories = field(default_factory=dict)

    def __post_init__(self) -> None:
        X = checks.as_matrix(self.X)
        n, n_features = X.shape
        put = object.__setattr__  # frozen for everyone else
        put(self, "X", X)
        put(self, "y", checks.as_labels(self.y, n))
        put(self, "query_ptr", checks.as_query_ptr(self.query_ptr, n))
        put(self, "query_ids", checks.as_query_ids(self.query_ids, len(self.query_ptr) - 1))
        put(self, "feature_names", checks.as_feature_names(self.feature_names, n_features))
        put(self, "comments", checks.as_comments(self.comments, n))
        put(self, "beside", self.beside.checked(n, len(self.query_ids)))
        check_values(X, self.feature_names, missing=self.missing, query_of=self._query_of)
        put(self, "categories", checked_categories(self.categories, X, self.feature_names))

    def _query_of(self, row: int) -> Any:
        return self.query_ids[np.searchsorted(self.query_ptr, row, side="right") - 1]

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def n_queries(self) -> int:
        return len(self.query_ids)

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def category_columns(self) -> list[int]:
        """The columns of the features that are categories."""
        return category_columns(self.feature_names, self.categories)

    @property
    def is_sparse(self) -> bool:
        return bool(sp.issparse(self.X))

    @property
    def query_sizes(self) -> NDArray[np.int64]:
        return np.diff(self.query_ptr)

    @property
    def qid(self) -> NDArray[Any]:
        """The query id of every row, as scikit-learn style estimators take it."""
        return np.repeat(self.query_ids, self.query_sizes)

    def __len__(self) -> int:
        return self.n_rows

    def query(self, i: int) -> RankingData:
        """The documents of query number `i` (negative counts from the end), as a RankingData of one query."""
        if not -self.n_queries <= i < self.n_queries:
            raise ParameterError(f"There is no query number {i}: the data have {self.n_queries} queries.")
        i %= self.n_queries
        return self._slice(i, i + 1)

    def _slice(self, first: int, last: int) -> RankingData:
        """Queries first..last-1 without copying (views of the arrays) and without checking them again."""
        if first == 0 and last == self.n_queries:
            return self
        a, b = int(self.query_ptr[first]), int(self.query_ptr[last])
        part = object.__new__(RankingData)
        part.__dict__.update(
            self.__dict__,
            X=_run_of_rows(self.X, a, b),
            y=self.y[a:b],
            query_ptr=self.query_ptr[first : last + 1] - a,
            query_ids=self.query_ids[first:last],
            comments=None if self.comments is None else self.comments[a:b],
            beside=self.beside.taken(slice(a, b), slice(first, last)),
        )
        return part

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[RankingData]:
        """Yield blocks of whole queries of about `n_rows` rows; a longer query is a block of its own."""
        if n_rows < 1:
            raise ParameterError.of("blocks", "n_rows", ">= 1", n_rows)
        first = 0
        while first < self.n_queries:
            fits = int(np.searchsorted(self.query_ptr, self.query_ptr[first] + n_rows, side="right")) - 1
            last = max(first + 1, fits)
            yield self._slice(first, last)
            first = last

    def feature_indices(self, features: ArrayLike | Sequence[str]) -> NDArray[np.int64]:
        """Column numbers of `features`: names, 0-based numbers, or a boolean mask; in the order given."""
        wanted = np.asarray(features)
        if wanted.dtype == bool:
            if wanted.shape != (self.n_features,):
                raise DataError(f"The mask has {wanted.size} entries for {self.n_features} features.")
            return np.flatnonzero(wanted)
        if wanted.dtype.kind in "iu":
            outside = wanted[(wanted < 0) | (wanted >= self.n_features)]
            if outside.size:
                raise DataError(f"Feature number {outside[0]} is outside 0..{self.n_features - 1}.")
            return wanted.astype(np.int64)
        column_of = {name: j for j, name in enumerate(self.feature_names)}
        columns = []
        for name in wanted.tolist():
            if name not in column_of:
                raise UnknownNameError.of("feature", name, column_of)
            columns.append(column_of[name])
        return np.array(columns, dtype=np.int64)

    def subset(self, features: ArrayLike | Sequence[str]) -> RankingData:
        """Keep only `features` (names, 0-based numbers or a mask), in the order given; all of them are no copy."""
        columns = self.feature_indices(features)
        if np.array_equal(columns, np.arange(self.n_features)):
            return self
        names = tuple(self.feature_names[j] for j in columns)
        X = self.X[:, columns] if self.is_sparse else np.take(self.X, columns, axis=1)  # one copy, by rows
        return replace(self, X=X, feature_names=names, categories=only_named(self.categories, names))

    def take_queries(self, queries: ArrayLike, features: ArrayLike | None = None) -> RankingData:
        """The queries of these numbers (or a mask), in the order given; a number may repeat.

        With `features`, as in `subset`, these alone are copied. A run of queries (4, 5, 6) with all features is a view:
        it shares memory with these data, and nothing is copied.

        >>> data = RankingData([[3.0], [2.0], [0.0]], [1, 0, 2], [0, 1, 2, 3])
        >>> np.shares_memory(data.take_queries([1, 2]).X, data.X), np.shares_memory(data.take_queries([0, 2]).X, data.X)
        (True, False)
        """
        numbers, rows = queries_and_rows(self, queries)
        columns = None if features is None else self.feature_indices(features)
        if (np.diff(numbers) == 1).all():
            run = self._slice(int(numbers[0]), int(numbers[-1]) + 1)
            return run if columns is None else run.subset(columns)
        names = self.feature_names if columns is None else tuple(self.feature_names[j] for j in columns)
        return replace(
            self,
            X=gathered(self.X, rows, columns),
            y=self.y[rows],
            query_ptr=np.concatenate(([0], np.cumsum(self.query_sizes[numbers]))),
            query_ids=self.query_ids[numbers],
            feature_names=names,
            comments=None if self.comments is None else self.comments[rows],
            beside=self.beside.taken(rows, numbers),
            categories=only_named(self.categories, names),
        )

    def __add__(self, other: object) -> RankingData:
        if not isinstance(other, RankingData):
            return NotImplemented
        return concatenate([self, other])

    def missing_counts(self) -> NDArray[np.int64]:
        """Number of missing values of each feature."""
        if self.is_sparse:
            absent = np.isnan(self.X.data)
            return np.bincount(self.X.indices[absent], minlength=self.n_features).astype(np.int64)
        return np.asarray(np.isnan(self.X).sum(axis=0), dtype=np.int64)

    def require_complete(self, method: str) -> RankingData:
        """Return self, or refuse for `method`, naming the feature with the most missing values.

        Categories may be missing: that is a category more to those that know them, and the overall mean to all others.
        """
        if self.missing:
            counts = self.missing_counts()
            counts[self.category_columns] = 0
            worst = int(np.argmax(counts))
            if counts[worst]:
                others = int((counts > 0).sum()) - 1
                also = f" and {others} more features have some" if others else ""
                raise MissingValuesError(
                    f"{method} cannot take missing values: feature {self.feature_names[worst]!r} has "
                    f"{counts[worst]:,} of {self.n_rows:,}{also}. Fill or drop them first."
                )
        return self

    def dense(self) -> NDArray[Any]:
        """X as a C-ordered array (a copy only if it is sparse)."""
        return np.ascontiguousarray(self.X.toarray()) if self.is_sparse else self.X

    def fingerprint(self) -> str:
        """A stable hash of the content: equal for equal values, whatever the storage or width of X."""
        return fingerprint(self)

    def equals(self, other: RankingData) -> bool:
        """Whether values (bit for bit, NaN equal to NaN), labels, queries, names, comments and categories agree."""
        if self.feature_names != other.feature_names or self.n_rows != other.n_rows:
            return False
        comments = (None if c is None else c.tolist() for c in (self.comments, other.comments))
        return (
            np.array_equal(self.y, other.y)
            and np.array_equal(self.query_ptr, other.query_ptr)
            and np.array_equal(self.query_ids, other.query_ids)
            and next(comments) == next(comments)
            and self.beside.equals(other.beside)
            and self.categories == other.categories
            and self.X.dtype == other.X.dtype
            and np.array_equal(self.dense(), other.dense(), equal_nan=True)
        )

    def __repr__(self) -> str:
        levels, counts = np.unique(self.y, return_counts=True)
        if len(levels) <= 8:
            labels = ", ".join(f"{level:g}: {count:,}" for level, count in zip(levels, counts, strict=True))
        else:
            labels = f"{len(levels):,} values from {levels[0]:g} to {levels[-1]:g}"
        sizes = self.query_sizes
        shown = [name if len(name) <= 24 else f"{name[:23]}…" for name in self.feature_names[:6]]
        names = ", ".join(shown) + (", ..." if self.n_features > 6 else "")
        storage = f"{'CSR' if self.is_sparse else 'dense'} {self.X.dtype}"
        if self.is_sparse:
            storage += f", {self.X.nnz / max(1, self.n_rows * self.n_features):.1%} stored"
        if self.categories:
            storage += f", {_count(len(self.categories), 'category', 'categories')}"
        if self.missing:
            storage += f", {int(self.missing_counts().sum()):,} missing values"
        beside = ", ".join(name for _, name, _ in self.beside.known())
        return (
            f"RankingData: {_count(self.n_rows, 'document')}, {_count(self.n_queries, 'query', 'queries')} "
            f"({sizes.min():,} to {sizes.max():,} documents, median {np.median(sizes):g}), "
            f"{_count(self.n_features, 'feature')}\n"
            f"  labels    {labels}\n  features  {names}\n  storage   {storage}"
            + (f"\n  beside    {beside}" if beside else "")
        )


def queries_and_rows(data: RankingData, queries: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of queries (or a mask) as numbers that there are, and the rows of these queries."""
    numbers = np.asarray(queries)
    if numbers.dtype == bool:
        numbers = np.flatnonzero(numbers)
    if numbers.size == 0:
        raise DataError("take_queries got no query: at least one is needed.")
    outside = numbers[(numbers < 0) | (numbers >= data.n_queries)]
    if outside.size:
        raise DataError(f"Query number {outside[0]} is outside 0..{data.n_queries - 1}.")
    sizes = data.query_sizes[numbers]
    ends = np.cumsum(sizes)
    return numbers, np.repeat(data.query_ptr[numbers] - (ends - sizes), sizes) + np.arange(ends[-1])


def gathered(X: Any, rows: NDArray[np.int64], columns: NDArray[np.int64] | None) -> Any:
    """A copy of these rows, and of these columns where not of all; nothing else is copied on the way."""
    if columns is None:
        return X[rows]
    return X[rows][:, columns] if sp.issparse(X) else X[rows[:, None], columns]


def concatenate(parts: Sequence[RankingData]) -> RankingData:
    """Join data of the same features; a query may not be in two parts."""
    if not parts:
        raise DataError("concatenate got no data: at least one part is needed.")
    if len(parts) == 1:
        return parts[0]
    names = parts[0].feature_names
    for part in parts[1:]:
        if part.feature_names != names:
            raise DataError(checks.names_differ(names, part.feature_names))
    ids = [part.query_ids for part in parts]
    if len({i.dtype.kind for i in ids}) > 1:
        ids = [i.astype(str) for i in ids]
    query_ids = np.concatenate(ids)
    distinct, counts = np.unique(query_ids, return_counts=True)
    if len(distinct) < len(query_ids):
        raise DataError(f"Query {distinct[np.argmax(counts > 1)]} is in more than one part: a query cannot be split.")
    categories = united([part.categories for part in parts], names)
    sparse = all(part.is_sparse for part in parts)
    matrices = [part.X if sparse else recoded(part.dense(), names, part.categories, categories)[0] for part in parts]
    comments = None
    if any(part.comments is not None for part in parts):
        comments = np.concatenate(
            [part.comments if part.comments is not None else np.full(part.n_rows, "", object) for part in parts]
        )
    return RankingData(
        X=sp.vstack(matrices, format="csr") if sparse else np.concatenate(matrices),
        y=np.concatenate([part.y for part in parts]),
        query_ptr=np.concatenate(([0], np.cumsum(np.concatenate([part.query_sizes for part in parts])))),
        query_ids=query_ids,
        feature_names=names,
        comments=comments,
        missing=any(part.missing for part in parts),
        beside=joined([part.beside for part in parts]),
        categories=categories,
    )


def fingerprint(source: RankingSource) -> str:
    """Hash any source block by block; the block size does not enter."""
    shape, columns, values, labels, ids = (blake2b(digest_size=16) for _ in range(5))
    beside: dict[str, Any] = {}
    kinds = b""
    for block in source.blocks(_HASHED_ROWS):
        X = sp.csr_array(block.X, copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        stored = X.data.astype("<f8")
        stored[np.isnan(stored)] = np.nan  # one NaN, whatever its payload
        shape.update(np.diff(X.indptr).astype("<i8").tobytes())
        columns.update(X.indices.astype("<i8").tobytes())
        values.update(stored.tobytes())
        labels.update((block.y + np.float32(0)).astype("<f4").tobytes())
        for query_id, size in zip(block.query_ids.tolist(), block.query_sizes.tolist(), strict=True):
            ids.update(f"{query_id}\0{size}\0".encode())
        block.beside.update(beside)
        kinds = "".join("\0".join(("\1", name, *texts)) for name, texts in block.categories.items()).encode()
    names = "\0".join(source.feature_names).encode()
    parts = [shape.digest(), columns.digest(), values.digest(), labels.digest(), ids.digest(), names]
    parts += [digest.digest() for digest in beside.values()]
    parts.append(kinds)
    return blake2b(b"".join(parts), digest_size=16).hexdigest()


def _run_of_rows(X: Any, first: int, last: int) -> Any:
    """Rows first..last-1 as a view."""
    if not sp.issparse(X):
        return X[first:last]
    a, b = int(X.indptr[first]), int(X.indptr[last])
    rows = sp.csr_array((last - first, X.shape[1]), dtype=X.dtype)
    # Given to the constructor, arrays that are less than half of their base would be copied.
    rows.data, rows.indices, rows.indptr = X.data[a:b], X.indices[a:b], X.indptr[first : last + 1] - a
    return rows


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"
