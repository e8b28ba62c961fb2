"""Many independent tasks on the workers of a Dask cluster, with data that every worker gets once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from leanrank._optional import require
from leanrank.engines.dask_checks import check_workers, explained
from leanrank.errors import LeanRankError, ParameterError
from leanrank.kernels._threads import at_most

if TYPE_CHECKING:
    from leanrank.engines.dask_engine import DaskEngine

distributed = require("distributed", "DaskEngine")

#: What a worker computes: the shared object, a task, and what this task needs beside it.
Work = Callable[[Any, Any, Any], Any]


class DaskCalls:
    """Calls of a function on the workers; made by `DaskEngine.calls`, and best used in a `with` statement.

    An object that many calls share is sent to every worker once and stays there until the end: what it keeps for
    itself (prepared folds, graphs) serves all calls of that worker. A call is one thread of its worker. One that dies
    with its worker is run again by Dask's scheduler, as long as another worker has the shared object.

    Parameters
    ----------
    engine : DaskEngine
    """

    def __init__(self, engine: DaskEngine) -> None:
        self.engine = engine
        self._shared: dict[int, tuple[Any, Any]] = {}  # by identity; the object itself is held so that it stays unique

    def run(
        self, work: Work, shared: Any, tasks: Mapping[str, Any], needs: Callable[[Any], Any] = lambda task: None
    ) -> Iterator[tuple[str, Any, float]]:
        """Yield the key, the result and the seconds of each task as they come; an error of ours is a result too."""
        client = self.engine.client
        check_workers(client)
        with explained(client):
            futures = {}
            with _sendable():
                there = self._sent(shared)
                for key, task in tasks.items():
                    futures[client.submit(_call, work, there, task, needs(task), pure=False)] = key
            try:
                for future in distributed.as_completed(list(futures), loop=client.loop):
                    yield futures[future], *future.result()
            finally:
                client.cancel([future for future in futures if not future.done()])

    def _sent(self, shared: Any) -> Any:
        if id(shared) not in self._shared:
            self._shared[id(shared)] = (shared, self.engine.client.scatter(shared, broadcast=True, hash=False))
        return self._shared[id(shared)][1]

    def close(self) -> None:
        """Let the workers forget what they share."""
        self._shared.clear()

    def __enter__(self) -> DaskCalls:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


@contextmanager
def _sendable() -> Iterator[None]:
    """Say in our words that something cannot be sent."""
    try:
        yield
    except (TypeError, AttributeError) as error:  # what Dask makes of every failure to pack something
        cause = error.__cause__ or error
        raise ParameterError(
            f"The work cannot be sent to the Dask workers ({type(cause).__name__}: {str(cause)[:200]}). Give methods "
            "and rankers no engine, open file or connection of their own."
        ) from error


def _call(work: Work, shared: Any, task: Any, inputs: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    try:
        with at_most(1):
            result = work(shared, task, inputs)
    except LeanRankError as error:
        result = error
    return result, time.perf_counter() - start
