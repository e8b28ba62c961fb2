"""docs/benchmarks.md from benchmarks/results/*.json: python -m benchmarks.page"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leanrank.data.whole_file import write_whole

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
#: result -> heading, and what is compared
PARTS = {
    "graph": ("The feature graph", "Importance and similarity of all features, which every graph method starts from."),
    "weights": ("Weights of queries", "What they cost: the same method on the same data with and without them."),
    "filters": ("Filters", "Selectors and statistics beside libraries that have the same method."),
    "rankers": ("Rankers", "The linear ranker that selection uses, beside the form with explicit pairs."),
    "metrics": ("Metrics", "Measures per query, beside the tools of the trade."),
    "letor": ("Reading and writing", "LETOR text."),
    "scaling": ("Larger than memory", "See also [Beyond one machine](scaling.md)."),
}
INTRODUCTION = """# Benchmarks

Ratios against named peers, measured side by side in one run on one machine: absolute times depend on the machine,
ratios less so. Where a ratio is required, a run fails that does not reach it. To repeat it, and to write this page:

```sh
make bench
python -m benchmarks.page
```
"""


def main() -> None:
    known = [name for name in PARTS if (RESULTS / f"{name}.json").exists()]
    elsewhere = (*PARTS, "gpu", "select_cost", "select_web10k")  # with parts or pages of their own
    further = sorted(path.stem for path in RESULTS.glob("*.json") if path.stem not in elsewhere)
    parts = [INTRODUCTION, *(_part(name) for name in [*known, *further])]
    if (RESULTS / "gpu.json").exists():
        parts.append(_gpu(json.loads((RESULTS / "gpu.json").read_text(encoding="utf-8"))))
    write_whole(PAGE, "\n".join(parts))
    print(f"written: {PAGE}")


def _part(name: str) -> str:
    record = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    heading, about = PARTS.get(name, (name.capitalize(), ""))
    where = f"Python {record.get('python', '?')}, {record.get('machine', '?')}; `python -m benchmarks {name}`."
    lines = [f"## {heading}", "", f"{about} {where}".strip(), ""]
    lines += ["| what | ours | peer | peer's time | ratio | required | |", "|---|---:|---|---:|---:|---:|---|"]
    for row in record["rows"]:
        ratio = "" if row.get("ratio") is None else f"**{row['ratio']:,.1f} ×**"
        required = "" if row.get("required") is None else f"{row['required']:g}"
        cells = [
            row["what"],
            _time(row.get("ours_s")),
            row.get("peer") or "",
            _time(row.get("peer_s")),
            ratio,
            required,
        ]
        lines.append("| " + " | ".join(_cell(text) for text in [*cells, row.get("note") or ""]) + " |")
    return "\n".join(lines) + "\n"


def _gpu(record: dict[str, Any]) -> str:
    where = f"{record['gpu']}, torch {record['torch']}, CUDA {record['cuda']}; `python -m benchmarks.gpu`"
    lines = ["## GPU", "", f"{where}. How it is done: [decision 0006](decisions/0006-gpu-concordance.md).", ""]
    lines += ["| what | ms | required at most | |", "|---|---:|---:|---|"]
    for row in record["rows"]:
        rest = {key: value for key, value in row.items() if key not in ("what", "ms", "at_most_ms")}
        notes = ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in rest.items())
        limit = "" if row.get("at_most_ms") is None else f"{row['at_most_ms']:g}"
        indent = "– " if row["what"].startswith("  ") else ""
        lines.append(f"| {indent}{_cell(row['what'].strip())} | {row['ms']:,.1f} | {limit} | {_cell(notes)} |")
    return "\n".join(lines) + "\n"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds >= 1:
        return f"{seconds:,.2f} s"
    return f"{seconds * 1e3:,.2f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:,.1f} µs"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").strip()


if __name__ == "__main__":
    main()
