"""A row of a LETOR results table: mean over the official folds of each measure, everything tuned on validation MAP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.evaluation.records import CrossValidation
from leanrank.metrics._base import Metric, mean
from leanrank.metrics.names import metric
from leanrank.rankers._base import Ranker

MEASURES = ("NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10", "MAP")

Row = dict[str, float]


def measures(convention: str) -> dict[str, Metric]:
    """The measures of LETOR's tables, by the names printed there."""
    return {name: metric(name, convention=convention) for name in MEASURES}


def fold_mean(values: Any) -> float:
    """Mean over folds as LETOR's tables have it: of the fold scores printed with four digits.

    RankSVM-Primal on MQ2008, NDCG@1, is 0.37243 without that rounding and 0.3725 in the published table.
    """
    return float(np.mean(np.round(values, 4)))


def row_of(found: CrossValidation) -> Row:
    """The row of a cross-validation with these measures."""
    return {name: fold_mean([r.scores[name.lower()] or 0.0 for r in found.records]) for name in MEASURES}


def ranker_row(
    make: Callable[[Metric, Fold], Sequence[Any]], folds: Sequence[Fold], convention: str, n_jobs: int = 1
) -> tuple[Row, list[Any]]:
    """The row of a ranker (or anything with `fit(train, eval_set=...)` and `predict`), and what was fitted.

    `make` gives the settings to try in a fold, from the validation metric; the best on the validation part is kept, of
    equals the first.
    """
    wanted = measures(convention)
    by = wanted["MAP"]

    def one(fold: Fold) -> tuple[list[float], Any]:
        fitted = [clone(ranker).fit(fold.train, eval_set=fold.valid) for ranker in make(by, fold)]
        best = fitted[int(np.argmax([round(_mean(by, f, fold.valid), 12) for f in fitted]))]
        return [_mean(measure, best, fold.test) for measure in wanted.values()], best

    results = over_folds(one, folds, n_jobs)
    scores = np.array([r[0] for r in results])
    return {name: fold_mean(scores[:, m]) for m, name in enumerate(wanted)}, [r[1] for r in results]


def over_folds(work: Callable[[Fold], Any], folds: Sequence[Fold], n_jobs: int) -> list[Any]:
    """`work` of every fold, some at a time."""
    if n_jobs == 1:
        return [work(folds[i]) for i in range(len(folds))]
    with ThreadPoolExecutor(n_jobs) as pool:
        return list(pool.map(work, list(folds)))


def _mean(measure: Metric, ranker: Ranker, part: Any) -> float:
    return float(mean(measure.per_query(part.y, ranker.predict(part), part.query_ptr)))
