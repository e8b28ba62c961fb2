"""FS-SCPR: Tables 3 to 16 of Yeh and Tsai, on the LETOR data sets that are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leanrank.data.folds import Fold
from leanrank.evaluation.cross_validation import cross_validate
from leanrank.evaluation.journal import Task
from leanrank.evaluation.protocol import Protocol, rankers_of
from leanrank.evaluation.tasks import Tasks
from leanrank.evaluation.unified_ranking import unified_ranking
from leanrank.metrics._base import Metric
from leanrank.rankers.adarank import AdaRank
from leanrank.rankers.listnet import ListNet
from leanrank.rankers.rankboost import RankBoost
from leanrank.reproduce.datasets import STRICT, DataFolder
from leanrank.reproduce.fs_scpr_attempts import DATASET, PRICES, RATES, attempts_table
from leanrank.reproduce.fs_scpr_claims import Rows, claims, improvements, printed, unified_tables
from leanrank.reproduce.fs_scpr_readings import READINGS, RULES, WAYS, Grid, Reading, grid, row
from leanrank.reproduce.letor_rows import MEASURES, Candidates, Row, best_of_folds, row_of, row_of_folds, statistic
from leanrank.reproduce.outcome import Cell, Choice, Published, Reproduction, Table, published
from leanrank.selectors.fsmrank import Fitting, FSMRank
from leanrank.selectors.fsmsvm import FSMSVM
from leanrank.selectors.gas import GAS

CONVENTIONS = {"HP2004": "letor3", "NP2004": "letor3", "OHSUMED": "letor3", "MQ2008": "letor4"}
_PRICES = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
_GRID: dict[str, Any] = {"lambda1": _PRICES, "lambda2": _PRICES}
UNIFIED = {"11": ("7", "8", "9", "10"), "16": ("12", "13", "14", "15")}


#: What the full run chooses by its rule (the first of `fs_scpr_readings.RULES`); the reduced one takes it as given.
READING = Reading("strict", "fraction", "cluster_minmax")

#: Grids of GAS-E's c, of which the paper has none. The row GAS-E is of the first, which holds the values of the others
#: up to 0.5; the page shows all.
C_GRIDS: dict[str, Any] = {
    "c in {0, 0.01, 0.05, 0.1, 0.2, 0.5, 1}": "default",
    "c = 0": {"c": [0.0]},
    "c in {0.01, 0.05, 0.1, 0.5}": {"c": [0.01, 0.05, 0.1, 0.5]},
    "c in {0.1, 0.2, ..., 0.9}": {"c": [round(0.1 * i, 1) for i in range(1, 10)]},
}

REASONS = {
    "FS-SCPR": "one of 36 readings: ties of feature values and the choice of k are left open, PageRank is scaled",
    "GAS-E": "neither the grid of c nor how ties count is in the paper; tables show what others give",
    "FSMSVM": "the problem is not public; ours is a reconstruction, and a table shows other sizes",
    "FSMRank": "the paper's problem is not public; ours is a reconstruction",
    "AdaRank-MAP": "code and stop rule of the official run are not known; a table shows others",
    "ListNet": "learning rates, epochs and seeds of the official run are not known; a table shows others",
    "RankBoost": "the numbers of rounds tried in the official run are not known",
}


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """Run every method on every data set that is there."""
    official = {dataset: data.folds(dataset) for dataset in CONVENTIONS}
    folds_of = {dataset: list(folds) for dataset, folds in official.items() if folds is not None}
    rows: Rows = {}
    features: list[tuple[str, ...]] = []
    for dataset, folds in folds_of.items():
        rows[dataset] = {}
        for method, evaluate in _methods(quick).items():
            rows[dataset][method], sizes = evaluate(tasks, folds, _named(dataset, method))
            features += _sizes(dataset, method, sizes)
    tables, taken = [], READING
    if not quick and folds_of:
        grids = {
            dataset: grid(tasks, dataset, folds, CONVENTIONS[dataset], READINGS) for dataset, folds in folds_of.items()
        }
        taken = RULES[0].choose(grids)
        for dataset, of in grids.items():
            rows[dataset]["FS-SCPR"], sizes, _ = row(of[taken], WAYS[0])
            features += _sizes(dataset, "FS-SCPR", sizes)
        tables = [_rules(grids, rows), _readings(grids, rows, taken), _grids_of_c(tasks, folds_of)]
        if DATASET in folds_of:
            weighed = _lambdas(tasks, folds_of[DATASET], _named(DATASET, "FSMRank"))
            tables.append(attempts_table(tasks, folds_of[DATASET], CONVENTIONS[DATASET], weighed))
    cells = [_cell(p, rows, folds_of, quick) for p in published("fs-scpr")]
    columns = ("data", "method", "1", "2", "3", "4", "5", "mean")
    tables += [improvements(rows), Table("Features selected in each fold", columns, tuple(features))]
    tables += unified_tables(rows)
    choices = [
        Choice(
            "ties in Kendall's tau, its range, the scale of PageRank, and how k is chosen",
            f"{taken}, {WAYS[0]}",
            f"{RULES[0].text}; one of {len(RULES)} rules, chosen when all findings had been seen",
            len(READINGS) * len(WAYS),
        ),
        Choice("the grid of GAS-E's c", next(iter(C_GRIDS)), "validation MAP, as it holds the others", len(C_GRIDS)),
    ]
    return Reproduction.of("fs-scpr", cells, claims(rows), tables, choices, quick=quick)


def _sizes(dataset: str, method: str, sizes: Sequence[float]) -> list[tuple[str, ...]]:
    return [(dataset, method, *(f"{size:g}" for size in sizes), f"{sum(sizes) / len(sizes):.1f}")] if sizes else []


def _readings(grids: Mapping[str, Grid], rows: Rows, taken: Reading) -> Table:
    """All readings, each with both ways to choose k, and how many of the findings hold with it."""
    lines = []
    for reading in READINGS:
        for way in WAYS:
            mark = " (the row)" if reading == taken and way == WAYS[0] else ""
            lines.append((f"{reading}{mark}", way, *_figures(grids, rows, reading, way)))
    title = f"FS-SCPR in {len(lines)} readings"
    return Table(title, ("reading", "k", *_headings(grids)), tuple(lines), shown=True)


def _rules(grids: Mapping[str, Grid], rows: Rows) -> Table:
    """What each rule takes."""
    lines = []
    for number, rule in enumerate(RULES):
        reading = rule.choose(grids)
        mark = " (the row)" if number == 0 else ""
        lines.append((f"{rule.text}{mark}", str(reading), *_figures(grids, rows, reading, WAYS[0])))
    title = f"FS-SCPR by {len(lines)} rules"
    return Table(title, ("rule", "reading", *_headings(grids)), tuple(lines), shown=True)


def _headings(grids: Mapping[str, Grid]) -> list[str]:
    of_each = [f"{d} {m}" for d in grids for m in ("NDCG@10", "MAP")] + [f"{d} features" for d in grids]
    return [*of_each, "validation MAP", "findings"]


def _figures(grids: Mapping[str, Grid], rows: Rows, reading: Reading, way: str) -> list[str]:
    of = {dataset: row(grid[reading], way) for dataset, grid in grids.items()}
    others = {dataset: {**rows[dataset], "FS-SCPR": of[dataset][0]} for dataset in of}
    held = [claim.holds for claim in claims(others) if claim.holds is not None]
    test = [f"{of[d][0][m]:.4f}" for d in of for m in ("NDCG@10", "MAP")]
    sizes = [f"{sum(of[d][1]) / len(of[d][1]):.1f}" for d in of]
    validation = f"{sum(of[d][2] for d in of) / len(of):.4f}"
    return [*test, *sizes, validation, f"{sum(held)} of {len(held)}"]


def _grids_of_c(tasks: Tasks, folds_of: Mapping[str, Sequence[Fold]]) -> Table:
    """GAS-E with other grids of c."""
    lines = []
    for dataset, folds in folds_of.items():
        for name, tried in C_GRIDS.items():
            evaluate = _selector(GAS(similarity=STRICT), _every_size, tried)
            of, sizes = evaluate(tasks, folds, _named(dataset, f"GAS-E, {name}"))
            mean_size = f"{sum(sizes) / len(sizes):.1f}"
            lines.append((dataset, f"GAS-E, {name}", *(f"{of[m]:.4f}" for m in MEASURES), mean_size))
    return Table("GAS-E with other grids of c", ("data", "grid", *MEASURES, "features"), tuple(lines))


#: The row of a method on the folds of a data set, and its numbers of features; the task says which.
Evaluate = Callable[[Tasks, Sequence[Fold], Task], tuple[Row, list[int]]]


def _named(dataset: str, method: str) -> Task:
    return {"paper": "fs-scpr", "dataset": dataset, "method": method}


def _methods(quick: bool) -> dict[str, Evaluate]:
    methods: dict[str, Evaluate] = {"RankSVM-Primal": _ranker(lambda by: rankers_of("ranksvm", by))}
    gas = GAS(similarity=STRICT)
    if quick:
        methods["FS-SCPR"] = _selector(READING.selector(), [5, 10, 15, 20], None)
        return methods | {"GAS-E": _selector(gas, [5, 10, 15, 20], {"c": [0.0, 0.1]})}
    return methods | {
        "GAS-E": _tuned_gas,
        "FSMRank": _fsmrank,
        "FSMSVM": _fsmsvm,
        "AdaRank-MAP": _ranker(lambda by: [AdaRank(by, 500, eval_metric=by)]),
        "ListNet": _ranker(lambda by: [ListNet(rate, 300, eval_metric=by) for rate in RATES]),
        "RankBoost": _ranker(lambda by: [RankBoost(500, n_threshold=255, eval_metric=by)]),
    }


def _tuned_gas(tasks: Tasks, folds: Sequence[Fold], what: Task) -> tuple[Row, list[int]]:
    """GAS-E with the first grid of c: the same work as in the table of grids."""
    name, tried = next(iter(C_GRIDS.items()))
    return _selector(GAS(similarity=STRICT), _every_size, tried)(tasks, folds, {**what, "method": f"GAS-E, {name}"})


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
    return [FSMRank(**_GRID, similarity=STRICT, fitting=Fitting(metric=by))]


def _fsmrank(tasks: Tasks, folds: Sequence[Fold], what: Task) -> tuple[Row, list[int]]:
    done = _fsm(tasks, folds, what, _fsmranks)
    return row_of_folds(done), [fold.about["n_features"] for fold in done]


def _lambdas(tasks: Tasks, folds: Sequence[Fold], what: Task) -> dict[str, dict[str, Any]]:
    """What FSMRank chose in each fold, by its name: the lambdas and the number of features."""
    chosen = _fsm(tasks, folds, what, _fsmranks)
    return {fold.name: of.about for fold, of in zip(folds, chosen, strict=True)}


def _fsmsvm(tasks: Tasks, folds: Sequence[Fold], what: Task) -> tuple[Row, list[int]]:
    """FSMSVM is built on the weights of FSMRank, and takes over the lambdas that it chose in each fold."""
    weighed = _lambdas(tasks, folds, {**what, "method": "FSMRank"})

    def make(by: Metric, fold: Fold) -> list[FSMSVM]:
        lambdas = {name: weighed[fold.name][name] for name in ("lambda1", "lambda2")}
        return [FSMSVM(C=PRICES, similarity=STRICT, fitting=Fitting(metric=by), **lambdas)]

    done = _fsm(tasks, folds, what, make)
    return row_of_folds(done), [fold.about["n_features"] for fold in done]


def _cell(p: Published, rows: Rows, folds_of: Mapping[str, Sequence[Fold]], quick: bool) -> Cell:
    if p.table in UNIFIED or p.unit == "percent":
        return _recomputed(p)
    exact = p.dataset == "OHSUMED" and (p.method == "RankSVM-Primal" or p.table == "1")
    if not p.text:
        return Cell(p, None, reason="the print is lost in the text at hand")
    if p.dataset not in rows:
        return Cell(p, None, exact, f"needs {p.dataset}")
    if p.table == "1":
        return Cell(p, statistic(folds_of[p.dataset], p.metric), exact)
    of = rows[p.dataset].get(p.method)
    if of is None:
        return Cell(p, None, exact, "not in the quick version")
    return Cell(p, of[p.metric], exact, REASONS.get(p.method, ""))


def _columns(tables: Sequence[str]) -> list[dict[str, float]]:
    """The published values of each (data set, measure), by method."""
    columns: dict[tuple[str, str], dict[str, float]] = {}
    for p in published("fs-scpr"):
        if p.table in tables:
            columns.setdefault((p.dataset, p.metric), {})[p.method] = p.value
    return list(columns.values())


def _recomputed(p: Published) -> Cell:
    """Tables 11 and 16, the rows "Imp." and the improvements of the text, from the paper's own figures."""
    why = "recomputed from the paper's own tables"
    if p.unit == "percent":
        ours, theirs = (printed(p.dataset, method, p.metric) for method in ("FS-SCPR", _compared(p)))
        return Cell(p, 100 * (ours / theirs - 1), exact=True, reason=why)
    unified = unified_ranking(_columns(UNIFIED[p.table]))
    m = unified.methods.index(p.method)
    value = unified.scores[m] if p.metric == "Rank" else unified.counts[m, int(p.metric[2:]) - 1]
    return Cell(p, float(value), exact=True, reason=why)


def _compared(p: Published) -> str:
    """Which method an improvement is over."""
    return p.method.partition(" vs ")[2].rstrip(")")
