"""BestGain: Tables 1 to 6 of Costa and Silva, with SVM-MAP."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leanrank.data.folds import Fold
from leanrank.evaluation.fold_run import feature_sets, run_fold
from leanrank.evaluation.journal import Task
from leanrank.evaluation.protocol import rankers_of
from leanrank.evaluation.records import FoldRecord
from leanrank.evaluation.stability import repetition
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric
from leanrank.rankers.svmmap import SVMMAP
from leanrank.reproduce.bestgain_claims import PAIRS, claims, heuristic_claim
from leanrank.reproduce.bestgain_methods import (
    BASELINE,
    GAS_C,
    GAS_STOP,
    WRAPPER,
    WRAPPER_DELTA,
    Way,
    gas_weights,
    methods,
    readings,
    thresholds,
    wrapper_gains,
)
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.letor_rows import statistic
from leanrank.reproduce.outcome import Cell, Choice, Claim, Published, Reproduction, Table, published

DATASETS = ("TD2003", "TD2004", "OHSUMED")

_C = "the C values of SVM-MAP are not published"
_FITTED = "the published number of features: its count confirms nothing"
CHOICES = (
    Choice("when the wrapper stops", f"at a gain below {WRAPPER_DELTA:g} in training MAP", _FITTED, 2),
    Choice("when GAS-E stops", f"at a weight below {GAS_STOP:g}, c = {GAS_C:g}, tau clipped at 0", _FITTED, 2),
    Choice("C of SVM-MAP", "each fold's own, the same for every method", "validation MAP with all features", 4),
)
REASONS = {
    "CFS": _C,
    "Consistency": _C,
    "INTERACT": _C,
    "GAS-E": "neither c, the stop threshold nor C are published; c and threshold read from the number of features",
    WRAPPER: "neither the stop threshold nor C are published; the threshold is read from the number of features",
    BASELINE: _C,
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
        """A figure as the paper has it: a mean number of features, or a measure in percent."""
        if measure == "# features":
            return float(np.mean([record.n_features for record in self.records]))
        return 100 * float(np.mean([record.scores[measure.lower()] or 0.0 for record in self.records]))

    def per_query(self, measure: str) -> list[float]:
        """The measure of every test query."""
        return [value or 0.0 for record in self.records for value in record.per_query[measure]]

    @property
    def prices(self) -> dict[str, float]:
        """The C of each fold."""
        return {record.fold: float(record.ranker_parameters["C"]) for record in self.records}


Outcomes = dict[str, Outcome]


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """Run every method of Table 2 on every data set that is there."""
    outcomes: dict[str, Outcomes] = {}
    stated: list[Claim] = []
    tables: list[Table] = []
    folds_of: dict[str, list[Fold]] = {}
    for dataset in DATASETS:
        official = data.folds(dataset)
        if official is None:
            continue
        folds = folds_of[dataset] = list(official)
        outcomes[dataset] = _dataset(dataset, folds, tasks, quick)
        stated.append(
            heuristic_claim(dataset, folds, tasks, outcomes[dataset][BASELINE].prices, 20 if quick else PAIRS)
        )
        if not quick:
            tables += [_readings(dataset, outcomes[dataset]), _thresholds(dataset, folds, tasks, outcomes[dataset])]
        tables.append(_times(dataset, outcomes[dataset]))
    cells = [_cell(p, outcomes, folds_of, quick) for p in published("bestgain") if p.unit != "minutes"]
    return Reproduction.of("bestgain", cells, [*claims(DATASETS, outcomes), *stated], tables, CHOICES, quick=quick)


def _dataset(dataset: str, folds: list[Fold], tasks: Tasks, quick: bool) -> Outcomes:
    """The outcomes of the methods, then of their other readings."""
    by = metric("map", convention="letor3")
    measures = {"map": by, "ndcg@10": metric("ndcg@10", convention="letor3")}
    grid = [SVMMAP(C=[0.1, 10.0], eval_metric=by)] if quick else rankers_of("svmmap", by)
    what = {"paper": "bestgain", "dataset": dataset}

    def baseline(folds: list[Fold], task: Task, _: None) -> dict[str, Any]:
        fold = folds[task["fold"]]
        return run_fold(fold, BASELINE, feature_sets(None, fold.train), grid, measures, by).to_dict()

    wanted = [{**what, "method": BASELINE, "fold": i} for i in range(len(folds))]
    every = tasks.run(baseline, folds, wanted, title=f"{dataset}: SVM-MAP with all features")
    outcomes = {BASELINE: Outcome([FoldRecord.from_dict(record) for record in every], 0.0)}
    price = outcomes[BASELINE].prices
    for name, way in (methods(dataset, quick) | readings(dataset, quick)).items():
        outcomes[name] = _on_folds(tasks, folds, {**what, "way": name}, way, price, measures)
    return outcomes


def _on_folds(
    tasks: Tasks, folds: list[Fold], what: Task, way: Way, price: Mapping[str, float], measures: Mapping[str, Metric]
) -> Outcome:
    """A method on one fold after another: the times are compared."""

    def work(folds: list[Fold], task: Task, _: None) -> dict[str, Any]:
        seconds, records = [], []
        for fold in folds:
            ranker = SVMMAP(C=price[fold.name] if way.C is None else way.C, eval_metric=measures["map"])
            start = time.process_time()
            choice = way.choose(fold, ranker)
            seconds.append(time.process_time() - start)
            records.append(run_fold(fold, task["way"], choice, [ranker], measures, measures["map"]))
        return Outcome(records, float(np.median(seconds))).to_dict()

    [outcome] = tasks.run(work, folds, [what], title=f"{what['dataset']}: {what['way']}")
    return Outcome.from_dict(outcome)


def _cell(p: Published, outcomes: Mapping[str, Outcomes], folds_of: Mapping[str, list[Fold]], quick: bool) -> Cell:
    exact = p.dataset == "OHSUMED" and (
        p.table == "1"
        or p.method in ("BestGain", "FCBF")
        or (p.metric == "# features" and p.method in ("CFS", "Consistency", "INTERACT", BASELINE))
    )
    named = {"avg.": DATASETS, "TD2003 and TD2004": DATASETS[:2]}.get(p.dataset, (p.dataset,))
    missing = [dataset for dataset in named if dataset not in outcomes]
    if missing:
        return Cell(p, None, exact, f"needs {', '.join(missing)}")
    if p.table == "1":
        return Cell(p, statistic(folds_of[p.dataset], p.metric), exact)
    if any(p.method not in outcomes[dataset] for dataset in named):
        return Cell(p, None, exact, "not in the quick version")
    chosen = [outcomes[dataset][p.method] for dataset in named]
    if p.table == "2":
        return Cell(p, float(np.mean([of.cell(p.metric) for of in chosen])), exact, REASONS.get(p.method, ""))
    counted = repetition([record.features for of in chosen for record in of.records])
    if p.table == "3":
        return Cell(p, counted.sizes[int(p.metric.split()[-1]) - 1], exact)
    if p.table == "6":  # the most repeated features, whatever their names
        times = [r for r in range(len(counted.counts), 0, -1) for _ in range(counted.counts[r - 1])]
        place = [q.metric for q in published("bestgain") if q.table == "6"].index(p.metric)
        return Cell(p, float(times[place]) if place < len(times) else 0.0, exact)
    return Cell(p, counted.counts[int(p.metric.split()[-1].rstrip("x")) - 1], exact)


def _readings(dataset: str, outcomes: Outcomes) -> Table:
    """Every reading of the methods whose thresholds are not published."""
    measures = ("MAP", "NDCG@10", "# features")
    rows = []
    for name, of in outcomes.items():
        method = next((m for m in ("GAS-E", WRAPPER) if name.startswith(m)), None)
        if method is not None:
            printed = {p.metric: p.text for p in published("bestgain") if (p.dataset, p.method) == (dataset, method)}
            sizes = ", ".join(str(record.n_features) for record in of.records)
            figures = [f"{of.cell(m):.2f} ({printed.get(m, '')})" for m in measures]
            rows.append((name, *figures, sizes))
    title = f"{dataset}: {len(rows)} readings of the thresholds and of C, published figures in brackets"
    return Table(title, ("reading", *measures, "features in each fold"), tuple(rows), shown=True)


def _thresholds(dataset: str, folds: list[Fold], tasks: Tasks, outcomes: Outcomes) -> Table:
    """Which thresholds give the published numbers of features on the training queries."""
    price = outcomes[BASELINE].prices

    def work(folds: list[Fold], task: Task, _: None) -> dict[str, list[list[float]]]:
        rankers = [SVMMAP(C=price[fold.name], eval_metric=metric("map", convention="letor3")) for fold in folds]
        steps = {WRAPPER: wrapper_gains(folds, rankers), "GAS-E": gas_weights(folds)}
        return {name: [of.tolist() for of in of_method] for name, of_method in steps.items()}

    what = {"paper": "bestgain", "dataset": dataset, "thresholds": True}
    [steps] = tasks.run(work, folds, [what], title=f"{dataset}: thresholds")
    rows = []
    for p in published("bestgain"):
        if p.metric == "# features" and p.dataset == dataset and p.method in steps:
            between = thresholds([np.array(of) for of in steps[p.method]], p.value)
            figures = ("none", "") if between is None else tuple(f"{value:.4f}" for value in between)
            rows.append((p.method, p.text, *figures))
    columns = ("method", "features", "above", "up to")
    return Table(
        f"{dataset}: stop thresholds that give the published numbers of features", columns, tuple(rows), shown=True
    )


def _times(dataset: str, outcomes: Outcomes) -> Table:
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
