"""GAS: the curves of Geng, Liu, Qin and Li, what they say of them, and the worked chi-square of their slides."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.fold_run import Fits, feature_sets, run_fold
from leanrank.evaluation.journal import Task
from leanrank.evaluation.protocol import points, rankers_of
from leanrank.evaluation.records import FoldRecord
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics.names import metric
from leanrank.rankers.ranknet import RankNet
from leanrank.reproduce.datasets import STRICT, DataFolder
from leanrank.reproduce.letor_rows import statistic
from leanrank.reproduce.outcome import Cell, Choice, Claim, Published, Reproduction, Table, published
from leanrank.selectors.gas import GAS
from leanrank.selectors.information_gain import ChiSquared, InformationGain
from leanrank.stats.feature_graph import FeatureGraph, feature_graph

LEARNERS = ("Ranking SVM", "RankNet", "RankNet, hidden layer")
MEASURES = ("MAP", "NDCG@10")
ALL = "all features"
C_GRID = {"c": [0.0, 0.01, 0.05, 0.1, 0.2, 0.5]}
_SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 25, 30)
_FEW = (1, 5, 10)
_HIDDEN = 10

#: By name in the paper: its folder, the least grade that MAP counts as relevant, the figures of its curves by learner.
_GOV = ".gov (TREC 2004 topic distillation)"
DATASETS = {"OHSUMED": ("ohsumed", 2, ("Figure 4", "Figure 5")), _GOV: ("gov", 1, ("Figure 2", "Figure 3"))}


CHOICES = (Choice("whether RankNet has a hidden layer", "none: linear", "nothing: with ten units beside it", 2),)

#: (learner, method, t) -> records of the folds
Curves = dict[tuple[str, str, int | str], list[FoldRecord]]


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """The curves for all learners on the data sets that are there, and the findings."""
    claims: list[Claim] = []
    tables: list[Table] = []
    folds_of: dict[str, list[Fold]] = {}
    for dataset, (folder, relevant, figures) in DATASETS.items():
        official = data.folds(folder)
        name = dataset.split()[0]
        if official is None:
            claims += [Claim(f"{name}: the curves", None, f"needs {name}", where=figure) for figure in figures]
            continue
        folds = folds_of[dataset] = list(official)
        sizes = tuple(t for t in (_FEW if quick else _SIZES) if t < folds[0].train.n_features)
        grid = {"c": [0.0, 0.1]} if quick else C_GRID
        curves = _curves(name, folds, relevant, LEARNERS[:1] if quick else LEARNERS, sizes, grid, tasks)
        tables += _tables(name, curves, sizes)
        claims += [*_curve_claims(name, curves, sizes, figures), *_structure_claims(name, folds, curves, sizes)]
    cells = [_cell(p, folds_of) for p in published("gas")]
    return Reproduction.of("gas", cells, claims, [*tables, chi_square_table()], CHOICES, quick=quick)


def _cell(p: Published, folds_of: Mapping[str, list[Fold]]) -> Cell:
    """The worked example of chi-square, and the sizes of the data."""
    if p.dataset == "jaguar/auto":
        return Cell(p, chi_square_cell(p), exact=True)
    if p.dataset not in folds_of or p.metric in ("documents", "documents per query (BM25 top)"):
        return Cell(p, None, reason="needs " + (p.dataset.split()[0] if p.dataset not in folds_of else "the documents"))
    why = "the paper's features are its own; LETOR's files have others" if p.metric == "features" else ""
    return Cell(p, statistic(folds_of[p.dataset], p.metric), reason=why)


def _curves(
    name: str,
    folds: list[Fold],
    relevant: int,
    learners: Sequence[str],
    sizes: Sequence[int],
    grid: dict[str, list[float]],
    tasks: Tasks,
) -> Curves:
    by = metric("map", convention="letor3", relevance_threshold=relevant)
    measures = {"MAP": by, "NDCG@10": metric("ndcg@10", convention="letor3", discount="log2", short="pad")}
    importance = metric("map", relevance_threshold=relevant)
    curves: Curves = {}
    for learner in learners:
        loss = "error" if learner == "Ranking SVM" else "cross-entropy"
        methods: dict[str, tuple[Any, Any]] = {
            "GAS-E": (GAS(importance=importance, similarity=STRICT), grid),
            "GAS-L": (GAS(importance=loss, similarity=STRICT), grid),
            "GAS-E, c = 0": (GAS(importance=importance, similarity=STRICT, c=0.0), None),
            "IG": (InformationGain(), None),
            "CHI": (ChiSquared(), None),
        }
        rankers = rankers_of("ranksvm", by) if learner == "Ranking SVM" else _ranknets(by, "hidden" in learner)

        def one(folds: list[Fold], task: Task, given: tuple[Any, Any]) -> list[tuple[str, Any, Any]]:
            (methods, rankers), fold = given, folds[task["fold"]]
            fits: Fits = {}  # methods often choose the same features
            every = run_fold(fold, ALL, feature_sets(None, fold.train), rankers, measures, by, fits)
            records: list[tuple[str, Any, Any]] = [(ALL, ALL, every.to_dict())]
            for method, (selector, tried) in methods.items():
                choice = feature_sets(selector, fold.train, sizes, points(tried))
                for size in sizes:
                    of_size = [candidate for candidate in choice if candidate.size == size]
                    record = run_fold(fold, method, of_size, rankers, measures, by, fits)
                    records.append((method, size, record.to_dict()))
            return records

        wanted = [{"paper": "gas", "dataset": name, "learner": learner, "fold": i} for i in range(len(folds))]
        title = f"{name}: {learner}, {len(methods)} methods at {len(sizes)} sizes"
        given = methods, rankers
        for of_fold in tasks.run(one, folds, wanted, lambda task, given=given: given, title=title):  # type: ignore[misc]
            for method, size, record in of_fold:
                curves.setdefault((learner, method, size), []).append(FoldRecord.from_dict(record))
    return curves


def _ranknets(by: Any, hidden: bool) -> list[RankNet]:
    units = _HIDDEN if hidden else 0
    return [
        RankNet(units, learning_rate=rate, n_epochs=60, eval_metric=by, early_stopping_rounds=15) for rate in (0.1, 1.0)
    ]


def _value(records: Sequence[FoldRecord], measure: str) -> float:
    return float(np.mean([record.scores[measure] or 0.0 for record in records]))


def _methods(curves: Curves) -> list[str]:
    return list(dict.fromkeys(method for _, method, _ in curves if method != ALL))


def _learners(curves: Curves) -> list[str]:
    return list(dict.fromkeys(learner for learner, _, _ in curves))


def _tables(name: str, curves: Curves, sizes: Sequence[int]) -> list[Table]:
    tables = []
    for learner in _learners(curves):
        for measure in MEASURES:
            rows = [
                (str(t), *(f"{_value(curves[learner, method, t], measure):.4f}" for method in _methods(curves)))
                for t in sizes
            ]
            every = f"{_value(curves[learner, ALL, ALL], measure):.4f}"
            rows.append(("all", *([every] * len(_methods(curves)))))
            title = f"{measure} of {learner} on {name} against the number of features t"
            tables.append(Table(title, ("t", *_methods(curves)), tuple(rows)))
    return tables


def _curve_claims(name: str, curves: Curves, sizes: Sequence[int], figures_of: Sequence[str]) -> list[Claim]:
    claims = []
    for learner in _learners(curves):
        where = figures_of[0 if learner == LEARNERS[0] else 1]
        reading = "" if learner in LEARNERS[:2] else "RankNet with a hidden layer of ten units"
        for measure in MEASURES:
            mean = {
                m: float(np.mean([_value(curves[learner, m, t], measure) for t in sizes])) for m in _methods(curves)
            }
            every = _value(curves[learner, ALL, ALL], measure)
            for gas in ("GAS-E", "GAS-L"):
                values = [_value(curves[learner, gas, t], measure) for t in sizes]
                best, top = sizes[int(np.argmax(values))], max(values)
                n_above = sum(value > every for value in values)
                text = f"{name}, {learner}, {measure}: {gas} is better than all features (at most of the sizes)"
                figures = f"at {n_above} of {len(sizes)} sizes; {top:.4f} at best, with {best}, {every:.4f} with all"
                claims.append(Claim(text, n_above > len(sizes) / 2, figures, where=where, reading=reading))
                text = f"{name}, {learner}, {measure}: {gas} is better than IG and CHI (mean of the curve)"
                figures = f"{mean[gas]:.4f}; IG {mean['IG']:.4f}, CHI {mean['CHI']:.4f}"
                best = mean[gas] > max(mean["IG"], mean["CHI"])
                claims.append(Claim(text, best, figures, where=where, reading=reading))
    return claims


def _structure_claims(name: str, folds: list[Fold], curves: Curves, sizes: Sequence[int]) -> list[Claim]:
    graph = feature_graph(folds[0].train, "map", STRICT)
    varying = graph.subset(np.flatnonzero(~graph.constant))
    claims = []
    if name == "OHSUMED":
        inside, between, blocks = _blocks(varying)
        claims.append(
            Claim(
                "OHSUMED: the features form two large blocks of similar features (read as: two clusters, none below a "
                "quarter of the features, at least 0.1 more alike inside than between)",
                inside - between > 0.1 and min(blocks) >= sum(blocks) / 4,
                f"two clusters of {blocks[0]} and {blocks[1]} features; mean similarity {inside:.2f} inside them, "
                f"{between:.2f} between them (0.5 is unrelated)",
                where="Figure 7",
            )
        )
    for learner in _learners(curves):
        tuned, plain = (
            float(np.mean([_value(curves[learner, m, t], "MAP") for t in sizes])) for m in ("GAS-E", "GAS-E, c = 0")
        )
        helps = "does not help" if name == "OHSUMED" else "helps"
        text = f"{name}, {learner}: punishing similarity {helps} (mean of the MAP curve, c tuned against c = 0)"
        reading = "" if learner in LEARNERS[:2] else "RankNet with a hidden layer of ten units"
        holds = tuned - plain < 0.005 if name == "OHSUMED" else tuned > plain
        claims.append(Claim(text, holds, f"{tuned:.4f} against {plain:.4f}", where="Figure 7", reading=reading))
    spread = varying.importance.max() - varying.importance.min()
    figures = f"MAP of single features from {varying.importance.min():.3f} to {varying.importance.max():.3f}"
    text = f"{name}: single features differ in their effect"
    claims.append(Claim(text, bool(spread > 0.05), figures, where="Figure 6"))
    claims.append(_speed(name, folds[0]))
    return claims


def _blocks(graph: FeatureGraph) -> tuple[float, float, list[int]]:
    """Two clusters by average linkage: mean similarity inside and between them, and their sizes."""
    distance = 1.0 - graph.similarity
    distance = np.clip((distance + distance.T) / 2, 0, None)
    np.fill_diagonal(distance, 0.0)
    label = fcluster(linkage(squareform(distance, checks=False), "average"), 2, "maxclust")
    same = label[:, None] == label[None, :]
    off = ~np.eye(len(label), dtype=bool)
    sizes = sorted(np.bincount(label)[1:].tolist(), reverse=True)
    return float(graph.similarity[same & off].mean()), float(graph.similarity[~same].mean()), sizes


def _speed(name: str, fold: Fold) -> Claim:
    ranker = rankers_of("ranksvm", metric("map"))[0]
    few = GAS(10, similarity=STRICT).fit(fold.train).selected_
    seconds: Mapping[str, list[float]] = {"few": [], "all": []}
    for _ in range(5):
        for name, columns in (("few", few), ("all", np.arange(fold.train.n_features))):
            train, valid = fold.train.subset(columns), fold.valid.subset(columns)
            start = time.process_time()
            clone(ranker).fit(train, eval_set=valid)
            seconds[name].append(time.process_time() - start)
    ratio = min(seconds["all"]) / min(seconds["few"])
    text = f"{name}: selecting features makes training faster (Ranking SVM, 10 of {fold.train.n_features} features)"
    return Claim(text, ratio > 1, f"{ratio:.1f} times as fast")


#: Rows that are auto or not by rows that have the word or not.
COUNTS = {"auto,jaguar": 2, "auto,not jaguar": 500, "not auto,jaguar": 3, "not auto,not jaguar": 9500}


def chi_square_cell(p: Published) -> float:
    """A figure of the slide: a count, what is expected of it, or the statistic with the expectations as printed."""
    if p.method == "observed":
        return float(COUNTS[p.metric])
    if p.method == "expected":
        return expected()[p.metric]
    printed = {q.metric: q.value for q in published("gas") if q.method == "expected"}
    return sum((COUNTS[cell] - printed[cell]) ** 2 / printed[cell] for cell in COUNTS)


def expected() -> dict[str, float]:
    """What independence makes of the four counts."""
    total = sum(COUNTS.values())
    sums = {
        side: sum(n for cell, n in COUNTS.items() if side in _sides(cell)) for cell in COUNTS for side in _sides(cell)
    }
    return {cell: float(np.prod([sums[side] for side in _sides(cell)])) / total for cell in COUNTS}


def _sides(cell: str) -> tuple[str, str]:
    of_class, of_word = cell.split(",")
    return of_class, of_word


def chi_square_data() -> RankingData:
    """The 10,005 documents: one feature, whether the word is there, and the class as the label."""
    cells = list(COUNTS.items())
    word = np.repeat([0.0 if "not jaguar" in cell else 1.0 for cell, _ in cells], [n for _, n in cells])
    of_class = np.repeat([0.0 if cell.startswith("not") else 1.0 for cell, _ in cells], [n for _, n in cells])
    return RankingData(word[:, None], of_class, np.array([0, len(word)]))


def chi_square_table() -> Table:
    """The statistic of `ChiSquared` for each way to cut the feature."""
    data = chi_square_data()
    rows = [
        (way, f"{ChiSquared(discretizer=way).fit(data).scores_[0]:.4f}")
        for way in ("equal_frequency", "equal_width", "mdl")
    ]
    title = "Chi-square of the worked example by discretisation; the slide prints 12.9, from rounded expectations"
    return Table(title, ("cut", "chi-square"), tuple(rows), shown=True)
