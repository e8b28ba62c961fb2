"""Files larger than memory and clusters: time per million rows, peak memory, 2 threads and 2 processes against 1.

A Parquet folder of 136 features and 125 documents a query is generated block by block, one file per million rows, then
folded to a feature graph (MAP, Kendall) from which GAS selects 20 features. Every measured fold runs in a process of
its own, which reports its time and its own peak memory; compiled kernels are loaded and clusters started before the
clock is. Two million rows by default; the real thing, which also writes the table of docs/scaling.md, is

    LEANRANK_SCALING_ROWS=20000000 python -m benchmarks scaling

`LEANRANK_SCALING_DIR` names the folder of the data, which is kept and used again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from benchmarks.scaling_data import K, block_of, first_files, folder_of, forget_files, say
from benchmarks.scaling_page import write_page

from leanrank.data.parquet.files import write_parquet
from leanrank.data.parquet.scan import scan_parquet
from leanrank.engines.fold import fold
from leanrank.engines.local import LocalEngine
from leanrank.selectors.gas import GAS
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.importance import Importance

DEFAULT_ROWS = 2_000_000
SIZES = (1, 2, 5, 10, 20)
MEMORY_LIMIT = 2 * 10**9
#: Million rows that the page is about: a smaller run leaves it alone.
PAGE = 20
PROCESSES = (1, 2, 4)
WIDTHS = (136, 500, 1_000)
BLOCKS = (50_000, 100_000, 200_000)


def peak_memory() -> int:
    """Bytes this process held at most; unlike ru_maxrss not inherited from whoever started it."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def _fold_here(folder: Path, n_files: int, threads: int) -> dict[str, Any]:
    """A fold on threads, and a selection."""
    feature_graph(block_of(0, 20), engine=LocalEngine(threads))  # compiled kernels are loaded
    forget_files(folder, n_files)
    start = perf_counter()
    selector = GAS(20, engine=LocalEngine(threads)).fit(first_files(folder, n_files))
    return {"seconds": perf_counter() - start, "bytes": peak_memory(), "selected": selector.selected_.tolist()}


def _fold_on_dask(folder: Path, n_files: int, processes: int) -> dict[str, Any]:
    """A fold on a cluster of processes of one thread, and a selection."""
    from distributed import Client, LocalCluster

    from leanrank.engines.dask_engine import DaskEngine

    options = {"n_workers": processes, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        client.wait_for_workers(processes)
        engine = DaskEngine(client)
        client.run(feature_graph, block_of(0, 20), engine=LocalEngine(1))
        start = perf_counter()
        selector = GAS(20, engine=engine).fit(first_files(folder, n_files))
        seconds = perf_counter() - start
        peak = max(peak_memory(), *client.run(peak_memory).values())
    return {"seconds": seconds, "bytes": peak, "selected": selector.selected_.tolist()}


def _threads_here(folder: Path, n_files: int, repeats: int) -> dict[str, Any]:
    """The Kendall graph of data in memory, on one thread and on two, in turns."""
    data = block_of(0, 1_600)
    best = {1: float("inf"), 2: float("inf")}
    for _ in range(repeats + 1):
        for threads in best:
            start = perf_counter()
            feature_graph(data, engine=LocalEngine(threads))
            best[threads] = min(best[threads], perf_counter() - start)
    return {"one": best[1], "two": best[2]}


def _memory_here(folder: Path, n_files: int, block_rows: int) -> dict[str, Any]:
    """Peak memory of a fold on one thread, with blocks of so many rows."""
    start = perf_counter()
    feature_graph(first_files(folder, 1), engine=LocalEngine(1, block_rows))
    return {"seconds": perf_counter() - start, "bytes": peak_memory()}


def _costs_here(folder: Path, n_files: int, n_features: int) -> dict[str, Any]:
    """Processor seconds of one thread for a million rows of so many features: importance, graph, reading."""
    data = block_of(0, 160, n_features)
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        write_parquet(data, Path(beside, "wide.parquet"))
        source = scan_parquet(beside)
        works: dict[str, Callable[[], Any]] = {
            "importance": lambda: fold(Importance("map"), data, LocalEngine(1)),
            "graph": lambda: feature_graph(data, engine=LocalEngine(1)),
            "reading": lambda: [block.n_rows for block in source.blocks()],
        }
        best = dict.fromkeys(works, float("inf"))
        for _ in range(4):
            for name, work in works.items():
                start = process_time()
                work()
                best[name] = min(best[name], process_time() - start)
    return {name: seconds * 1e6 / data.n_rows for name, seconds in best.items()}


def measured(what: str, folder: Path, n_files: int, n: int) -> dict[str, Any]:
    """Run one of the functions above in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bench_scaling", what, str(folder), str(n_files), str(n)]
    root = Path(__file__).resolve().parent.parent
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    say(f"{what}, {n_files} million rows, {n}: " + ", ".join(f"{found[key]:.4g} {key}" for key in list(found)[:2]))
    return found


def run(rows: int | None = None) -> list[dict[str, Any]]:
    """Time per million rows and its growth, peak memory, and how much a second thread and a second process bring."""
    wanted = int(os.environ.get("LEANRANK_SCALING_ROWS", DEFAULT_ROWS)) if rows is None else rows
    folder, n_files, note = folder_of(wanted)
    say(f"the data are in {folder}, and stay there for the next run")
    results = [*_growth_rows(folder, n_files, note), _threads_row(folder, n_files)]
    results += _dask_rows(folder, min(n_files, 4))
    results += _memory_rows(folder) + _cost_rows(folder)
    if n_files >= PAGE:
        write_page(results)
    return results


def _growth_rows(folder: Path, n_files: int, note: str) -> list[dict[str, Any]]:
    """Two threads from Parquet to 20 features, for more and more rows; of small ones the median of several."""
    results: list[dict[str, Any]] = []
    times = {}
    for n in sorted({min(n, n_files) for n in SIZES} | {n_files}):
        runs = [measured("local", folder, n, 2) for _ in range(5 if n == 1 else 3 if n <= 5 else 1)]
        times[n] = median(found["seconds"] for found in runs) / n
        peak = max(found["bytes"] for found in runs)
        results += [
            {
                "what": f"a million rows of {n} million from Parquet to 20 features",
                "rows": n * 10**6,
                "ours_s": times[n],
                "note": note,
            },
            {
                "what": f"peak memory, {n} million rows x {K}: {peak / 1e9:.2f} GB",
                "rows": n * 10**6,
                "bytes": peak,
                "peer": "less than 2 GB",
                "ratio": MEMORY_LIMIT / peak,
                "required": 1.0,
            },
        ]
    results.append(
        {
            "what": f"time per row, shortest against longest, 1 to {n_files} million",
            "peer": "flat within 20%",
            "ratio": min(times.values()) / max(times.values()),
            "required": 1 / 1.2,
        }
    )
    return results


def _threads_row(folder: Path, n_files: int) -> dict[str, Any]:
    both = measured("threads", folder, n_files, 5)
    return {
        "what": "Kendall graph, 200,000 rows in memory, 2 threads",
        "ours_s": both["two"],
        "peer": "1 thread",
        "peer_s": both["one"],
        "ratio": both["one"] / both["two"],
        "required": 1.7,
    }


def _dask_rows(folder: Path, n_files: int) -> list[dict[str, Any]]:
    """Dask on 1, 2 and 4 processes; best of two, in turns."""
    runs = [(n, measured("dask", folder, n_files, n)) for _ in range(2) for n in PROCESSES]
    if len({tuple(found["selected"]) for _, found in runs}) != 1:
        raise RuntimeError("the selection depends on the number of processes")
    best = {n: min((found for m, found in runs if m == n), key=lambda found: found["seconds"]) for n in PROCESSES}
    return [
        {
            "what": f"Dask, {n_files} million rows from Parquet, {n} process{'es' if n > 1 else ''}",
            "rows": n_files * 10**6,
            "processes": n,
            "ours_s": best[n]["seconds"],
            "bytes": best[n]["bytes"],
            "peer": "1 process",
            "peer_s": best[1]["seconds"],
            "ratio": best[1]["seconds"] / best[n]["seconds"],
            "required": 1.5 if n == 2 and n_files >= 2 else None,
            "note": f"{best[n]['bytes'] / 1e9:.2f} GB a process at most, {os.cpu_count()} cores",
        }
        for n in PROCESSES
    ]


def _memory_rows(folder: Path) -> list[dict[str, Any]]:
    peaks = {rows: measured("memory", folder, 1, rows)["bytes"] for rows in BLOCKS}
    return [
        {"what": f"peak memory, 1 thread, blocks of {rows:,}: {peak / 1e9:.2f} GB", "block_rows": rows, "bytes": peak}
        for rows, peak in peaks.items()
    ]


def _cost_rows(folder: Path) -> list[dict[str, Any]]:
    costs = {width: measured("costs", folder, 1, width) for width in WIDTHS}
    return [
        {"what": f"processor time of a million rows x {width:,}: {kind}", "features": width, "kind": kind, "ours_s": s}
        for width, found in costs.items()
        for kind, s in found.items()
    ]


if __name__ == "__main__":
    what, folder, n_files, n = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    here = {"local": _fold_here, "dask": _fold_on_dask, "threads": _threads_here}
    work = {**here, "memory": _memory_here, "costs": _costs_here}[what]
    print(json.dumps(work(folder, n_files, n)))
