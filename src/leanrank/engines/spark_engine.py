"""SparkEngine: folds on the executors of a Spark session, and calls with data that every worker gets once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import uuid4

from leanrank import __version__
from leanrank._lazy import require
from leanrank.data.ranking_data import BLOCK_ROWS, RankingSource
from leanrank.engines.calls import Outcome, ThreadCalls, Work, sendable, timed
from leanrank.engines.fold import Statistic, nothing_to_fold
from leanrank.engines.fold_task import FAN_IN, PARTS_PER_THREAD, FoldTask, check_engine, merge_last, sendable_blocks
from leanrank.engines.progress import is_watched, progress_bar
from leanrank.errors import EngineError, LeanRankError, ParameterError

pyspark = require("pyspark", "SparkEngine")

#: Seconds between two looks at how far Spark is.
_LOOK = 0.2


class SparkEngine:
    """Run a fold on Spark.

    Files that can be cut (Parquet, plain LETOR) are read by the executors' Python workers: a task gets the place of a
    part, reads it block by block and keeps its partials; further stages merge the partials of eight neighbours, in the
    order of the queries, until one is left, which comes back. Anything else (data in memory, a compressed file) is
    read here and sent, each block once, some blocks per job. A task that fails with its worker is run again by Spark,
    as often as ``spark.task.maxFailures`` says (in local mode: ``local[2, 4]``); the result is the same.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        Not one of Spark Connect, which has no RDDs.
    block_rows : int, default=100000
        Rows a Python worker holds at once.
    read_on : {"workers", "driver"}, default="workers"
        Who reads files. Executors must see them under the same path.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        What each worker computes on: its processor, its GPU, or a GPU where it has one; see `LocalEngine`.

    Notes
    -----
    Executors need the same version of leanrank, which is checked once, and of Python up to the minor version, which
    Spark checks. Memory per Python worker as in `DaskEngine`.

    Examples
    --------
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> from leanrank import SparkEngine, feature_graph, scan_parquet  # doctest: +SKIP
    >>> engine = SparkEngine(SparkSession.builder.getOrCreate())  # doctest: +SKIP
    >>> graph = feature_graph(scan_parquet("judged/"), engine=engine)  # doctest: +SKIP
    """

    def __init__(
        self, session: Any, *, block_rows: int = BLOCK_ROWS, read_on: str = "workers", device: str = "cpu"
    ) -> None:
        check_engine("SparkEngine", block_rows, read_on, device)
        if not isinstance(session, pyspark.sql.SparkSession) or not hasattr(session, "_sc"):
            raise ParameterError.of("SparkEngine", "session", "a SparkSession (not of Spark Connect)", session)
        self.session = session
        self.block_rows = block_rows
        self.read_on = read_on
        self.device = device
        self._checked = False

    def __repr__(self) -> str:
        return f"SparkEngine({self.session.sparkContext.master!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> SparkEngine:
        return self  # scikit-learn's clone copies parameters; a session is shared

    def run(self, statistics: Sequence[Statistic], source: RankingSource, *, progress: bool = False) -> list[Any]:
        """The merged partial of each statistic over all blocks of `source`, read once."""
        context = self.context()
        n_threads = int(context.defaultParallelism)
        task = FoldTask.on(self, statistics)
        split = task.split(source, PARTS_PER_THREAD * n_threads, self.read_on)
        if split is not None:
            task, parts = split
            merged: list[Any] | None = _tree(
                context, parts, task.of_part, task.merge, lambda last: merge_last(task, last), progress
            )
        else:
            blocks = sendable_blocks(source, self.block_rows, progress=progress)
            merged = None
            while some := list(islice(blocks, 2 * n_threads)):
                new = _tree(context, some, task.of_block, task.merge, task.merge, progress=False)
                merged = task.merge([merged, new])
        if merged is None:
            raise nothing_to_fold()
        return merged

    def calls(self) -> SparkCalls:
        """Calls of functions on the executors, for the cross-validation of `select` and `compare`."""
        return SparkCalls(self)

    def context(self) -> Any:
        """The session's context, after a look at whether its workers can do the work."""
        context = self.session._sc
        if context._jsc is None or context._jsc.sc().isStopped():
            raise EngineError("The Spark session is stopped. Make a new one: SparkSession.builder.getOrCreate()")
        if not self._checked:
            _check_workers(context)
            self._checked = True
        return context


def _check_workers(context: Any) -> None:
    def version(_: int) -> str | None:  # a closure is sent as it is: it must not need leanrank to arrive
        try:
            import leanrank
        except ImportError:
            return None
        return leanrank.__version__

    n = 2 * int(context.defaultParallelism)
    for theirs in collect(context.parallelize(range(n), n).map(version)):
        if theirs is None:
            raise EngineError(
                "leanrank is not installed for Spark's Python workers. Install it on the executors: pip install "
                f"leanrank=={__version__} (PYSPARK_PYTHON names their Python)."
            )
        if theirs != __version__:
            raise EngineError(
                f"Spark's Python workers have leanrank {theirs}, and here it is {__version__}. Install the same "
                "version on all machines."
            )


@dataclass(frozen=True)
class _Refused:
    """An error of ours, passed on as a result: Spark would run the task again, in vain."""

    error: LeanRankError


def _tree(
    context: Any,
    items: Sequence[Any],
    of: Callable[[Any], Any],
    merge: Callable[[list[Any]], Any],
    merge_all: Callable[[list[Any]], Any],
    progress: bool,
) -> Any:
    """`merge_all` of merges of eight neighbours of `of(item)`."""
    n = len(items)
    rdd = context.parallelize(list(enumerate(items)), n).map(lambda numbered: (numbered[0], _tried(of, numbered[1])))
    while n > 1:
        n = -(-n // FAN_IN)
        step = merge if n > 1 else merge_all
        rdd = (
            rdd.map(lambda numbered: (numbered[0] // FAN_IN, numbered))
            .groupByKey(numPartitions=n)
            .mapValues(lambda group, step=step: _in_order(step, group))
        )
    if len(items) == 1:
        rdd = rdd.mapValues(lambda only: _in_order(merge_all, [(0, only)]))
    [(_, merged)] = collect(rdd, len(items), progress=progress)
    if isinstance(merged, _Refused):
        raise merged.error
    return merged


def _tried(function: Callable[[Any], Any], argument: Any) -> Any:
    try:
        return function(argument)
    except LeanRankError as error:
        return _Refused(error)


def _in_order(merge: Callable[[list[Any]], Any], group: Iterable[tuple[int, Any]]) -> Any:
    partials = [partial for _, partial in sorted(group, key=lambda numbered: numbered[0])]
    refused = [partial for partial in partials if isinstance(partial, _Refused)]
    return refused[0] if refused else _tried(merge, partials)


def collect(rdd: Any, n_parts: int = 0, *, progress: bool = False) -> list[Any]:
    """All elements; Spark's failures in one sentence, and a bar if wanted and Spark shows none of its own."""
    try:
        own_bar = rdd.context.getConf().get("spark.ui.showConsoleProgress", "false") == "true"
        if progress and is_watched() and not own_bar:
            return _collect_watched(rdd, n_parts)
        return list(rdd.collect())
    except (pyspark.errors.PySparkException, require("py4j.protocol", "SparkEngine").Py4JError) as error:
        raise _explained(str(error)) from error


def _collect_watched(rdd: Any, n_parts: int) -> list[Any]:
    """Collect in another thread while this one asks Spark's tracker how many parts are done."""
    context, group = rdd.context, f"leanrank-{uuid4().hex}"
    collected: list[Any] = []
    failed: list[BaseException] = []

    def collect() -> None:
        try:
            context.setJobGroup(group, "leanrank fold", interruptOnCancel=True)
            collected.extend(rdd.collect())
        except BaseException as error:
            failed.append(error)

    thread = pyspark.InheritableThread(target=collect, daemon=True)
    thread.start()
    try:
        with progress_bar("folding", n_parts, shown=True) as advance:
            done = 0
            while thread.is_alive():
                thread.join(_LOOK)
                now = _parts_done(context.statusTracker(), group, n_parts)
                advance(now - done, f"{now} of {n_parts} parts")
                done = now
    except BaseException:
        context.cancelJobGroup(group)
        raise
    if failed:
        raise failed[0]
    return collected


def _parts_done(tracker: Any, group: str, n_parts: int) -> int:
    """Tasks done of the first stage, which folds the parts; the later ones only merge."""
    stages = sorted(stage for job in tracker.getJobIdsForGroup(group) for stage in tracker.getJobInfo(job).stageIds)
    about = tracker.getStageInfo(stages[0]) if stages else None
    return n_parts if about is None and stages else int(getattr(about, "numCompletedTasks", 0))


def _explained(text: str) -> EngineError:
    if "PYTHON_VERSION_MISMATCH" in text:
        return EngineError("Spark's Python workers run another Python than this one. Set PYSPARK_PYTHON to the same.")
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("at ")]  # without Java's stack
    telling = [line for line in lines if "Error" in line or "exited unexpectedly" in line or "Exception" in line]
    reason = (telling or lines or ["no reason given"])[-1]
    return EngineError(f"Spark gave up on the work: {reason[:300]} (the executors' logs say more).")


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
