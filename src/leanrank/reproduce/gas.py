"""GAS: the curves of Geng, Liu, Qin and Li on OHSUMED, and what they say of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.evaluation.fold_run import Fits, feature_sets, run_fold
from leanrank.evaluation.grids import points, rankers_of
from leanrank.evaluation.journal import Task
from leanrank.evaluation.records import FoldRecord
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics.names import metric
from leanrank.rankers.ranknet import RankNet
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.outcome import Claim, Reproduction, Table
from leanrank.selectors.gas import GAS
from leanrank.selectors.information_gain import ChiSquared, InformationGain
from leanrank.stats.feature_graph import FeatureGraph, feature_graph

LEARNERS = ("Ranking SVM", "RankNet")
MEASURES = ("MAP", "NDCG@10")
ALL = "all features"
#: How the papers count concordant pairs.
STRICT = "strict"
C_GRID = {"c": [0.0, 0.01, 0.05, 0.1, 0.2, 0.5]}
_SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 25, 30)
_FEW = (1, 5, 10)


#: (learner, method, t) -> records of the folds
Curves = dict[tuple[str, str, int | str], list[FoldRecord]]


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """The curves for both learners, and the findings."""
    folds = data.folds("ohsumed")
    sizes = _FEW if quick else _SIZES
    claims: list[Claim] = []
    tables: list[Table] = []
    if folds is not None:
        parts = list(folds)
        grid = {"c": [0.0, 0.1]} if quick else C_GRID
        curves = _curves(parts, LEARNERS[:1] if quick else LEARNERS, sizes, grid, tasks)
        tables = _tables(curves, sizes)
        claims = [*_curve_claims(curves, sizes), *_structure_claims(parts, curves, sizes)]
    else:
        claims = [Claim("The curves of Figures 4 and 5", None, "needs OHSUMED")]
    return Reproduction.of("gas", (), claims, tables, quick=quick)


def _curves(
    folds: list[Fold], learners: Sequence[str], sizes: Sequence[int], grid: dict[str, list[float]], tasks: Tasks
) -> Curves:
    by = metric("map", convention="letor3", relevance_threshold=2)
    measures = {"MAP": by, "NDCG@10": metric("ndcg@10", convention="letor3", discount="log2", short="pad")}
    importance = metric("map", relevance_threshold=2)
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
        rankers = rankers_of("ranksvm", by) if learner == "Ranking SVM" else _ranknets(by)

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

        wanted = [{"paper": "gas", "learner": learner, "fold": i} for i in range(len(folds))]
        title = f"OHSUMED: {learner}, {len(methods)} methods at {len(sizes)} sizes"
        given = methods, rankers
        for of_fold in tasks.run(one, folds, wanted, lambda task, given=given: given, title=title):  # type: ignore[misc]
            for method, size, record in of_fold:
                curves.setdefault((learner, method, size), []).append(FoldRecord.from_dict(record))
    return curves


def _ranknets(by: Any) -> list[RankNet]:
    return [RankNet(learning_rate=rate, n_epochs=60, eval_metric=by, early_stopping_rounds=15) for rate in (0.1, 1.0)]


def _value(records: Sequence[FoldRecord], measure: str) -> float:
    return float(np.mean([record.scores[measure] or 0.0 for record in records]))


def _methods(curves: Curves) -> list[str]:
    return list(dict.fromkeys(method for _, method, _ in curves if method != ALL))


def _learners(curves: Curves) -> list[str]:
    return list(dict.fromkeys(learner for learner, _, _ in curves))


def _tables(curves: Curves, sizes: Sequence[int]) -> list[Table]:
    tables = []
    for learner in _learners(curves):
        for measure in MEASURES:
            rows = [
                (str(t), *(f"{_value(curves[learner, method, t], measure):.4f}" for method in _methods(curves)))
                for t in sizes
            ]
            every = f"{_value(curves[learner, ALL, ALL], measure):.4f}"
            rows.append(("all", *([every] * len(_methods(curves)))))
            title = f"{measure} of {learner} on OHSUMED against the number of features t"
            tables.append(Table(title, ("t", *_methods(curves)), tuple(rows)))
    return tables


def _curve_claims(curves: Curves, sizes: Sequence[int]) -> list[Claim]:
    claims = []
    for learner in _learners(curves):
        for measure in MEASURES:
            mean = {
                m: float(np.mean([_value(curves[learner, m, t], measure) for t in sizes])) for m in _methods(curves)
            }
            every = _value(curves[learner, ALL, ALL], measure)
            for gas in ("GAS-E", "GAS-L"):
                values = [_value(curves[learner, gas, t], measure) for t in sizes]
                best, top = sizes[int(np.argmax(values))], max(values)
                n_above = sum(value > every for value in values)
                text = f"{learner}, {measure}: {gas} is better than all features (at most of the sizes)"
                figures = f"at {n_above} of {len(sizes)} sizes; {top:.4f} at best, with {best}, {every:.4f} with all"
                claims.append(Claim(text, n_above > len(sizes) / 2, figures))
                text = f"{learner}, {measure}: {gas} is better than IG and CHI (mean of the curve)"
                figures = f"{mean[gas]:.4f}; IG {mean['IG']:.4f}, CHI {mean['CHI']:.4f}"
                claims.append(Claim(text, mean[gas] > max(mean["IG"], mean["CHI"]), figures))
    return claims


def _structure_claims(folds: list[Fold], curves: Curves, sizes: Sequence[int]) -> list[Claim]:
    graph = feature_graph(folds[0].train, similarity=STRICT)
    varying = graph.subset(np.flatnonzero(~graph.constant))
    inside, between, blocks = _blocks(varying)
    claims = [
        Claim(
            "OHSUMED: the features form two large blocks of similar features (read as: two clusters, none below a "
            "quarter of the features, at least 0.1 more alike inside than between)",
            inside - between > 0.1 and min(blocks) >= sum(blocks) / 4,
            f"two clusters of {blocks[0]} and {blocks[1]} features; mean similarity {inside:.2f} inside them, "
            f"{between:.2f} between them (0.5 is unrelated)",
        )
    ]
    for learner in _learners(curves):
        tuned, plain = (
            float(np.mean([_value(curves[learner, m, t], "MAP") for t in sizes])) for m in ("GAS-E", "GAS-E, c = 0")
        )
        text = f"OHSUMED, {learner}: punishing similarity does not help (mean of the MAP curve, c tuned against c = 0)"
        claims.append(Claim(text, tuned - plain < 0.005, f"{tuned:.4f} against {plain:.4f}"))
    spread = varying.importance.max() - varying.importance.min()
    figures = f"MAP of single features from {varying.importance.min():.3f} to {varying.importance.max():.3f}"
    claims.append(Claim("OHSUMED: single features differ in their effect", bool(spread > 0.05), figures))
    claims.append(_speed(folds[0]))
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


def _speed(fold: Fold) -> Claim:
    ranker = rankers_of("ranksvm", metric("map"))[0]
    few = GAS(10, similarity=STRICT).fit(fold.train).selected_
    seconds: Mapping[str, list[float]] = {"few": [], "all": []}
    for _ in range(5):
        for name, columns in (("few", few), ("all", np.arange(fold.train.n_features))):
            train, valid = fold.train.subset(columns), fold.valid.subset(columns)
            start = time.perf_counter()
            clone(ranker).fit(train, eval_set=valid)
            seconds[name].append(time.perf_counter() - start)
    ratio = min(seconds["all"]) / min(seconds["few"])
    text = "Selecting features makes training faster (Ranking SVM, 10 of 45 features)"
    return Claim(text, ratio > 1, f"{ratio:.1f} times as fast")
