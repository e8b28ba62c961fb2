"""What a worker of a cluster does: fold a part, or merge what others folded."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.sources import Part, PartitionedSource
from leanrank.data.weights import WEIGHTS
from leanrank.engines.device import check_device, check_forms, gpu_for, partials_of
from leanrank.engines.fold import Statistic, merge_in_order
from leanrank.engines.progress import watched_blocks
from leanrank.errors import DataError, LeanRankError, ParameterError

#: Partials that one task merges: the tree over n parts is log(n) / log(FAN_IN) high.
FAN_IN = 8
#: Parts per worker thread: enough to balance and to lose little with a worker, few enough to merge.
PARTS_PER_THREAD = 8
#: Bytes of a block sent to a worker, so that messages stay small.
SENT_BYTES = 32 << 20

READ_ON = ("workers", "driver")


class QueryIds(NamedTuple):
    """Ids of the queries seen, sorted: whole numbers, and all others as UTF-8."""

    numbers: NDArray[np.int64]
    texts: NDArray[np.bytes_]


@dataclass(frozen=True)
class QueriesOnce:
    """A statistic without a result, whose merge refuses a query that two parts have.

    A source read in one go notices a query that comes back; parts read by different workers cannot. It costs 8 bytes
    per query (the length of the id where ids are texts).
    """

    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)  # none of them matters

    def of(self, block: RankingData) -> QueryIds:
        ids = block.query_ids
        if ids.dtype.kind == "i":
            return QueryIds(np.sort(ids), np.empty(0, dtype="S1"))
        # LETOR blocks hold numbers where all ids of the block are: "7" here may be 7 elsewhere
        whole = np.array([_is_whole(text) for text in ids.tolist()], dtype=bool)
        return QueryIds(np.sort(ids[whole].astype(np.int64)), np.sort(np.char.encode(ids[~whole], "utf-8")))

    def merge(self, a: QueryIds, b: QueryIds) -> QueryIds:
        return QueryIds(_together(a.numbers, b.numbers), _together(a.texts, b.texts))

    def finish(self, partial: QueryIds) -> None:
        return None


def _is_whole(text: str) -> bool:
    return len(text) < 19 and text.removeprefix("-").isdecimal() and str(int(text)) == text


def _together(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    both = np.sort(np.concatenate([a, b]))
    again = np.flatnonzero(both[1:] == both[:-1])
    if len(again):
        query = both[again[0]]
        name = query.decode("utf-8") if isinstance(query, bytes) else str(query)
        raise DataError(
            f"The rows of query {name} are not adjacent, or in more than one file: a query cannot be split. Sort the "
            "rows by query, or pass regroup=True where the reader takes it."
        )
    return both


@dataclass(frozen=True, eq=False)
class FoldTask:
    """Statistics to compute, and how; sent to every worker once per task."""

    statistics: tuple[Statistic, ...]
    block_rows: int
    device: str = "cpu"

    @classmethod
    def on(cls, engine: Any, statistics: Sequence[Statistic]) -> FoldTask:
        """The task of a cluster's engine; refused here where its workers could not do it."""
        check_forms(type(engine).__name__, engine.device, statistics)
        return cls(tuple(statistics), engine.block_rows, engine.device)

    def of_part(self, part: Part) -> list[Any] | None:
        """Partials of a part, read here block by block; None if no query begins in it."""
        merged: list[Any] | None = None
        try:
            for block in part.blocks(self.block_rows):
                merged = merge_in_order(self.statistics, merged, self.of_block(block))
        except LeanRankError:
            unseen = [path for path in part.paths if not os.path.exists(path)]
            if unseen:
                raise DataError(
                    f"The worker on {socket.gethostname()} cannot see {unseen[0]}. Put the files where every worker "
                    "sees them under the same path, or pass read_on='driver' to the engine to send the data instead."
                ) from None
            raise
        return merged

    def of_block(self, block: RankingData) -> list[Any]:
        """Partials of a block."""
        return partials_of(self.statistics, block, gpu_for(self.statistics, self.device))

    def merge(self, several: Sequence[list[Any] | None]) -> list[Any] | None:
        """Partials of consecutive parts together, merged in their order."""
        merged: list[Any] | None = None
        for partials in several:
            if partials is not None:
                merged = merge_in_order(self.statistics, merged, partials)
        return merged

    def split(self, source: RankingSource, n: int, read_on: str) -> tuple[FoldTask, Sequence[Part]] | None:
        """Parts for workers to read and the task that folds them; None if the driver has to read."""
        if read_on == "driver" or not isinstance(source, PartitionedSource):
            return None
        rows = getattr(source, "n_rows", None)  # a part of less than a block is not worth a task
        parts = source.partitions(n if rows is None else max(1, min(n, -(-rows // self.block_rows))))
        if parts is None:
            return None
        return replace(self, statistics=(*self.statistics, QueriesOnce())), parts


def merge_last(task: FoldTask, several: Sequence[list[Any] | None]) -> list[Any] | None:
    """The last merge; what `split` added for checking stays with the workers."""
    merged = task.merge(several)
    return None if merged is None else merged[:-1]


def sendable_blocks(source: RankingSource, block_rows: int, *, progress: bool) -> Iterator[RankingData]:
    """Blocks of about `block_rows` rows, cut where they are over 32 MiB."""
    for block in watched_blocks(source, block_rows, shown=progress):
        X = block.X
        size = X.data.nbytes + X.indices.nbytes if block.is_sparse else X.nbytes
        yield from block.blocks(max(1, min(block.n_rows, block.n_rows * SENT_BYTES // max(1, size))))


def check_engine(owner: str, block_rows: int, read_on: str, device: str) -> None:
    """Refuse parameters of a cluster's engine that cannot be."""
    check_device(owner, device)
    if block_rows < 1:
        raise ParameterError.of(owner, "block_rows", ">= 1", block_rows)
    if read_on not in READ_ON:
        raise ParameterError.of(owner, "read_on", "'workers' or 'driver'", read_on)
