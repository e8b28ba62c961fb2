"""Tasks of a journal on several processes: each result is written by the parent the moment it arrives."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from typing import Any

from leanrank.errors import LeanRankError, ParameterError
from leanrank.evaluation.journal import Journal, Task, key_of
from leanrank.kernels._threads import default_threads

#: What a worker computes: the shared context, a task, and what the task needs of earlier results.
Work = Callable[[Any, Task, Any], Any]

# Threads that libraries start on their own; read by them when they are first loaded.
_THREAD_VARIABLES = ("LEANRANK_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class Workers:
    """A few processes that share a context, and the journal their results go to.

    Parameters
    ----------
    journal : Journal
    setup : callable
        Called once in every process; what it returns is handed to every task. It must be picklable.
    n_jobs : int
        Processes; 1 works in this one.
    engine : DaskEngine, optional
        Works on its workers instead, however many there are.
    done : callable
        Called after every task.

    Attributes
    ----------
    failed : list of (task, error)
        Tasks that could not be done; they are not in the journal, so that the next run tries them again.
    """

    journal: Journal
    setup: Callable[[], Any]
    n_jobs: int = 1
    engine: Any = None
    done: Callable[[Task], None] = lambda task: None
    failed: list[tuple[Task, LeanRankError]] = field(default_factory=list)
    _pool: ProcessPoolExecutor | None = None
    _calls: Any = None
    _context: Any = None

    def run(self, work: Work, tasks: Sequence[Task], needs: Callable[[Task], Any] = lambda task: None) -> list[Any]:
        """Results in the order of the tasks, None for a failed one; those in the journal are not computed again."""
        distinct = {key_of(task): task for task in tasks}
        results: dict[str, Any] = {}
        open_tasks = {}
        for key, task in distinct.items():
            results[key] = self.journal.get(task)
            if results[key] is None:
                open_tasks[key] = task
            else:
                self.journal.reused += 1
                self.done(task)
        if self.engine is not None and open_tasks:
            self._on_cluster(work, open_tasks, needs, results)
        elif self.n_jobs == 1:
            for key, task in open_tasks.items():
                results[key] = self._here(work, task, needs(task))
        elif open_tasks:
            self._elsewhere(work, open_tasks, needs, results)
        return [results[key_of(task)] for task in tasks]

    def _here(self, work: Work, task: Task, inputs: Any) -> Any:
        if self._context is None:
            self._context = self.setup()
        try:
            result, seconds = _timed(work, self._context, task, inputs)
        except LeanRankError as error:
            self.failed.append((task, error))
            return None
        return self._keep(task, result, seconds)

    def _keep(self, task: Task, result: Any, seconds: float) -> Any:
        self.journal.put(task, result, seconds)
        self.journal.computed += 1
        self.done(task)
        return result

    def _elsewhere(self, work: Work, tasks: dict[str, Task], needs: Callable[[Task], Any], results: Any) -> None:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.n_jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(self.setup,)
            )
        with _few_threads(self.n_jobs):
            waiting: dict[Future[Any], str] = {
                self._pool.submit(_call, work, dict(task), needs(task)): key for key, task in tasks.items()
            }
            while waiting:
                finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    key = waiting.pop(future)
                    try:
                        result, seconds = future.result()
                    except LeanRankError as error:
                        self.failed.append((tasks[key], error))
                    except BrokenProcessPool as error:
                        raise LeanRankError(
                            "A worker process ended unexpectedly; it may have been short of memory. What is finished "
                            "is kept: run the same command again, with fewer jobs."
                        ) from error
                    else:
                        results[key] = self._keep(tasks[key], result, seconds)

    def _on_cluster(self, work: Work, tasks: dict[str, Task], needs: Callable[[Task], Any], results: Any) -> None:
        if self._calls is None:
            self._calls = self.engine.calls()
            self._context = Prepared(self.setup)
        for key, result, seconds in self._calls.run(partial(_with_context, work), self._context, tasks, needs):
            if isinstance(result, LeanRankError):
                self.failed.append((tasks[key], result))
            else:
                results[key] = self._keep(tasks[key], result, seconds)

    def close(self, *, at_once: bool = False) -> None:
        """End the processes; `at_once` without waiting for the tasks they are at."""
        if self._calls is not None:
            self._calls.close()
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=not at_once, cancel_futures=True)
        if at_once:
            for process in processes:
                process.terminate()
        self._pool = None

    def __enter__(self) -> Workers:
        if self.n_jobs < 1:
            raise ParameterError.of("compare", "n_jobs", ">= 1", self.n_jobs)
        return self

    def __exit__(self, kind: Any, *exception: object) -> None:
        self.close(at_once=kind is not None)


class Prepared:
    """A context that each process makes of `setup` when it first needs it."""

    def __init__(self, setup: Callable[[], Any]) -> None:
        self.setup = setup
        self._context: Any = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Prepared, (self.setup,)

    @property
    def context(self) -> Any:
        with self._lock:
            if self._context is None:
                self._context = self.setup()
            return self._context


def _with_context(work: Work, prepared: Prepared, task: Task, inputs: Any) -> Any:
    return work(prepared.context, task, inputs)


_shared: Any = None


def _begin(setup: Callable[[], Any]) -> None:
    """Start of a worker: Ctrl-C is the parent's business; without a parent there is nothing left to do."""
    global _shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    _shared = setup()


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _call(work: Work, task: Task, inputs: Any) -> tuple[Any, float]:
    return _timed(work, _shared, task, inputs)


def _timed(work: Work, context: Any, task: Task, inputs: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(context, task, inputs), time.perf_counter() - start


@contextmanager
def _few_threads(n_jobs: int) -> Iterator[None]:
    """Processes started inside share the cores: each gets its part of them as threads."""
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    share = str(max(1, default_threads() // n_jobs))
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, share))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
