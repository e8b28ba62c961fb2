"""The measured tables of docs/scaling.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from leanrank.data.whole_file import write_whole

PAGE = Path(__file__).resolve().parent.parent / "docs" / "scaling.md"
BEGIN = "<!-- measured: begin -->"
END = "<!-- measured: end -->"


def write_page(rows: list[dict[str, Any]], page: Path = PAGE) -> None:
    """Put the tables of these results between the marks of the page."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise RuntimeError(f"{page} has no section between {BEGIN} and {END}")
    write_whole(page, f"{before}{BEGIN}\n\n{tables(rows)}\n\n{END}{after}")


def tables(rows: list[dict[str, Any]]) -> str:
    """Growth with the rows, with threads, with processes."""
    seconds = {row["rows"]: row["ours_s"] for row in rows if "a million rows of" in row["what"]}
    peaks = {row["rows"]: row["bytes"] for row in rows if row["what"].startswith("peak memory")}
    flat = next(row for row in rows if row["what"].startswith("time per row"))
    threads = next(row for row in rows if "2 threads" in row["what"])
    dask = [row for row in rows if "processes" in row]
    lines = [
        f"A machine of {os.cpu_count()} cores; 136 features, 125 documents a query, float32; from Parquet to 20",
        "features chosen by GAS (MAP, Kendall). Local engine, 2 threads:",
        "",
        "| million rows | seconds | seconds per million rows | peak memory, GB |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {n // 10**6} | {seconds[n] * n / 10**6:.1f} | {seconds[n]:.2f} | {peaks[n] / 1e9:.2f} |" for n in seconds
    ]
    lines += [
        "",
        f"The longest time per row is {1 / flat['ratio']:.2f} times the shortest. The Kendall graph of 200,000 rows in",
        f"memory is {threads['ratio']:.2f} times as fast on two threads as on one.",
        "",
        f"Dask, {dask[0]['rows'] // 10**6} million rows, workers of one thread that read their parts themselves:",
        "",
        "| worker processes | seconds | speed-up | peak memory of a process, GB |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {row['processes']} | {row['ours_s']:.1f} | {row['ratio']:.2f} | {row['bytes'] / 1e9:.2f} |" for row in dask
    ]
    return "\n".join(lines)
