"""Calls of functions with data they share: in this thread, on threads, or in processes that die alone."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from multiprocessing.reduction import ForkingPickler
from typing import Any, Self

from leanrank.errors import LeanRankError, ParameterError
from leanrank.kernels._threads import at_most, default_threads

#: What is called: with the shared object, a task, and what this task needs beside it.
Work = Callable[[Any, Any, Any], Any]
#: The result, or an error of ours in its place, and the seconds it took.
Outcome = tuple[Any, float]


class WorkerLost(Exception):
    """The worker of a call is gone; the call may be made again."""


class Calls:
    """Calls one after another, in the thread that asks for them.

    The other places to call functions have the same five methods. Best used in a `with` statement.

    >>> with Calls() as calls:
    ...     future = calls.submit(lambda shared, task, needs: shared + task, 1, 2, None)
    ...     calls.outcome(future)[0]
    3
    """

    def ready(self) -> int:
        """Check that calls can be made; how many to have under way at a time."""
        return 1

    def submit(self, work: Work, shared: Any, task: Any, needs: Any) -> Future[Outcome]:
        """Begin a call. `shared` travels to a worker once, whatever the number of calls."""
        future: Future[Outcome] = Future()
        future.set_result(timed(work, shared, task, needs))
        return future

    def outcome(self, future: Future[Outcome]) -> Outcome:
        """What a finished call came to; raises `WorkerLost` where it has to be made again."""
        return future.result()

    def stop(self, futures: Iterable[Future[Outcome]]) -> None:
        """End the calls under way, or wait for those that cannot be ended."""

    def close(self) -> None:
        """Give back what the calls needed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class ThreadCalls(Calls):
    """Calls on threads of this process."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="leanrank")

    def ready(self) -> int:
        return self.n_threads

    def submit(self, work: Work, shared: Any, task: Any, needs: Any) -> Future[Outcome]:
        return self._pool.submit(timed, work, shared, task, needs)

    def stop(self, futures: Iterable[Future[Outcome]]) -> None:
        wait(futures)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def timed(work: Work, shared: Any, task: Any, needs: Any) -> Outcome:
    """The result of a call, on one core, or an error of ours as its result, and the seconds it took."""
    start = time.perf_counter()
    try:
        with at_most(1):  # calls share the cores: what each of them computes does not depend on their number
            result = work(shared, task, needs)
    except LeanRankError as error:
        result = error
    return result, time.perf_counter() - start


@contextmanager
def sendable(where: str, kind: type[Exception] | tuple[type[Exception], ...]) -> Iterator[None]:
    """Say in our words that something cannot be packed for a worker, which fails with an error of this kind."""
    try:
        yield
    except LeanRankError:
        raise
    except kind as error:
        cause = error.__cause__ or error
        raise ParameterError(
            f"The work cannot be sent to {where} ({type(cause).__name__}: {str(cause)[:200]}). Give methods and "
            "rankers no engine, open file or connection of their own."
        ) from error


# Threads that libraries start on their own; read by them when they are first loaded.
_THREAD_VARIABLES = ("LEANRANK_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class ProcessCalls(Calls):
    """Calls in a few processes that share the cores of this machine.

    Every process is a pool of its own with one call at a time: when one is killed, only its call is lost, and a new
    one takes its place.

    Parameters
    ----------
    n_jobs : int
        Processes.
    """

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._idle = [_Process(max(1, default_threads() // n_jobs)) for _ in range(n_jobs)]
        self._busy: dict[Future[Outcome], _Process] = {}
        self._shared: dict[int, Any] = {}  # by identity; the objects are held so that it stays unique

    def ready(self) -> int:
        return self.n_jobs

    def submit(self, work: Work, shared: Any, task: Any, needs: Any) -> Future[Outcome]:
        self._shared[id(shared)] = shared
        process = self._idle.pop()
        try:
            future = process.submit(work, shared, task, needs)
        except BaseException:
            self._idle.append(process)
            raise
        self._busy[future] = process
        return future

    def outcome(self, future: Future[Outcome]) -> Outcome:
        process = self._busy.pop(future)
        self._idle.append(process)
        try:
            return future.result()
        except BrokenProcessPool as error:
            process.end(at_once=True)
            raise WorkerLost(
                "its process ended unexpectedly each time, most often short of memory. Take fewer jobs"
            ) from error

    def stop(self, futures: Iterable[Future[Outcome]]) -> None:
        for process in self._busy.values():
            process.end(at_once=True)
        self._idle += self._busy.values()
        self._busy.clear()

    def close(self) -> None:
        for process in [*self._idle, *self._busy.values()]:
            process.end()


class _Process:
    """One process, started with its first call."""

    def __init__(self, n_threads: int) -> None:
        self._n_threads = n_threads
        self._pool: ProcessPoolExecutor | None = None
        self._sent: set[int] = set()

    def submit(self, work: Work, shared: Any, task: Any, needs: Any) -> Future[Outcome]:
        with sendable("other processes", Exception):
            call = bytes(ForkingPickler.dumps((work, task, needs)))
            data = None if id(shared) in self._sent else bytes(ForkingPickler.dumps(shared))
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
        with _few_threads(self._n_threads), _deaf_children():
            future = self._pool.submit(_call, call, id(shared), data)
        self._sent.add(id(shared))
        return future

    def end(self, *, at_once: bool = False) -> None:
        """End the process; `at_once` without waiting for its call."""
        pool, self._pool = self._pool, None
        self._sent.clear()
        if pool is None:
            return
        if at_once:
            for process in list((pool._processes or {}).values()):
                process.terminate()
        pool.shutdown(cancel_futures=True)


_here: dict[int, Any] = {}


def _begin() -> None:
    """Start of a process: Ctrl-C is the parent's business; without a parent there is nothing left to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _call(call: bytes, number: int, data: bytes | None) -> Outcome:
    if data is not None:
        _here[number] = ForkingPickler.loads(data)
    work, task, needs = ForkingPickler.loads(call)
    return timed(work, _here[number], task, needs)


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started inside never see Ctrl-C, not even while they start; it reaches this one as always."""
    block: Callable[..., Any] | None = getattr(signal, "pthread_sigmask", None)
    if block is None:
        yield
        return
    before = block(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        block(signal.SIG_SETMASK, before)


@contextmanager
def _few_threads(n_threads: int) -> Iterator[None]:
    """Processes started inside start no more threads than this."""
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(n_threads)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
