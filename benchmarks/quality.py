"""What the chosen features are worth: `select` beside the selectors people use today, in one run.

Selection sees training data alone. A final ranker is trained on the chosen features (hyper-parameters and early
stopping on the validation part) and measured on the test part: NDCG@10 in the convention of each data set.

    python -m benchmarks.quality              # k = 8, all peers; writes docs/quality.md
    python -m benchmarks.quality --elsewhere  # the same on data that select was not made on; docs/quality_elsewhere.md
    python -m benchmarks.quality --stop-rule  # the stop rule instead of a fixed k; writes docs/stop_rule.md
    python -m benchmarks.quality --stop-rule --elsewhere  # docs/stop_rule_elsewhere.md

Finished work is kept in benchmarks/results/quality.db, so a run can be interrupted and gone on with.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from benchmarks.quality_data import CONVENTIONS, ELSEWHERE, FIXED, LETOR, MADE, STOP_RULE, TEST, TRAIN, Split, splits
from benchmarks.quality_peers import LIGHTGBM, PEERS

from leanrank import NDCG, as_ranker, select
from leanrank.data.folds import Fold
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.select.stop_rule import differences
from leanrank.evaluation.training import prepared, train
from leanrank.rankers.ranksvm import RankSVM

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
RUNS = HERE / "results" / "runs"
K = 8
CAVEAT = [
    "The order of the methods of `select`, and how sure it must be to leave the first, were settled with these data",
    "sets in view, test parts included. Within a run no choice sees a test part. What that settling is worth is",
    "measured in [how sure it must be](choice_rule.md); other data are in",
    "[quality elsewhere](quality_elsewhere.md).",
]
RANKERS = ("RankSVM", "LightGBM")
OURS = "leanrank select"
#: The same with folds dealt by other seeds: how much of its figure is luck.
AGAIN = {f"{OURS}, seed {seed}": seed for seed in (1,)}
QUALITY = [
    f"# Quality of the chosen features (k = {K})",
    "",
    "Mean test NDCG@10 over five folds; selection sees training data alone. Made by `python -m benchmarks.quality`.",
    "`select` with other seeds deals its folds in another way: the difference is luck.",
    "",
    *CAVEAT,
]
QUALITY_ELSEWHERE = [
    f"# Quality on data that `select` was not made on (k = {K})",
    "",
    "Mean test NDCG@10 over five splits; selection sees training data alone. Made by",
    "`python -m benchmarks.quality --elsewhere`. The methods, their order and the level were fixed before these data",
    "were looked at (on FLUCCS alone kinds of mRMR had been compared), and none was changed for what they show.",
    "The data sets are in benchmarks/quality_data.py: bugs and methods (41 features), LightGBM's example (300), and",
    f"three kinds of made data with {TRAIN} training queries and {TEST:,} test queries each, new ones for each split:",
    "many copies of few features (60 features), many weak ones under much noise (80), and pairs that tell nothing",
    "alone (60).",
]
#: Losses that the stop rule is asked to allow; the first is the default of `select`.
LOSSES = (0.002, 0.01, 0.02)
STOPPED = [
    "# The stop rule on four data sets",
    "",
    "`select` with `max_loss` on the training part of five splits; difference to all features on the test queries of",
    "all splits, each counted once, with its 95% interval. Made by `python -m benchmarks.quality --stop-rule`.",
    "Where the training queries prove of no smaller set that it loses at most `max_loss`, all features are kept.",
    "The rule has nothing that these data could have settled; the larger losses show what it gives for more risk.",
    "Other data are in [the stop rule elsewhere](stop_rule_elsewhere.md).",
]
STOPPED_ELSEWHERE = [
    "# The stop rule on other data",
    "",
    "As in [the stop rule on four data sets](stop_rule.md), on LightGBM's example and on made data with",
    f"{TRAIN} training queries and {TEST:,} test queries for each split (benchmarks/quality_data.py). Made by",
    "`python -m benchmarks.quality --stop-rule --elsewhere`.",
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


def choose(
    method: str, split: Split, kind: str, k: int | None, name: str, f: int, max_loss: float | None = None
) -> list[int]:
    """Column numbers that a method chooses from the training part."""
    if method == "all features":
        return list(range(split.train.n_features))
    if method == OURS or method in AGAIN:
        seed = AGAIN.get(method, 0)
        what = "stop rule" if k is None else f"{k}"
        run = RUNS / f"{name} {f} {kind} {what}{f' seed {seed}' if seed else ''}.db".replace(" ", "-")
        answer = "certified" if k is None else "recommended"
        asked = {"n_features": k, "max_loss": max_loss, "random_state": seed, "answer": answer}
        chosen = select(split.train, final_ranker(kind), ndcg(name), **asked, progress=False, journal=run)
        return [int(j) for j in chosen.indices]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [int(j) for j in PEERS[method](split.train, k)]


def measured(
    journal: Journal,
    name: str,
    f: int,
    split: Split,
    method: str,
    kind: str,
    k: int | None,
    max_loss: float | None = None,
):
    """Chosen columns and per-query values of one fold, computed once."""
    # peers do not look at the final ranker: choose once for both
    choice = _choice(name, f, method, kind, k, max_loss)
    columns = journal.once(choice, lambda: choose(method, split, kind, k, name, f, max_loss))
    task = {"task": "test", "data": name, "fold": f, "ranker": kind, "columns": sorted(columns)}
    values = journal.once(task, lambda: [_plain(v) for v in per_query(split, columns, kind, name)])
    return columns, np.array(values, dtype=float)


def _choice(name: str, f: int, method: str, kind: str, k: int | None, max_loss: float | None) -> dict[str, object]:
    choice = {"task": "choose", "data": name, "fold": f, "method": method, "k": k}
    if max_loss is not None:
        choice["max_loss"] = max_loss
    return choice | {"ranker": kind} if method == OURS or method in AGAIN else choice


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def fixed_size(journal: Journal, names: Sequence[str], methods: list[str], page: str, about: list[str]) -> None:
    """Table of means: methods by data set and ranker."""
    cells: dict[str, dict[tuple[str, str], float]] = {}
    for name in names:
        for f, split in enumerate(splits(name)):
            for method in methods:
                for kind in RANKERS:
                    _, values = measured(journal, name, f, split, method, kind, K)
                    cells.setdefault(method, {}).setdefault((name, kind), 0.0)
                    cells[method][(name, kind)] += float(np.nanmean(values)) / 5
                print(name, f, method, flush=True)
    columns = [(name, kind) for name in names for kind in RANKERS]
    letor = [c for c in columns if c[0] in LETOR]
    means = {"LETOR cells": letor, "all cells": columns} if letor else {"all cells": columns}

    def mean(method: str, over) -> float:
        return float(np.mean([cells[method][c] for c in over]))

    lines = [
        *about,
        "",
        "| method | " + " | ".join([*(f"{n}, {kind}" for n, kind in columns), *means]) + " |",
        "|---|" + "---|" * (len(columns) + len(means)),
    ]
    for method in sorted(methods, key=lambda m: -mean(m, columns)):
        row = [cells[method][c] for c in columns] + [mean(method, over) for over in means.values()]
        lines.append(f"| {method} | " + " | ".join(f"{value:.4f}" for value in row) + " |")
    peers = [m for m in methods if m not in (OURS, "all features", *AGAIN)]
    if peers:
        hindsight = np.mean([max(mean(m, [(n, kind) for kind in RANKERS]) for m in peers) for n in names])
        lines += ["", f"The right peer per data set, chosen by hindsight: {hindsight:.4f}."]
    text = "\n".join(lines) + "\n"
    (DOCS / page).write_text(text)
    print(text)


def stop_rule(
    journal: Journal, names: Sequence[str], kinds: Sequence[str], page: str, about: list[str], *, finished: bool
) -> None:
    """Number of features and test difference to all features, with an interval, per data set and ranker.

    LightGBM trains some hundred boosters for each split; `finished` writes down what there is so far.
    """
    lines = [
        *about,
        "",
        "| max_loss | data | ranker | features | kept (mean, per split) | test NDCG@10, all | kept | difference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for loss, name, kind in product(LOSSES, names, kinds):
        if finished and any(journal.get(_choice(name, f, OURS, kind, None, loss)) is None for f in range(5)):
            continue
        found: dict[object, list[tuple[float, float]]] = {}  # a query may be in the test part of several splits
        sizes = []
        for f, split in enumerate(splits(name)):
            columns, kept = measured(journal, name, f, split, OURS, kind, None, loss)
            _, everything = measured(journal, name, f, split, "all features", kind, None)
            for query, pair in zip(split.test.query_ids, zip(everything, kept, strict=True), strict=True):
                found.setdefault((f if name in MADE else 0, query), []).append(pair)
            sizes.append(len(columns))
            print(loss, name, kind, f, len(columns), flush=True)
        b, a = np.array([np.mean(pairs, axis=0) for pairs in found.values()]).T
        d = differences(a[None], b)[0]
        lines.append(
            f"| {loss:g} | {name} | {kind} | {split.train.n_features} | "
            f"{np.mean(sizes):.1f} ({', '.join(map(str, sizes))}) | "
            f"{np.nanmean(b):.4f} | {np.nanmean(a):.4f} | {d.mean:+.4f} [{d.low:+.4f}, {d.high:+.4f}] |"
        )
    text = "\n".join(lines) + "\n"
    (DOCS / page).write_text(text)
    print(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stop-rule", action="store_true", help="the stop rule instead of a fixed size")
    parser.add_argument("--elsewhere", action="store_true", help="on data that select was not made on")
    parser.add_argument("--data", nargs="*", help="data sets; by default all of the table")
    parser.add_argument("--methods", nargs="*", help="methods; by default all of the table")
    parser.add_argument("--rankers", nargs="*", default=RANKERS, help="of the stop rule")
    parser.add_argument("--finished", action="store_true", help="rows of the stop rule that are finished, no others")
    given = parser.parse_args()
    RUNS.mkdir(parents=True, exist_ok=True)
    with Journal(
        HERE / "results" / f"quality{'_elsewhere' if given.elsewhere else ''}.db", {"what": "quality"}
    ) as book:
        if given.stop_rule and given.elsewhere:
            unseen = [name for name in ELSEWHERE if name not in STOP_RULE]
            about = ("stop_rule_elsewhere.md", STOPPED_ELSEWHERE)
            stop_rule(book, given.data or unseen, given.rankers, *about, finished=given.finished)
        elif given.stop_rule:
            stop_rule(book, given.data or STOP_RULE, given.rankers, "stop_rule.md", STOPPED, finished=given.finished)
        elif given.elsewhere:
            methods = given.methods or ["all features", OURS, *PEERS]
            fixed_size(book, given.data or ELSEWHERE, methods, "quality_elsewhere.md", QUALITY_ELSEWHERE)
        else:
            methods = given.methods or ["all features", OURS, *AGAIN, *PEERS]
            fixed_size(book, given.data or FIXED, methods, "quality.md", QUALITY)


if __name__ == "__main__":
    main()
