"""Blocks of whole queries from a stream of rows that is cut anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.grouping import query_offsets
from leanrank.data.ranking_data import RankingData
from leanrank.data.side_columns import SideNames, side_columns
from leanrank.errors import DataError, ParameterError

_NOTHING_BESIDE = SideNames()


@dataclass(frozen=True)
class Rows:
    """Some rows as they came: features, labels, query ids, comments, their file, and what is beside them by column."""

    X: NDArray[Any]
    y: NDArray[Any]
    qid: NDArray[Any]
    comments: NDArray[np.object_] | None = None
    file: str = ""
    beside: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.qid)

    def cut(self, first: int, last: int) -> Rows:
        texts = None if self.comments is None else self.comments[first:last]
        beside = {name: values[first:last] for name, values in self.beside.items()}
        return Rows(self.X[first:last], self.y[first:last], self.qid[first:last], texts, self.file, beside)

    def copied(self) -> Rows:
        """The same in memory of its own."""
        texts = None if self.comments is None else self.comments.copy()
        beside = {name: values.copy() for name, values in self.beside.items()}
        return Rows(self.X.copy(), self.y.copy(), self.qid.copy(), texts, self.file, beside)


def whole_query_blocks(
    stream: Iterable[Rows],
    n_rows: int,
    *,
    feature_names: tuple[str, ...],
    missing: bool,
    beside: SideNames = _NOTHING_BESIDE,
) -> Iterator[RankingData]:
    """Yield the same blocks as `RankingData.blocks` would of the whole, holding a block and a query at a time.

    A query that comes back after another one, or in another file, is an error with its id.
    """
    if n_rows < 1:
        raise ParameterError.of("blocks", "n_rows", ">= 1", n_rows)
    held: list[Rows] = []
    n_held = n_whole = 0  # rows held, and those of them that belong to queries known to be complete
    seen = _Seen()
    for rows in stream:
        if not len(rows):
            continue
        starts = seen.add(rows)
        held.append(rows)
        if len(starts):
            n_whole = n_held + int(starts[-1])
        n_held += len(rows)
        if n_whole >= n_rows:
            whole = _joined(held, n_whole, feature_names, missing, beside)
            done = 0
            for block in whole.blocks(n_rows):
                if done + block.n_rows < n_whole or block.n_rows >= n_rows:  # the last one may yet take a query
                    done += block.n_rows
                    yield block
            held, n_held, n_whole = _without(held, done), n_held - done, n_whole - done
    if n_held:
        yield from _joined(held, n_held, feature_names, missing, beside).blocks(n_rows)


class _Seen:
    """The queries that are over, to notice one that comes back. One id per query is all that is kept of them."""

    def __init__(self) -> None:
        self._over: dict[Any, str] = {}
        self._last: Any = None
        self._file = ""
        self._first = True

    def add(self, rows: Rows) -> NDArray[np.int64]:
        """Rows at which another query begins; row 0 only if it does not continue the query before."""
        ids = rows.qid
        changes = np.flatnonzero(ids[1:] != ids[:-1]) + 1
        begins: list[int] = [] if not self._first and self._last == ids[0] else [0]
        if not begins and self._file != rows.file:
            raise DataError(_split(ids[0], self._file, rows.file))
        if begins and not self._first:
            self._over[self._last] = self._file
        # all queries of these rows but the last are over
        opened = ids[np.concatenate(([0], changes))].tolist()
        for i, key in enumerate(opened):
            if (i or begins) and key in self._over:
                if self._over[key] != rows.file:
                    raise DataError(_split(key, self._over[key], rows.file))
                raise DataError(
                    f"The rows of query {key} are not adjacent: it comes back after query "
                    f"{opened[i - 1] if i else self._last}. Sort the rows by query, or regroup them (regroup=True, "
                    "--regroup)."
                )
            if i < len(opened) - 1:
                self._over[key] = rows.file
        self._last, self._file, self._first = opened[-1], rows.file, False
        return np.array([*begins, *changes], dtype=np.int64)


def _split(query: Any, one: str, other: str) -> str:
    return f"Query {query} is in {one} and again in {other}: a query cannot be split. Pass regroup=True to join it."


def _joined(held: list[Rows], n: int, feature_names: tuple[str, ...], missing: bool, beside: SideNames) -> RankingData:
    total, parts = 0, []
    for rows in held:
        part = rows.cut(0, min(len(rows), n - total))
        total += len(part)
        if len(part):
            parts.append(part)
    query_ptr, query_ids, _ = query_offsets(np.concatenate([part.qid for part in parts]), n_rows=n)
    texts = [part.comments for part in parts if part.comments is not None]

    def column(name: str) -> NDArray[Any]:
        return np.concatenate([part.beside[name] for part in parts])

    return RankingData(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.y for part in parts]),
        query_ptr,
        query_ids,  # type: ignore[arg-type]
        feature_names,
        np.concatenate(texts) if texts else None,
        missing,
        side_columns(beside, column, query_ptr, query_ids, part=True),
    )


def _without(held: list[Rows], n: int) -> list[Rows]:
    """What is left after the first `n` rows, copied so that the rest can be freed."""
    left = []
    for rows in held:
        if n >= len(rows):
            n -= len(rows)
            continue
        rest = rows.cut(n, len(rows))
        left.append(rest if n == 0 else rest.copied())
        n = 0
    return left
