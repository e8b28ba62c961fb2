"""What `shadow` costs beside the two predictions that it cannot do without, and how much memory a long log takes.

    python -m benchmarks.shadow_speed [--rows 1000000]

Made rows of 136 features, 100 documents a query, two LightGBM models of 300 trees: all features, and 20 of them. One
thread, processor time. Writes docs/shadow_speed.md.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from leanrank import LocalEngine, RankingData, load_ranker, scan_parquet, shadow
from leanrank.kernels._threads import at_most
from leanrank.rankers import get

PAGE = Path(__file__).resolve().parent.parent / "docs" / "shadow_speed.md"
FEATURES, KEPT, DOCUMENTS, TREES = 136, 20, 100, 300
NAMES = [f"f{j}" for j in range(FEATURES)]
#: Rows written, and read, at a time.
BLOCK = 50_000


def made(n_rows: int, seed: int) -> RankingData:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, FEATURES), dtype=np.float32)
    y = np.digitize(X[:, :30] @ rng.random(30) + rng.standard_normal(n_rows), [2.0, 4.0, 6.0])
    ptr = np.arange(0, n_rows + 1, DOCUMENTS)
    return RankingData(X, y.astype(np.float32), ptr, np.arange(len(ptr) - 1) + seed * n_rows, NAMES)


def train(folder: Path) -> None:
    data = made(6_000, 0)
    for name, columns in (("full", NAMES), ("pruned", NAMES[:KEPT])):
        get("lightgbm", n_estimators=TREES, n_threads=1).fit(data.subset(columns)).save(folder / f"{name}.json")


def write(path: Path, n_rows: int) -> None:
    writer = None
    for seed in range(1, n_rows // BLOCK + 1):
        block = made(BLOCK, seed)
        columns = {"label": block.y, "qid": block.qid, **{name: block.X[:, j] for j, name in enumerate(NAMES)}}
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def timed(call: Any) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def ratio(folder: Path, n_rows: int) -> tuple[float, float]:
    """Processor seconds of the two predictions alone, and of `shadow`, over the same blocks in memory."""
    full, pruned = load_ranker(folder / "full.json"), load_ranker(folder / "pruned.json")
    alone = together = 0.0
    small = made(BLOCK, 1).take_queries(range(5))
    shadow(small, full, pruned, engine=LocalEngine(1))  # compiles
    for seed in range(1, n_rows // BLOCK + 1):
        block = made(BLOCK, seed)
        cut = block.subset(NAMES[:KEPT])

        def predict(block: RankingData = block, cut: RankingData = cut) -> None:
            with at_most(1):
                full.predict(block)
                pruned.predict(cut)

        def compare(block: RankingData = block) -> None:
            shadow(block, full, pruned, engine=LocalEngine(1, BLOCK))

        calls = [predict, compare] if seed % 2 else [compare, predict]
        seconds = {call.__name__: timed(call) for call in calls}
        alone, together = alone + seconds["predict"], together + seconds["compare"]
    return alone, together


def peak(folder: Path, path: Path) -> None:
    """Print the peak of memory of this process after shadowing a file, in MiB; run in a process of its own."""
    full, pruned = load_ranker(folder / "full.json"), load_ranker(folder / "pruned.json")
    shadow(scan_parquet(path), full, pruned, engine=LocalEngine(1, BLOCK))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--peak", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak:
        peak(*options.peak)
        return
    lines = [
        "# What shadow costs",
        "",
        f"Made rows of {FEATURES} features, {DOCUMENTS} documents a query; LightGBM, {TREES} trees, on all features",
        f"and on {KEPT} of them. One thread, seconds of the processor. Made by `python -m benchmarks.shadow_speed`.",
        "",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train(folder)
        alone, together = ratio(folder, options.rows)
        print(f"{alone:.1f} s, {together:.1f} s", flush=True)
        lines += [
            "| rows | two predictions | shadow | ratio |",
            "|---:|---:|---:|---:|",
            f"| {options.rows:,} | {alone:.1f} s | {together:.1f} s | {together / alone:.2f} |",
            "",
            f"Peak memory of a process that shadows a Parquet file in blocks of {BLOCK:,} rows:",
            "",
            "| rows | values of the file | peak |",
            "|---:|---:|---:|",
        ]
        for rows in (options.rows // 4, options.rows):
            path = folder / f"{rows}.parquet"
            write(path, rows)
            command = [sys.executable, "-m", "benchmarks.shadow_speed", "--peak", str(folder), str(path)]
            used = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            path.unlink()
            lines.append(f"| {rows:,} | {rows * FEATURES * 4 / 2**20:,.0f} MiB | {used:,} MiB |")
            print(lines[-1], flush=True)
    PAGE.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
