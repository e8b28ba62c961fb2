"""DaskEngine: folds on the workers of a Dask cluster, and calls with data that every worker gets once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial
from typing import Any

from leanrank._lazy import require
from leanrank.data.ranking_data import BLOCK_ROWS, RankingSource
from leanrank.data.sources import Part
from leanrank.engines.calls import Calls, Outcome, Work, WorkerLost, sendable, timed
from leanrank.engines.dask_checks import address_of, check_workers, connected, explained
from leanrank.engines.fold import Statistic, nothing_to_fold
from leanrank.engines.fold_task import FAN_IN, PARTS_PER_THREAD, FoldTask, check_engine, merge_last, sendable_blocks
from leanrank.engines.progress import progress_bar
from leanrank.errors import EngineError, ParameterError

dask = require("dask", "DaskEngine")
distributed = require("distributed", "DaskEngine")


class DaskEngine:
    """Run a fold on a Dask cluster.

    Files that can be cut (Parquet, plain LETOR) are read by the workers: a task gets the place of a part, reads it
    block by block and keeps its partials; tasks merge the partials of eight neighbours, in the order of the queries,
    until one is left, which comes back. Anything else (data in memory, a compressed file) is read here and sent, each
    block once, no more blocks at a time than keep all workers busy. A task that dies with its worker is run again by
    Dask's scheduler; the result is the same.

    Parameters
    ----------
    client : distributed.Client or str
        A client, or the address of a scheduler ("tcp://host:8786").
    block_rows : int, default=100000
        Rows a worker holds at once, per thread.
    read_on : {"workers", "driver"}, default="workers"
        Who reads files. Workers must see them under the same path.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        What each worker computes on: its processor, its GPU, or a GPU where it has one; see `LocalEngine`.

    Notes
    -----
    Workers need the same version of leanrank, and of Python up to the minor version; both are checked before each
    fold. Memory per worker thread: a block, a few queries, and some nine partials (two K x K matrices of 8 bytes for
    a feature graph).

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> from leanrank import DaskEngine, feature_graph, scan_parquet  # doctest: +SKIP
    >>> engine = DaskEngine(Client("tcp://scheduler:8786"))  # doctest: +SKIP
    >>> graph = feature_graph(scan_parquet("judged/"), engine=engine)  # doctest: +SKIP
    """

    def __init__(
        self, client: Any, *, block_rows: int = BLOCK_ROWS, read_on: str = "workers", device: str = "cpu"
    ) -> None:
        check_engine("DaskEngine", block_rows, read_on, device)
        self.client = connected(client) if isinstance(client, str) else client
        self.block_rows = block_rows
        self.read_on = read_on
        self.device = device
        if not isinstance(self.client, distributed.Client) or self.client.asynchronous:
            raise ParameterError.of("DaskEngine", "client", "a distributed.Client that is not asynchronous", client)

    def __repr__(self) -> str:
        return f"DaskEngine({address_of(self.client)!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> DaskEngine:
        return self  # scikit-learn's clone copies parameters; a connection is shared

    def run(self, statistics: Sequence[Statistic], source: RankingSource, *, progress: bool = False) -> list[Any]:
        """The merged partial of each statistic over all blocks of `source`, read once."""
        n_threads = sum(check_workers(self.client).values())
        task = FoldTask.on(self, statistics)
        split = task.split(source, PARTS_PER_THREAD * n_threads, self.read_on)
        with explained(self.client):
            if split is None:
                merged = self._send(task, source, 2 * n_threads, progress=progress)
            else:
                merged = self._read_there(*split, progress=progress)
        if merged is None:
            raise nothing_to_fold()
        return merged

    def calls(self) -> DaskCalls:
        """Calls of functions on the workers, for the cross-validation of `select` and `compare`."""
        return DaskCalls(self)

    def _read_there(self, task: FoldTask, parts: Sequence[Part], *, progress: bool) -> list[Any] | None:
        """Workers read parts; a tree of merges leaves one result."""
        client = self.client
        leaves = client.map(task.of_part, parts, pure=False)
        level = leaves
        while len(level) > FAN_IN:
            groups = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
            level = [client.submit(task.merge, group, pure=False) for group in groups]
        root = client.submit(merge_last, task, level, pure=False)
        del level
        try:
            with progress_bar("folding", len(leaves), shown=progress) as advance:
                for done, leaf in enumerate(distributed.as_completed(leaves, loop=client.loop), start=1):
                    if leaf.status == "error":
                        break  # and `root` says which
                    advance(1, f"{done} of {len(leaves)} parts")
            del leaves
            merged: list[Any] | None = root.result()
        except BaseException:
            client.cancel([root])
            raise
        return merged

    def _send(self, task: FoldTask, source: RankingSource, most: int, *, progress: bool) -> list[Any] | None:
        """Read here, send blocks; the scheduler keeps a block until its partials are here, should the worker die."""
        waiting: deque[Any] = deque()
        merged: list[Any] | None = None
        # A block is an argument of its task on purpose: what is scattered to a worker is lost with it.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "10GB"}):
            for block in sendable_blocks(source, self.block_rows, progress=progress):
                waiting.append(self.client.submit(task.of_block, block, pure=False))
                if len(waiting) > most:
                    merged = task.merge([merged, waiting.popleft().result()])
            while waiting:
                merged = task.merge([merged, waiting.popleft().result()])
        return merged


#: Calls under way per thread of the workers: the next one is there when one ends, and workers that join get some.
_AHEAD = 4


class DaskCalls(Calls):
    """Calls on the workers; made by `DaskEngine.calls`.

    An object that many calls share is sent to every worker once and stays there until the end: what it keeps for
    itself (prepared folds, graphs) serves all calls of that worker. A call is one thread of its worker. One that dies
    with its worker is run again by Dask's scheduler, as long as another worker has the shared object; where none has,
    the call is lost, and the object is sent again with the next one.

    Parameters
    ----------
    engine : DaskEngine
    """

    def __init__(self, engine: DaskEngine) -> None:
        self.client = engine.client
        self._shared: dict[int, tuple[Any, Any]] = {}  # by identity; the object itself is held so that it stays unique
        self._theirs: dict[Future[Outcome], Any] = {}  # Dask forgets what nobody holds

    def ready(self) -> int:
        return _AHEAD * sum(check_workers(self.client).values())

    def submit(self, work: Work, shared: Any, task: Any, needs: Any) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        with explained(self.client), sendable("the Dask workers", (TypeError, AttributeError)):
            if id(shared) not in self._shared:
                self._shared[id(shared)] = (shared, self.client.scatter(shared, broadcast=True, hash=False))
            there = self._shared[id(shared)][1]
            theirs = self.client.submit(timed, work, there, task, needs, pure=False)
        self._theirs[future] = theirs
        theirs.add_done_callback(partial(_settle, future))
        return future

    def outcome(self, future: Future[Outcome]) -> Outcome:
        del self._theirs[future]
        with explained(self.client):
            try:
                return future.result()
            except CancelledError as error:
                # Only what was sent can be lost for good, and only with every worker that had it.
                self._shared.clear()
                raise WorkerLost(
                    "the Dask workers that had its data died each time, most often short of memory. Give them more "
                    "memory or fewer threads"
                ) from error

    def stop(self, futures: Iterable[Future[Outcome]]) -> None:
        if self.client.status == "running":
            with suppress(EngineError), explained(self.client):  # a cluster that is gone does nothing any more
                self.client.cancel([self._theirs[future] for future in futures if not future.done()])

    def close(self) -> None:
        """Let the workers forget what they share."""
        self._shared.clear()
        self._theirs.clear()


def _settle(future: Future[Outcome], theirs: Any) -> None:
    """Pass on what became of a call; called by a thread of Dask's."""
    try:
        future.set_result(theirs.result())
    except BaseException as error:
        future.set_exception(error)
