"""Copies: features that say what another one says, and which of them stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.categories import category_columns
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import WEIGHTS
from leanrank.engines.fold import Engine, fold
from leanrank.errors import ParameterError
from leanrank.kernels._threads import query_pieces
from leanrank.kernels.column_hashes import hash_columns, hash_rows
from leanrank.kernels.document_order import ranked_documents

#: How alike copies are, the strictest first.
SAME = ("values", "increasing", "order")

Mask = NDArray[np.bool_]
Groups = list[list[int]]


class Hashes(NamedTuple):
    """Sums of hashes (3, K): of the values, of the order within queries, of the reversed order; and where it varies."""

    hashes: NDArray[np.uint64]
    varies: NDArray[np.int64]


@dataclass(frozen=True)
class ColumnHashes:
    """Statistic: hashes of every column. Equal hashes are equal columns, but for a chance of about 2^-64 per pair.

    A missing value equals any other missing value. Queries are told apart by their ids and documents, so that those of
    one id that hold other documents are two. Cost O(K n log n) a query.
    """

    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)  # none of them matters

    def of(self, block: RankingData) -> Hashes:
        X = block.dense()
        hashes, varies = np.zeros((3, X.shape[1]), np.uint64), np.zeros(X.shape[1], np.int64)
        bits = bits_of(X)
        salts = _salts(block, bits)
        for queries, rows, ptr in query_pieces(block.query_ptr, 0, block.n_queries, X.shape[1]):
            values, words = np.ascontiguousarray(X[rows], np.float64), bits[rows].astype(np.uint64)
            keys, orders, _ = ranked_documents(np.where(np.isnan(values), 0.0, values), ptr, len(values))
            rank = np.empty(len(values), np.int64)
            hash_columns(values, words, keys, orders, ptr, salts[queries], rank, hashes, varies)
        return Hashes(hashes, varies)

    def merge(self, a: Hashes, b: Hashes) -> Hashes:
        return Hashes(a.hashes + b.hashes, a.varies + b.varies)

    def finish(self, partial: Hashes) -> Hashes:
        return partial


@dataclass(frozen=True, eq=False)
class Copies:
    """Which feature stands for each: itself, or the one that it is a copy of.

    Parameters
    ----------
    stands_in : array of int64 of shape (K,)
        The column that stands for each column; those that stand for others stand for themselves.

    Examples
    --------
    >>> copies = Copies.of([[0, 2, 3]], cost=np.array([2.0, 1.0, 1.0, 3.0]))
    >>> copies.stands_in, copies.standing(["bm25", "tf", "bm25b", "bm25c"])
    (array([2, 1, 2, 2]), {'bm25b': ('bm25', 'bm25c')})
    """

    stands_in: NDArray[np.int64]

    @classmethod
    def none(cls, n_features: int) -> Copies:
        """Every feature stands for itself."""
        return cls(np.arange(n_features))

    @classmethod
    def of(
        cls, groups: Groups, *, cost: NDArray[Any], must_keep: Mask | None = None, never: Mask | None = None
    ) -> Copies:
        """Of each group the cheapest stays, the first of several; what must be kept stays in any case.

        Parameters
        ----------
        groups : list of lists of int
            Columns that say the same.
        cost : array of shape (K,)
            Or anything else by which the least of a group is the one that stays.
        must_keep, never : bool arrays of shape (K,), optional
            What must never be taken stands for nothing.
        """
        stands_in = np.arange(len(cost))
        nothing = np.zeros(len(cost), dtype=bool)
        must_keep, never = nothing if must_keep is None else must_keep, nothing if never is None else never
        for group in groups:
            members = np.array([j for j in sorted(group) if not never[j]], dtype=np.int64)
            if not len(members):
                continue
            wanted = members[must_keep[members]]
            pool = wanted if len(wanted) else members
            stays = pool[np.argmin(cost[pool])]
            stands_in[np.setdiff1d(members, wanted)] = stays
        return cls(stands_in)

    @property
    def left_out(self) -> Mask:
        """The columns that another one stands for."""
        return np.asarray(self.stands_in != np.arange(len(self.stands_in)))

    @property
    def staying(self) -> NDArray[np.int64]:
        """The columns that stand for themselves."""
        return np.flatnonzero(~self.left_out)

    @property
    def stood_for(self) -> dict[int, tuple[int, ...]]:
        """The columns that each of those that stand for others stands for.

        >>> Copies(np.array([0, 1, 0, 0])).stood_for
        {0: (2, 3)}
        """
        out = np.flatnonzero(self.left_out)
        return {int(j): tuple(out[self.stands_in[out] == j].tolist()) for j in np.unique(self.stands_in[out])}

    def only(self, columns: NDArray[np.int64]) -> Copies:
        """The same of some of the columns, numbered anew; those that stand for others must be among them."""
        place = np.full(len(self.stands_in), -1)
        place[columns] = np.arange(len(columns))
        return Copies(place[self.stands_in[columns]])

    def among(self, columns: Mask) -> Copies:
        """The same among some of the columns: the others stand for nothing, and nothing for them.

        >>> Copies(np.array([0, 0, 2, 2])).among(np.array([True, True, True, False])).stands_in
        array([0, 0, 2, 3])
        """
        own = np.arange(len(self.stands_in))
        return Copies(np.where(columns & columns[self.stands_in], self.stands_in, own))

    def with_standing(self, columns: NDArray[np.int64]) -> Copies:
        """The same groups with others standing for them.

        Parameters
        ----------
        columns : array of int64
            In the place of each of `staying` the one of its group that stands now: itself, or one it stood for.

        Examples
        --------
        >>> Copies(np.array([0, 1, 0, 0])).with_standing(np.array([2, 1])).stands_in
        array([2, 1, 2, 2])
        """
        now = np.arange(len(self.stands_in))
        now[self.staying] = columns
        return Copies(now[self.stands_in])

    def standing(self, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The names of the features that stand for others, and of those."""
        standing: dict[str, tuple[str, ...]] = {}
        for j in np.flatnonzero(self.left_out).tolist():
            stays = names[self.stands_in[j]]
            standing[stays] = (*standing.get(stays, ()), names[j])
        return standing


def groups_of_copies(data: RankingSource, same: str = "order", engine: Engine | str | None = None) -> Groups:
    """Groups of two or more features that say the same.

    Parameters
    ----------
    data : RankingData or RankingSource
        Of a source only copies by "values", or by "order" among what varies inside queries, are looked for: to compare
        documents of different queries takes all of them in memory.
    same : {"values", "increasing", "order"}, default="order"
        Equal in every document; one increasing function of the other over all documents; or any function that is
        increasing within each query. Each takes in the ones before it. What is the same for all documents of each query
        orders nothing: it is a copy by "order" where it is by "increasing". Categories have no order: but by "values",
        those are copies that part the documents alike, whatever their texts. A category and a number never are.
    engine : Engine or str, default=None
        Where the data are folded.

    Examples
    --------
    >>> X = [[1.0, 2.0, 1.0, 5.0], [3.0, 6.0, 9.0, 7.0], [2.0, 4.0, 4.0, 0.0], [1.0, 2.0, 1.0, -1.0]]
    >>> data = RankingData(X, [0, 1, 0, 1], [0, 2, 4])
    >>> [groups_of_copies(data, same) for same in ("values", "increasing", "order")]
    [[], [[0, 1, 2]], [[0, 1, 2, 3]]]
    """
    if same not in SAME:
        raise ParameterError.of("groups_of_copies", "same", f"one of {', '.join(map(repr, SAME))}", same)
    (values, order, _), varies = fold(ColumnHashes(), data, engine)
    category = np.zeros(len(varies), dtype=bool)
    category[category_columns(data.feature_names, getattr(data, "categories", None) or {})] = True
    if same == "values":
        return sorted(equal_keys(values.tolist(), category) + equal_keys(values.tolist(), ~category))
    ordered = ~category & (varies > 0) & (same == "order")
    if not isinstance(data, RankingData):
        return equal_keys(order.tolist(), ordered)
    alike = equal_keys(order.tolist(), ~category & ~ordered)
    groups = equal_keys(order.tolist(), ordered) + parting_alike(data, np.flatnonzero(category).tolist())
    return sorted(groups + [part for group in alike for part in growing_alike(data, group)])


def growing_alike(data: RankingData, columns: Sequence[int]) -> Groups:
    """Groups of those columns that are increasing functions of each other over all documents."""
    return _equal_columns(data, columns, _growing)


def parting_alike(data: RankingData, categories: Sequence[int]) -> Groups:
    """Groups of those categories that part the documents alike, whatever their texts."""
    return _equal_columns(data, categories, _parting)


def kinds_of(data: RankingSource) -> NDArray[np.int64]:
    """Of each category (K,) a number that those have in common which part the documents alike; -1 for what is none.

    Only of data in memory is it known which do.
    """
    columns = category_columns(data.feature_names, getattr(data, "categories", None) or {})
    kinds = np.full(len(data.feature_names), -1)
    kinds[columns] = columns
    if isinstance(data, RankingData):
        for group in parting_alike(data, columns):
            kinds[group] = group[0]
    return kinds


def by_kind(groups: Groups, kinds: NDArray[np.int64]) -> Groups:
    """The groups of numbers among these, and those of categories: what stands for a category has an order, it has none.

    >>> by_kind([[0, 1, 2], [3, 4]], np.array([-1, 1, -1, 3, 4]))
    [[0, 2]]
    """
    numbers = [[j for j in group if kinds[j] < 0] for group in groups]
    return sorted([group for group in numbers if len(group) > 1] + equal_keys(kinds.tolist(), kinds >= 0))


def equal_keys(keys: Sequence[Any], among: Mask | None = None) -> Groups:
    """Groups of two or more columns with equal keys, in the order of the columns."""
    groups: dict[Any, list[int]] = {}
    for j in range(len(keys)) if among is None else np.flatnonzero(among).tolist():
        groups.setdefault(keys[j], []).append(j)
    return [group for group in groups.values() if len(group) > 1]


def bits_of(X: NDArray[Any]) -> NDArray[Any]:
    """The bits of values as whole numbers; adding 0 turns -0.0 into 0.0."""
    return np.asarray((X + X.dtype.type(0)).view(f"u{X.dtype.itemsize}"))


def _equal_columns(data: RankingData, columns: Sequence[int], key: Callable[[NDArray[Any]], bytes]) -> Groups:
    """Groups of columns with equal keys; one column is in memory at a time."""
    groups = equal_keys([key(data.subset([j]).dense()[:, 0]) for j in columns])
    return [[columns[i] for i in group] for group in groups]


def _growing(column: NDArray[Any]) -> bytes:
    """A hash of the place of each value among those that there are; -1 where it is missing."""
    missing = np.isnan(column)
    ranks = np.full(len(column), -1)
    ranks[~missing] = np.unique(column[~missing], return_inverse=True)[1]
    return blake2b(ranks.tobytes()).digest()


def _parting(codes: NDArray[Any]) -> bytes:
    """A hash of which documents are of one kind, by the order in which kinds first occur; missing is one of them."""
    _, first, kind = np.unique(np.where(np.isnan(codes), -1.0, codes), return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return blake2b(number[kind].tobytes()).digest()


def _salts(block: RankingData, bits: NDArray[Any]) -> NDArray[np.uint64]:
    """A number for each query, from its id and its documents."""
    documents = np.empty(block.n_rows, np.uint64)
    hash_rows(bits, documents)
    place = np.arange(block.n_rows) - np.repeat(block.query_ptr[:-1], block.query_sizes)
    content = np.add.reduceat(documents * (2 * place + 1).astype(np.uint64), block.query_ptr[:-1])
    ids = [blake2b(str(query).encode(), digest_size=8).digest() for query in block.query_ids.tolist()]
    return np.asarray(content + np.frombuffer(b"".join(ids), "<u8").astype(np.uint64))
