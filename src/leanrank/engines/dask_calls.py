"""Calls on the workers of a Dask cluster, with data that every worker gets once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from leanrank.engines.calls import Calls, Outcome, Work, WorkerLost, sendable, timed
from leanrank.engines.dask_checks import check_workers, explained
from leanrank.errors import EngineError

if TYPE_CHECKING:
    from leanrank.engines.dask_engine import DaskEngine

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
