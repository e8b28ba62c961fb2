"""Tables on the terminal: those of commands, and those of a report. Names are data: never read as markup."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.cli._catalogue import UNNAMED, Naming

if TYPE_CHECKING:
    from leanrank.evaluation.compare.comparison import Comparison
    from leanrank.report import tables

#: Ranks with a column of their own in the unified ranking: with thirty methods there is no room for thirty.
_RANKS_SHOWN = 5


def table(title: str, columns: Iterable[str], *, right: Container[str] = (), **look: Any) -> Table:
    """A table with these columns, some of them aligned right; long texts go on in the next line."""
    drawn = Table(title=Text(title) if title else None, title_justify="left", **look)
    for heading in columns:
        drawn.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    return drawn


def show_comparison(comparison: Comparison, metric: str | None, console: Console, naming: Naming = UNNAMED) -> None:
    """Print every table of a comparison, one ranker after another; features by their names."""
    from leanrank.data.weights import weighting_said
    from leanrank.report._summary import summarize
    from leanrank.report.comparison_tables import comparison_tables

    if comparison.unfinished:
        noun = "combination is" if comparison.unfinished == 1 else "combinations are"
        console.print(Text(f"{comparison.unfinished} {noun} not finished and not shown.", style="yellow"))
    if not comparison.runs:
        console.print(Text("Nothing is finished yet."))
        return
    summary = summarize(comparison, metric=metric, catalogue=naming.catalogue)
    for one in comparison_tables(summary, ranks_shown=_RANKS_SHOWN):
        _show(one, console)
    weighting = weighting_said(comparison.about)
    if weighting:
        console.print(Text(f"Mind: {weighting}: means and tests are weighted."))
    if comparison.n_graphs:
        each = f"{sum(comparison.graph_seconds) / comparison.n_graphs:.3f} s each (not in their selection time)"
        graphs = f"Feature graphs computed: {comparison.n_graphs}, one for each fold and all methods on graphs"
        console.print(Text(f"{graphs}, {each}."))


def show_shadow(summary: dict[str, Any], console: Console) -> None:
    """The answers of a shadow, what they assume, then every table."""
    from leanrank.report.shadow_tables import answers, shadow_tables

    for sentence in (summary["sentence"], *answers(summary)):
        console.print(Text(f"{sentence}.", style="bold"), soft_wrap=True)
    for assumption in (summary["loss"] or {}).get("assumptions", []):
        console.print(Text(f"  Assumed: {assumption}."), soft_wrap=True)
    for one in shadow_tables(summary):
        _show(one, console)


def _show(one: tables.Table, console: Console) -> None:
    """A table narrow enough for a hundred columns of a terminal, with a line between numbers of features; its note."""
    from leanrank.report.tables import is_number, shown

    look: dict[str, Any] = {"title_style": "bold", "box": box.SIMPLE_HEAD, "padding": (0, 1, 0, 0)}
    drawn = Table(title=Text(one.title), title_justify="left", **look)
    for heading, kind in one.columns:
        justify: Any = "right" if is_number(kind) else "left"
        drawn.add_column(heading.strip(), justify=justify, no_wrap=kind != "name", overflow="fold")
    for r, row in enumerate(one.rows):
        if r and one.columns[0][0] == "k" and row[0] != one.rows[r - 1][0]:
            drawn.add_section()
        cells = [Text(shown(value, kind)) for value, (_, kind) in zip(row, one.columns, strict=True)]
        for c in (c for c in range(len(row)) if (r, c) in one.best):
            cells[c].style = "bold" if one.columns[c][1] != "signed" else "green" if row[c] > 0 else "red"
        drawn.add_row(*cells)
    console.print(drawn)
    if one.note:
        console.print(Text(one.note), soft_wrap=True)
