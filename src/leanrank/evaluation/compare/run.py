"""compare: many selectors with many rankers at many sizes, on the folds of one data set, into a journal."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.errors import LeanRankError
from leanrank.evaluation import protocol
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.compare.request import CompareSettings, Request
from leanrank.evaluation.cross_validation import as_selector, selector_grid
from leanrank.evaluation.fold_run import FeatureSet, feature_sets, run_fold
from leanrank.evaluation.journal import Journal, Task
from leanrank.evaluation.journal_schema import cell_task, graph_task, selections_task
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.tasks import Tasks
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.stats.feature_graph import FeatureGraph, feature_graph


def compare(
    data: RankingData | str | PathLike[str] | Sequence[Fold],
    *,
    methods: Sequence[str] = ("all",),
    rankers: Sequence[str] = ("ranksvm", "lightgbm"),
    k: Sequence[int] = (5, 10, 15, 20),
    metrics: Sequence[str] = ("ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map"),
    journal: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    engine: Any = None,
    settings: CompareSettings | None = None,
) -> Comparison:
    """Cross-validate every method with every ranker at every size.

    Each (method, ranker, size, fold) is a task whose result goes to the journal at once: a run that is interrupted,
    killed or extended goes on where it was. All features together, the reference, are evaluated too. A progress bar is
    shown where a terminal is watching.

    Parameters
    ----------
    data : RankingData, folder of a LETOR data set, or folds
        As `cross_validate` takes them.
    methods : sequence of str
        Selectors by name; "all" are all, "filters" those that train no ranker.
    rankers : sequence of str
        Rankers by name, each tuned over its grid on the validation queries.
    k : sequence of int
        Sizes. A method that stops before a size is represented by its whole set.
    metrics : sequence of str
        What to report.
    journal : path, optional
        The file; None keeps the results in memory.
    n_jobs : int, optional
        Tasks at a time, each on one core; the result does not depend on it. None takes every core, with threads of this
        process. A number takes processes: more than one needs `if __name__ == "__main__":` around the call in a script.
    engine : optional
        The workers of a `DaskEngine` or `SparkEngine` compute the tasks instead; the journal stays here. Data in
        memory are sent to every worker once, a folder is read there. With a `LocalEngine` the tasks stay here, and
        their feature graphs are computed on it.
    settings : CompareSettings, optional
        Folds, conventions, tuning.

    Examples
    --------
    >>> from leanrank import make_ranking
    >>> data, _ = make_ranking(n_queries=20, docs_per_query=10, random_state=0)
    >>> settings = CompareSettings(n_splits=3)
    >>> results = compare(data, methods=["gas", "mmr"], rankers=["ranksvm"], k=[3], metrics=["map"], settings=settings)
    >>> [(row.method, row.n_features) for row in results.means()]
    [('all features', 30.0), ('gas', 3.0), ('mmr', 3.0)]
    >>> results.n_graphs
    3
    """
    request = Request.of(methods, rankers, k, metrics, settings or CompareSettings())
    context = Context(Path(data).absolute() if isinstance(data, (str, PathLike)) else data, request)
    about = request.about(context.folds)
    with (
        Journal(journal, about) as results,
        Tasks(
            results, n_jobs=n_jobs, processes=n_jobs is not None, engine=engine, progress=True, owner="compare"
        ) as tasks,
    ):
        context.engine = None if tasks.elsewhere else engine
        _run(tasks, context)
        return Comparison.of(results, about)


def _run(tasks: Tasks, context: Context) -> None:
    """Graphs, then selections, then cells; a task that is refused does not stop the others."""
    request, folds = context.request, range(len(context.folds))
    selectors = {m: as_selector(m) for m in request.methods}
    # on the graph that all share; a relevance of its own is nothing to share
    on_graph = [m for m, s in selectors.items() if isinstance(s, GraphSelector) and s.is_of_queries]
    # Fold by fold: a worker holds one at a time.
    graph_tasks = [graph_task(f) for f in folds if on_graph]
    selection_tasks = [selections_task(m, f, request.sizes) for f in folds for m in request.methods]
    what = [(ALL_FEATURES, None), *((m, k) for k in request.sizes for m in request.methods)]
    cells = [cell_task(m, r, k, f) for f in folds for m, k in what for r in request.rankers]
    failed: list[tuple[Task, LeanRankError]] = []
    graphs = dict(zip(folds, tasks.run(_graph, context, graph_tasks, title="graphs", failed=failed), strict=False))
    sets = tasks.run(
        _select,
        context,
        selection_tasks,
        lambda task: graphs.get(task["fold"]) if task["method"] in on_graph else None,
        title="selections",
        failed=failed,
    )
    chosen = {(t["method"], t["fold"]): result for t, result in zip(selection_tasks, sets, strict=True)}
    ready = [c for c in cells if c["k"] is None or chosen[c["method"], c["fold"]] is not None]
    tasks.run(
        _cell, context, ready, lambda task: chosen.get((task["method"], task["fold"])), title="cells", failed=failed
    )
    if failed:
        task, error = failed[0]
        which = ", ".join(f"{name} {value}" for name, value in task.items() if name not in ("task", "sizes"))
        raise LeanRankError(
            f"{len(failed)} of the tasks failed, the first ({which}) because: {error} The others are kept; the "
            "same command tries those that failed again."
        )


class Context:
    """What all tasks share: the data and the request. A worker makes the folds itself; the last one used is kept."""

    def __init__(self, data: Any, request: Request, engine: Any = None) -> None:
        self.data = data
        self.request = request
        self.engine = engine
        self._folds: Sequence[Fold] | None = None
        self._last: dict[int, Fold] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Context, (self.data, self.request, self.engine)

    @property
    def folds(self) -> Sequence[Fold]:
        if self._folds is None:  # several threads of a worker may ask at once, and get equal ones
            self._folds = self.request.settings.folds(self.data)
        return self._folds

    def fold(self, index: int) -> Fold:
        fold = self._last.get(index)
        if fold is None:
            fold = self.request.settings.prepared(self.folds[index])
            self._last = {index: fold}
        return fold


def _graph(context: Context, task: Task, _: Any) -> dict[str, Any]:
    settings = context.request.settings
    train = context.fold(task["fold"]).train
    graph = feature_graph(train, importance=settings.importance, similarity=settings.similarity, engine=context.engine)
    return {
        "importance": graph.importance.tolist(),
        "similarity": graph.similarity.tolist(),
        "importance_std": graph.importance_std.tolist(),
        "constant": graph.constant.tolist(),
        "feature_names": list(graph.feature_names),
        "n_queries": graph.n_queries,
        "computed_with": graph.computed_with,
        "kinds": graph.kinds.tolist(),
    }


def _select(context: Context, task: Task, graph: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The feature sets of a method on the training queries of a fold."""
    settings = context.request.settings
    selector = as_selector(task["method"])
    assert selector is not None
    if settings.random_state is not None:
        seed = settings.random_state
        selector.change_seeds(lambda _: seed)
    points = protocol.points(selector_grid(selector) if settings.tune else None)
    train = context.fold(task["fold"]).train
    known = None if graph is None else FeatureGraph(**graph)
    return [
        {"k": c.size, "features": list(c.features), "parameters": dict(c.parameters), "seconds": c.seconds}
        for c in feature_sets(selector, train, task["sizes"], points, known, settings.limits)
    ]


def _cell(context: Context, task: Task, chosen: list[dict[str, Any]] | None) -> dict[str, Any]:
    """A ranker on the feature sets of a method at a size, scored on the test queries of a fold."""
    fold, request = context.fold(task["fold"]), context.request
    if chosen is None or task["method"] == ALL_FEATURES:
        sets = [FeatureSet(tuple(range(fold.n_features)))]
    else:
        sets = [
            FeatureSet(tuple(c["features"]), c["k"], c["parameters"], c["seconds"])
            for c in chosen
            if c["k"] == task["k"]
        ]
    by, name = request.settings.by, task["ranker"]
    rankers = protocol.rankers_of(name, by, request.settings.ranker_settings.get(name))
    return run_fold(fold, task["method"], sets, rankers, request.measures, by).to_dict()
