"""As many whole queries of a source as memory holds, drawn by content in one pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.door import as_ranking_data, as_source, is_source
from leanrank.data.memory_size import bytes_of, default_limit, shown
from leanrank.data.ranking_data import RankingData, RankingSource, concatenate
from leanrank.errors import DataError

#: How often the drawn matrix may be held at the peak of `select`: once itself, and twice for each of two threads (a
#: fold as it was prepared, and once more in the order and with the columns of a fit). Measured with one thread and
#: RankSVM: 2.4 beside the data. What a library allocates itself, as LightGBM does, is not counted.
COPIES = 5
#: Values of a block that is read, so that blocks of many features are not large.
_BLOCK_VALUES = 2_000_000
#: Behind every place.
_NOWHERE = np.uint64(1 << 63)


@dataclass(frozen=True, eq=False)
class QuerySample:
    """Queries that were drawn from a source, and how many there were."""

    data: RankingData  # the queries drawn, in the order of their hashes
    # those of the whole source
    n_queries: int
    n_rows: int
    memory: int | None = None  # the bytes that were allowed; None where there was no limit
    by_default: bool = False  # whether nobody named the limit

    @property
    def is_all(self) -> bool:
        """Whether nothing was left out."""
        return self.data.n_queries == self.n_queries

    def summary(self) -> dict[str, Any]:
        """Plain values that tell what was drawn; none where nothing was left out."""
        if self.is_all or self.memory is None:
            return {}
        why = ", half of what is free: name more or less with memory= or --memory" if self.by_default else ""
        return {
            "queries": self.data.n_queries,
            "of_queries": self.n_queries,
            "rows": self.data.n_rows,
            "of_rows": self.n_rows,
            "memory": self.memory,
            "sentence": (
                f"Selected and trained on {self.data.n_queries:,} of {self.n_queries:,} queries, as many as "
                f"{shown(self.memory)} of memory allow{why}; the others took no part"
            ),
        }

    def threads(self, wanted: int) -> int:
        """How many of these threads may train at a time, each with copies of its own, within the memory allowed."""
        if self.memory is None:
            return wanted
        copies = self.memory / stored_bytes(self.data).sum()
        return max(1, min(wanted, int((copies - 1) / ((COPIES - 1) / 2))))


def sample_of(data: Any, memory: Any = None, random_state: int = 0) -> QuerySample:
    """What `select` works on: the data given, or what is drawn from a source or within the memory named.

    Data in memory have no limit unless one is named; a source has `default_limit`. A sample that was drawn before is
    taken as it is.
    """
    if isinstance(data, QuerySample):
        return data
    limit = None if memory is None else bytes_of(memory, owner="select")
    if limit is None and (isinstance(data, RankingData) or not is_source(data)):
        judged = as_ranking_data(data)
        return QuerySample(judged, judged.n_queries, judged.n_rows)
    sample = drawn(as_source(data), default_limit() if limit is None else limit, random_state)
    return replace(sample, by_default=limit is None)


def drawn(source: RankingSource, memory: int, random_state: int = 0) -> QuerySample:
    """Draw as many whole queries as `select` can work on within so much memory.

    Every query has a place by a hash of its id and the seed; from the first place on, queries are taken while they fit.
    What is drawn does not depend on the order of files, blocks, queries or rows.

    Parameters
    ----------
    source : RankingSource
        Read once.
    memory : int
        Bytes that the data may take in all, copies for training included: `COPIES` times the queries drawn.
    random_state : int, default=0
        Seed of the hash.

    Examples
    --------
    >>> data = RankingData([[3.0], [2.0], [0.0], [5.0]], [1, 0, 2, 1], [0, 1, 2, 3, 4])
    >>> sample = drawn(data, 2 * 8 * COPIES)  # two rows of one float64 each
    >>> sample.data.n_queries, sample.n_queries
    (2, 4)
    """
    room, held = memory // COPIES, _Held(memory // COPIES)
    n_queries = n_rows = 0
    for block in source.blocks(max(1, _BLOCK_VALUES // len(source.feature_names))):
        n_queries, n_rows = n_queries + block.n_queries, n_rows + block.n_rows
        sizes = stored_bytes(block)
        if (worst := int(np.argmax(sizes))) >= 0 and sizes[worst] > room:
            raise DataError(
                f"Query {block.query_ids[worst]} has {block.query_sizes[worst]:,} documents, which take "
                f"{shown(int(sizes[worst]) * COPIES)} with the copies for training: allow more than "
                f"{shown(memory)} of memory.",
                owner="select",
                parameter="memory",
            )
        held.add(replace(block, comments=None), _places(block.query_ids, random_state), sizes)
    return QuerySample(held.joined(), n_queries, n_rows, memory)


def stored_bytes(data: RankingData) -> NDArray[np.int64]:
    """The bytes that each query's values take."""
    if not data.is_sparse:
        return np.asarray(data.query_sizes * data.n_features * data.X.dtype.itemsize)
    stored = np.diff(np.asarray(data.X.indptr, dtype=np.int64)[data.query_ptr])
    return np.asarray(stored * (data.X.dtype.itemsize + 4) + 8 * data.query_sizes)


class _Held:
    """The queries read so far that may be among those drawn; never much more than there is room for."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._parts: list[tuple[RankingData, NDArray[np.uint64], NDArray[np.int64]]] = []
        self._end = _NOWHERE  # from this place on nothing fits
        self._bytes = 0

    def add(self, block: RankingData, places: NDArray[np.uint64], sizes: NDArray[np.int64]) -> None:
        self._keep(block, places, sizes)
        if self._bytes > self._room + self._room // 8:
            self._cut()

    def joined(self) -> RankingData:
        """The queries that fit, in the order of their places; where all fit, as they came."""
        self._cut()
        order = np.argsort(np.concatenate([places for _, places, _ in self._parts]), kind="stable")
        data = concatenate([part for part, _, _ in self._parts])
        self._parts.clear()
        return data if self._end == _NOWHERE else data.take_queries(order)

    def _keep(self, part: RankingData, places: NDArray[np.uint64], sizes: NDArray[np.int64]) -> None:
        inside = np.flatnonzero(places < self._end)
        if len(inside):
            kept = part.take_queries(inside)
            if kept is not part and np.shares_memory(kept.y, part.y):  # a view would hold on to all of the block
                kept = replace(kept, X=kept.X.copy(), y=kept.y.copy())
            self._parts.append((kept, places[inside], sizes[inside]))
            self._bytes += int(sizes[inside].sum())

    def _cut(self) -> None:
        """Let go of what does not fit: the first query by place that does not, and all behind it."""
        places = np.concatenate([places for _, places, _ in self._parts])
        sizes = np.concatenate([sizes for _, _, sizes in self._parts])
        order = np.argsort(places, kind="stable")
        beyond = np.flatnonzero(np.cumsum(sizes[order]) > self._room)
        if not len(beyond):
            return
        self._end = places[order[beyond[0]]]
        parts, self._parts, self._bytes = self._parts[::-1], [], 0
        while parts:
            self._keep(*parts.pop())


def _places(query_ids: NDArray[Any], random_state: int) -> NDArray[np.uint64]:
    """The place of each query, by its id alone: 7 and "7" are the same, as LETOR's blocks may hold either."""
    digests = [blake2b(f"{random_state}\0{name}".encode(), digest_size=8).digest() for name in query_ids.tolist()]
    return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64) >> np.uint64(1)
