"""LocalEngine: threads or the GPU of this machine over blocks of queries, reading while computing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leanrank.data.ranking_data import BLOCK_ROWS, RankingData, RankingSource
from leanrank.engines.device import check_device, check_forms, gpu_for, has_form, partials_of, rows_for_gpu
from leanrank.engines.fold import Statistic, merge_in_order, nothing_to_fold
from leanrank.engines.progress import watched_blocks
from leanrank.errors import require
from leanrank.kernels._threads import default_threads

if TYPE_CHECKING:
    from leanrank.engines.gpu import Gpu

# A piece smaller than this is not worth a thread.
_SMALLEST_PIECE = 1_000


@dataclass(frozen=True)
class LocalEngine:
    """Run a fold on threads of this machine, or on its GPU.

    Blocks are read by the caller's thread while workers compute; no more than two pieces per worker wait, so
    memory stays bounded whatever the length of the source. Partials are merged in the order of the queries:
    the result does not depend on which thread was faster.

    A GPU takes what it has a form for, whole blocks at a time, while threads compute the other statistics of the same
    blocks: average precision and NDCG of every feature, Kendall's and Spearman's similarity, which features are
    constant. Sums are the same integers, so a result is the same to the last bit and adds up with others. Queries of
    more than 32,767 documents stay on the processor.

    Parameters
    ----------
    n_threads : int, default=None
        Workers. `LEANRANK_THREADS` or the cores of this process if not given.
    block_rows : int, default=None
        Rows to read at once; 100,000 if not given, and for a GPU 512 MiB of values.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        The processor, a GPU, or a GPU where there is one. "cuda" is refused where there is none, and for an
        `Importance` or a `Similarity` that has no form for a GPU; "auto" leaves these to the processor.

    Examples
    --------
    >>> from leanrank import Importance, RankingData, fold
    >>> data = RankingData([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]], [1, 0, 0], [0, 3])
    >>> fold(Importance("map"), data, LocalEngine(n_threads=2)).mean.round(3).tolist()
    [1.0, 0.333]
    """

    n_threads: int | None = None
    block_rows: int | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        require(self, "n_threads", ">= 1 or None", self.n_threads is None or self.n_threads >= 1)
        require(self, "block_rows", ">= 1 or None", self.block_rows is None or self.block_rows >= 1)
        check_device("LocalEngine", self.device)

    def run(self, statistics: Sequence[Statistic], source: RankingSource, *, progress: bool = False) -> list[Any]:
        """The merged partial of each statistic over all blocks of `source`, read once."""
        threads = default_threads() if self.n_threads is None else self.n_threads
        check_forms("LocalEngine", self.device, statistics)
        gpu = gpu_for(statistics, self.device)
        rows = BLOCK_ROWS if gpu is None else rows_for_gpu(len(source.feature_names))
        blocks = watched_blocks(source, self.block_rows or rows, shown=progress)
        if gpu is not None:
            merged = _beside_gpu(statistics, blocks, gpu, threads)
        elif threads == 1:
            merged = None
            for block in blocks:
                merged = merge_in_order(statistics, merged, partials_of(statistics, block))
        else:
            with _pool(threads) as pool:
                merged = _on_threads(statistics, _pieces(blocks, threads), pool, 2 * threads)
        if merged is None:
            raise nothing_to_fold()
        return merged


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Threads; what still waits for one is dropped where the work fails."""
    with ThreadPoolExecutor(threads, thread_name_prefix="leanrank") as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _on_threads(
    statistics: Sequence[Statistic], pieces: Iterable[RankingData], pool: ThreadPoolExecutor, most: int
) -> list[Any] | None:
    """Partials of the pieces, merged in their order; no more than `most` wait."""
    waiting: deque[Future[list[Any]]] = deque()
    merged: list[Any] | None = None
    for piece in pieces:
        waiting.append(pool.submit(partials_of, statistics, piece))
        if len(waiting) > most:
            merged = merge_in_order(statistics, merged, waiting.popleft().result())
    while waiting:
        merged = merge_in_order(statistics, merged, waiting.popleft().result())
    return merged


def _beside_gpu(
    statistics: Sequence[Statistic], blocks: Iterable[RankingData], gpu: Gpu, threads: int
) -> list[Any] | None:
    """Blocks through the GPU on this thread, and through the others what the GPU has no form for."""
    here, there = ([each for each in statistics if has_form(each) is form] for form in (False, True))
    merged_here: list[Any] | None = None
    merged_there: list[Any] | None = None
    with _pool(threads) as pool:
        for block in blocks:
            waiting = [pool.submit(partials_of, here, piece) for piece in _pieces([block], threads)] if here else []
            merged_there = merge_in_order(there, merged_there, gpu.partials_of(there, block))
            for done in waiting:
                merged_here = merge_in_order(here, merged_here, done.result())
    if merged_there is None:
        return None
    of_here, of_there = iter(merged_here or ()), iter(merged_there)
    return [next(of_there if has_form(each) else of_here) for each in statistics]


def _pieces(blocks: Iterable[RankingData], threads: int) -> Iterator[RankingData]:
    """Cut blocks further, so that a single block keeps all threads busy."""
    for block in blocks:
        piece = max(_SMALLEST_PIECE, -(-block.n_rows // (4 * threads)))
        if block.n_rows <= piece:
            yield block
        else:
            yield from block.blocks(piece)
