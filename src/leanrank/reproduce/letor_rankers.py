"""The papers' rankers on the official folds of OHSUMED and MQ2008, beside the published figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.folds import Fold
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker
from leanrank.rankers.adarank import AdaRank
from leanrank.rankers.listnet import ListNet
from leanrank.rankers.rankboost import RankBoost
from leanrank.rankers.ranksvm import RankSVM
from leanrank.rankers.svmmap import SVMMAP
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.letor_rows import MEASURES, OfFold, best_of_folds, published_rows
from leanrank.reproduce.outcome import Page, Section, Table, published, texts

TARGET = 0.012
#: Table of the FS-SCPR paper, and conventions.
DATASETS = {"OHSUMED": ("14", "letor3"), "MQ2008": ("15", "letor4")}

Values = NDArray[np.float64]
#: Rankers to choose among by validation MAP, made of that metric.
Settings = Callable[[Metric], Sequence[Ranker]]


class AllRounds(RankBoost):
    """RankBoost that keeps all its rounds: for choosing among a few numbers of them."""

    def _watch(self, valid: Any) -> None:
        return None


def _list_nets(by: Metric, **options: Any) -> list[Ranker]:
    return [ListNet(rate, 300, eval_metric=by, **options) for rate in (1e-5, 1e-4, 1e-3, 1e-2)]


#: How each row was made: the setting in words, and the rankers.
SETTINGS: dict[str, tuple[str, Settings]] = {
    "RankSVM": (
        "C of 0.01, 0.1, 1, 10, 100 (divided by the number of pairs)",
        lambda by: [RankSVM([1e-2, 1e-1, 1.0, 1e1, 1e2], eval_metric=by)],
    ),
    "SVM-MAP": ("C of 10^-3 .. 10^4", lambda by: [SVMMAP(10.0 ** np.arange(-3, 5), eval_metric=by)]),
    "AdaRank-MAP": ("up to 500 rounds", lambda by: [AdaRank(by, 500, eval_metric=by)]),
    "ListNet": ("steps of 1e-5, 1e-4, 1e-3, 1e-2, up to 300 epochs", _list_nets),
    "RankBoost": (
        "255 thresholds a feature, up to 500 rounds",
        lambda by: [RankBoost(500, n_threshold=255, eval_metric=by)],
    ),
}
#: Settings that the papers leave open, tried as well.
VARIANTS: list[tuple[str, str, Settings]] = [
    ("AdaRank-MAP", "stops at a fixed point", lambda by: [AdaRank(by, 500, on_fixed_point="stop", eval_metric=by)]),
    ("ListNet", "targets from 2^y - 1", lambda by: _list_nets(by, label_transform="exp2")),
    *(
        (
            "ListNet",
            f"queries shuffled by another seed, {seed}",
            lambda by, seed=seed: _list_nets(by, random_state=seed),
        )
        for seed in (1, 2, 3)
    ),
    (
        "RankBoost",
        "255 thresholds, 50, 100, .., 300 rounds",
        lambda by: [AllRounds(n, n_threshold=255) for n in range(50, 301, 50)],
    ),
    ("RankBoost", "thresholds between all values", lambda by: [RankBoost(500, eval_metric=by)]),
    ("RankBoost", "10 thresholds", lambda by: [RankBoost(500, n_threshold=10, eval_metric=by)]),
    (
        "RankBoost",
        "255 thresholds, no negative weights",
        lambda by: [RankBoost(500, n_threshold=255, negative_weights=False, eval_metric=by)],
    ),
]


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Page:
    """Every learner with a published row; the quick version has RankSVM alone."""
    sections: list[Section] = []
    tried: list[tuple[str, ...]] = []
    notes: list[str] = []
    for dataset, (_, convention) in DATASETS.items():
        official = data.folds(dataset)
        if official is None:
            continue
        folds, rows = list(official), []
        for name, theirs in published_figures(dataset).items():
            if quick and name != "RankSVM":
                continue
            settings = [SETTINGS[name], *((setting, make) for who, setting, make in VARIANTS if who == name)]
            done = [on_folds(tasks, dataset, f"{name}, {words}", make, folds) for words, make in settings]
            means = np.array([mean_of(of) for of in done])
            off = [difference(ours, theirs) for ours in means]
            rows += _rows(name, theirs, means[0], off[0])
            tried += [
                (
                    dataset,
                    name,
                    f"**{words}**" if i == 0 else words,
                    f"{off[i]:.4f}",
                    ", ".join(str(of.about) for of in done[i]),
                )
                for i, (words, _) in enumerate(settings)
            ]
            notes += _further_off(f"{dataset}, {name}", theirs, means, _standard_error(done[0]))
        table = Table("", ("learner", "", *MEASURES, "mean difference"), tuple(rows))
        sections.append(Section(f"{dataset} ({convention})", table=table))
    sections.append(Section(f"Cells further off than {TARGET}", "\n".join([*notes, "", texts("rankers")["Why"]])))
    columns = ("data", "learner", "setting", "mean difference", "iterations kept, folds 1 to 5")
    sections.append(Section("What else was tried", texts("rankers")["Tried"], Table("", columns, tuple(tried))))
    return Page.of("rankers", sections)


def published_figures(dataset: str) -> dict[str, dict[str, float]]:
    """The published rows by the names used here: of the FS-SCPR paper, and SVM-MAP of the report on BestGain."""
    rows = published_rows("fs-scpr", DATASETS[dataset][0])
    svm_map = {
        p.metric: p.value / 100
        for p in published("bestgain")
        if (p.table, p.dataset, p.method, p.unit) == ("2", dataset, "Baseline (all features)", "percent")
    }
    known = {"RankSVM": rows["RankSVM-Primal"], "SVM-MAP": svm_map}
    known |= {name: rows[name] for name in ("AdaRank-MAP", "ListNet", "RankBoost")}
    return {name: row for name, row in known.items() if row}


def on_folds(tasks: Tasks, dataset: str, setting: str, make: Settings, folds: Sequence[Fold]) -> list[OfFold]:
    """The test queries of every fold, and how many iterations the ranker kept there."""
    what = {"page": "rankers", "dataset": dataset, "setting": setting}
    return best_of_folds(tasks, what, lambda by, _: make(by), folds, DATASETS[dataset][1], lambda best: best.n_iter_)


def mean_of(folds: Sequence[OfFold]) -> Values:
    """The mean of the folds, of each measure."""
    means: Values = np.mean([fold.means for fold in folds], axis=0)
    return means


def difference(ours: Values, theirs: dict[str, float]) -> float:
    """The mean of the absolute differences to the measures that were published."""
    return float(np.mean([abs(ours[MEASURES.index(name)] - value) for name, value in theirs.items()]))


def _standard_error(folds: Sequence[OfFold]) -> Values:
    """Over all test queries."""
    every = np.concatenate([fold.per_query for fold in folds])
    error: Values = np.nanstd(every, axis=0, ddof=1) / np.sqrt(len(every))
    return error


def _rows(name: str, theirs: dict[str, float], ours: Values, mean: float) -> list[tuple[str, ...]]:
    printed = (f"{theirs[m]:.4f}" if m in theirs else "" for m in MEASURES)
    return [(name, "published", *printed, ""), ("", "ours", *(f"{value:.4f}" for value in ours), f"{mean:.4f}")]


def _further_off(what: str, theirs: dict[str, float], every: Values, error: Values) -> list[str]:
    """Cells of the first row of `every` that miss the target, with what all its rows (settings) reach."""
    lines = []
    for column, measure in enumerate(MEASURES):
        off = every[0, column] - theirs.get(measure, every[0, column])
        if abs(off) > TARGET:
            low, high = every[:, column].min(), every[:, column].max()
            lines.append(
                f"- {what}, {measure}: {off:+.4f} ({abs(off) / error[column]:.1f} standard errors of the mean "
                f"over queries). Published {theirs[measure]:.4f}; settings tried reach {low:.4f} to {high:.4f}."
            )
    return lines
