"""RankWrapper and RankFilter: the synthetic and the OHSUMED experiments of Yu, Oh and Han."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.engines.local import LocalEngine
from leanrank.evaluation.journal import Task
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric, mean
from leanrank.metrics.names import metric
from leanrank.rankers.committee_perceptron import CommitteePerceptron
from leanrank.rankers.kernel_ranksvm import KernelRankSVM
from leanrank.rankers.ranksvm import RankSVM
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.outcome import Cell, Claim, Reproduction, Table, published
from leanrank.selectors.gas import GAS
from leanrank.selectors.rankfilter import RankFilter
from leanrank.selectors.rankwrapper import RankWrapper
from leanrank.selectors.relieff import ReliefF
from leanrank.selectors.rrelieff import RReliefF
from leanrank.stats.importance import Importance

Vector = NDArray[np.float64]

STEP = 3
_POINTS, _FEATURES, _RELEVANT, _CENTRES, _LEVELS = 100, 30, 10, 20, 5
_LEARNERS = ("Committee Perceptron", "RankSVM (RBF)")
_ORDER = ("RankWrapper", "RReliefF", "GAS", "GAS one way")
_LEVEL = ("RankFilter", "ReliefF", "GAS", "GAS one way")


@dataclass(frozen=True)
class Experiment:
    """Training and test parts, and what is asked of them."""

    name: str
    parts: Sequence[tuple[RankingData, RankingData]]
    measure: Metric
    methods: tuple[str, ...]

    @property
    def is_order(self) -> bool:
        return self.methods == _ORDER


#: (method, learner) -> mean of the measure at each number of features, descending
Curves = dict[tuple[str, str], Vector]


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """Both experiments, each with relative orderings and with levels."""
    experiments = _synthetic(1 if quick else 30)
    folds = data.folds("ohsumed")
    if folds is not None:
        experiments += _ohsumed(list(folds))
    if quick:
        experiments = [replace(experiment, parts=experiment.parts[:1]) for experiment in experiments]
    sizes: dict[str, list[int]] = {}
    curves: dict[str, Curves] = {}
    for experiment in experiments:
        sizes[experiment.name], curves[experiment.name] = _curves(experiment, tasks, quick)
    tables = [_table(e, sizes[e.name], curves[e.name]) for e in experiments]
    return Reproduction.of("rankrelief", _cells(), [*_claims(curves), *_time_claims()], tables, quick=quick)


def _cells() -> list[Cell]:
    """The one figure of the text that can be computed: the concordant fraction of its example."""
    cells = []
    for p in published("rankrelief"):
        if p.method == "Kendall example":
            # Five vectors in order, and the order the text gives them: 3 of 10 pairs disagree.
            tau = metric("kendall_a").per_query([5, 4, 3, 2, 1], [3, 5, 4, 1, 2], [0, 5])[0]
            cells.append(Cell(p, (1 + float(tau)) / 2, exact=True))
    return cells


def _synthetic(n_runs: int) -> list[Experiment]:
    orders, levels = [], []
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        X = rng.random((_POINTS, _FEATURES))
        relevant = rng.choice(_FEATURES, _RELEVANT, replace=False)
        centres, weights = rng.random((_CENTRES, _RELEVANT)), rng.normal(size=_CENTRES)
        distances = ((X[:, None, relevant] - centres[None]) ** 2).sum(axis=2)
        worth = np.exp(-distances / (_RELEVANT / 12)) @ weights  # 1/12 is the variance of a uniform feature
        rank = np.argsort(np.argsort(worth))
        third = rng.permutation(_POINTS) % 3
        for fold in range(3):
            train, test = np.flatnonzero(third != fold), np.flatnonzero(third == fold)
            orders.append(tuple(_points(X[rows], rank[rows]) for rows in (train, test)))
            grades = rank * _LEVELS // _POINTS
            levels.append(tuple(_points(X[rows], grades[rows]) for rows in (train, test)))
    return [
        Experiment("synthetic, relative ordering", orders, metric("kendall_a"), _ORDER),  # type: ignore[arg-type]
        Experiment("synthetic, five levels", levels, metric("ndcg@10"), _LEVEL),  # type: ignore[arg-type]
    ]


def _points(X: Vector, y: NDArray[Any]) -> RankingData:
    return RankingData(X, y.astype(np.float32), np.array([0, len(y)]))


def _ohsumed(folds: Sequence[Any]) -> list[Experiment]:
    every = concatenate([fold.test for fold in folds])
    first = every.take_queries(np.argsort(every.query_ids, kind="stable")[:45])
    first = first.subset(np.flatnonzero(np.ptp(first.dense(), axis=0) > 0))
    levels, orders = [], []
    for fold in range(3):
        tested = np.arange(15 * fold, 15 * (fold + 1))
        train = first.take_queries(np.setdiff1d(np.arange(45), tested))
        test = first.take_queries(tested)
        levels.append((train, test))
        teacher = RankSVM().fit(train)
        orders.append((_ordered(train, teacher.predict(train)), _ordered(test, teacher.predict(test))))
    return [
        Experiment("OHSUMED, relative ordering", orders, metric("kendall_a"), _ORDER),
        Experiment("OHSUMED, three levels", levels, metric("ndcg@10", convention="letor3"), _LEVEL),
    ]


def _ordered(data: RankingData, scores: Vector) -> RankingData:
    """The documents of every query labelled by their place in the order of `scores`, the last 0."""
    query = np.repeat(np.arange(data.n_queries), data.query_sizes)
    order = np.lexsort((scores, query))
    place = np.empty(data.n_rows)
    place[order] = np.arange(data.n_rows)
    return replace(data, y=(place - np.repeat(data.query_ptr[:-1], data.query_sizes)).astype(np.float32))


def _learner(name: str, experiment: Experiment) -> Any:
    small = experiment.name.startswith("synthetic")
    if name == "RankSVM (RBF)":
        return KernelRankSVM(C=1000.0, max_pairs=None if small else 200, tol=1e-3)
    by = metric("kendall_a") if experiment.is_order else "ndcg@10"
    return CommitteePerceptron(n_epochs=10 if small else 5, rated_by=by)


def _curves(experiment: Experiment, tasks: Tasks, quick: bool) -> tuple[list[int], Curves]:
    K = experiment.parts[0][0].n_features
    sizes = list(range(K, 0, -STEP))
    if quick:
        sizes = sizes[:: max(1, len(sizes) // 3)]

    def one(experiment: Experiment, task: Task, _: None) -> list[tuple[str, str, list[float]]]:
        train, test = experiment.parts[task["part"]]
        curves = []
        for method in experiment.methods:
            sets = _elimination(method, train, sizes)
            for learner in _LEARNERS:
                values = []
                for features in sets:
                    ranker = _learner(learner, experiment).fit(train.subset(features))
                    held_out = test.subset(features)
                    per_query = experiment.measure.per_query(test.y, ranker.predict(held_out), test.query_ptr)
                    values.append(float(mean(per_query)))
                curves.append((method, learner, [(1 + v) / 2 for v in values] if experiment.is_order else values))
        return curves

    what = {"paper": "rankrelief", "experiment": experiment.name}
    wanted = [{**what, "part": part} for part in range(len(experiment.parts))]
    results = [
        {(method, learner): np.array(values) for method, learner, values in of_part}
        for of_part in tasks.run(one, experiment, wanted, title=experiment.name)
    ]
    return sizes, {key: np.mean([result[key] for result in results], axis=0) for key in results[0]}


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
        levels = len(np.unique(train.y)) <= _LEVELS
        # Whether features are judged in their better direction, or as if larger values were always better.
        direction = "max" if method == "GAS" else "desc"
        importance = Importance("ndcg@10" if levels else "error", direction=direction)
        return _complete(GAS(importance=importance, similarity="strict").fit(train), train.n_features)
    if method == "RankFilter":
        return _complete(RankFilter(n_neighbors=5).fit(train), train.n_features)
    if method == "ReliefF":
        return _complete(ReliefF(n_neighbors=5).fit(train), train.n_features)
    scores = (
        KernelRankSVM(C=1000.0, max_pairs=None if train.n_queries == 1 else 200, tol=1e-3).fit(train).predict(train)
    )
    if method == "RankWrapper":
        return _complete(RankWrapper(n_neighbors=5).fit(train, scores=scores), train.n_features)
    return _complete(RReliefF(n_neighbors=5).fit(replace(train, y=scores.astype(np.float32))), train.n_features)


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


def _claims(by_name: dict[str, Curves]) -> list[Claim]:
    claims = []
    for name, methods in (
        ("synthetic, relative ordering", _ORDER),
        ("synthetic, five levels", _LEVEL),
        ("OHSUMED, relative ordering", _ORDER),
        ("OHSUMED, three levels", _LEVEL),
    ):
        curves = by_name.get(name)
        if curves is None:
            claims.append(Claim(f"{name}: {methods[0]} is the best", None, "needs OHSUMED"))
            continue
        for learner in _LEARNERS:
            means = {method: float(curves[method, learner].mean()) for method in methods}
            figures = ", ".join(f"{method} {value:.4f}" for method, value in means.items())
            text = f"{name}, {learner}: {methods[0]} is the best (mean of the curve)"
            claims.append(Claim(text, max(means, key=means.__getitem__) == methods[0], figures))
            if name.startswith("synthetic"):
                for gas in ("GAS", "GAS one way"):
                    lowest = means[gas] < min(means[methods[0]], means[methods[1]])
                    claims.append(Claim(f"{name}, {learner}: {gas} is the lowest", lowest, figures))
    if "OHSUMED, three levels" in by_name:
        claims += _comparisons(by_name)
    return claims


def _comparisons(by_name: dict[str, Curves]) -> list[Claim]:
    real, made = by_name["OHSUMED, three levels"], by_name["synthetic, five levels"]
    svm, cp = (float(np.mean([real[m, learner].mean() for m in _LEVEL])) for learner in reversed(_LEARNERS))
    gaps = [
        float(np.mean([curves["RankFilter", x].mean() - curves["ReliefF", x].mean() for x in _LEARNERS]))
        for curves in (made, real)
    ]
    order = by_name["OHSUMED, relative ordering"]
    highest = max(order, key=lambda key: float(order[key].mean()))
    return [
        Claim(
            "OHSUMED, three levels: RankSVM is much more accurate than Committee Perceptron",
            svm - cp > 0.01,
            f"{svm:.4f} and {cp:.4f}",
        ),
        Claim(
            "RankFilter and ReliefF differ less on OHSUMED (three levels) than on the synthetic data (five)",
            abs(gaps[1]) < abs(gaps[0]),
            f"{gaps[1]:+.4f} and {gaps[0]:+.4f}",
        ),
        Claim(
            "OHSUMED, relative ordering: RankWrapper with Committee Perceptron is the best of all",
            highest == ("RankWrapper", "Committee Perceptron"),
            f"{' with '.join(highest)}: {float(order[highest].mean()):.4f}",
        ),
    ]


def _time_claims() -> list[Claim]:
    """How time grows with the number of features, at 100 points as in the paper, on one thread."""
    rng = np.random.default_rng(0)
    seconds: dict[tuple[str, int], float] = {}
    alone = LocalEngine(n_threads=1)
    selectors = {
        "GAS": GAS(importance="ndcg@10", similarity="strict", engine=alone),
        "RankFilter": RankFilter(n_neighbors=5, engine=alone),
    }
    for K in (100, 400):
        data = _points(rng.random((_POINTS, K)), rng.permutation(_POINTS) * _LEVELS // _POINTS)
        for name, selector in selectors.items():
            times = []
            for _ in range(7):
                start = time.perf_counter()
                selector.fit(data)
                times.append(time.perf_counter() - start)
            seconds[name, K] = min(times)
    growth = {name: seconds[name, 400] / seconds[name, 100] for name in ("GAS", "RankFilter")}
    ratio = seconds["GAS", 100] / seconds["RankFilter", 100]
    return [
        Claim(
            "GAS's time grows faster with the number of features than RankFilter's",
            growth["GAS"] > growth["RankFilter"],
            f"400 features take {growth['GAS']:.1f} times as long as 100 for GAS, {growth['RankFilter']:.1f} times for "
            "RankFilter",
        ),
        Claim(
            "At 100 features GAS is slower than RankFilter",
            ratio > 1,
            f"{ratio:.1f} times as long ({1000 * seconds['GAS', 100]:.1f} ms)",
        ),
    ]
