"""FSMRank and FSMSVM on the official folds of OHSUMED and MQ2008, beside the rows of the FS-SCPR paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.folds import Fold
from leanrank.evaluation.journal import Task
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import mean
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.letor_rows import MEASURES, measures, published_rows
from leanrank.reproduce.outcome import Page, Section, Table
from leanrank.selectors.fsmrank import Fitting, FSMRank
from leanrank.selectors.fsmsvm import FSMSVM

LAMBDAS = [10.0**e for e in range(-5, 1)]
CS = [1e-2, 1e-1, 1.0, 1e1, 1e2]
WITHIN = 0.012
#: Table of the FS-SCPR paper, conventions, and the number of features of FSMRank in a later comparison (MOFSRank).
DATASETS = {"ohsumed": ("9", "letor3", 18.0), "mq2008": ("10", "letor4", 13.2)}

#: Rows of a fold: the five measures, the number of features, and the lambdas.
Rows = dict[str, tuple[list[float], int, str]]


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Page:
    """Both methods on the data sets that are there; the quick version has one fold and few lambdas."""
    sections = []
    for dataset in DATASETS:
        official = data.folds(dataset)
        if official is not None:
            folds = [official[0]] if quick else list(official)
            sections.append(_section(dataset, folds, tasks, [1e-3, 1e-1] if quick else LAMBDAS))
    return Page.of("fsmrank", sections)


def _section(dataset: str, folds: list[Fold], tasks: Tasks, lambdas: list[float]) -> Section:
    table, convention, n_published = DATASETS[dataset]

    def one(folds: list[Fold], task: Task, _: None) -> Rows:
        return one_fold(folds[task["fold"]], convention, n_published, lambdas)

    wanted = [{"page": "fsmrank", "dataset": dataset, "fold": i} for i in range(len(folds))]
    rows = _lines(tasks.run(one, folds, wanted, title=dataset), published_rows("fs-scpr", table), n_published)
    columns = ("method", *MEASURES, "features", "lambda1, lambda2 of the folds")
    return Section(dataset, table=Table("", columns, tuple(rows)))


def one_fold(fold: Fold, convention: str, n_published: float, lambdas: Sequence[float] = LAMBDAS) -> Rows:
    """Test figures, number of features and chosen lambdas of all rows; validation MAP chooses."""
    wanted = list(measures(convention).values())
    fitting = Fitting(metric=wanted[-1])
    grid: dict[str, Any] = {"lambda1": list(lambdas), "lambda2": list(lambdas), "fitting": fitting}
    models: dict[str, Any] = {}
    for unimportance, suffix in (("complement", ""), ("stretched", ", stretched")):
        ranker = FSMRank(unimportance=unimportance, similarity="strict", **grid).fit(fold.train, eval_set=fold.valid)
        pair = _near(ranker.grid_, n_published)
        models["FSMRank" + suffix] = ranker
        models[f"FSMRank{suffix}, as many features"] = FSMRank(
            unimportance=unimportance, similarity="strict", lambda1=pair["lambda1"], lambda2=pair["lambda2"]
        ).fit(fold.train)
    ranker = models["FSMRank"]
    lambda1, lambda2 = ranker.lambda1_, ranker.lambda2_
    svm = FSMSVM(C=CS, lambda1=lambda1, lambda2=lambda2, similarity="strict", fitting=fitting)
    models["FSMSVM"] = svm.fit(fold.train, eval_set=fold.valid)
    rows: Rows = {}
    for name, model in models.items():
        scores = model.predict(fold.test)
        figures = [float(mean(m.per_query(fold.test.y, scores, fold.test.query_ptr))) for m in wanted]
        rows[name] = (figures, int(model.support_.sum()), f"{model.lambda1_:g}, {model.lambda2_:g}")
    return rows


def _near(grid: list[dict[str, float]], n_features: float) -> dict[str, float]:
    """The lambdas that are best on validation among those that leave about as many features as published."""
    about = [entry for entry in grid if 2 / 3 <= entry["n_features"] / n_features <= 4 / 3]
    return max(about or grid, key=lambda entry: entry["metric"])


def _lines(folds: list[Rows], printed: dict[str, dict[str, float]], n_published: float) -> list[tuple[str, ...]]:
    """Three lines for each method: ours, published, and the difference."""
    lines: list[tuple[str, ...]] = []
    for name in folds[0]:
        ours = np.mean([fold[name][0] for fold in folds], axis=0)
        sizes, chosen = [fold[name][1] for fold in folds], "; ".join(fold[name][2] for fold in folds)
        row = printed[name.partition(",")[0]]
        theirs = np.array([row[measure] for measure in MEASURES])
        size = f"{np.mean(sizes):.1f} ({', '.join(map(str, sizes))})"
        lines.append((name, *_figures(ours), size, chosen))
        lines.append(("published", *_figures(theirs), "" if name == "FSMSVM" else f"{n_published}", ""))
        lines.append(("difference", *map(_difference, ours - theirs), "", ""))
    return lines


def _figures(values: NDArray[np.float64]) -> list[str]:
    return [f"{value:.4f}" for value in values]


def _difference(value: float) -> str:
    return f"**{value:+.4f}**" if abs(value) > WITHIN else f"{value:+.4f}"
