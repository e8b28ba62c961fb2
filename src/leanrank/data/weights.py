"""Weights of documents and queries: which data have, what they are called, and what refuses or does without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import BLOCK_ROWS, RankingData, RankingSource
from leanrank.data.side_columns import SideColumns
from leanrank.data.sources import MappedSource
from leanrank.errors import DataError

DOCUMENTS, QUERIES = "weight", "query_weight"
#: The roles of columns that are weights, and whose.
WEIGHTS = {DOCUMENTS: "documents", QUERIES: "queries"}


def weights_of(source: Any) -> tuple[str, ...]:
    """Which weights there are in data, or in a source as far as it says before it is read.

    >>> weights_of(RankingData([[1.0], [2.0]], [1, 0], [0, 2], beside=SideColumns(query_weight=[3.0])))
    ('query_weight',)
    """
    beside = getattr(source, "beside", None)
    if isinstance(beside, SideColumns):
        return tuple(role for role in WEIGHTS if getattr(beside, role) is not None)
    roles = getattr(source, "roles", None)  # of a table that is yet to be read
    if roles is not None:
        return tuple(role for role in WEIGHTS if role in roles.beside)
    inner = getattr(source, "source", None)
    return () if inner is None else weights_of(inner)


def refuse_weights(source: Any, owner: str, taken: Sequence[str] = ()) -> None:
    """Refuse data with weights that are not among those `taken`, in the name of `owner`."""
    for role in weights_of(source):
        if role not in taken:
            raise DataError(
                f"{owner} cannot take weights of {WEIGHTS[role]}: read the data without a column for {role!r}, or "
                f"take them away with replace(data, beside=data.beside.without({role!r})).",
                owner=owner,
                parameter=role,
            )


def query_weights(data: RankingData, owner: str) -> NDArray[np.float64] | None:
    """How much each query counts, None where all count alike; weights of documents are refused for `owner`."""
    refuse_weights(data, owner, (QUERIES,))
    return data.beside.query_weight


def query_weights_of(parts: Sequence[RankingData], owner: str) -> NDArray[np.float64] | None:
    """`query_weights` of several parts of the same data, one after the other."""
    known = [weight for part in parts if (weight := query_weights(part, owner)) is not None]
    return np.concatenate(known) if known else None


def row_weights(data: RankingData) -> NDArray[np.float64] | None:
    """The weight of each document times that of its query; None where there are none.

    >>> beside = SideColumns(weight=[1.0, 2.0, 1.0], query_weight=[3.0, 1.0])
    >>> row_weights(RankingData([[1.0], [2.0], [0.0]], [1, 0, 1], [0, 2, 3], beside=beside)).tolist()
    [3.0, 6.0, 1.0]
    """
    side = data.beside
    if side.query_weight is None:
        return side.weight
    by_query = np.repeat(side.query_weight, data.query_sizes)
    return by_query if side.weight is None else by_query * side.weight


@dataclass(frozen=True)
class QueryWeighting:
    """The column that the weights of queries are from, if it had a name, and the least and the greatest of them."""

    column: str | None
    least: float
    most: float

    @classmethod
    def of(cls, parts: Sequence[RankingData]) -> QueryWeighting | None:
        """That of data, in parts or whole; None where all queries count alike.

        >>> from leanrank.data.side_columns import SideColumns
        >>> side = SideColumns(query_weight=[3.0, 0.5], names={"query_weight": "traffic"})
        >>> data = RankingData([[1.0], [2.0]], [1, 0], [0, 1, 2], beside=side)
        >>> QueryWeighting.of([data]).sentence
        "queries count by their weights in 'traffic', from 0.5 to 3"
        """
        known = [weight for part in parts if (weight := part.beside.query_weight) is not None]
        if not known:
            return None
        names = (part.beside.names.get(QUERIES) for part in parts)
        column = next((name for name in names if name is not None), None)
        return cls(column, min(float(w.min()) for w in known), max(float(w.max()) for w in known))

    @property
    def sentence(self) -> str:
        """In words, as a part of a sentence."""
        where = "" if self.column is None else f" in {self.column!r}"
        return f"queries count by their weights{where}, from {self.least:g} to {self.most:g}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def weighting_said(settings: Mapping[str, Any]) -> str:
    """What the settings of a run say of weights of queries; nothing where there were none."""
    known = settings.get("query_weights")
    return "" if known is None else QueryWeighting(known["column"], known["least"], known["most"]).sentence


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


def weighing_part(source: RankingSource) -> RankingSource:
    """As `without_weightless`; of a part of more that weighs nothing, one document stays that counts nothing.

    Sums over it are those over no queries: sums of parts add up to those of the whole, wherever its weights are.

    >>> data = RankingData([[1.0], [2.0]], [1, 0], [0, 1, 2], beside=SideColumns(query_weight=[1.0, 0.0]))
    >>> nothing = weighing_part(data.take_queries([1]))
    >>> nothing.n_rows, nothing.beside.query_weight.tolist()
    (1, [0.0])
    """
    if not is_part(source) or rows_that_weigh(source).any():
        return without_weightless(source)
    nothing, beside = np.zeros((1, source.n_features)), source.beside.taken([0], [0])
    return RankingData(
        nothing, np.zeros(1, np.float32), np.array([0, 1]), feature_names=source.feature_names, beside=beside
    )


def is_part(source: RankingSource) -> TypeGuard[RankingData]:
    """Whether these are some queries of more data, as far as their weights say: what weighs enough then is not known.

    >>> data = RankingData([[1.0], [2.0]], [1, 0], [0, 1, 2], beside=SideColumns(query_weight=[1.0, 0.0]))
    >>> is_part(data), is_part(data.take_queries([0]))
    (False, True)
    """
    return isinstance(source, RankingData) and source.beside.part


def _left(data: RankingData) -> RankingData | None:
    """The documents that weigh something; they are a part of more where the data are."""
    weighs = rows_that_weigh(data)
    if weighs.all():
        return data
    if not weighs.any():
        return None
    sizes = np.add.reduceat(weighs.astype(np.int64), data.query_ptr[:-1])
    rows, queries = np.flatnonzero(weighs), np.flatnonzero(sizes)
    if data.beside.weight is None or (sizes[queries] == data.query_sizes[queries]).all():
        left = data.take_queries(queries)
        return left if data.beside.part else replace(left, beside=replace(left.beside, part=False))
    return replace(
        data,
        X=data.X[rows],
        y=data.y[rows],
        query_ptr=np.concatenate(([0], np.cumsum(sizes[queries]))),
        query_ids=data.query_ids[queries],
        comments=None if data.comments is None else data.comments[rows],
        beside=replace(data.beside.taken(rows, queries), part=data.beside.part),
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
