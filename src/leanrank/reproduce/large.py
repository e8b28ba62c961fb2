"""The large public data sets: all features, and the best few by `select` and by methods people use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.errors import DataError
from leanrank.evaluation.journal import Task
from leanrank.evaluation.select.run import default_ranker, select
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics.names import metric
from leanrank.reproduce.datasets import LARGE, DataFolder, large_folds
from leanrank.reproduce.letor_rows import score
from leanrank.reproduce.outcome import Page, Section, Table
from leanrank.selectors import registry

SIZES = (5, 10, 20, 30, 40)
SELECT, ALL = "leanrank select", "all features"
#: Names in the registry: the gain of a booster, a filter of the papers, a filter of classification, redundancy.
PEERS = ("importance", "gas", "ig", "mrmr")
_MEASURE = "ndcg@10"


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Page:
    """Every data set that is there, on every fold of it; the quick version has the first fold and two sizes."""
    sizes = SIZES[:2] if quick else SIZES
    sections = []
    for name, folders in LARGE.items():
        folder = next((path for other in folders if (path := data.folder(other)) is not None), None)
        if folder is not None:
            folds = list(large_folds(folder))
            sections.append(_section(name, folds[:1] if quick else folds, tasks, sizes))
    if not sections:
        names = ", ".join(folders[0] for folders in LARGE.values())
        raise DataError(f"None of the folders {names} is in {str(data.root)!r}. Name the folder they are in.")
    return Page.of("large", sections)


def _section(name: str, folds: Sequence[Fold], tasks: Tasks, sizes: Sequence[int]) -> Section:
    fewer = [k for k in sizes if k < folds[0].n_features]

    def one(folds: Sequence[Fold], task: Task, _: None) -> float:
        fold, k = folds[task["fold"]], task["k"]
        features = np.arange(fold.n_features) if k is None else _chosen(fold, task["method"], k, tasks.n_jobs)
        return _quality(fold, features)

    rows = []
    for method in (ALL, SELECT, *PEERS):
        values = []
        for k in [None] if method == ALL else fewer:
            what = {"page": "large", "dataset": name, "method": method, "k": k}
            wanted = [{**what, "fold": i} for i in range(len(folds))]
            values.append(np.mean(tasks.run(one, folds, wanted, title=f"{name}: {method}, {k or 'all'} features")))
        same = values * len(fewer) if method == ALL else values
        rows.append((method, *(f"{value:.4f}" for value in same)))
    of = f"{folds[0].n_features} features, {len(folds)} fold" + ("s" if len(folds) > 1 else "")
    return Section(name, of, Table("", ("method", *(f"k = {k}" for k in fewer)), tuple(rows)))


def _chosen(fold: Fold, method: str, k: int, n_jobs: int) -> NDArray[np.int64]:
    """The columns of the best `k` features, by the training and validation queries."""
    if method == SELECT:
        chosen = select(fold.train, None, _MEASURE, n_features=k, valid=fold.valid, progress=False, n_jobs=n_jobs)
        return np.array(chosen.indices, dtype=np.int64)
    selector = registry.get(method, n_features_to_select=k)
    needs: dict[str, Any] = {"eval_set": fold.valid} if method == "importance" else {}
    selected: NDArray[np.int64] = selector.fit(fold.train, **needs).selected_
    return selected


def _quality(fold: Fold, features: NDArray[np.int64]) -> float:
    """NDCG@10 of the test queries with the ranker of `select`, trained on these features."""
    small = fold.only(np.sort(features).tolist())
    ranker = clone(default_ranker(None)).fit(small.train, eval_set=small.valid)
    return score(metric(_MEASURE), ranker, small.test)
