"""What `select` costs: processor seconds, in trainings on all features, beside CatBoost's `select_features`.

    python -m benchmarks.select_cost [--data NAME ...] [--rankers NAME ...]   # writes docs/select_cost.md
    python -m benchmarks.select_cost --catboost     # CatBoost again alone; the rest stays as it was measured
    python -m benchmarks.select_cost --ours         # `select` again alone
    python -m benchmarks.select_cost --cores        # two cores against one: wall time on the MSLR sample
    python -m benchmarks.select_cost --page         # the page again, from what was measured

The unit is one training of the same ranker on all features with 80% of the queries, stopping early on the other 20%,
on one thread: the mean over five cuts. `select` runs on one thread too, in this process; nothing is kept between runs.
`python -m benchmarks.select_web10k` measures memory, and data of many rows.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.quality_data import DATA
from benchmarks.quality_peers import CATBOOST, catboost
from benchmarks.scaling_page import put_parts
from threadpoolctl import threadpool_limits

from leanrank import RankingData, letor_folds, read_letor, select
from leanrank.evaluation.folds import QueryFolds
from leanrank.evaluation.select.run import default_ranker
from leanrank.evaluation.training import prepared

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "select_cost.md"
RESULTS = HERE / "results" / "select_cost.json"
DATA_SETS = ("OHSUMED", "MQ2008", "MSLR sample")
K = 8
RANKERS = ("lightgbm", "ranksvm")
EFFORTS = ("quick", "normal")
#: A ranker whose training takes hundredths of a second may take this long, whatever the number of trainings.
ENOUGH_SECONDS = 5.0
MOST = 40.0
#: How much faster two cores are at least.
LEAST_SPEED_UP = 1.7

Row = dict[str, Any]


def whole(name: str) -> RankingData:
    """All queries of a data set."""
    if name == "MSLR sample":
        return read_letor(DATA / "mslr-sample" / "mslr-sample.txt.gz")
    from leanrank.data.ranking_data import concatenate

    return concatenate([fold.test for fold in letor_folds(DATA / name.lower())])


def seconds(work: Callable[[], object]) -> float:
    """Processor time of this process, on one thread."""
    begin = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        work()
    return time.process_time() - begin


def unit(data: RankingData, ranker: str) -> float:
    """One training on all features with 80% of the queries."""
    learner = default_ranker(ranker)
    taken = []
    for part in QueryFolds.cut(data, 5).parts:
        rest = np.setdiff1d(np.arange(data.n_queries), part)
        train, valid = (prepared(data.take_queries(index), learner) for index in (rest, part))
        fresh = learner.for_columns(list(range(data.n_features)), data.n_features)
        taken.append(seconds(lambda fresh=fresh, train=train, valid=valid: fresh.fit(train, eval_set=valid)))
    return float(np.mean(taken))


def measured(name: str, rankers: Iterable[str]) -> None:
    """A row for each ranker, effort and way to stop."""
    data = whole(name)
    for ranker in rankers:
        one = unit(data, ranker)
        for effort in EFFORTS:
            for k in (None, K):
                asked = {"n_features": k, "effort": effort, "n_jobs": 1, "progress": False}
                taken = seconds(lambda ranker=ranker, asked=asked: select(data, ranker, **asked))
                keep({"data": name, "ranker": ranker, "effort": effort, "k": k, "one": one, "seconds": taken})


def measured_catboost(name: str) -> None:
    """A row for each algorithm of CatBoost, with its defaults."""
    data = whole(name)
    for algorithm in CATBOOST:
        taken = seconds(lambda algorithm=algorithm: catboost(f"RecursiveBy{algorithm}")(data, K))
        keep({"data": name, "ranker": f"CatBoost {algorithm}", "effort": "its defaults", "k": K, "seconds": taken})


def measured_cores() -> None:
    """Wall time of `select` on one thread and on two, in turns; their answers are the same."""
    data = whole("MSLR sample")
    taken, chosen = {1: float("inf"), 2: float("inf")}, {}
    for n_jobs in (1, 2, 1, 2):  # the first of each also compiles
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chosen[n_jobs] = select(data, "lightgbm", n_jobs=n_jobs, progress=False).features
        taken[n_jobs] = min(taken[n_jobs], time.perf_counter() - begin)
        print(n_jobs, "threads:", round(time.perf_counter() - begin, 1), "s", flush=True)
    if chosen[1] != chosen[2]:
        raise SystemExit(f"one thread chose {chosen[1]}, two {chosen[2]}")
    keep({"data": "MSLR sample", "ranker": "lightgbm", "effort": "normal", "threads": [taken[1], taken[2]]})


def rows_kept() -> list[Row]:
    """What was measured, in the order of the page."""
    rows: list[Row] = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    return sorted(rows, key=lambda row: (DATA_SETS.index(row["data"]), "one" not in row))


def keep(row: Row) -> None:
    """Put a row in the place of the former one."""

    def about(other: Row) -> list[Any]:
        return [*(other.get(key) for key in ("data", "ranker", "effort", "k")), "threads" in other]

    others = [other for other in rows_kept() if about(other) != about(row)]
    RESULTS.write_text(json.dumps([*others, row], indent=1) + "\n")
    print(row, f"{row['seconds'] / row['one']:.1f} trainings" if "one" in row else "", flush=True)


def faults(rows: list[Row]) -> list[str]:
    """What costs more than it may."""
    ours = [row for row in rows if "one" in row]
    out = [f"dearer than {MOST:g} trainings: {row}" for row in ours if not within(row)]
    for name, times in slowest_and_fastest(rows).items():
        dear = [row for row in ours if row["data"] == name and row["k"] == K and row["seconds"] > times[0]]
        out += [f"dearer than CatBoost's slowest, {times[0]:.1f} s: {row}" for row in dear]
    for one, two in (row["threads"] for row in rows if "threads" in row):
        out += [f"two cores are too slow: {one:.1f} s, {two:.1f} s"] if one < LEAST_SPEED_UP * two else []
    return out


def within(row: Row) -> bool:
    """Whether a row of `select` costs at most what it may."""
    return bool(row["seconds"] <= max(MOST * row["one"], ENOUGH_SECONDS if row["ranker"] == "ranksvm" else 0.0))


def slowest_and_fastest(rows: list[Row]) -> dict[str, tuple[float, float]]:
    """Of CatBoost's algorithms, by data set, where all were measured."""
    times: dict[str, list[float]] = {}
    for row in rows:
        if row["ranker"].startswith("CatBoost"):
            times.setdefault(row["data"], []).append(row["seconds"])
    return {name: (max(own), min(own)) for name, own in times.items() if len(own) == len(CATBOOST)}


def costs_page(rows: list[Row]) -> list[str]:
    lines = [
        "| data | ranker | effort | asked for | seconds | one training | trainings |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in (row for row in rows if "threads" not in row):
        asked = "the stop rule" if row["k"] is None else f"{row['k']} features"
        one = [f"{row['one']:.3f}", f"{row['seconds'] / row['one']:.1f}"] if "one" in row else ["", ""]
        cells = [row["data"], row["ranker"], row["effort"], asked, f"{row['seconds']:.1f}", *one]
        lines.append(f"| {' | '.join(cells)} |")
    peers = slowest_and_fastest(rows)
    if peers:
        lines += ["", f"LightGBM, effort normal, {K} features, beside the slowest and the fastest of CatBoost:", ""]
    for name, (slowest, fastest) in peers.items():
        ours = next(
            row["seconds"]
            for row in rows
            if (row["data"], row["ranker"], row["effort"], row.get("k")) == (name, "lightgbm", "normal", K)
        )
        lines.append(f"- {name}: {ours / slowest:.2f} times the slowest, {ours / fastest:.2f} times the fastest")
    return lines


def cores_page(rows: list[Row]) -> list[str]:
    [(one, two)] = [row["threads"] for row in rows if "threads" in row]
    return [
        f"On the MSLR sample (LightGBM, the stop rule) `select` takes {one:.1f} s on one thread, {two:.1f} s on two:",
        f"{one / two:.2f} times as fast, with the same answer. Made by `python -m benchmarks.select_cost --cores`.",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="*", default=DATA_SETS)
    parser.add_argument("--rankers", nargs="*", default=RANKERS)
    for alone in ("--catboost", "--ours", "--cores", "--page"):
        parser.add_argument(alone, action="store_true")
    given = parser.parse_args()
    if given.cores:
        measured_cores()
    for name in given.data if not (given.cores or given.page) else ():
        if not given.catboost:
            measured(name, given.rankers)
        if not given.ours:
            measured_catboost(name)
    rows = rows_kept()
    parts = {"costs": costs_page(rows)}
    if any("threads" in row for row in rows):
        parts["cores"] = cores_page(rows)
    put_parts(parts, PAGE)
    print("\n\n".join("\n".join(lines) for lines in parts.values()))
    raise SystemExit("\n".join(faults(rows)) or 0)


if __name__ == "__main__":
    main()
