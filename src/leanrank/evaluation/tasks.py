"""Tasks: the one way to compute many things, wherever they are computed, each kept as soon as it is there."""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Self

from threadpoolctl import threadpool_limits

from leanrank.engines.calls import Calls, Outcome, ProcessCalls, ThreadCalls, Work, WorkerLost
from leanrank.engines.fold import engine_for
from leanrank.engines.progress import ProgressBar
from leanrank.errors import EngineError, LeanRankError, ParameterError
from leanrank.evaluation.clock import Clock, Trainings
from leanrank.evaluation.finished_task import Callback, FinishedTask
from leanrank.evaluation.journal import Journal, Task, key_of
from leanrank.kernels._threads import default_threads

#: Steps are told at INFO, each task at DEBUG.
_log = logging.getLogger(__name__)
#: A task whose worker is lost this often is not tried again.
_LOSSES = 3


class Tasks:
    """A journal, and where the tasks are computed that are not in it yet.

    Parameters
    ----------
    journal : Journal
        Each result is written by this process the moment it arrives.
    n_jobs : int or None, default=1
        Tasks at a time, here, each on one core; None takes every core.
    processes : bool
        Whether these are processes, or threads of this one. What is shared must be picklable then, and a script needs
        `if __name__ == "__main__":`.
    engine : optional
        A cluster that can call functions (`DaskEngine`, `SparkEngine`) computes the tasks instead, as many at a time
        as it has threads. Any other engine computes no tasks.
    progress : bool
        Show a bar with a stage for each run, where a terminal is watching.
    owner : str
        Whose parameter `n_jobs` is, for the error.
    clock : Clock, optional
        When to stop, and what to say of the time; without one, tasks take as long as they take.
    callback : callable, optional
        Called with a `FinishedTask` for every task that is done or was in the journal, here, one at a time. What it
        raises ends the run; what is finished is kept.

    Attributes
    ----------
    computed, reused : int
        Tasks computed, and tasks that were in the journal.

    Examples
    --------
    >>> with Tasks(Journal(None, {})) as tasks:
    ...     tasks.run(lambda base, task, needs: base + task["n"], 10, [{"n": 1}, {"n": 2}, {"n": 1}])
    [11, 12, 11]
    >>> tasks.computed
    2
    """

    def __init__(
        self,
        journal: Journal,
        *,
        n_jobs: int | None = 1,
        processes: bool = False,
        engine: Any = None,
        progress: bool = False,
        owner: str = "Tasks",
        clock: Clock | None = None,
        callback: Callback | None = None,
    ) -> None:
        if callback is not None and not callable(callback):
            raise ParameterError.of(owner, "callback", "a callable that takes a finished task, or None", callback)
        if n_jobs is None:
            n_jobs = default_threads()
        if n_jobs < 1:
            raise ParameterError.of(owner, "n_jobs", ">= 1", n_jobs)
        self.journal = journal
        self._callback = callback
        self.n_jobs = n_jobs
        self.computed = self.reused = 0
        engine = None if engine is None else engine_for(engine)
        self.elsewhere = (processes and n_jobs > 1) or hasattr(engine, "calls")
        self._bar = ProgressBar(shown=progress)
        self.clock = clock or Clock()
        self._work_of: Callable[[Task], Trainings | float] | None = None  # where there is a plan
        self._counted: set[str] = set()  # tasks of the plan that are done
        self._one_thread: Any = None
        self._calls = _calls(n_jobs, processes=processes, engine=engine)

    def run(
        self,
        work: Work,
        context: Any,
        tasks: Sequence[Task],
        needs: Callable[[Task], Any] = lambda task: None,
        *,
        title: str = "tasks",
        optional: bool = False,
        failed: list[tuple[Task, LeanRankError]] | None = None,
    ) -> list[Any]:
        """The results of the tasks, in their order; those in the journal are not computed again.

        On an error or an interrupt, tasks that have not begun are dropped and everything finished is kept. A task that
        is lost with its worker is computed again, the others are not.

        Parameters
        ----------
        work : callable
            ``work(context, task, needs(task))`` is the result: plain values. To be sent, it must be a function of a
            module.
        context : object
            What all tasks share; it travels to a worker once. It may be used by several threads at a time.
        tasks : sequence of dict
            Plain values that say completely what is to be computed. Equal ones are computed once.
        needs : callable
            What a task needs beside the context, such as the result of an earlier one.
        title : str
            The stage's name in the progress bar.
        optional : bool
            Whether tasks that have not begun when the time is up are left out; their result is None.
        failed : list, optional
            Tasks that are refused (with an error of ours) are appended with the error, and their result is None; they
            are tried again by the next run. Without it, the first such error is raised.
        """
        distinct: dict[str, Task] = {}
        for key, task in ((key_of(task), task) for task in tasks):
            if key in distinct and self._work_of is not None and key not in self._counted:
                self.clock.spare(self._work_of(task))  # planned as another
            distinct[key] = task
        self._bar.stage(title, len(distinct))
        begin = time.perf_counter()
        results: dict[str, Any] = {}
        for key, task in distinct.items():
            if (result := self.journal.get(task)) is not None:
                results[key] = result
                self.reused += 1
                self._count(key, task)
                self._tell(FinishedTask(title, task, result, None))
        refused: dict[str, LeanRankError] = {}

        def keep(key: str, outcome: Outcome) -> None:
            result, seconds = outcome
            if isinstance(result, LeanRankError):
                refused[key] = result
                if failed is None:
                    raise result
            else:
                self.journal.put(distinct[key], result, seconds)
                self.computed += 1
                results[key] = result
            self._count(key, distinct[key], seconds)
            if key in results:
                self._tell(FinishedTask(title, distinct[key], result, seconds))

        absent = {key: task for key, task in distinct.items() if key not in results}
        _log.info("%s: %d tasks, %d of them done before", title, len(distinct), len(results))
        if absent:
            self._compute(work, context, absent, needs, keep, optional=optional)
            _log.info("%s: finished in %.1f s", title, time.perf_counter() - begin)
        if failed is not None:
            failed += [(distinct[key], refused[key]) for key in distinct if key in refused]
        return [results.get(key_of(task)) for task in tasks]

    def _compute(
        self,
        work: Work,
        context: Any,
        tasks: Mapping[str, Task],
        needs: Callable[[Task], Any],
        keep: Callable[[str, Outcome], None],
        *,
        optional: bool,
    ) -> None:
        """Have as many calls under way as the place takes, until all tasks are done or the time is up."""
        calls, todo, losses = self._calls, deque(tasks), Counter[str]()
        waiting: dict[Future[Outcome], str] = {}
        at_once = calls.ready()
        try:
            while todo or waiting:
                if optional and todo and self.clock.time_is_up:
                    self.clock.left_out += len(todo)
                    todo.clear()
                while todo and len(waiting) < at_once:
                    key = todo.popleft()
                    waiting[calls.submit(work, context, tasks[key], needs(tasks[key]))] = key
                lost = False
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    key = waiting.pop(future)
                    try:
                        keep(key, calls.outcome(future))
                    except WorkerLost as error:
                        losses[key] += 1
                        if losses[key] == _LOSSES:
                            raise _given_up(tasks[key], error) from error
                        todo.appendleft(key)
                        lost = True
                if lost:
                    at_once = calls.ready()
        except BaseException:
            calls.stop(waiting)
            for future, key in waiting.items():  # what was finished meanwhile
                if future.done() and not future.cancelled() and future.exception() is None:
                    result, seconds = future.result()
                    if not isinstance(result, LeanRankError):
                        keep(key, (result, seconds))
            raise

    def plan(self, work: Trainings | float, work_of: Callable[[Task], Trainings | float]) -> None:
        """One bar for all runs from now on, of so much work; `work_of` says how much a task is."""
        self._work_of = work_of
        self._bar.plan()
        self.clock.plan(work, self._calls.ready())

    def _count(self, key: str, task: Task, seconds: float | None = None) -> None:
        """A task is done, and took so long; None: its result was there."""
        if self._work_of is None:
            self._bar.step()
        elif key not in self._counted:
            self._counted.add(key)
            if seconds is None:
                self.clock.spare(self._work_of(task))
            else:
                self.clock.done(self._work_of(task), seconds)
            if (left := self.clock.left) is not None:
                self._bar.at(self.clock.share, left)

    def _tell(self, finished: FinishedTask) -> None:
        """Log a task and call back with it; a callback that raises is not called again, so that the rest is kept."""
        _log.debug("%s: %s", finished.stage, finished)
        callback, self._callback = self._callback, None
        if callback is not None:
            callback(finished)
            self._callback = callback

    def close(self) -> None:
        """End threads, processes and the bar; let a cluster forget what was shared."""
        self.clock.close()
        self._calls.close()
        self._bar.__exit__()
        if self._one_thread is not None:
            self._one_thread.restore_original_limits()

    def __enter__(self) -> Self:
        self._bar.__enter__()
        self._one_thread = threadpool_limits(1)  # a task is the unit: products inside one would fight for the cores
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _calls(n_jobs: int, *, processes: bool, engine: Any) -> Calls:
    if hasattr(engine, "calls"):
        calls: Calls = engine.calls()
        return calls
    if n_jobs == 1:
        return Calls()
    if processes:
        return ProcessCalls(n_jobs)
    return ThreadCalls(n_jobs)


def _given_up(task: Task, error: WorkerLost) -> EngineError:
    which = ", ".join(f"{name} {value}" for name, value in task.items() if isinstance(value, (str, int)))
    return EngineError(
        f"A task ({which}) was given up after {_LOSSES} attempts: {error}. What is finished is kept; the same command "
        "goes on from there."
    )
