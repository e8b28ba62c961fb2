"""`select` with LightGBM on made data in the shape of MSLR-WEB10K: trainings, processor time and peak memory.

    python -m benchmarks.select_web10k                     # 1,500 and 6,000 queries: docs/select_cost.md is written
    python -m benchmarks.select_web10k --queries 6000      # one size; the others stay as they were measured
    python -m benchmarks.select_web10k --queries 200 --no-page

Every size is a process of its own, which makes the data block by block, selects with nothing set but two threads, and
reports its own peak; one training on all features with 80% of the queries comes after that.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from benchmarks.bench_scaling import peak_memory
from benchmarks.scaling_page import put_parts

from leanrank import RankingData, make_ranking, select
from leanrank.data.memory_size import shown
from leanrank.evaluation.folds import QueryFolds
from leanrank.evaluation.select.run import default_ranker

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "select_cost.md"
RESULTS = HERE / "results" / "select_web10k.json"
QUERIES = (1_500, 6_000)
DOCUMENTS = 120
THREADS = 2
#: So noisy that NDCG@10 is what it is on the real data, or somewhat less.
SHAPE = {"n_informative": 12, "n_redundant": 44, "n_query_level": 10, "n_noise": 70, "noise": 2.0, "shuffle": False}
N_FEATURES = 136
_BLOCK_QUERIES = 100
#: What it may take: trainings on all features, and memory as so many matrices and so much for the process itself.
MOST_TRAININGS = 25.0
MOST_MATRICES = 2.5
PROCESS_BYTES = 10**9


def made(n_queries: int) -> RankingData:
    """So many queries, float32; never much more than the matrix is in memory."""
    X = np.empty((n_queries * DOCUMENTS, N_FEATURES), dtype=np.float32)
    y = np.empty(len(X), dtype=np.float32)
    for first in range(0, n_queries, _BLOCK_QUERIES):
        n = min(_BLOCK_QUERIES, n_queries - first)
        block, _ = make_ranking(n, DOCUMENTS, random_state=first, **SHAPE)
        rows = slice(first * DOCUMENTS, (first + n) * DOCUMENTS)
        X[rows], y[rows] = block.X, block.y
    return RankingData(X, y, np.arange(0, len(X) + 1, DOCUMENTS))


def _measured_here(n_queries: int) -> dict[str, Any]:
    """Select, in this process, what it took, and what one training takes."""
    data = made(n_queries)
    start, used = perf_counter(), process_time()
    chosen = select(data, "lightgbm", n_jobs=THREADS, progress=False)
    row = {
        "queries": n_queries,
        "matrix": data.X.nbytes,
        "wall_s": perf_counter() - start,
        "processor_s": process_time() - used,
        "bytes": peak_memory(),
        "kept": chosen.n_features,
    }
    print(json.dumps(row), flush=True)  # a training of minutes follows
    train, valid = (data.take_queries(part) for part in _four_fifths(data))
    ranker = default_ranker("lightgbm")
    used = process_time()
    ranker.fit(train, eval_set=valid)
    return {**row, "one": process_time() - used}


def _four_fifths(data: RankingData) -> tuple[Any, Any]:
    part = QueryFolds.cut(data, 5).parts[0]
    return np.setdiff1d(np.arange(data.n_queries), part), part


def measured(n_queries: int) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.select_web10k", "--here", str(n_queries)]
    run = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True)
    row: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return row


def allowed(row: dict[str, Any]) -> int:
    """Bytes that a size may take."""
    return int(MOST_MATRICES * row["matrix"]) + PROCESS_BYTES


def within(row: dict[str, Any]) -> bool:
    return bool(row["processor_s"] <= MOST_TRAININGS * row["one"] and row["bytes"] <= allowed(row))


def page(rows: list[dict[str, Any]]) -> list[str]:
    """What docs/select_cost.md says of it."""
    lines = [
        f"Made data in the shape of MSLR-WEB10K ({DOCUMENTS} documents a query, {N_FEATURES} features, float32), with",
        f"LightGBM and nothing set but {THREADS} threads. Memory is the peak of the whole process; allowed are",
        f"{MOST_MATRICES:g} times the matrix and {shown(PROCESS_BYTES)}, and {MOST_TRAININGS:g} trainings. Made by",
        "`python -m benchmarks.select_web10k`.",
        "",
        "| queries | matrix | peak memory | allowed | wall, s | processor, s | one training, s | trainings | kept |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [
            f"{row['queries']:,}",
            shown(row["matrix"]),
            shown(row["bytes"]),
            shown(allowed(row)),
            f"{row['wall_s']:.0f}",
            f"{row['processor_s']:.0f}",
            f"{row['one']:.0f}",
            f"{row['processor_s'] / row['one']:.1f}",
            f"{row['kept']}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main(arguments: list[str]) -> int:
    """Measure, print, put the figures into the page; 1 where a size takes more than it may."""
    if arguments[:1] == ["--here"]:
        print(json.dumps(_measured_here(int(arguments[1]))))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, nargs="*", default=QUERIES)
    parser.add_argument("--no-page", action="store_true")
    given = parser.parse_args(arguments)
    rows = {row["queries"]: row for row in (json.loads(RESULTS.read_text()) if RESULTS.exists() else [])}
    measured_now = {n: measured(n) for n in given.queries}
    if given.no_page:
        rows = measured_now
    else:
        rows |= measured_now
        RESULTS.write_text(json.dumps([rows[n] for n in sorted(rows)], indent=1) + "\n")
        put_parts({"web10k": page([rows[n] for n in sorted(rows)])}, PAGE)
    print("\n".join(page([rows[n] for n in sorted(rows)])))
    return int(not all(map(within, measured_now.values())))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
