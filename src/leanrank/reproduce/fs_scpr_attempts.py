"""Baselines of FS-SCPR whose cells differ, tried in a few other settings: what validation queries say of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.evaluation.fold_run import feature_sets, run_fold
from leanrank.evaluation.journal import Task
from leanrank.evaluation.protocol import points, rankers_of
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.rankers.adarank import AdaRank
from leanrank.rankers.listnet import ListNet
from leanrank.reproduce.datasets import STRICT
from leanrank.reproduce.letor_rows import MEASURES, fold_mean, measures, score
from leanrank.reproduce.outcome import Table
from leanrank.selectors.fsmrank import Fitting
from leanrank.selectors.fsmsvm import FSMSVM
from leanrank.selectors.gas import GAS
from leanrank.stats.similarity import Similarity

#: Where the cells are that differ.
DATASET = "OHSUMED"
RATES = (1e-5, 1e-4, 1e-3, 1e-2)
PRICES = [1e-2, 1e-1, 1.0, 1e1, 1e2]
#: The number of features that a later comparison (MOFSRank) reports of FSMRank on OHSUMED.
REPORTED = 18

#: Validation MAP, the measures of the test queries, and the number of features of what was kept in a fold.
Kept = tuple[float, list[float], int]
#: What was chosen in each fold of FSMRank: its lambdas and its number of features.
Chosen = Mapping[str, Mapping[str, Any]]
Attempt = Callable[[Fold, Mapping[str, Metric], Chosen], Kept]


def attempts() -> dict[tuple[str, str], Attempt]:
    """By method and setting, the setting of the row first."""
    return {
        ("AdaRank-MAP", "a feature chosen for ever is left out (the row)"): _best(
            lambda by: [AdaRank(by, 500, eval_metric=by)]
        ),
        ("AdaRank-MAP", "such a feature ends the boosting"): _best(
            lambda by: [AdaRank(by, 500, on_fixed_point="stop", eval_metric=by)]
        ),
        ("AdaRank-MAP", "a gain below 0.002 ends the boosting"): _best(
            lambda by: [AdaRank(by, 500, tol=0.002, eval_metric=by)]
        ),
        ("ListNet", "steps of four lengths, query by query (the row)"): _best(
            lambda by: [ListNet(rate, 300, eval_metric=by) for rate in RATES]
        ),
        ("ListNet", "the same with targets from 2^y - 1"): _best(
            lambda by: [ListNet(rate, 300, label_transform="exp2", eval_metric=by) for rate in RATES]
        ),
        ("ListNet", "the way to the minimum by L-BFGS"): _best(
            lambda by: [ListNet(n_epochs=300, solver="lbfgs", eval_metric=by)]
        ),
        ("FSMSVM", "its size by validation MAP (the row)"): _fsmsvm(lambda of: None),
        ("FSMSVM", "as many features as FSMRank keeps"): _fsmsvm(lambda of: max(1, int(of["n_features"]))),
        ("FSMSVM", f"{REPORTED} features, as are reported of FSMRank"): _fsmsvm(lambda of: REPORTED),
        ("GAS-E", "ties count in no pair (the row)"): _gas(STRICT),
        ("GAS-E", "ties count half"): _gas(Similarity("kendall", ties="half")),
    }


def _best(make: Callable[[Metric], Sequence[Any]]) -> Attempt:
    def attempt(fold: Fold, wanted: Mapping[str, Metric], chosen: Chosen) -> Kept:
        return _kept([clone(ranker) for ranker in make(wanted["MAP"])], fold, wanted)

    return attempt


def _fsmsvm(size: Callable[[Mapping[str, Any]], int | None]) -> Attempt:
    def attempt(fold: Fold, wanted: Mapping[str, Metric], chosen: Chosen) -> Kept:
        of = chosen[fold.name]
        lambdas = {name: of[name] for name in ("lambda1", "lambda2")}
        fitting = Fitting(metric=wanted["MAP"])
        return _kept([FSMSVM(size(of), C=PRICES, similarity=STRICT, fitting=fitting, **lambdas)], fold, wanted)

    return attempt


def _kept(rankers: Sequence[Any], fold: Fold, wanted: Mapping[str, Metric]) -> Kept:
    """The one that is best on the validation queries, of equals the first."""
    fitted = [ranker.fit(fold.train, eval_set=fold.valid) for ranker in rankers]
    validation = [score(wanted["MAP"], ranker, fold.valid) for ranker in fitted]
    best = int(np.argmax(np.round(validation, 12)))
    test = [score(measure, fitted[best], fold.test) for measure in wanted.values()]
    return validation[best], test, int((fitted[best].coef_ != 0).sum())


def _gas(similarity: Similarity) -> Attempt:
    def attempt(fold: Fold, wanted: Mapping[str, Metric], chosen: Chosen) -> Kept:
        sizes = range(1, fold.train.n_features)
        sets = feature_sets(
            GAS(similarity=similarity), fold.train, sizes, points({"c": [0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0]})
        )
        record = run_fold(fold, "GAS-E", sets, rankers_of("ranksvm", wanted["MAP"]), wanted, wanted["MAP"])
        return record.valid_score or 0.0, [record.scores[name] or 0.0 for name in wanted], record.n_features

    return attempt


def attempts_table(tasks: Tasks, folds: Sequence[Fold], convention: str, chosen: Chosen) -> Table:
    """Every attempt on every fold."""
    tried = attempts()

    def one(folds: Sequence[Fold], task: Task, _: None) -> Kept:
        return tried[task["method"], task["setting"]](folds[task["fold"]], measures(convention), chosen)

    what = {"paper": "fs-scpr", "dataset": DATASET}
    rows = []
    for method, setting in tried:
        wanted = [{**what, "method": method, "setting": setting, "fold": i} for i in range(len(folds))]
        of = tasks.run(one, folds, wanted, title=f"{DATASET}: {method}, {setting}")
        test = [f"{fold_mean([test[m] for _, test, _ in of]):.4f}" for m in range(len(MEASURES))]
        validation, sizes = (float(np.mean([kept[i] for kept in of])) for i in (0, 2))
        rows.append((method, setting, *test, f"{sizes:.1f}", f"{validation:.4f}"))
    title = f"{DATASET}: baselines whose cells differ, in {len(rows)} settings"
    return Table(title, ("method", "setting", *MEASURES, "features", "validation MAP"), tuple(rows), shown=True)
