"""The tables of `leanrank compare --show`: those of the report, on the terminal."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.cli._catalogue import UNNAMED, Naming
from leanrank.data.query_weighting import weighting_said
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.report import tables
from leanrank.report._summary import summarize
from leanrank.report.comparison_tables import comparison_tables

#: Ranks with a column of their own in the unified ranking: with thirty methods there is no room for thirty.
_RANKS_SHOWN = 5


def show_comparison(comparison: Comparison, metric: str | None, console: Console, naming: Naming = UNNAMED) -> None:
    """Print every table, one ranker after another; features by their names."""
    if comparison.unfinished:
        noun = "combination is" if comparison.unfinished == 1 else "combinations are"
        console.print(Text(f"{comparison.unfinished} {noun} not finished and not shown.", style="yellow"))
    if not comparison.runs:
        console.print(Text("Nothing is finished yet."))
        return
    summary = summarize(comparison, metric=metric, catalogue=naming.catalogue)
    for table in comparison_tables(summary, ranks_shown=_RANKS_SHOWN):
        console.print(_printed(table))
        if table.note:
            console.print(Text(table.note))
    weighting = weighting_said(comparison.about)
    if weighting:
        console.print(Text(f"Mind: {weighting}: means and tests are weighted."))
    if comparison.n_graphs:
        seconds = sum(comparison.graph_seconds) / comparison.n_graphs
        console.print(
            Text(
                f"Feature graphs computed: {comparison.n_graphs}, one for each fold and all methods on graphs, "
                f"{seconds:.3f} s each (not in their selection time)."
            )
        )


def _printed(table: tables.Table) -> Table:
    """A table narrow enough for a hundred columns of a terminal, with a line between numbers of features."""
    printed = Table(
        title=table.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for heading, kind in table.columns:
        justify: Any = "right" if tables.is_number(kind) else "left"
        printed.add_column(heading.strip(), justify=justify, no_wrap=kind != "name", overflow="fold")
    for r, row in enumerate(table.rows):
        if r and table.columns[0][0] == "k" and row[0] != table.rows[r - 1][0]:
            printed.add_section()
        cells = (
            Text(tables.shown(value, kind), style=_style(value, kind) if (r, c) in table.best else "")
            for c, (value, (_, kind)) in enumerate(zip(row, table.columns, strict=True))
        )
        printed.add_row(*cells)
    return printed


def _style(value: Any, kind: str) -> str:
    return "bold" if kind != "signed" else "green" if value > 0 else "red"
