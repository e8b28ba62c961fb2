"""The tables of `leanrank compare --show`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.evaluation.compare.comparison import DECIMALS, Comparison
from leanrank.evaluation.records import ALL_FEATURES

#: Ranks with a column of their own in the unified ranking: with thirty methods there is no room for thirty.
_RANKS_SHOWN = 5


def show_comparison(comparison: Comparison, metric: str | None, console: Console) -> None:
    """Print every table, one ranker after another."""
    if comparison.unfinished:
        noun = "combination is" if comparison.unfinished == 1 else "combinations are"
        console.print(Text(f"{comparison.unfinished} {noun} not finished and not shown.", style="yellow"))
    if not comparison.runs:
        console.print(Text("Nothing is finished yet."))
        return
    rankers = list(dict.fromkeys(ranker for ranker, _, _ in comparison.runs))
    for ranker in rankers:
        _means(comparison, ranker, console)
    for ranker in rankers:
        _ranks(comparison, ranker, console)
    _unified(comparison, console)
    _tests(comparison, metric, console)
    _stability(comparison, console)
    _features(comparison, console)
    if comparison.n_graphs:
        seconds = sum(comparison.graph_seconds) / comparison.n_graphs
        console.print(
            Text(
                f"Feature graphs computed: {comparison.n_graphs}, one for each fold and all methods on graphs, "
                f"{seconds:.3f} s each (not in their selection time)."
            )
        )


def _table(title: str, texts: Sequence[str], numbers: Sequence[str], last: str | None = None) -> Table:
    """Columns of text, columns of numbers, and one more of text; narrow enough for a hundred columns of a terminal."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in texts:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    if last is not None:
        table.add_column(last, overflow="fold")
    return table


def _means(comparison: Comparison, ranker: str, console: Console) -> None:
    title = f"{ranker}: mean over {len(comparison.about['folds'])} folds"
    table = _table(title, ["k", "method"], [*comparison.metrics, "features", "select s", "train s"])
    rows = [row for row in comparison.means() if row.ranker == ranker]
    best = {
        (row.k, name): max(round(r.scores[name], DECIMALS) for r in rows if r.k == row.k)
        for row in rows
        for name in comparison.metrics
    }
    before = rows[0].k
    for row in rows:
        if row.k != before:
            table.add_section()
            before = row.k
        figures = [
            Text(_figure(row.scores[name]), style="bold" if _is_best(row, name, best) else "")
            for name in comparison.metrics
        ]
        seconds = [f"{row.selection_seconds:.3f}", f"{row.training_seconds:.3f}"]
        table.add_row("" if row.k is None else str(row.k), Text(row.method), *figures, f"{row.n_features:g}", *seconds)
    console.print(table)


def _is_best(row: Any, name: str, best: dict[Any, float]) -> bool:
    return row.k is not None and round(row.scores[name], DECIMALS) == best[row.k, name]


def _ranks(comparison: Comparison, ranker: str, console: Console) -> None:
    ranks = {(k, name): of for (r, k, name), of in comparison.ranks().items() if r == ranker}
    if not ranks:
        return
    table = _table(f"{ranker}: competition ranks", ["k", "method"], comparison.metrics)
    for k in dict.fromkeys(k for k, _ in ranks):
        for method in ranks[k, comparison.metrics[0]]:
            table.add_row(str(k), Text(method), *(str(ranks[k, name][method]) for name in comparison.metrics))
        table.add_section()
    console.print(table)


def _unified(comparison: Comparison, console: Console) -> None:
    unified = comparison.unified()
    if unified is None:
        return
    n = len(unified.methods)
    columns = int(unified.counts[0].sum())
    shown = min(n, _RANKS_SHOWN)
    title = f"Unified ranking over {columns} columns (ranker, k, metric)"
    below = [] if shown == n else ["below"]
    table = _table(title, ["method"], ["Rank", *(f"R_{r}" for r in range(1, shown + 1)), *below])
    for m in sorted(range(n), key=lambda m: -unified.scores[m]):
        counts = unified.counts[m]
        rest = [] if shown == n else [str(counts[shown:].sum())]
        table.add_row(Text(unified.methods[m]), f"{unified.scores[m]:.2f}", *map(str, counts[:shown]), *rest)
    console.print(table)


def _tests(comparison: Comparison, metric: str | None, console: Console) -> None:
    rows = comparison.tests(metric)
    name = comparison.metrics[-1] if metric is None else metric
    columns = ["change", "95% interval", "t", "p", "Holm", "boot. p", "Holm"]
    for ranker in dict.fromkeys(row.ranker for row in rows):
        title = f"{ranker}: {name} against {ALL_FEATURES}, paired tests over {rows[0].t.n} queries, two-sided"
        table = _table(title, ["k", "method"], columns)
        for row in (row for row in rows if row.ranker == ranker):
            style = "" if row.t_holm >= 0.05 else "green" if row.t.difference > 0 else "red"
            table.add_row(
                str(row.k),
                Text(row.method),
                f"{row.t.difference:+.4f}",
                f"{row.bootstrap.low:+.4f} {row.bootstrap.high:+.4f}",
                f"{row.t.statistic:.2f}",
                *(f"{p:.4f}" for p in (row.t.p, row.t_holm, row.bootstrap.p, row.bootstrap_holm)),
                style=style,
            )
        console.print(table)
    if rows:
        console.print(Text(f"Holm: p corrected for all {len(rows)} comparisons."))


def _stability(comparison: Comparison, console: Console) -> None:
    rows = comparison.features()
    if not rows:
        return
    times = [f"{r}x" for r in range(len(comparison.about["folds"]), 0, -1)]
    columns = ["sizes", *times, "Nogueira", "95% interval", "Kuncheva", "Jaccard"]
    title = "Features over folds: how many are in how many of the sets, and how stable the sets are"
    table = _table(title, ["k", "method"], columns)
    for row in rows:
        s, sizes = row.stability, row.repetition.sizes
        table.add_row(
            str(row.k),
            Text(row.method),
            str(sizes[0]) if len(set(sizes)) == 1 else " ".join(map(str, sizes)),
            *(str(n) for n in reversed(row.repetition.counts)),
            _figure(s.nogueira, 2),
            f"{_figure(s.low, 2)} {_figure(s.high, 2)}",
            _figure(s.kuncheva, 2),
            _figure(s.jaccard, 2),
        )
    console.print(table)


def _features(comparison: Comparison, console: Console) -> None:
    rows = comparison.features()
    if not rows:
        return
    table = _table("Features that most folds chose", ["k", "method"], [], "features")
    for row in rows:
        times: dict[int, list[str]] = {}
        for name, n in row.repetition.most[: max(row.repetition.sizes)]:
            times.setdefault(n, []).append(str(name))
        table.add_row(str(row.k), Text(row.method), Text("; ".join(f"{n}x {', '.join(of)}" for n, of in times.items())))
    console.print(table)


def _figure(value: float, decimals: int = DECIMALS) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}"
