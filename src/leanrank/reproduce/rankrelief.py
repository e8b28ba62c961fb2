"""RankWrapper and RankFilter: both experiments of Yu, Oh and Han, beside Relief and GAS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.journal import Task
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric
from leanrank.rankers.committee_perceptron import CommitteePerceptron
from leanrank.rankers.kernel_ranksvm import KernelRankSVM
from leanrank.reproduce.datasets import STRICT, DataFolder
from leanrank.reproduce.outcome import Cell, Choice, Reproduction, Table, published
from leanrank.reproduce.rankrelief_claims import LEARNERS, Curves, claims, time_claims
from leanrank.reproduce.rankrelief_data import (
    LEVELS,
    NARROW,
    NEAREST,
    WIDE,
    Experiment,
    ohsumed,
    synthetic,
)
from leanrank.selectors.gas import GAS
from leanrank.selectors.rankfilter import RankFilter
from leanrank.selectors.rankwrapper import RankWrapper
from leanrank.selectors.relieff import ReliefF
from leanrank.selectors.rrelieff import RReliefF
from leanrank.stats.importance import Importance

STEP = 3
NEIGHBOURS = 5
_LOST = "nothing: it is lost in the text at hand, and the other is shown"
CHOICES = (
    Choice("sigma of RankWrapper", "20", "the literature of RReliefF, after the figures of k/2 had been seen", 2),
    Choice("how many synthetic features matter, and how", "10 of 30, in wide kernels", _LOST, 2),
    Choice("whether GAS may sort by a feature both ways", "both, the better", "nothing: both are rows", 2),
)


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """Both experiments, each with relative orderings and with levels."""
    n_runs = 1 if quick else 30
    experiments = [*synthetic(WIDE, n_runs), *([] if quick else synthetic(NARROW, 10))]
    folds = data.folds("ohsumed")
    if folds is not None:
        experiments += ohsumed(list(folds))
    if quick:
        experiments = [replace(experiment, parts=experiment.parts[:1]) for experiment in experiments]
    sizes: dict[str, list[int]] = {}
    curves: dict[str, Curves] = {}
    for experiment in experiments:
        sizes[experiment.name], curves[experiment.name] = _curves(experiment, tasks, quick)
    tables = [_table(e, sizes[e.name], curves[e.name]) for e in experiments]
    return Reproduction.of("rankrelief", _cells(), [*claims(curves), *time_claims()], tables, CHOICES, quick=quick)


def _cells() -> list[Cell]:
    """The one figure of the text that can be computed: the concordant fraction of its example."""
    cells = []
    for p in published("rankrelief"):
        if p.method == "Kendall example":
            # Five vectors in order, and the order the text gives them: 3 of 10 pairs disagree.
            tau = metric("kendall_a").per_query([5, 4, 3, 2, 1], [3, 5, 4, 1, 2], [0, 5])[0]
            cells.append(Cell(p, (1 + float(tau)) / 2, exact=True))
    return cells


def _learner(name: str, experiment: Experiment) -> Any:
    small = experiment.name.startswith("synthetic")
    if name == "RankSVM (RBF)":
        return KernelRankSVM(C=1000.0, max_pairs=None if small else 200, tol=1e-3)
    by = metric("kendall_a") if experiment.is_order else "ndcg@10"
    return CommitteePerceptron(n_epochs=10 if small else 5, rated_by=by)


def _curves(experiment: Experiment, tasks: Tasks, quick: bool) -> tuple[list[int], Curves]:
    """The sizes, descending, and the mean of the measure at each of them by method and learner."""
    K = experiment.parts[0][0].n_features
    sizes = list(range(K, 0, -STEP))
    if quick:
        sizes = sizes[:: max(1, len(sizes) // 3)]

    def one(experiment: Experiment, task: Task, _: None) -> list[list[float]]:
        train, test = experiment.parts[task["part"]]
        sets = _elimination(task["method"], train, sizes)
        curves = []
        for learner in LEARNERS:
            values = []
            for features in sets:
                ranker = _learner(learner, experiment).fit(train.subset(features))
                held_out = test.subset(features)
                per_query = experiment.measure.per_query(test.y, ranker.predict(held_out), test.query_ptr)
                values.append(float(mean(per_query)))
            curves.append([(1 + v) / 2 for v in values] if experiment.is_order else values)
        return curves

    curves: Curves = {}
    for method in experiment.methods:
        what = {"paper": "rankrelief", "experiment": experiment.name, "method": method}
        wanted = [{**what, "part": part} for part in range(len(experiment.parts))]
        results = tasks.run(one, experiment, wanted, title=f"{experiment.name}: {method}")
        for learner, values in zip(LEARNERS, np.mean(results, axis=0), strict=True):
            curves[method, learner] = values
    return sizes, curves


def _elimination(method: str, train: RankingData, sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    """The features left at each size: the lowest three go, the others are weighed anew."""
    left = np.arange(train.n_features)
    wanted, sets = set(sizes), []
    while len(left) > 0:
        if len(left) in wanted:
            sets.append(left)
        if len(left) <= STEP:
            break
        path = _weighed(method, train.subset(left))
        left = left[np.sort(path[: len(left) - STEP])]
    return sets


def _weighed(method: str, train: RankingData) -> NDArray[np.int64]:
    """All features, the best first."""
    if method.startswith("GAS"):
        levels = len(np.unique(train.y)) <= LEVELS
        # Whether features are judged in their better direction, or as if larger values were always better.
        direction = "max" if method == "GAS" else "desc"
        importance = Importance("ndcg@10" if levels else "error", direction=direction)
        return _complete(GAS(importance=importance, similarity=STRICT).fit(train), train.n_features)
    if method == "RankFilter":
        return _complete(RankFilter(n_neighbors=NEIGHBOURS).fit(train), train.n_features)
    if method == "ReliefF":
        return _complete(ReliefF(n_neighbors=NEIGHBOURS).fit(train), train.n_features)
    max_pairs = None if train.n_queries == 1 else 200
    scores = KernelRankSVM(C=1000.0, max_pairs=max_pairs, tol=1e-3).fit(train).predict(train)
    if method.startswith("RankWrapper"):
        sigma = NEIGHBOURS / 2 if method == NEAREST else 20.0
        wrapper = RankWrapper(n_neighbors=NEIGHBOURS, sigma=sigma)
        return _complete(wrapper.fit(train, scores=scores), train.n_features)
    relief = RReliefF(n_neighbors=NEIGHBOURS).fit(replace(train, y=scores.astype(np.float32)))
    return _complete(relief, train.n_features)


def _complete(selector: Any, n_features: int) -> NDArray[np.int64]:
    """The path, with features it left out as constant at its end."""
    ranking: NDArray[np.int64] = selector.order_
    return np.concatenate((ranking, np.setdiff1d(np.arange(n_features), ranking)))


def _table(experiment: Experiment, sizes: Sequence[int], curves: Curves) -> Table:
    columns = tuple(f"{method}, {'CP' if learner.startswith('C') else 'SVM'}" for method, learner in curves)
    rows = [(str(size), *(f"{curve[i]:.4f}" for curve in curves.values())) for i, size in enumerate(sizes)]
    rows.append(("mean", *(f"{curve.mean():.4f}" for curve in curves.values())))
    unit = "concordant fraction" if experiment.is_order else "NDCG@10"
    return Table(f"{experiment.name}: {unit} against the number of features", ("features", *columns), tuple(rows))
