"""`select` on a Parquet folder larger than the memory it is allowed: peak memory, wall and processor time.

A folder of 136 features and 125 documents a query is written block by block into a temporary folder; a process of its
own then selects from it with RankSVM and `memory=`, and reports its own peak.

    python -m benchmarks.select_memory                              # 5 million rows, 2 GB: docs/scaling.md is written
    python -m benchmarks.select_memory --rows 20000 --memory 10MB --no-page
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.bench_scaling import peak_memory
from benchmarks.scaling_data import DOCUMENTS, K, block_of, say
from benchmarks.scaling_page import PAGE, put_parts

import leanrank
from leanrank import write_parquet
from leanrank.data.memory_size import bytes_of, shown
from leanrank.data.parquet.scan import scan_parquet
from leanrank.data.ranking_data import RankingData

ROWS = 5_000_000
#: What the process itself takes beside the memory that its data are allowed.
PROCESS_BYTES = 10**9
_ROWS_PER_FILE = 1_000_000
_QUERIES_PER_BLOCK = 160


class Made:
    """The blocks of one file, made when they are asked for."""

    feature_names = tuple(str(j + 1) for j in range(K))

    def __init__(self, first: int, n_blocks: int) -> None:
        self.numbers = range(first, first + n_blocks)

    def blocks(self, n_rows: int = 0) -> Iterator[RankingData]:
        return (block_of(number, _QUERIES_PER_BLOCK) for number in self.numbers)


def write_folder(folder: Path, rows: int) -> None:
    """So many rows, a file for each million."""
    n_blocks = max(1, rows // (_QUERIES_PER_BLOCK * DOCUMENTS))
    per_file = _ROWS_PER_FILE // (_QUERIES_PER_BLOCK * DOCUMENTS)
    for first in range(0, n_blocks, per_file):
        write_parquet(Made(first, min(per_file, n_blocks - first)), folder / f"{first:05d}.parquet")
        say(f"{min(first + per_file, n_blocks) * _QUERIES_PER_BLOCK * DOCUMENTS:,} rows written")


def _selected(folder: str, memory: str, options: dict[str, Any]) -> dict[str, Any]:
    """Select, in this process, and what it took."""
    start, used = perf_counter(), process_time()
    source = scan_parquet(folder)
    chosen = leanrank.select(source, "ranksvm", memory=memory, progress=False, **options)
    return {
        "rows": source.n_rows,
        "memory": bytes_of(memory, owner="select"),
        "bytes": peak_memory(),
        "wall_s": perf_counter() - start,
        "processor_s": process_time() - used,
        "kept": chosen.n_features,
        "sample": chosen.sample,
    }


def measured(folder: Path, memory: str, options: dict[str, Any]) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.select_memory", "--here", str(folder), memory, json.dumps(options)]
    root = Path(__file__).resolve().parent.parent
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    figures: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return figures


def page(figures: dict[str, Any], command: str) -> list[str]:
    """What docs/scaling.md says of it."""
    drawn = figures["sample"]
    cells = [
        shown(figures["memory"]),
        f"{drawn['queries']:,} of {drawn['of_queries']:,}" if drawn else "all",
        shown(figures["bytes"]),
        shown(figures["memory"] + PROCESS_BYTES),
        f"{figures['wall_s']:.0f}",
        f"{figures['processor_s']:.0f}",
    ]
    values = shown(figures["rows"] * K * 4)
    return [
        f"`select` with RankSVM on a Parquet folder of {figures['rows']:,} rows x {K} ({values} of values):",
        "",
        "| `memory=` | queries drawn | peak memory of the process | allowed | wall, s | processor, s |",
        "|---|---|---|---|---|---|",
        f"| {' | '.join(cells)} |",
        "",
        f"    {command}",
    ]


def main(arguments: list[str]) -> int:
    """Write the folder, select, print, and put the figures into the page; 1 where the peak is too high."""
    if arguments[:1] == ["--here"]:
        print(json.dumps(_selected(arguments[1], arguments[2], json.loads(arguments[3]))))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--methods", help="the portfolio of select, names separated by commas")
    parser.add_argument("-k", type=int, help="how many features, instead of the stop rule")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--no-page", action="store_true")
    given = parser.parse_args(arguments)
    options = {name: value for name, value in (("methods", given.methods), ("n_features", given.k)) if value}
    with tempfile.TemporaryDirectory(prefix="leanrank-select-") as folder:
        write_folder(Path(folder), given.rows)
        figures = measured(Path(folder), given.memory, options)
    command = shlex.join(["python", "-m", "benchmarks.select_memory", *arguments])
    lines = page(figures, command)
    print("\n".join(lines))
    if not given.no_page:
        put_parts({"select": lines}, given.page)
    return int(figures["bytes"] > figures["memory"] + PROCESS_BYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
