"""Calls on the executors of a Spark session, with data that every Python worker gets once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from leanrank.engines.calls import Outcome, ThreadCalls, Work, sendable, timed
from leanrank.engines.spark_engine import collect

if TYPE_CHECKING:
    from leanrank.engines.spark_engine import SparkEngine


class SparkCalls(ThreadCalls):
    """Calls on Spark's Python workers; made by `SparkEngine.calls`.

    Every call is a Spark job of one part, begun by a thread of its own, so that results come as they are finished. An
    object that many calls share is broadcast: a Python worker loads it once, and what it keeps for itself (prepared
    folds, graphs) serves all calls of that worker. A call that dies with its worker is run again by Spark, as often as
    ``spark.task.maxFailures`` says.

    Parameters
    ----------
    engine : SparkEngine
    """

    def __init__(self, engine: SparkEngine) -> None:
        self.engine = engine
        self._group = f"leanrank-{uuid4().hex}"
        self._shared: dict[int, tuple[Any, Any]] = {}  # by identity; the object itself is held so that it stays unique
        super().__init__(max(1, int(engine.context().defaultParallelism)))

    def ready(self) -> int:
        self.engine.context()
        return self.n_threads

    def submit(self, work: Work, shared: Any, task: Any, needs: Any) -> Future[Outcome]:
        if id(shared) not in self._shared:
            with sendable("the Spark workers", Exception):
                self._shared[id(shared)] = (shared, self.engine.context().broadcast(shared))
        return self._pool.submit(self._job, work, self._shared[id(shared)][1], task, needs)

    def _job(self, work: Work, shared: Any, task: Any, needs: Any) -> Outcome:
        context = self.engine.context()
        context.setJobGroup(self._group, "leanrank task", interruptOnCancel=True)

        def call(_: int) -> Outcome:
            return timed(work, shared.value, task, needs)

        with sendable("the Spark workers", (TypeError, AttributeError)):
            job = context.parallelize([0], 1).map(call)
            outcomes: list[Outcome] = collect(job)
        return outcomes[0]

    def stop(self, futures: Iterable[Future[Outcome]]) -> None:
        self.engine.session._sc.cancelJobGroup(self._group)
        super().stop(futures)

    def close(self) -> None:
        super().close()
        for _, there in self._shared.values():
            there.unpersist()
        self._shared.clear()
