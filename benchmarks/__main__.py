"""Run all benchmarks in one go: ratios against named peers, on one machine, in one run."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"


def main() -> int:
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("which", nargs="*", choices=[*known, []], help="benchmarks to run (default: all)")
    chosen = parser.parse_args().which or known
    missed = 0
    for name in chosen:
        print(f"\n== {name}", flush=True)
        rows = import_module(f"benchmarks.bench_{name}").run()
        missed += _print(rows)
        RESULTS.mkdir(exist_ok=True)
        record = {"python": platform.python_version(), "machine": platform.machine(), "rows": rows}
        (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n")
    print(f"\n{missed} figures below what is required" if missed else "\nall required figures reached")
    return 1 if missed else 0


def _print(rows: list[dict[str, Any]]) -> int:
    """Print rows as they are and count those whose ratio misses what is required."""
    missed = 0
    for row in rows:
        required = row.get("required")
        fails = required is not None and row.get("ratio") is not None and row["ratio"] < required
        missed += fails
        text = f"  {row['what']:<58}"
        if row.get("ours_s") is not None:
            text += f" {row['ours_s'] * 1000:10.2f} ms"
        if row.get("ratio") is not None:
            text += f"  {row['ratio']:8.1f} x {row['peer']}"
        if required is not None:
            text += f"  (required {required}){'  MISSED' if fails else ''}"
        if row.get("note"):
            text += f"  {row['note']}"
        print(text, flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
