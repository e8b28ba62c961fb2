"""compare: many selectors with many rankers at many sizes, on the folds of one data set, into a journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.engines.fold import caller_of
from leanrank.errors import LeanRankError, ParameterError
from leanrank.evaluation import grids
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.compare.fold_run import Candidate, candidates, run_fold
from leanrank.evaluation.compare.protocol import folds_of
from leanrank.evaluation.cross_validation import ALL_FEATURES, as_selector, named_metrics, scaled, selector_grid
from leanrank.evaluation.journal import Journal, Task
from leanrank.evaluation.processes import Workers
from leanrank.kernels._threads import default_threads
from leanrank.metrics._base import Metric
from leanrank.rankers import registry as rankers_by_name
from leanrank.selectors import registry as selectors_by_name
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.stats.feature_graph import FeatureGraph, feature_graph


@dataclass(frozen=True)
class Settings:
    """What all tasks of a comparison have in common; it says in the journal whose results these are."""

    metrics: tuple[str, ...]
    convention: str
    validation: str
    importance: str
    similarity: str
    tune: bool
    scaler: Any
    n_splits: int
    random_state: int

    @cached_property
    def measures(self) -> dict[str, Metric]:
        return named_metrics(self.metrics, self.convention)

    @cached_property
    def by(self) -> Metric:
        return next(iter(named_metrics(self.validation, self.convention).values()))

    def about(self, folds: Sequence[Fold]) -> dict[str, Any]:
        return {
            "what": "compare",
            "folds": [[fold.name, fold.test.fingerprint()] for fold in folds],
            "n_features": folds[0].train.n_features,
            "feature_names": list(folds[0].train.feature_names),
            "metrics": [[name, repr(measure)] for name, measure in self.measures.items()],
            "validation": repr(self.by),
            "importance": self.importance,
            "similarity": self.similarity,
            "tune": self.tune,
            "scaler": None if self.scaler is None else repr(self.scaler),
            "random_state": self.random_state,
        }


def compare(
    data: RankingData | str | PathLike[str] | Sequence[Fold],
    *,
    methods: Sequence[str] = ("all",),
    rankers: Sequence[str] = ("ranksvm", "lightgbm"),
    k: Sequence[int] = (5, 10, 15, 20),
    metrics: Sequence[str] = ("ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map"),
    journal: str | PathLike[str] | None = None,
    convention: str = "standard",
    validation: str = "map",
    importance: str = "map",
    similarity: str = "kendall",
    tune: bool = False,
    scaler: Any = None,
    n_splits: int = 5,
    random_state: int = 0,
    n_jobs: int = 1,
    engine: Any = None,
    started: Callable[[int], None] = lambda n_tasks: None,
    done: Callable[[Task], None] = lambda task: None,
) -> Comparison:
    """Cross-validate every method with every ranker at every size.

    Each (method, ranker, size, fold) is a task whose result goes to the journal at once: a run that is interrupted,
    killed or extended goes on where it was. All features together, the reference, are evaluated too.

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
    metrics, convention, validation
        See `cross_validate`.
    journal : path, optional
        The file; None keeps the results in memory.
    importance, similarity : str
        Of the feature graph, computed once per fold for all methods that live on one.
    tune : bool
        Whether selectors are tuned over their grids too, or taken with their defaults.
    scaler, n_splits, random_state
        See `cross_validate`.
    n_jobs : int
        Processes. More than one needs `if __name__ == "__main__":` around the call in a script.
    engine : DaskEngine, optional
        Compute the tasks on the workers of a cluster instead; the journal stays here. Data in memory are sent to every
        worker once, a folder is read there.
    started, done : callable
        Called with the number of tasks before the first, and after each.

    Examples
    --------
    >>> from leanrank import make_ranking
    >>> data, _ = make_ranking(n_queries=20, docs_per_query=10, random_state=0)
    >>> found = compare(data, methods=["gas", "mmr"], rankers=["ranksvm"], k=[3], metrics=["map"], n_splits=3)
    >>> [(row.method, row.n_features) for row in found.means()]
    [('all features', 30.0), ('gas', 3.0), ('mmr', 3.0)]
    >>> found.n_graphs
    3
    """
    settings = Settings(
        tuple(metrics), convention, validation, importance, similarity, tune, scaler, n_splits, random_state
    )
    names, learners, sizes = _methods(methods), _rankers(rankers), _sizes(k)
    folds = folds_of(data if not isinstance(data, PathLike) else Path(data), n_splits, random_state=random_state)
    about = settings.about(folds)
    with Journal(journal, about) as results:
        workers = Workers(results, Setup(_absolute(data), settings), n_jobs, caller_of(engine, "compare"), done)
        _run(workers, names, learners, sizes, len(folds), started)
        return Comparison.of(results, about)


def _run(
    workers: Workers,
    methods: list[str],
    rankers: list[str],
    sizes: list[int],
    n_folds: int,
    started: Callable[[int], None],
) -> None:
    folds = range(n_folds)
    on_graph = [m for m in methods if issubclass(selectors_by_name.selector_class(m), GraphSelector)]
    graphs = [{"task": "graph", "fold": f} for f in folds if on_graph]
    # Fold by fold: a worker holds one at a time.
    selections = [{"task": "select", "method": m, "fold": f, "sizes": sizes} for f in folds for m in methods]
    what = [(ALL_FEATURES, None), *((m, k) for k in sizes for m in methods)]
    cells: list[dict[str, Any]] = [
        {"task": "cell", "method": m, "ranker": r, "k": k, "fold": f} for f in folds for m, k in what for r in rankers
    ]
    started(len(graphs) + len(selections) + len(cells))
    with workers:
        found = dict(zip(folds, workers.run(_compute_graph, graphs), strict=False))
        chosen = workers.run(
            _select, selections, lambda task: found.get(task["fold"]) if task["method"] in on_graph else None
        )
        by_task = {(t["method"], t["fold"]): result for t, result in zip(selections, chosen, strict=True)}
        ready = [c for c in cells if c["k"] is None or by_task[c["method"], c["fold"]] is not None]
        workers.run(_evaluate, ready, lambda task: by_task.get((task["method"], task["fold"])))
    if workers.failed:
        task, error = workers.failed[0]
        which = ", ".join(f"{name} {value}" for name, value in task.items() if name not in ("task", "sizes"))
        raise LeanRankError(
            f"{len(workers.failed)} of the tasks failed, the first ({which}) because: {error} The others are kept; the "
            "same command tries those that failed again."
        )


@dataclass(frozen=True)
class Setup:
    """What a worker needs to build its context: picklable, and small where the data are files."""

    data: Any
    settings: Settings

    def __call__(self) -> Context:
        folds = folds_of(self.data, self.settings.n_splits, random_state=self.settings.random_state)
        return Context(folds, self.settings, {})


@dataclass(frozen=True)
class Context:
    """The folds of a worker; the last one used is kept."""

    folds: Sequence[Fold]
    settings: Settings
    _last: dict[int, Fold]

    def fold(self, number: int) -> Fold:
        fold = self._last.get(number)  # several threads of a worker may ask at once
        if fold is None:
            fold = self.folds[number]
            fold = fold if self.settings.scaler is None else scaled(fold, self.settings.scaler)
            self._last.clear()
            self._last[number] = fold
        return fold


def _compute_graph(context: Context, task: Task, _: Any) -> dict[str, Any]:
    settings = context.settings
    train = context.fold(task["fold"]).train
    graph = feature_graph(train, importance=settings.importance, similarity=settings.similarity)
    return {
        "importance": graph.importance.tolist(),
        "similarity": graph.similarity.tolist(),
        "importance_std": graph.importance_std.tolist(),
        "constant": graph.constant.tolist(),
        "feature_names": list(graph.feature_names),
        "n_queries": graph.n_queries,
        "computed_with": graph.computed_with,
    }


def _select(context: Context, task: Task, graph: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The feature sets of a method on the training queries of a fold."""
    selector = as_selector(task["method"])
    assert selector is not None
    if "random_state" in selector.get_params(deep=False):
        selector.set_params(random_state=context.settings.random_state)
    points = grids.points(selector_grid(selector) if context.settings.tune else None)
    train = context.fold(task["fold"]).train
    known = None if graph is None else FeatureGraph(**graph)
    found = candidates(selector, train, task["sizes"], points, known)
    return [
        {"k": c.size, "features": list(c.features), "parameters": dict(c.parameters), "seconds": c.seconds}
        for c in found
    ]


def _evaluate(context: Context, task: Task, chosen: list[dict[str, Any]] | None) -> dict[str, Any]:
    fold, settings = context.fold(task["fold"]), context.settings
    if chosen is None or task["method"] == ALL_FEATURES:
        choice = candidates(None, fold.train)
    else:
        choice = [
            Candidate(tuple(c["features"]), c["k"], c["parameters"], c["seconds"])
            for c in chosen
            if c["k"] == task["k"]
        ]
    rankers = grids.rankers_of(task["ranker"], settings.by, n_threads=default_threads())
    record = run_fold(fold, task["method"], choice, rankers, settings.measures, settings.by)
    return record.to_dict()


def _absolute(data: Any) -> Any:
    """Where data are files, the same files whatever folder a worker is in."""
    return Path(data).absolute() if isinstance(data, (str, PathLike)) else data


def _methods(methods: Sequence[str]) -> list[str]:
    names: list[str] = []
    for name in methods:
        if name in ("all", "filters"):
            from leanrank.selectors._ranker_selector import RankerSelector

            every = selectors_by_name.names()
            trained = {n for n in every if issubclass(selectors_by_name.selector_class(n), RankerSelector)}
            names += every if name == "all" else [n for n in every if n not in trained]
        else:
            selectors_by_name.selector_class(name)  # an unknown name is refused here, before any work
            names.append(name)
    if not names:
        raise ParameterError.of("compare", "methods", "at least one name", list(methods))
    return list(dict.fromkeys(names))


def _rankers(rankers: Sequence[str]) -> list[str]:
    for name in rankers:
        rankers_by_name.ranker_class(name)
    if not rankers:
        raise ParameterError.of("compare", "rankers", "at least one name", list(rankers))
    return list(dict.fromkeys(rankers))


def _sizes(k: Sequence[int]) -> list[int]:
    sizes = list(dict.fromkeys(k))
    whole = all(isinstance(size, (int, np.integer)) and not isinstance(size, bool) and size >= 1 for size in sizes)
    if not sizes or not whole:
        raise ParameterError.of("compare", "k", "whole numbers >= 1", list(k))
    return [int(size) for size in sizes]
