"""BestGain: Tables 2 to 4 of Costa and Silva, with SVM-MAP."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leanrank.data.folds import Fold
from leanrank.evaluation.fold_run import FeatureSet, feature_sets, run_fold
from leanrank.evaluation.grids import points, rankers_of
from leanrank.evaluation.journal import Task
from leanrank.evaluation.records import FoldRecord
from leanrank.evaluation.significance import paired_t_test
from leanrank.evaluation.stability import repetition
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics.names import metric
from leanrank.rankers.svmmap import SVMMAP
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.outcome import Cell, Claim, Published, Reproduction, Table, published
from leanrank.selectors.bestgain import BestGain
from leanrank.selectors.cfs import CFS
from leanrank.selectors.consistency import Consistency
from leanrank.selectors.fcbf import FCBF
from leanrank.selectors.gas import GAS
from leanrank.selectors.greedy_wrapper import GreedyWrapper
from leanrank.selectors.interact import INTERACT

DATASETS = ("TD2003", "TD2004", "OHSUMED")
BASELINE = "Baseline (all features)"
WRAPPER = "Greedy Wrapper"
#: The smallest gain worth a feature. On OHSUMED the published single feature needs more than 0.0541; that of the
#: others is chosen on validation queries.
DELTA = {"OHSUMED": 0.1}
_SIZES = list(range(1, 21))
_WRAPPER_SIZES = 5


REASONS = {
    "FCBF": "",
    "CFS": "the C values of SVM-MAP are not published",
    "Consistency": "the C values of SVM-MAP are not published",
    "INTERACT": "the C values of SVM-MAP are not published",
    "GAS-E": "neither c, the stop threshold nor C are published",
    WRAPPER: "neither the stop threshold nor C are published",
    BASELINE: "the C values of SVM-MAP are not published",
}


@dataclass(frozen=True)
class Outcome:
    """A method on the folds of a data set."""

    records: Sequence[FoldRecord]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {"records": [record.to_dict() for record in self.records], "seconds": self.seconds}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Outcome:
        return cls([FoldRecord.from_dict(record) for record in plain["records"]], plain["seconds"])

    def cell(self, measure: str) -> float:
        if measure == "# features":
            return float(np.mean([record.n_features for record in self.records]))
        return 100 * float(np.mean([record.scores[measure.lower()] or 0.0 for record in self.records]))

    def per_query(self, measure: str) -> list[float]:
        return [value or 0.0 for record in self.records for value in record.per_query[measure]]


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """Run every method of Table 2 on every data set that is there."""
    outcomes: dict[str, dict[str, Outcome]] = {}
    for dataset in DATASETS:
        folds = data.folds(dataset)
        if folds is not None:
            outcomes[dataset] = _dataset(dataset, list(folds), tasks, quick)
    cells = [_cell(p, outcomes, quick) for p in published("bestgain") if p.table in ("2", "3", "4") and _is_shown(p)]
    times = [_times(dataset, of) for dataset, of in outcomes.items()]
    return Reproduction.of("bestgain", cells, _claims(outcomes), times, quick=quick)


def _is_shown(p: Published) -> bool:
    """Times are compared as ratios, in a table of their own."""
    return p.unit != "minutes"


def _dataset(dataset: str, folds: list[Fold], tasks: Tasks, quick: bool) -> dict[str, Outcome]:
    by = metric("map", convention="letor3")
    measures = {"map": by, "ndcg@10": metric("ndcg@10", convention="letor3")}
    grid = [SVMMAP(C=[0.1, 10.0], eval_metric=by)] if quick else rankers_of("svmmap", by)

    what = {"paper": "bestgain", "dataset": dataset}

    def baseline(folds: list[Fold], task: Task, _: None) -> dict[str, Any]:
        fold = folds[task["fold"]]
        return run_fold(fold, BASELINE, feature_sets(None, fold.train), grid, measures, by).to_dict()

    def on_folds(folds: list[Fold], task: Task, choose: Choose) -> dict[str, Any]:
        """A method on one fold after another: the times are compared."""
        seconds, records = [], []
        for fold in folds:
            ranker = SVMMAP(C=price[fold.name], eval_metric=by)
            start = time.process_time()
            choice = choose(fold, ranker)
            seconds.append(time.process_time() - start)
            records.append(run_fold(fold, task["method"], choice, [ranker], measures, by))
        return Outcome(records, float(np.median(seconds))).to_dict()

    wanted = [{**what, "method": BASELINE, "fold": i} for i in range(len(folds))]
    every = tasks.run(baseline, folds, wanted, title=f"{dataset}: SVM-MAP with all features")
    outcomes = {BASELINE: Outcome([FoldRecord.from_dict(record) for record in every], 0.0)}
    price = {r.fold: float(r.ranker_parameters["C"]) for r in outcomes[BASELINE].records}
    for name, choose in _methods(dataset, quick).items():
        [outcome] = tasks.run(
            on_folds,
            folds,
            [{**what, "method": name}],
            lambda task, choose=choose: choose,  # type: ignore[misc]
            title=f"{dataset}: {name}",
        )
        outcomes[name] = Outcome.from_dict(outcome)
    return outcomes


Choose = Callable[[Fold, SVMMAP], list[FeatureSet]]


def _methods(dataset: str, quick: bool) -> dict[str, Choose]:
    def filtered(selector: Any, grid: Any = None, sizes: Sequence[Any] = (None,)) -> Choose:
        return lambda fold, ranker: feature_sets(selector, fold.train, sizes, points(grid))

    def wrapped(fold: Fold, ranker: SVMMAP) -> list[FeatureSet]:
        wrapper = GreedyWrapper(ranker, _WRAPPER_SIZES, metric=ranker.eval_metric, validation="train")
        return feature_sets(wrapper, fold.train, range(1, _WRAPPER_SIZES + 1))

    best = BestGain(delta=DELTA[dataset]) if dataset in DELTA else BestGain()
    methods: dict[str, Choose] = {
        "FCBF": filtered(FCBF(min_features=1)),
        "CFS": filtered(CFS(min_features=1)),
        "Consistency": filtered(Consistency()),
        "INTERACT": filtered(INTERACT()),
        "GAS-E": filtered(GAS(similarity="strict"), {"c": [0.0, 0.01, 0.1]}, [1, 2, 3, 5, 10] if quick else _SIZES),
        "BestGain": filtered(best, None if dataset in DELTA else {"delta": [0.2, 0.1, 0.05, 0.02, 0.01, 0.005]}),
    }
    return methods if quick else methods | {WRAPPER: wrapped}


def _cell(p: Published, outcomes: dict[str, dict[str, Outcome]], quick: bool) -> Cell:
    exact = p.dataset == "OHSUMED" and (
        p.method in ("BestGain", "FCBF")
        or (p.metric == "# features" and p.method in ("CFS", "Consistency", "INTERACT", BASELINE))
    )
    if p.dataset == "avg.":
        if set(DATASETS) - set(outcomes):
            return Cell(p, None, exact, f"needs {', '.join(d for d in DATASETS if d not in outcomes)}")
        return Cell(p, float(np.mean([outcomes[d][p.method].cell(p.metric) for d in DATASETS])), exact, "")
    if p.dataset not in outcomes:
        return Cell(p, None, exact, f"needs {p.dataset}")
    outcome = outcomes[p.dataset].get(p.method)
    if outcome is None:
        return Cell(p, None, exact, "not in the quick version")
    if p.table == "2":
        return Cell(p, outcome.cell(p.metric), exact, REASONS.get(p.method, ""))
    counted = repetition([record.features for record in outcome.records])
    if p.table == "3":
        return Cell(p, counted.sizes[int(p.metric.split()[-1]) - 1], exact)
    times = int(p.metric.split()[-1].rstrip("x"))
    return Cell(p, counted.counts[times - 1], exact)


def _times(dataset: str, outcomes: dict[str, Outcome]) -> Table:
    """Times as ratios to BestGain's: the paper's machine and ours have nothing else in common."""
    printed = {p.method: p.value for p in published("bestgain") if p.dataset == dataset and p.metric == "time (min)"}
    kendall = next(
        (p.value for p in published("bestgain") if p.dataset == dataset and "Kendall" in p.metric), float("nan")
    )
    base = outcomes["BestGain"].seconds
    rows = []
    for method, outcome in outcomes.items():
        if method in printed:
            paper = printed[method] / printed["BestGain"]
            rows.append((method, f"{paper:.2f}", f"{outcome.seconds / base:.2f}", f"{outcome.seconds:.3f}"))
    paper = (printed["GAS-E"] + kendall) / printed["BestGain"]
    rows.append(("GAS-E with its Kendall matrix", f"{paper:.2f}", f"{outcomes['GAS-E'].seconds / base:.2f}", ""))
    title = f"{dataset}: time to select, BestGain = 1 (the paper's GAS-E is without its matrix, ours with it)"
    return Table(title, ("method", "published ratio", "our ratio", "our processor seconds a fold"), tuple(rows))


def _claims(outcomes: dict[str, dict[str, Outcome]]) -> list[Claim]:
    claims = []
    for dataset, of in outcomes.items():
        n_all = of[BASELINE].cell("# features")
        share = of["BestGain"].cell("# features") / n_all
        tests = {m: paired_t_test(of["BestGain"].per_query(m), of[BASELINE].per_query(m)) for m in ("map", "ndcg@10")}
        figures = ", ".join(f"{m} {t.difference:+.4f}, p = {t.p:.3f}" for m, t in tests.items())
        claims.append(
            Claim(
                f"{dataset}: BestGain keeps at most 15% of the features and is no worse than all of them "
                "(paired t-test, 0.05)",
                share <= 0.15 and all(t.p >= 0.05 or t.difference > 0 for t in tests.values()),
                f"{share:.1%} of the features; {figures}",
            )
        )
        if WRAPPER in of:
            ratio = of[WRAPPER].seconds / of["BestGain"].seconds
            claims.append(
                Claim(f"{dataset}: the wrapper is far slower than BestGain", ratio > 10, f"{ratio:.0f} times as long")
            )
            ranking = ("GAS-E", "BestGain", WRAPPER)
            others = ("FCBF", "CFS", "Consistency", "INTERACT")
            least = min(of[m].cell("NDCG@10") for m in ranking)
            most = max(of[m].cell("NDCG@10") for m in others)
            text = f"{dataset}: the three methods made for ranking are above the four made for classification (NDCG@10)"
            claims.append(Claim(text, least > most, f"lowest of the three {least:.2f}, highest of the four {most:.2f}"))
    return claims
