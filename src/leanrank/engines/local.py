"""LocalEngine: threads of this machine over blocks of queries, reading while computing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from leanrank.data.ranking_data import BLOCK_ROWS, RankingData, RankingSource
from leanrank.engines.fold import Statistic, merge_in_order, nothing_to_fold
from leanrank.engines.progress import watched_blocks
from leanrank.errors import ParameterError
from leanrank.kernels._threads import default_threads

# A piece smaller than this is not worth a thread.
_SMALLEST_PIECE = 1_000


@dataclass(frozen=True)
class LocalEngine:
    """Run a fold on threads of this machine.

    Blocks are read by the caller's thread while workers compute; no more than two pieces per worker wait, so
    memory stays bounded whatever the length of the source. Partials are merged in the order of the queries:
    the result does not depend on which thread was faster.

    Parameters
    ----------
    n_threads : int, optional
        Workers. `LEANRANK_THREADS` or the cores of this process if not given.
    block_rows : int
        Rows to read at once.

    Examples
    --------
    >>> from leanrank import Importance, RankingData, fold
    >>> data = RankingData([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]], [1, 0, 0], [0, 3])
    >>> fold(Importance("map"), data, LocalEngine(n_threads=2)).mean.round(3).tolist()
    [1.0, 0.333]
    """

    n_threads: int | None = None
    block_rows: int = BLOCK_ROWS

    def __post_init__(self) -> None:
        if self.n_threads is not None and self.n_threads < 1:
            raise ParameterError.of("LocalEngine", "n_threads", ">= 1 or None", self.n_threads)
        if self.block_rows < 1:
            raise ParameterError.of("LocalEngine", "block_rows", ">= 1", self.block_rows)

    def run(self, statistics: Sequence[Statistic], source: RankingSource, *, progress: bool = False) -> list[Any]:
        """The merged partial of each statistic over all blocks of `source`, read once."""
        threads = default_threads() if self.n_threads is None else self.n_threads

        def partials_of(block: RankingData) -> list[Any]:
            return [statistic.of(block) for statistic in statistics]

        blocks = watched_blocks(source, self.block_rows, shown=progress)
        merged: list[Any] | None = None
        if threads == 1:
            for block in blocks:
                merged = merge_in_order(statistics, merged, partials_of(block))
        else:
            waiting: deque[Future[list[Any]]] = deque()
            with ThreadPoolExecutor(threads, thread_name_prefix="leanrank") as pool:
                try:
                    for piece in _pieces(blocks, threads):
                        waiting.append(pool.submit(partials_of, piece))
                        if len(waiting) > 2 * threads:
                            merged = merge_in_order(statistics, merged, waiting.popleft().result())
                    while waiting:
                        merged = merge_in_order(statistics, merged, waiting.popleft().result())
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        if merged is None:
            raise nothing_to_fold()
        return merged


def _pieces(blocks: Iterable[RankingData], threads: int) -> Iterator[RankingData]:
    """Cut blocks further, so that a single block keeps all threads busy."""
    for block in blocks:
        piece = max(_SMALLEST_PIECE, -(-block.n_rows // (4 * threads)))
        if block.n_rows <= piece:
            yield block
        else:
            yield from block.blocks(piece)
