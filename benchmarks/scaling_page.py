"""The measured parts of docs/scaling.md: growth, costs, memory, and the arithmetic for a billion rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from leanrank.data.whole_file import write_whole

PAGE = Path(__file__).resolve().parent.parent / "docs" / "scaling.md"

Rows = list[dict[str, Any]]


def write_page(rows: Rows, page: Path = PAGE) -> None:
    """Put what these results say between the marks of the page."""
    parts: dict[str, Callable[[Rows], list[str]]] = {
        "growth": growth,
        "memory": memory,
        "costs": costs,
        "billion": billion,
    }
    put_parts({name: part(rows) for name, part in parts.items()}, page)


def put_parts(parts: Mapping[str, list[str]], page: Path = PAGE) -> None:
    """Put these lines between the marks of their parts."""
    text = page.read_text(encoding="utf-8")
    for name, lines in parts.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, opened, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not opened or not closed:
            raise RuntimeError(f"{page} has no part between {begin} and {end}")
        inside = "\n".join(lines)
        text = f"{before}{begin}\n\n{inside}\n\n{end}{after}"
    write_whole(page, text)


def growth(rows: Rows) -> list[str]:
    """Growth with the rows, with threads, with processes."""
    seconds = {row["rows"]: row["ours_s"] for row in rows if "a million rows of" in row["what"]}
    peaks = {row["rows"]: row["bytes"] for row in rows if "bytes" in row and "million rows x" in row["what"]}
    flat = next(row for row in rows if row["what"].startswith("time per row"))
    threads = next(row for row in rows if "2 threads" in row["what"])
    dask = [row for row in rows if "processes" in row]
    return [
        f"A machine of {os.cpu_count()} cores; 136 features, 125 documents a query, float32; from Parquet to 20",
        "features chosen by GAS (MAP, Kendall). Local engine, 2 threads:",
        "",
        "| million rows | seconds | seconds per million rows | peak memory, GB |",
        "|---|---|---|---|",
        *(f"| {n // 10**6} | {seconds[n] * n / 1e6:.1f} | {seconds[n]:.2f} | {peaks[n] / 1e9:.2f} |" for n in seconds),
        "",
        f"The longest time per row is {1 / flat['ratio']:.2f} times the shortest. The Kendall graph of 200,000 rows in",
        f"memory is {threads['ratio']:.2f} times as fast on two threads as on one.",
        "",
        f"Dask, {dask[0]['rows'] // 10**6} million rows, workers of one thread that read their parts themselves:",
        "",
        "| worker processes | seconds | speed-up | peak memory of a process, GB |",
        "|---|---|---|---|",
        *(f"| {r['processes']} | {r['ours_s']:.1f} | {r['ratio']:.2f} | {r['bytes'] / 1e9:.2f} |" for r in dask),
    ]


def line(rows: Rows) -> tuple[float, float]:
    """Bytes of a process without a block, and for each byte of one: through the smallest and the largest blocks."""
    peaks = {row["block_rows"] * 136 * 4: row["bytes"] for row in rows if "block_rows" in row}
    small, large = min(peaks), max(peaks)
    slope = (peaks[large] - peaks[small]) / (large - small)
    return peaks[small] - slope * small, slope


def memory(rows: Rows) -> list[str]:
    fixed, slope = line(rows)
    peaks = {row["block_rows"]: row["bytes"] for row in rows if "block_rows" in row}
    wide = (fixed + slope * 20_000 * 1_000 * 4) / 1e9
    return [
        "| rows of a block | peak memory of a process with one thread, 136 features, GB |",
        "|---|---|",
        *(f"| {n:,} | {peak / 1e9:.2f} |" for n, peak in peaks.items()),
        "",
        "which is",
        "",
        f"    peak memory of the process = {fixed / 1e9:.2f} GB + {slope:.1f} x (block_rows x K x 4 bytes)",
        "",
        f"With 1,000 features take `block_rows=20_000` for {wide:.2f} GB.",
    ]


def _costs(rows: Rows) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    for row in rows:
        if "kind" in row:
            found.setdefault(row["features"], {})[row["kind"]] = row["ours_s"]
    return found


def costs(rows: Rows) -> list[str]:
    return [
        "| features | importance | feature graph (with the importance) | reading Parquet |",
        "|---|---|---|---|",
        *(
            f"| {width:,} | {c['importance']:.1f} | {c['graph']:.1f} | {c['reading']:.1f} |"
            for width, c in _costs(rows).items()
        ),
    ]


def billion(rows: Rows) -> list[str]:
    """10^9 rows x 1,000 features on 8 machines of 16 cores."""
    cost, (fixed, slope) = _costs(rows)[1_000], line(rows)
    seconds = 1_000 * (cost["graph"] + cost["reading"])
    wall = seconds / 128
    partial = 16 * 1_000**2 + 41 * 1_000
    transfers = 1_024 + 128 + 16 + 2 + 1
    network = transfers * partial / 1e9
    thread = fixed + slope * 20_000 * 1_000 * 4 + 9 * partial
    return [
        "- Data: 10⁹ rows x 1,000 features x 4 bytes = 4 TB of values.",
        f"- Work: 1,000 units of a million rows x ({cost['graph']:.0f} + {cost['reading']:.0f}) s",
        f"  = {seconds:,.0f} processor seconds, {seconds / 3600:.0f} core hours. On 8 machines of 16 cores: 128",
        f"  threads, {wall / 60:.0f} minutes, if storage delivers {4e12 / wall / 1e9:.1f} GB/s in all, which is",
        f"  {4e12 / wall / 8 / 1e6:.0f} MB/s a machine. With half of that storage takes the time, not the processors.",
        "- Parts: 8 x 128 = 1,024, of a million rows or 4 GB each; a lost worker costs at most 16 parts begun.",
        f"- Network: (1,024 + 128 + 16 + 2 + 1) x {partial / 1e6:.0f} MB = {network:.0f} GB of partials between the",
        f"  workers, {network * 1e3 / wall / 8:.1f} MB/s a machine.",
        f"- Driver: 1,024 tasks x 2 KB out, {partial / 1e6:.0f} MB back.",
        f"- Memory: with `block_rows=20_000`, {thread / 1e9:.2f} GB for a process of one thread, partials included:",
        f"  {16 * thread / 1e9:.0f} GB a machine. The last merge holds 8 million query ids, 64 MB.",
        "- Selection from the graph afterwards: milliseconds (GAS) to seconds (FS-SCPR, an eigenproblem of order",
        "  1,000), anywhere.",
    ]
