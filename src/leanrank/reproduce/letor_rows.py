"""A row of a LETOR results table: mean over the official folds of each measure, everything tuned on validation MAP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.evaluation.journal import Task
from leanrank.evaluation.records import CrossValidation
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric, mean
from leanrank.metrics.names import metric
from leanrank.reproduce.outcome import published

MEASURES = ("NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10", "MAP")

Row = dict[str, float]
#: The settings to try in a fold, from the validation metric.
Candidates = Callable[[Metric, Fold], Sequence[Any]]


@dataclass(frozen=True)
class OfFold:
    """The test queries of a fold with the ranker that was best on its validation queries, and what to know of that."""

    per_query: NDArray[np.float64]
    about: Any

    @property
    def means(self) -> list[float]:
        """The mean of each measure."""
        return [float(value) for value in mean(self.per_query)]


def measures(convention: str) -> dict[str, Metric]:
    """The measures of LETOR's tables, by the names printed there."""
    return {name: metric(name, convention=convention) for name in MEASURES}


def published_rows(paper: str, table: str) -> dict[str, Row]:
    """The rows of a published table, by method."""
    rows: dict[str, Row] = {}
    for p in published(paper):
        if p.table == table:
            rows.setdefault(p.method, {})[p.metric] = p.value
    return rows


def fold_mean(values: Any) -> float:
    """Mean over folds as LETOR's tables have it: of the fold scores printed with four digits.

    RankSVM-Primal on MQ2008, NDCG@1, is 0.37243 without that rounding and 0.3725 in the published table.
    """
    return float(np.mean(np.round(values, 4)))


def row_of(validated: CrossValidation) -> Row:
    """The row of a cross-validation with these measures."""
    return {name: fold_mean([r.scores[name.lower()] or 0.0 for r in validated.records]) for name in MEASURES}


def row_of_folds(folds: Sequence[OfFold]) -> Row:
    """The row of a ranker."""
    means = np.array([fold.means for fold in folds])
    return {name: fold_mean(means[:, m]) for m, name in enumerate(MEASURES)}


def best_of_folds(
    tasks: Tasks,
    what: Task,
    make: Candidates,
    folds: Sequence[Fold],
    convention: str,
    about: Callable[[Any], Any] = lambda ranker: None,
) -> list[OfFold]:
    """A ranker (or anything with `fit(train, eval_set=...)` and `predict`) on every fold.

    The best setting of `make` on the validation part is kept, of equals the first. `what` names the work in the
    journal; `about` are plain values to know of the ranker that was kept.
    """
    wanted = measures(convention)
    by = wanted["MAP"]

    def one(folds: Sequence[Fold], task: Task, _: None) -> dict[str, Any]:
        fold = folds[task["fold"]]
        fitted = [clone(ranker).fit(fold.train, eval_set=fold.valid) for ranker in make(by, fold)]
        best = fitted[int(np.argmax([round(score(by, f, fold.valid), 12) for f in fitted]))]
        values = np.column_stack([_per_query(measure, best, fold.test) for measure in wanted.values()])
        plain = [[None if np.isnan(value) else value for value in row] for row in values.tolist()]
        return {"per_query": plain, "about": about(best)}

    title = " ".join(str(value) for name, value in what.items() if name != "paper")
    done = tasks.run(one, folds, [{**what, "fold": i} for i in range(len(folds))], title=title)
    return [OfFold(np.array(result["per_query"], dtype=np.float64), result["about"]) for result in done]


def score(measure: Metric, ranker: Any, part: Any) -> float:
    """The mean of a measure over the queries of a part of a fold."""
    return float(mean(_per_query(measure, ranker, part)))


def _per_query(measure: Metric, ranker: Any, part: Any) -> NDArray[np.float64]:
    values: NDArray[np.float64] = measure.per_query(part.y, ranker.predict(part), part.query_ptr)
    return values


def statistic(folds: Sequence[Fold], name: str) -> float:
    """Queries, rows, features or grades; every query is in the test part of one fold."""
    if name == "features":
        return float(folds[0].test.n_features)
    if name == "queries":
        return float(sum(fold.test.n_queries for fold in folds))
    if name in ("instances", "query_document_pairs", "query-document pairs"):
        return float(sum(fold.test.n_rows for fold in folds))
    return float(len(np.unique(np.concatenate([fold.test.y for fold in folds]))))
