"""FS-SCPR: Tables 3 to 16 of Yeh and Tsai, on the LETOR data sets that are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from leanrank.data.folds import Fold
from leanrank.evaluation.cross_validation import cross_validate
from leanrank.evaluation.grids import rankers_of
from leanrank.evaluation.journal import Task
from leanrank.evaluation.protocol import Protocol
from leanrank.evaluation.tasks import Tasks
from leanrank.evaluation.unified_ranking import UnifiedRanking, unified_ranking
from leanrank.metrics._base import Metric
from leanrank.rankers.adarank import AdaRank
from leanrank.rankers.listnet import ListNet
from leanrank.rankers.rankboost import RankBoost
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.letor_rows import MEASURES, Candidates, Row, best_of_folds, row_of, row_of_folds
from leanrank.reproduce.outcome import Cell, Claim, Published, Reproduction, Table, published
from leanrank.selectors.fsmrank import Fitting, FSMRank
from leanrank.selectors.fsmsvm import FSMSVM
from leanrank.selectors.fsscpr import FSSCPR
from leanrank.selectors.gas import GAS
from leanrank.selectors.pagerank import BiasedPageRank
from leanrank.stats.similarity import Similarity

CONVENTIONS = {"HP2004": "letor3", "NP2004": "letor3", "OHSUMED": "letor3", "MQ2008": "letor4"}
SELECTION = ("FS-SCPR", "GAS-E", "FSMSVM", "FSMRank")
LEARNING = ("FS-SCPR", "AdaRank-MAP", "RankSVM-Primal", "ListNet", "RankBoost")
_PRICES = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
_GRID: dict[str, Any] = {"lambda1": _PRICES, "lambda2": _PRICES}
UNIFIED = {"11": ("7", "8", "9", "10"), "16": ("12", "13", "14", "15")}


#: What the paper leaves open: how ties count, whether tau is the fraction of concordant pairs or in [-1, 1], and on
#: which scale PageRank is added to the cosine.
READINGS = {
    f"ties {ties}, tau {scale}, PageRank {relevance}": FSSCPR(
        similarity=Similarity("kendall", ties=ties), edge_scale=scale, pagerank=BiasedPageRank(scale=relevance)
    )
    for ties in ("strict", "half")
    for scale in ("fraction", "tau")
    for relevance in ("none", "max")
}
#: The row FS-SCPR is of the reading that came nearest to the published OHSUMED row; the page shows all eight.
READING = "ties half, tau tau, PageRank max"

#: Grids of GAS-E's c, of which the paper has none. The row GAS-E is of the first, which holds the values of the others
#: up to 0.5; the page shows all.
C_GRIDS: dict[str, Any] = {
    "c in {0, 0.01, 0.05, 0.1, 0.2, 0.5, 1}": "default",
    "c = 0": {"c": [0.0]},
    "c in {0.01, 0.05, 0.1, 0.5}": {"c": [0.01, 0.05, 0.1, 0.5]},
    "c in {0.1, 0.2, ..., 0.9}": {"c": [round(0.1 * i, 1) for i in range(1, 10)]},
}

#: The open choice that a method's row is of.
ROWS = {"FS-SCPR": f"FS-SCPR, {READING}", "GAS-E": f"GAS-E, {next(iter(C_GRIDS))}"}

REASONS = {
    "FS-SCPR": "the paper gives neither the grid nor the choice of k, nor how ties of feature values are counted",
    "GAS-E": "the grid of c is not in the paper; a table below shows what other grids give",
    "FSMSVM": "the paper's problem is not public; ours is a reconstruction",
    "FSMRank": "the paper's problem is not public; ours is a reconstruction",
    "AdaRank-MAP": "code and stop rule of the official run are not known",
    "ListNet": "learning rates, epochs and seeds of the official run are not known",
    "RankBoost": "the numbers of rounds tried in the official run are not known",
}


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """Run every method on every data set that is there."""
    rows: dict[str, dict[str, Row]] = {}
    features: list[tuple[str, ...]] = []
    readings: list[tuple[str, ...]] = []
    for dataset in CONVENTIONS:
        official = data.folds(dataset)
        if official is None:
            continue
        folds = list(official)
        rows[dataset] = {}
        for method, evaluate in _methods(quick).items():
            row, sizes = evaluate(tasks, folds, _named(dataset, ROWS.get(method, method)))
            rows[dataset][method] = row
            if sizes:
                features.append((dataset, method, *map(str, sizes), f"{sum(sizes) / len(sizes):.1f}"))
        for reading, evaluate in _open_choices(quick).items():
            row, sizes = evaluate(tasks, folds, _named(dataset, reading))
            figures = (f"{row[name]:.4f}" for name in MEASURES)
            readings.append((dataset, reading, *figures, f"{sum(sizes) / len(sizes):.1f}"))
    cells = [_cell(p, rows, quick) for p in published("fs-scpr") if p.unit == "fraction"]
    cells += _unified_cells()
    tables = [
        Table("Features selected in each fold", ("data", "method", "1", "2", "3", "4", "5", "mean"), tuple(features))
    ]
    tables += _unified_tables(rows)
    if readings:
        title = "What the paper leaves open: FS-SCPR in each reading, GAS-E with other grids of c"
        tables.append(Table(title, ("data", "reading", *MEASURES, "features"), tuple(readings)))
    return Reproduction.of("fs-scpr", cells, _claims(rows), tables, quick=quick)


#: The row of a method on the folds of a data set, and its numbers of features; the task says which.
Evaluate = Callable[[Tasks, Sequence[Fold], Task], tuple[Row, list[int]]]


def _named(dataset: str, method: str) -> Task:
    return {"paper": "fs-scpr", "dataset": dataset, "method": method}


def _methods(quick: bool) -> dict[str, Evaluate]:
    methods: dict[str, Evaluate] = {"RankSVM-Primal": _ranker(lambda by: rankers_of("ranksvm", by))}
    if quick:
        methods["FS-SCPR"] = _selector(READINGS[READING], [5, 10, 15, 20], None)
        methods["GAS-E"] = _selector(GAS(similarity="strict"), [5, 10, 15, 20], {"c": [0.0, 0.1]})
        return methods
    return methods | {
        "FS-SCPR": _selector(READINGS[READING], _every_size, None),
        "GAS-E": _selector(GAS(similarity="strict"), _every_size, "default"),
        "FSMRank": _fsmrank,
        "FSMSVM": _fsmsvm,
        "AdaRank-MAP": _ranker(lambda by: [AdaRank(by, 500, eval_metric=by)]),
        "ListNet": _ranker(lambda by: [ListNet(rate, 300, eval_metric=by) for rate in (1e-5, 1e-4, 1e-3, 1e-2)]),
        "RankBoost": _ranker(lambda by: [RankBoost(500, n_threshold=255, eval_metric=by)]),
    }


def _open_choices(quick: bool) -> dict[str, Evaluate]:
    """FS-SCPR in every reading and GAS-E with every grid."""
    if quick:
        return {}
    readings = {f"FS-SCPR, {name}": _selector(selector, _every_size, None) for name, selector in READINGS.items()}
    gas = GAS(similarity="strict")
    return readings | {f"GAS-E, {name}": _selector(gas, _every_size, grid) for name, grid in C_GRIDS.items()}


def _every_size(folds: Sequence[Fold]) -> list[int]:
    return list(range(1, folds[0].train.n_features))


def _selector(selector: Any, sizes: Any, grid: Any) -> Evaluate:
    def evaluate(tasks: Tasks, folds: Sequence[Fold], what: Task) -> tuple[Row, list[int]]:
        k = sizes(folds) if callable(sizes) else sizes

        def whole(folds: Sequence[Fold], task: Task, _: None) -> Any:
            validated = cross_validate(
                selector,
                "ranksvm",
                folds,
                list(MEASURES),
                k=k,
                grid=grid,
                protocol=Protocol(convention=CONVENTIONS[task["dataset"]]),
                n_jobs=tasks.n_jobs,
            )
            return row_of(validated), [record.n_features for record in validated.records]

        [(row, n_features)] = tasks.run(whole, folds, [what], title=f"{what['dataset']}: {what['method']}")
        return row, n_features

    return evaluate


def _ranker(make: Callable[[Metric], Sequence[Any]]) -> Evaluate:
    def evaluate(tasks: Tasks, folds: Sequence[Fold], what: Task) -> tuple[Row, list[int]]:
        done = best_of_folds(tasks, what, lambda by, _: make(by), folds, CONVENTIONS[what["dataset"]])
        return row_of_folds(done), []

    return evaluate


def _fsm(tasks: Tasks, folds: Sequence[Fold], what: Task, make: Candidates) -> list[Any]:
    return best_of_folds(tasks, what, make, folds, CONVENTIONS[what["dataset"]], _weights)


def _weights(model: FSMRank | FSMSVM) -> dict[str, Any]:
    return {
        "lambda1": float(model.lambda1_),
        "lambda2": float(model.lambda2_),
        "n_features": int((model.coef_ != 0).sum()),
    }


def _fsmranks(by: Metric, fold: Fold) -> list[FSMRank]:
    return [FSMRank(**_GRID, similarity="strict", fitting=Fitting(metric=by))]


def _fsmrank(tasks: Tasks, folds: Sequence[Fold], what: Task) -> tuple[Row, list[int]]:
    done = _fsm(tasks, folds, what, _fsmranks)
    return row_of_folds(done), [fold.about["n_features"] for fold in done]


def _fsmsvm(tasks: Tasks, folds: Sequence[Fold], what: Task) -> tuple[Row, list[int]]:
    """FSMSVM is built on the weights of FSMRank, and takes over the lambdas that it chose in each fold."""
    chosen = _fsm(tasks, folds, {**what, "method": "FSMRank"}, _fsmranks)
    lambdas = {
        fold.name: {name: of.about[name] for name in ("lambda1", "lambda2")}
        for fold, of in zip(folds, chosen, strict=True)
    }

    def make(by: Metric, fold: Fold) -> list[FSMSVM]:
        prices = [1e-2, 1e-1, 1.0, 1e1, 1e2]
        return [FSMSVM(C=prices, similarity="strict", fitting=Fitting(metric=by), **lambdas[fold.name])]

    done = _fsm(tasks, folds, what, make)
    return row_of_folds(done), [fold.about["n_features"] for fold in done]


def _cell(p: Published, rows: Mapping[str, Mapping[str, Row]], quick: bool) -> Cell:
    exact = p.method == "RankSVM-Primal" and p.dataset == "OHSUMED"
    if p.dataset not in rows:
        return Cell(p, None, exact, f"needs {p.dataset}")
    row = rows[p.dataset].get(p.method)
    if row is None:
        return Cell(p, None, exact, "not in the quick version")
    return Cell(p, row[p.metric], exact, REASONS.get(p.method, ""))


def _columns(tables: Sequence[str]) -> list[dict[str, float]]:
    """The published values of each (data set, measure), by method."""
    columns: dict[tuple[str, str], dict[str, float]] = {}
    for p in published("fs-scpr"):
        if p.table in tables:
            columns.setdefault((p.dataset, p.metric), {})[p.method] = p.value
    return list(columns.values())


def _unified_cells() -> list[Cell]:
    """Tables 11 and 16 from the paper's own figures."""
    cells = []
    for table, of in UNIFIED.items():
        unified = unified_ranking(_columns(of))
        for p in published("fs-scpr"):
            if p.table == table:
                m = unified.methods.index(p.method)
                ours = unified.scores[m] if p.metric == "Rank" else unified.counts[m, int(p.metric[2:]) - 1]
                cells.append(Cell(p, float(ours), exact=True, reason="recomputed from the paper's own tables"))
    return cells


def _own_ranking(rows: Mapping[str, Mapping[str, Row]], methods: Sequence[str]) -> UnifiedRanking | None:
    present = [of for of in rows.values() if all(method in of for method in methods)]
    if not present:
        return None
    return unified_ranking([{m: of[m][name] for m in methods} for of in present for name in MEASURES], decimals=4)


def _unified_tables(rows: Mapping[str, Mapping[str, Row]]) -> list[Table]:
    tables = []
    for table, methods in (("11", SELECTION), ("16", LEARNING)):
        ranking = _own_ranking(rows, methods)
        if ranking is None:
            continue
        counts = tuple(f"R_{r}" for r in range(1, len(methods) + 1))
        title = f"Unified ranking of our figures on {', '.join(rows)} (counterpart of Table {table})"
        lines = [(m, *map(str, ranking.counts[i]), f"{ranking.scores[i]:.2f}") for i, m in enumerate(ranking.methods)]
        tables.append(Table(title, ("method", *counts, "Rank"), tuple(lines)))
    return tables


def _claims(rows: Mapping[str, Mapping[str, Row]]) -> list[Claim]:
    claims = []
    for dataset, of in rows.items():
        for other in ("RankSVM-Primal", "GAS-E", "FSMSVM"):
            if "FS-SCPR" not in of or other not in of:
                continue
            ours, theirs = of["FS-SCPR"], of[other]
            figures = ", ".join(f"{name} {ours[name]:.4f} and {theirs[name]:.4f}" for name in ("NDCG@10", "MAP"))
            holds = all(ours[name] > theirs[name] for name in ("NDCG@10", "MAP"))
            claims.append(Claim(f"{dataset}: FS-SCPR is above {other} in NDCG@10 and MAP", holds, figures))
    for methods, text, first in (
        (SELECTION, "Of the selection methods FSMRank has the best unified rank, FS-SCPR the second", 2),
        (LEARNING, "FS-SCPR has the best unified rank beside AdaRank, RankSVM, ListNet and RankBoost", 1),
    ):
        ranking = _own_ranking(rows, methods)
        if ranking is not None:
            score = dict(zip(ranking.methods, ranking.scores.tolist(), strict=True))
            wanted = ["FSMRank", "FS-SCPR"] if first == 2 else ["FS-SCPR"]
            others = max(value for method, value in score.items() if method not in wanted)
            falling = [*(score[method] for method in wanted), others]
            figures = ", ".join(f"{method} {value:.2f}" for method, value in score.items())
            claims.append(Claim(text, all(a > b for a, b in pairwise(falling)), figures))
    return claims
