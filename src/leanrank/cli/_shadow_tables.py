"""What `leanrank shadow` prints for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from leanrank.report.shadow_tables import answers, shadow_tables
from leanrank.report.tables import is_number, shown


def show_shadow(summary: dict[str, Any], console: Console) -> None:
    """The answer, then every table. Names are data: never read as markup."""
    console.print(Text(summary["sentence"] + ".", style="bold"), soft_wrap=True)
    for sentence in answers(summary):
        console.print(Text(sentence + ".", style="bold"), soft_wrap=True)
    for assumption in (summary["loss"] or {}).get("assumptions", []):
        console.print(Text(f"  Assumed: {assumption}."), soft_wrap=True)
    for table in shadow_tables(summary):
        drawn = RichTable(title=Text(table.title), title_justify="left")
        for heading, kind in table.columns:
            drawn.add_column(heading, justify="right" if is_number(kind) else "left", overflow="fold")
        for row in table.rows:
            cells = (shown(value, kind) for value, (_, kind) in zip(row, table.columns, strict=True))
            drawn.add_row(*(Text(cell) for cell in cells))
        console.print(drawn)
        if table.note:
            console.print(Text(table.note), soft_wrap=True)
