"""The report as Markdown: the same tables, without charts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from leanrank.report import comparison_tables, shadow_tables, tables
from leanrank.report.side_tables import side_tables
from leanrank.report.tables import Table, how_to_repeat, is_number, shown

_SPECIAL = re.compile(r"([\\`*_{}\[\]|~#])")


def markdown(summary: dict[str, Any]) -> str:
    """The report of a summary as Markdown text."""
    parts = {"selection": _selection, "comparison": _comparison, "shadow": _shadow}[summary["kind"]](summary)
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, on one line: names are data, never markup.

    >>> print(escaped("<b>|tf_idf"))
    &lt;b&gt;\\|tf\\_idf
    """
    one_line = " ".join(str(text).split())
    harmless = one_line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", harmless)


def _selection(summary: dict[str, Any]) -> list[str]:
    parts = [f"# {escaped(summary['sentence'])}", f"Why: {escaped(summary['reason'])}."]
    parts += [f"Risk: {escaped(summary['risk'])}", f"{tables.badge(summary)[1]}."]
    parts += [f"For {escaped(summary['holds_for'])}.", _table(tables.answers(summary))]
    parts += [_facts([(what, f"{figure} ({beside})") for what, figure, beside in tables.summary_facts(summary)])]
    parts += [_table(tables.kept(summary)), escaped(tables.constants(summary))]
    parts += [_table(tables.described(summary))] if summary["catalogue"] else []
    parts += [_table(tables.front(summary))] if summary["has_costs"] else []
    parts += [_table(table) for table in side_tables(summary)]
    parts += [_table(tables.surprises(summary))]
    changes = summary["per_query"]
    if changes:
        said = f"{changes['better']:,} queries better, {changes['worse']:,} worse, {changes['same']:,} the same."
        parts += ["## Queries", said, _table(tables.losers(summary), level=3)]
    if summary["lint"] is not None:
        parts += ["## Data", _facts(tables.data_facts(summary)), _table(tables.findings(summary), level=3)]
    parts += [escaped(note) for note in summary["notes"]]
    parts += [_table(tables.methods(summary))]
    # an indented block: no text can end it
    code = "\n".join("    " + line for line in how_to_repeat(summary).splitlines())
    return [*parts, "## How it was made", _facts(tables.run_facts(summary)), code]


def _comparison(summary: dict[str, Any]) -> list[str]:
    tables = [_table(table) for table in comparison_tables.comparison_tables(summary)]
    facts = _facts(comparison_tables.comparison_facts(summary))
    return [f"# {escaped(summary['sentence'])}", *tables, "## How it was made", facts]


def _shadow(summary: dict[str, Any]) -> list[str]:
    said = [f"{escaped(sentence)}." for sentence in shadow_tables.answers(summary)]
    assumed = "\n".join(f"- {escaped(text)}" for text in (summary["loss"] or {}).get("assumptions", ()))
    every = [_table(table) for table in shadow_tables.shadow_tables(summary)]
    assumptions = ["## Assumed", assumed] if assumed else []
    made = ["## How it was made", _facts(shadow_tables.shadow_facts(summary))]
    return [f"# {escaped(summary['sentence'])}", *said, *every, *assumptions, *made]


def _table(table: Table, level: int = 2) -> str:
    if not table.rows:
        return ""
    head = [escaped(heading) for heading, _ in table.columns]
    rule = ["---:" if is_number(kind) else "---" for _, kind in table.columns]
    body = [
        [
            f"**{escaped(shown(value, kind))}**" if (r, c) in table.best else escaped(shown(value, kind))
            for c, (value, (_, kind)) in enumerate(zip(row, table.columns, strict=True))
        ]
        for r, row in enumerate(table.rows)
    ]
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, rule, *body]]
    note = f"\n\n{escaped(table.note)}" if table.note else ""
    return f"{'#' * level} {escaped(table.title)}\n\n" + "\n".join(lines) + note


def _facts(facts: Sequence[tuple[str, str | tuple[str, ...]]]) -> str:
    said = [(what, value if isinstance(value, str) else ", ".join(value)) for what, value in facts]
    return "\n".join(f"- {escaped(what)}: {escaped(value)}" for what, value in said)
