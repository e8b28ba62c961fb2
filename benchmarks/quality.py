"""What the chosen features are worth: `select` beside the selectors people use today, in one run.

Selection sees training data alone. A final ranker is trained on the chosen features (hyper-parameters and early
stopping on the validation part) and measured on the test part: NDCG@10 in the convention of each data set.

    python -m benchmarks.quality              # k = 8, all peers; writes docs/quality.md
    python -m benchmarks.quality --elsewhere  # the same on other data; docs/quality_elsewhere.md
    python -m benchmarks.quality --k 5 8 15   # a table for each size

Finished work is kept in benchmarks/results/quality.db, so a run can be interrupted and gone on with.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.quality_data import CONVENTIONS, ELSEWHERE, FIXED, LETOR, TEST, TRAIN, Split, splits
from benchmarks.quality_peers import LIGHTGBM, PEERS
from scipy.stats import t as student

from leanrank import NDCG, as_ranker, select
from leanrank.data.folds import Fold
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.training import prepared, train
from leanrank.rankers.ranksvm import RankSVM

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
RUNS = HERE / "results" / "runs"
K = 8
CAVEAT = [
    "The methods of `select` and their order come from [each method alone](methods_alone.md), where these data sets",
    "take part with others, test parts included ([decision 16](decisions/0016-forward-regression-first.md)). Within a",
    "run no choice sees a test part. What `select` is ahead by has its standard error over the five splits, and is",
    "called a lead or a lag only where Student's t at 5% calls it one: 2.8 errors, with five splits.",
    "",
    "The right peer by hindsight is the best of all peers by the very figures that it is compared by: nobody knows it",
    "beforehand, and part of its lead is luck, the more peers the more. Chosen on the other splits it is what somebody",
    "takes who tried them all.",
]
RANKERS = ("RankSVM", "LightGBM")
Cells = dict[str, dict[tuple[str, str], list[float]]]
OURS = "leanrank select"
#: The same with folds dealt by other seeds: how much of its figure is luck.
AGAIN = {f"{OURS}, seed {seed}": seed for seed in (1,)}
QUALITY = [
    "# Quality of the chosen features",
    "",
    "Mean test NDCG@10 over five folds; selection sees training data alone. Made by `python -m benchmarks.quality`.",
    "`select` with other seeds deals its folds in another way: the difference is luck.",
    "",
    *CAVEAT,
]
QUALITY_ELSEWHERE = [
    "# Quality on other data",
    "",
    "Mean test NDCG@10 over five splits; selection sees training data alone. Made by",
    "`python -m benchmarks.quality --elsewhere`. The data sets are in benchmarks/quality_data.py: bugs and methods (41",
    "features), LightGBM's example (300), and",
    f"three kinds of made data with {TRAIN} training queries and {TEST:,} test queries each, new ones for each split:",
    "many copies of few features (60 features), many weak ones under much noise (80), and pairs that tell nothing",
    "alone (60).",
    "",
    *CAVEAT,
]


def ndcg(name: str) -> NDCG:
    """The metric, in the convention of a data set."""
    return NDCG(k=10, convention=CONVENTIONS.get(name, "standard"))


def final_ranker(kind: str):
    """The ranker whose features are chosen."""
    if kind == "RankSVM":
        return RankSVM(C=(0.01, 0.1, 1.0, 10.0, 100.0), eval_metric="map")
    import lightgbm

    estimator = lightgbm.LGBMRanker(**{**LIGHTGBM, "n_estimators": 1000})
    return as_ranker(estimator, early_stopping_rounds=50, eval_metric="ndcg@10")


def per_query(split: Split, columns, kind: str, name: str):
    """NDCG@10 of every test query with a ranker trained on these columns."""
    ranker = final_ranker(kind)
    fold = Fold("test", *(prepared(part, ranker) for part in (split.train, split.valid, split.test)))
    trained = train(ranker, fold, np.sort(columns).tolist())
    return trained.per_query(trained.fold.test, ndcg(name))[0]


def choose(method: str, split: Split, kind: str, k: int, name: str, f: int) -> list[int]:
    """Column numbers that a method chooses from the training part."""
    if method == "all features":
        return list(range(split.train.n_features))
    if method == OURS or method in AGAIN:
        seed = AGAIN.get(method, 0)
        run = RUNS / f"{name} {f} {kind} {k}{f' seed {seed}' if seed else ''}.db".replace(" ", "-")
        asked = {"n_features": k, "random_state": seed, "progress": False, "journal": run}
        return [int(j) for j in select(split.train, final_ranker(kind), ndcg(name), **asked).indices]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [int(j) for j in PEERS[method](split.train, k)]


def measured(journal: Journal, name: str, f: int, split: Split, method: str, kind: str, k: int):
    """Chosen columns and per-query values of one fold, computed once."""
    # peers do not look at the final ranker: choose once for both
    choice = {"task": "choose", "data": name, "fold": f, "method": method, "k": k}
    choice |= {"ranker": kind} if method == OURS or method in AGAIN else {}
    columns = journal.once(choice, lambda: choose(method, split, kind, k, name, f))
    task = {"task": "test", "data": name, "fold": f, "ranker": kind, "columns": sorted(columns)}
    values = journal.once(task, lambda: [_plain(v) for v in per_query(split, columns, kind, name)])
    return columns, np.array(values, dtype=float)


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def cells_of(journal: Journal, names: Sequence[str], methods: list[str], k: int) -> Cells:
    """The mean test metric of every split, by method, data set and ranker."""
    cells: Cells = {}
    for name in names:
        for f, split in enumerate(splits(name)):
            for method in methods:
                for kind in RANKERS:
                    _, values = measured(journal, name, f, split, method, kind, k)
                    cells.setdefault(method, {}).setdefault((name, kind), []).append(float(np.nanmean(values)))
                print(k, name, f, method, flush=True)
    return cells


def over(cells: Cells, method: str, columns: Sequence[tuple[str, str]]) -> np.ndarray:
    """The mean over data sets and rankers, of every split."""
    return np.mean([cells[method][c] for c in columns], axis=0)


def apart(ours: np.ndarray, others: np.ndarray) -> tuple[float, float]:
    """By how much the one is ahead on the mean, and the standard error over splits."""
    gap = ours - others
    return float(gap.mean()), float(gap.std(ddof=1) / np.sqrt(len(gap)))


def compared(name: str, ours: np.ndarray, others: np.ndarray) -> str:
    """A lead or a lag only where Student's t over the splits bears it."""
    lead, error = apart(ours, others)
    bound = error * student.ppf(0.975, len(ours) - 1)
    word = "ahead of" if lead > bound else "behind" if lead < -bound else "level with"
    return f"`{name}` is {word} it: {lead:+.4f} ± {error:.4f}."


def right_peers(cells: Cells, peers: Sequence[str], names: Sequence[str]) -> dict[str, np.ndarray]:
    """What the best peer of each data set has in every split, by what it is chosen on."""
    table = np.array([[over(cells, m, [(n, kind) for kind in RANKERS]) for n in names] for m in peers])
    total = table.sum(axis=2, keepdims=True)
    chosen = {"by hindsight": np.broadcast_to(total, table.shape), "on the other splits": total - table}
    best = {how: np.take_along_axis(table, by.argmax(axis=0)[None], axis=0)[0] for how, by in chosen.items()}
    return {how: values.mean(axis=0) for how, values in best.items()}


def beside_the_right_peer(tables: Sequence[Cells], names: Sequence[str]) -> list[str]:
    """What `select` is ahead by of the best peer of each data set, on the mean over tables of several sizes."""
    columns = [(name, kind) for name in names for kind in RANKERS]
    peers = [m for m in tables[0] if m not in (OURS, "all features", *AGAIN)]
    lines = []
    rights = [right_peers(cells, peers, names) for cells in tables] if peers else [{}]
    for how in rights[0]:
        right = np.mean([each[how] for each in rights], axis=0)
        lines += ["", f"The right one of {len(peers)} peers per data set, chosen {how}: {right.mean():.4f}."]
        for method in (OURS, *AGAIN):
            if method in tables[0]:
                ours = np.mean([over(cells, method, columns) for cells in tables], axis=0)
                lines.append(compared(method, ours, right))
    return lines


def table(cells: Cells, names: Sequence[str], k: int) -> list[str]:
    """Methods by data set and ranker; beside each what `select` is ahead by, over the splits."""
    columns = [(name, kind) for name in names for kind in RANKERS]
    letor = [c for c in columns if c[0] in LETOR]
    means = {"LETOR cells": letor, "all cells": columns} if letor else {"all cells": columns}
    titles = [*(f"{n}, {kind}" for n, kind in columns), *means, "select is ahead by"]
    lines = [f"## {k} features", "", "| method | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    for method in sorted(cells, key=lambda m: -over(cells, m, columns).mean()):
        row = [np.mean(cells[method][c]) for c in columns]
        row += [over(cells, method, some).mean() for some in means.values()]
        lead, error = apart(over(cells, OURS, columns), over(cells, method, columns)) if OURS in cells else (0.0, 0.0)
        gap = f"{lead:+.4f} ± {error:.4f}" if method != OURS and OURS in cells else ""
        lines.append(f"| {method} | " + " | ".join(f"{value:.4f}" for value in row) + f" | {gap} |")
    lines += beside_the_right_peer([cells], names)
    absent = [name for name in PEERS if name not in cells]
    return [*lines, *(["", f"Not measured (`--methods`): {', '.join(absent)}."] if absent else [])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elsewhere", action="store_true", help="on other data")
    parser.add_argument("--k", nargs="*", type=int, default=[K], help="how many features; a table for each")
    parser.add_argument("--data", nargs="*", help="data sets; by default all of the table")
    parser.add_argument("--methods", nargs="*", help="methods; by default all of the table")
    given = parser.parse_args()
    RUNS.mkdir(parents=True, exist_ok=True)
    names = given.data or (ELSEWHERE if given.elsewhere else FIXED)
    methods = given.methods or ["all features", OURS, *AGAIN, *PEERS]
    stem = f"quality{'_elsewhere' if given.elsewhere else ''}"
    lines = QUALITY_ELSEWHERE if given.elsewhere else QUALITY
    with Journal(HERE / "results" / f"{stem}.db", {"what": "quality"}) as book:
        tables = {k: cells_of(book, names, methods, k) for k in given.k}
    for k, cells in tables.items():
        lines = [*lines, "", *table(cells, names, k)]
    if len(tables) > 1:
        sizes = ", ".join(map(str, tables))
        lines = [*lines, "", f"## All sizes: {sizes}", *beside_the_right_peer(list(tables.values()), names)]
    text = "\n".join(lines) + "\n"
    (DOCS / f"{stem}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
