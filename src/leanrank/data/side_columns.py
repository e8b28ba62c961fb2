"""What is known of documents and queries beside features and labels: weights, positions, time, groups, slices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError

#: Which fields have a value for each document, and which for each query.
_OF_ROWS = ("weight", "position")
_OF_QUERIES = ("query_weight", "time", "query_group")
SIDE_ROLES = (*_OF_ROWS, *_OF_QUERIES, "slices")


class SideNames(TypedDict, total=False):
    """The columns beside the features that a caller may name, as keywords."""

    weight: str | None
    position: str | None
    query_weight: str | None
    time: str | None
    query_group: str | None
    slices: Sequence[str]


def named_beside(names: SideNames) -> list[tuple[str, str]]:
    """The columns named, each with its role."""
    single = [(str(name), role) for role, name in names.items() if role != "slices"]
    return single + [(name, "slice") for name in names.get("slices", ())]


@dataclass(frozen=True, eq=False)
class SideColumns:
    """Values beside the features; None, or no slice, where nothing is known.

    Parameters
    ----------
    weight : array of shape (n,), optional
        How much a document counts, 0 or more.
    position : array of shape (n,), optional
        At which place a document was shown, from 1 on.
    query_weight : array of shape (Q,), optional
        How much a query counts, 0 or more, not all 0.
    time : array of shape (Q,), optional
        When a query was asked: numbers that grow with time.
    query_group : array of shape (Q,), optional
        What several queries have in common (the same query on several days or markets): folds never part them.
    slices : mapping of str to array of shape (Q,)
        Kinds of queries by name, as ``{"country": ["de", "fr"]}``.
    part : bool, default=False
        Whether these are a part of more, in which all weights may be 0.
    names : mapping of str to str
        What the columns were called where they are from, by role; of no matter to what is computed.
    """

    weight: NDArray[np.float64] | None = None
    position: NDArray[np.int64] | None = None
    query_weight: NDArray[np.float64] | None = None
    time: NDArray[np.float64] | None = None
    query_group: NDArray[Any] | None = None
    slices: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    part: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.slices) or any(getattr(self, name) is not None for name in (*_OF_ROWS, *_OF_QUERIES))

    def known(self) -> list[tuple[str, str, NDArray[Any]]]:
        """Role, name and values of each column that there is; one that is no slice is called by its role."""
        single = [(role, role, getattr(self, role)) for role in (*_OF_ROWS, *_OF_QUERIES)]
        slices = [("slices", name, values) for name, values in self.slices.items()]
        return [column for column in single + slices if column[2] is not None]

    def by_row(self, query_sizes: NDArray[np.int64]) -> list[NDArray[Any]]:
        """The columns that `known` names with a value for every document, as a table has them."""
        return [values if role in _OF_ROWS else np.repeat(values, query_sizes) for role, _, values in self.known()]

    def checked(self, n_rows: int, n_queries: int) -> SideColumns:
        """The same as arrays of the right type and length, or an error that says what is wrong where."""
        if not self:
            return self
        weight = _amounts(self.weight, "weight", n_rows, "document", some=not self.part)
        query_weight = _amounts(self.query_weight, "query_weight", n_queries, "query", some=not self.part)
        return SideColumns(
            weight=weight,
            position=_positions(self.position, n_rows),
            query_weight=query_weight,
            time=_finite(self.time, "time", n_queries, "query"),
            query_group=None if self.query_group is None else _texts(self.query_group, "query_group", n_queries),
            slices={str(name): _texts(values, str(name), n_queries) for name, values in self.slices.items()},
            part=self.part,
            names=self.names,
        )

    def taken(self, rows: Any, queries: Any) -> SideColumns:
        """Those of these rows and queries (numbers or runs)."""
        if not self:
            return self
        kept = {name: _at(getattr(self, name), rows) for name in _OF_ROWS}
        kept |= {name: _at(getattr(self, name), queries) for name in _OF_QUERIES}
        slices = {name: values[queries] for name, values in self.slices.items()}
        return SideColumns(**kept, slices=slices, part=True, names=self.names)

    def without(self, *roles: str) -> SideColumns:
        """The same without the columns of these roles ("weight", "time", "slices", ...)."""
        gone: dict[str, Any] = {role: {} if role == "slices" else None for role in roles}
        return replace(self, **gone)

    def update(self, digests: dict[str, Any]) -> None:
        """Take what is here into hashes, one for each column; the blocks that the rows come in do not matter."""
        for role, name, column in self.known():
            key = f"{role}\0{name if role == 'slices' else ''}\0"
            digest = digests.setdefault(key, blake2b(key.encode(), digest_size=16))
            digest.update("".join(f"{value}\0" for value in column.tolist()).encode())

    def equals(self, other: SideColumns) -> bool:
        """Whether the same is known, with the same values."""
        if self.slices.keys() != other.slices.keys():
            return False
        pairs = [(getattr(self, name), getattr(other, name)) for name in (*_OF_ROWS, *_OF_QUERIES)]
        pairs += [(self.slices[name], other.slices[name]) for name in self.slices]
        return all((a is None) == (b is None) and (a is None or np.array_equal(a, b)) for a, b in pairs)


def joined(parts: Sequence[SideColumns]) -> SideColumns:
    """Those of several data, one after the other; what one part knows all must know."""
    if not any(parts):
        return SideColumns()
    columns: dict[str, Any] = {}
    for name in (*_OF_ROWS, *_OF_QUERIES):
        columns[name] = _together([getattr(part, name) for part in parts], name)
    names = {name: None for part in parts for name in part.slices}
    slices: dict[str, Any] = {name: _together([part.slices.get(name) for part in parts], name) for name in names}
    called = {role: name for part in reversed(parts) for role, name in part.names.items()}
    return SideColumns(**columns, slices=slices, part=any(part.part for part in parts), names=called)


def side_columns(
    names: SideNames,
    column: Callable[[str], NDArray[Any]],
    query_ptr: NDArray[np.int64],
    query_ids: Any,
    *,
    part: bool = False,
) -> SideColumns:
    """Those of a table whose rows are those of the data: `column` gives the values of every row by name.

    What belongs to a query must be the same in all of its rows. `part` says that the rows are some of more.
    """
    columns: dict[str, Any] = {}
    for role in _OF_ROWS:
        if names.get(role) is not None:
            columns[role] = column(str(names[role]))  # type: ignore[literal-required]
    for role in _OF_QUERIES:
        if names.get(role) is not None:
            columns[role] = _of_queries(str(names[role]), column, query_ptr, query_ids)  # type: ignore[literal-required]
    slices = {name: _of_queries(name, column, query_ptr, query_ids) for name in names.get("slices", ())}
    called = {role: str(names[role]) for role in columns}  # type: ignore[literal-required]
    return SideColumns(**columns, slices=slices, part=part, names=called)


def _of_queries(
    name: str, column: Callable[[str], NDArray[Any]], query_ptr: NDArray[np.int64], query_ids: Any
) -> NDArray[Any]:
    values = column(name)
    first = values[query_ptr[:-1]]
    expected = np.repeat(first, np.diff(query_ptr))
    other = (values != expected) & ((values == values) | (expected == expected))  # NaN is NaN again
    if other.any():
        row = int(np.argmax(other))
        query = int(np.searchsorted(query_ptr, row, side="right")) - 1
        raise DataError(
            f"Column {name!r} belongs to queries, but query {query_ids[query]} has {first[query]} and {values[row]} "
            "in it: give every row of a query the same."
        )
    return np.asarray(first)


def _at(values: NDArray[Any] | None, places: Any) -> NDArray[Any] | None:
    return None if values is None else values[places]


def _together(values: Sequence[NDArray[Any] | None], name: str) -> NDArray[Any] | None:
    known = [one for one in values if one is not None]
    if known and len(known) < len(values):
        raise DataError(f"One part has the column {name!r} and another has not: give it to all, or to none.")
    return np.concatenate(known) if known else None


def _of_length(values: Any, name: str, n: int, what: str) -> NDArray[Any]:
    column = np.asarray(values)
    if column.shape != (n,):
        raise DataError(f"{name} needs one value for each {what}, {n:,} in all. Got shape {column.shape}.")
    return column


def _finite(values: Any, name: str, n: int, what: str) -> NDArray[np.float64] | None:
    if values is None:
        return None
    column = _of_length(values, name, n, what)
    if column.dtype.kind == "M":
        column = np.where(np.isnat(column), np.nan, column.astype("datetime64[us]").astype(np.int64) / 1e6)
    try:
        numbers = np.ascontiguousarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}.") from error
    if not np.isfinite(numbers).all():
        place = int(np.argmax(~np.isfinite(numbers)))
        raise DataError(f"{name} of {what} number {place} is {numbers[place]}: it must be a finite number.")
    return numbers


def _amounts(values: Any, name: str, n: int, what: str, *, some: bool) -> NDArray[np.float64] | None:
    numbers = _finite(values, name, n, what)
    if numbers is not None and (numbers < 0).any():
        place = int(np.argmax(numbers < 0))
        raise DataError(f"{name} of {what} number {place} is {numbers[place]:g}: it must be 0 or more.")
    if some and numbers is not None and not (numbers > 0).any():
        raise DataError(f"{name} is 0 for every {what}: nothing would count.")
    return numbers


def _positions(values: Any, n: int) -> NDArray[np.int64] | None:
    numbers = _finite(values, "position", n, "document")
    if numbers is None:
        return None
    wrong = (numbers < 1) | (numbers != np.floor(numbers)) | (numbers > 2**53)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(f"The position of document number {row} is {numbers[row]:g}: places are counted from 1 on.")
    return numbers.astype(np.int64)


def _texts(values: Any, name: str, n: int) -> NDArray[Any]:
    column = _of_length(values, name, n, "query")
    return column.astype(np.int64) if column.dtype.kind in "biu" else column.astype(str)
