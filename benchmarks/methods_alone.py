"""Each method alone, with its defaults: what 5, 8 and 15 features are worth, beside random ones and the plain ranking.

    OMP_NUM_THREADS=1 LEANRANK_THREADS=1 python -m benchmarks.methods_alone  # writes docs/methods_alone.md

Selection sees training data alone; a ranker is trained on the chosen features (early stopping and C on the validation
part) and measured by NDCG@10 on the test part. Finished work is kept in benchmarks/results/methods_alone.db. The fits
are so small that threads would wait for each other longer than they work; what comes out is the same with any number.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.made_kinds import KINDS
from benchmarks.quality import ndcg
from benchmarks.quality_data import LETOR, READ, Split, splits

from leanrank import as_ranker
from leanrank.data.folds import Fold
from leanrank.data.whole_file import write_whole
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.training import prepared, train
from leanrank.rankers.ranksvm import RankSVM
from leanrank.selectors import registry

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
SIZES = (5, 8, 15)
#: Splits of each data set.
SPLITS = 5
#: Random sets of each size and split.
DRAWS = 3
#: Queries of made data: to learn from, to stop and tune on, to test on.
TRAIN, VALID, TEST = 100, 40, 600
RANDOM, EVERYTHING, PLAIN = "random features", "all features", "top-k"
RANKERS = ("RankSVM", "LightGBM")
#: Methods that claim to know what features share.
REDUNDANCY = ("best-gain-path", "cfs", "fcbf", "forward-regression", "fs-scpr", "fsm-rank", "fsm-svm", "gas", "hcas")
REDUNDANCY += ("mmr", "mpt", "mrmr", "mrmr-f", "msd", "ngas", "xgas", "blend+mrmr", "importance+mrmr")
REDUNDANCY += ("consistency", "interact")
#: Not in the table, and why.
LEFT_OUT = {
    "best-gain": "is `best-gain-path` that stops by itself",
    "booster-importance": "is `importance`",
    **dict.fromkeys(("greedy-wrapper", "ranking-boruta", "ranking-rfe", "stability-selection"), "trains too often"),
}


def data_splits(name: str) -> list[Split]:
    """The first splits of a real data set, or new made data for each seed."""
    if name not in KINDS:
        return splits(name)[:SPLITS]
    cuts = [TRAIN, TRAIN + VALID]
    made = (KINDS[name](TRAIN + VALID + TEST, seed)[0] for seed in range(SPLITS))
    return [Split(*(data.take_queries(part) for part in np.split(np.arange(data.n_queries), cuts))) for data in made]


def ranker_of(kind: str) -> Any:
    """A ranker that is trained fast; the same for every method."""
    if kind == "RankSVM":
        return RankSVM(C=(0.01, 0.1, 1.0, 10.0), eval_metric="map")
    import lightgbm

    quick = {"num_leaves": 15, "learning_rate": 0.1, "n_estimators": 300, "random_state": 0}
    estimator = lightgbm.LGBMRanker(**quick, verbose=-1, deterministic=True, force_row_wise=True, n_jobs=1)
    return as_ranker(estimator, early_stopping_rounds=20, eval_metric="ndcg@10")


def measured(book: Journal, name: str, f: int, split: Split, kind: str, columns: Iterable[int]) -> float:
    """Mean test NDCG@10 of a ranker trained on these columns."""

    def compute() -> float:
        ranker = ranker_of(kind)
        fold = Fold("test", *(prepared(part, ranker) for part in (split.train, split.valid, split.test)))
        trained = train(ranker, fold, sorted(columns))
        return float(np.nanmean(trained.per_query(trained.fold.test, ndcg(name))[0]))

    task = {"task": "test", "data": name, "fold": f, "ranker": kind, "columns": sorted(columns)}
    return float(book.once(task, compute))


def order_of(book: Journal, name: str, f: int, split: Split, method: str, params: Mapping[str, Any]) -> list[int]:
    """The columns in the order of a method, as far as the largest size."""

    def compute() -> list[int]:
        known = registry.selector_class(method)._get_param_names()
        own = {"ranker": ranker_of("LightGBM")} if "ranker" in known else {}
        selector = registry.get(method, **{"n_features_to_select": SIZES[-1], **own, **params})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [int(j) for j in selector.fit(split.train).order_[: SIZES[-1]]]

    said = {key: repr(value) for key, value in params.items()}
    return list(book.once({"task": "order", "data": name, "fold": f, "method": method, "params": said}, compute))


def sets_of(book: Journal, name: str, f: int, split: Split, method: str, params: Mapping[str, Any], k: int) -> Any:
    """The sets of a method at a size: one, but for random features."""
    n_features = split.train.n_features
    if method == EVERYTHING:
        return [list(range(n_features))]
    if method == RANDOM:
        rng = np.random.default_rng([f, k])
        return [rng.choice(n_features, k, replace=False).tolist() for _ in range(DRAWS)]
    return [order_of(book, name, f, split, method, params)[:k]]


def table(
    book: Journal, names: Iterable[str], methods: Mapping[str, tuple[str, Mapping[str, Any]]]
) -> dict[tuple[str, str, str, int], list[float]]:
    """NDCG@10 of each split by label of the method, data, ranker and size."""
    values: dict[tuple[str, str, str, int], list[float]] = {}
    for name in names:
        for f, split in enumerate(data_splits(name)):
            for label, (method, params) in methods.items():
                for k in SIZES:
                    sets = sets_of(book, name, f, split, method, params, k)
                    for kind in RANKERS:
                        scores = [measured(book, name, f, split, kind, columns) for columns in sets]
                        values.setdefault((label, name, kind, k), []).append(float(np.mean(scores)))
            print(name, f, flush=True)
    return values


def over(values: Mapping[tuple[str, str, str, int], list[float]], label: str, name: str) -> np.ndarray:
    """The mean over rankers and sizes, for each split."""
    return np.mean([values[label, name, kind, k] for kind in RANKERS for k in SIZES], axis=0)


def page(values: Mapping[Any, list[float]], names: list[str], labels: list[str], about: list[str]) -> str:
    """The table; a cell below random features is marked, and so is a mean below the plain ranking."""
    plain = {name: over(values, PLAIN, name) for name in names}
    random = {name: over(values, RANDOM, name) for name in names}
    mean = {label: float(np.mean([over(values, label, name).mean() for name in names])) for label in labels}
    sizes = [f"k = {k}" for k in SIZES]
    lines = [*about, "", "| method | " + " | ".join([*names, *sizes, "mean", "against top-k"]) + " |"]
    lines.append("|---|" + "---|" * (len(names) + len(sizes) + 2))
    for label in sorted(labels, key=lambda label: -mean[label]):
        cells = []
        for name in names:
            own = over(values, label, name)
            below = label not in (RANDOM, EVERYTHING) and own.mean() < random[name].mean()
            cells.append(f"**{own.mean():.4f}**" if below else f"{own.mean():.4f}")
        cells += [f"{np.mean([values[label, n, r, k] for n in names for r in RANKERS]):.4f}" for k in SIZES]
        apart = np.array([(over(values, label, name) - plain[name]).mean() for name in names])
        error = float(apart.std(ddof=1) / np.sqrt(len(apart)))
        lines.append(
            f"| `{label}` | " + " | ".join(cells) + f" | {mean[label]:.4f} | {apart.mean():+.4f} ± {error:.4f} |"
        )
    return "\n".join(lines) + "\n"


def alone() -> tuple[dict[str, tuple[str, dict[str, Any]]], list[str]]:
    """Every method with its defaults, and the data sets."""
    methods: dict[str, tuple[str, dict[str, Any]]] = {label: (label, {}) for label in (EVERYTHING, RANDOM)}
    methods |= {name: (name, {}) for name in registry.names() if name not in LEFT_OUT}
    return methods, [*LETOR, *READ, *KINDS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="*", help="data sets; by default all of the table")
    parser.add_argument("--methods", nargs="*", help="methods; by default all")
    given = parser.parse_args()
    methods, names = alone()
    if given.methods:
        wanted = {RANDOM, EVERYTHING, PLAIN, *given.methods}
        methods = {label: what for label, what in methods.items() if label in wanted}
    names = given.data or names
    about = [
        "# Each method alone",
        "",
        "Test NDCG@10 with 5, 8 and 15 features of each method's own order, with its defaults: the mean over the three",
        f"sizes, two rankers (RankSVM, LightGBM with early stopping) and {SPLITS} splits; then, by size, the mean over",
        "data sets. Methods that train a ranker use LightGBM; those that stop by themselves may take fewer features.",
        f"Random features are the mean of {DRAWS} draws. **Bold**: below random features there. The last column is the",
        "mean difference to the plain ranking by importance, `top-k`, with its standard error over data sets.",
        "",
        "Not here: " + ", ".join(f"`{name}` ({why})" for name, why in LEFT_OUT.items()) + ".",
        "",
        "Made by `python -m benchmarks.methods_alone`; the made data are in benchmarks/made_kinds.py.",
    ]
    (HERE / "results").mkdir(exist_ok=True)
    with Journal(HERE / "results" / "methods_alone.db", {"what": "methods alone"}) as book:
        text = page(table(book, names, methods), list(names), list(methods), about)
    write_whole(DOCS / "methods_alone.md", text)
    print(text)


if __name__ == "__main__":
    main()
