"""The measured part of docs/which_method.md, from the journal of a comparison:

leanrank compare ohsumed --convention letor3 -k 5,10,15,20 -o benchmarks/results/compare_ohsumed.db
python -m benchmarks.method_guide
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from leanrank.data.whole_file import write_whole
from leanrank.evaluation.compare.comparison import Comparison

HERE = Path(__file__).parent
JOURNAL = HERE / "results" / "compare_ohsumed.db"
PAGE = HERE.parent / "docs" / "which_method.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
METRIC = "ndcg@10"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.method_guide", description=__doc__)
    parser.add_argument("journal", nargs="?", type=Path, default=JOURNAL, help="of `leanrank compare`")
    parser.add_argument("--data", default="OHSUMED", help="the name of the data on the page")
    given = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    before, found, rest = text.partition(BEGIN)
    _, also, after = rest.partition(END)
    if not (found and also):
        raise SystemExit(f"{PAGE} has no lines {BEGIN.strip()!r} and {END.strip()!r}.")
    write_whole(PAGE, before + BEGIN + measured(Comparison.load(given.journal), given.data) + END + after)
    print(f"written: {PAGE}")


def measured(found: Comparison, data: str) -> str:
    """The tables as Markdown."""
    rankers = list(dict.fromkeys(ranker for ranker, _, _ in found.runs))
    sizes = sorted({k for _, k, _ in found.runs if k is not None})
    parts = [_about(found, data, rankers, sizes)]
    parts += [_differences(found, ranker, sizes) for ranker in rankers]
    parts.append(_behaviour(found, sizes))
    return "\n".join(parts)


def _about(found: Comparison, data: str, rankers: list[str], sizes: list[int]) -> str:
    n_folds, definition = len(found.about["folds"]), dict(found.about["metrics"])[METRIC]
    reference = [f"{row.scores[METRIC]:.4f} with {row.ranker}" for row in found.means() if row.method == "all features"]
    methods = ",".join(sorted({method for _, k, method in found.runs if k is not None}))
    command = f"leanrank compare DATA --methods {methods} --rankers {','.join(rankers)} -k {','.join(map(str, sizes))}"
    lines = [
        f"{data}, {found.about['n_features']} features, {n_folds} folds; rankers {' and '.join(rankers)}, tuned on the",
        f"validation part; selectors with their defaults. Metric: `{definition}`.",
        f"All features: {', '.join(reference)}.",
        "Each cell is the difference to all features over the test queries of all folds, with its 95% interval",
        "(bootstrap over queries); **bold** where the t-test says p < 0.05, corrected for all cells by Holm. Commands:",
        "",
        "```text",
        f"{command} -o {JOURNAL.name}",
        "python -m benchmarks.method_guide",
        "```",
        "",
    ]
    return "\n".join(lines)


def _differences(found: Comparison, ranker: str, sizes: list[int]) -> str:
    cells = {(row.method, row.k): row for row in found.tests(METRIC) if row.ranker == ranker}
    rows = []
    for method in _methods(found):
        line = [f"`{method}`"]
        for k in sizes:
            row = cells.get((method, k))
            if row is None:
                line.append("–")
                continue
            text = f"{row.t.difference:+.4f} [{row.bootstrap.low:+.4f}, {row.bootstrap.high:+.4f}]"
            line.append(f"**{text}**" if row.t_holm < 0.05 else text)
        rows.append(line)
    return f"### {METRIC.upper()} against all features, {ranker}\n\n" + _table(
        ["method", *(f"{k} features" for k in sizes)], rows
    )


def _behaviour(found: Comparison, sizes: list[int]) -> str:
    """What does not depend on the ranker: stability of the sets, and seconds."""
    unified = found.unified()
    score = {} if unified is None else dict(zip(unified.methods, unified.scores, strict=True))
    stable = {(row.method, row.k): row.stability.nogueira for row in found.features()}
    seconds: dict[str, list[float]] = {}
    for row in found.means():
        seconds.setdefault(row.method, []).append(row.selection_seconds)
    rows = [
        [
            f"`{method}`",
            f"{score[method]:.1f}" if method in score else "–",
            *(f"{stable[method, k]:.2f}" if (method, k) in stable else "–" for k in sizes),
            f"{sum(seconds[method]) / len(seconds[method]):.2f}",
        ]
        for method in _methods(found)
    ]
    heading = "### Over all columns: rank, stability of the chosen sets over folds, seconds\n\n"
    explained = "\n".join(
        [
            "The unified rank counts how often a method is first, second, ... over all rankers, sizes and metrics",
            "(higher is better). Stability is Nogueira's: 1 if every fold chose the same set, 0 if as alike as drawn",
            "by lot. Seconds are those of one selection",
        ]
    )
    graphs = (
        f"; the feature graph, {sum(found.graph_seconds) / found.n_graphs:.2f} s, is shared" if found.n_graphs else ""
    )
    head = ["method", "unified rank", *(f"stability, {k}" for k in sizes), "seconds"]
    return heading + explained + graphs + ".\n\n" + _table(head, rows)


def _methods(found: Comparison) -> list[str]:
    """By unified rank, the best first."""
    unified = found.unified()
    methods = sorted({method for _, k, method in found.runs if k is not None})
    if unified is None:
        return methods
    score = dict(zip(unified.methods, unified.scores, strict=True))
    return sorted(methods, key=lambda method: (-score.get(method, 0.0), method))


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
