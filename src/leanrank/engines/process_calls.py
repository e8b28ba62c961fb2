"""Calls in processes of this machine: each gets the shared data once, and dies alone."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from multiprocessing.reduction import ForkingPickler
from typing import Any

from leanrank.engines.calls import Calls, Outcome, Work, WorkerLost, sendable, timed
from leanrank.kernels._threads import default_threads

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
