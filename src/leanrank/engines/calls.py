"""Calls of functions with data they share: in this thread, on threads of this process; other places build on this."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, Self

from leanrank.errors import LeanRankError, ParameterError
from leanrank.kernels._threads import at_most

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
