"""What notebooks show of a result: a small card of HTML, without script, in the colours of the page it stands on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

#: Rows of a table that are shown; the rest is counted.
MOST_ROWS = 20
#: Characters of a text in a cell of a table, and in a fact.
MOST_IN_A_CELL, MOST_IN_A_FACT = 120, 1000

# Nothing has a colour of its own but lines, in a grey that both light and dark paper bear: the page's colours stay.
_LINE = "1px solid rgba(128,128,128,.35)"
_CARD = f"border:{_LINE};border-radius:6px;padding:.6em .9em;max-width:60em;color:inherit;background:transparent"
_CELL = f"padding:.15em .8em .15em 0;vertical-align:top;border:0;border-bottom:{_LINE};background:transparent"
_TABLE = "border-collapse:collapse;margin-top:.5em;color:inherit"


@dataclass(frozen=True)
class Table:
    """A table of a card: the names of its columns, and its rows; numbers stand to the right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


def card(title: str, facts: Mapping[str, object] | None = None, tables: Iterable[Table] = ()) -> str:
    """A result as HTML: a bold line, then facts by name, then tables.

    Every text is escaped: names of features and queries are data. None and "" are facts that are not shown.

    >>> print(card("2 <features>", {"method": "gas"}).count("<features>"))
    0
    """
    known = {name: value for name, value in (facts or {}).items() if value not in (None, "")}
    parts = [f'<div class="leanrank" style="{_CARD}"><div style="font-weight:600">{_text(title, MOST_IN_A_FACT)}</div>']
    if known:
        parts.append(f'<table style="{_TABLE}">{"".join(_fact(name, value) for name, value in known.items())}</table>')
    parts += [_table(table) for table in tables if table.rows]
    return "".join(parts) + "</div>"


def _fact(name: str, value: object) -> str:
    style = f"{_CELL};text-align:left"
    head = f'<th style="{style};font-weight:normal;opacity:.7">{_text(name)}</th>'
    return f'<tr>{head}<td style="{style}">{_text(value, MOST_IN_A_FACT)}</td></tr>'


def _table(table: Table) -> str:
    rows = table.rows[:MOST_ROWS]
    right = [all(_is_number(row[j]) or row[j] is None for row in rows) for j in range(len(table.columns))]
    sides = [f"{_CELL};text-align:{'right' if aside else 'left'}" for aside in right]
    head = "".join(
        f'<th style="{side};font-weight:600">{_text(name)}</th>'
        for name, side in zip(table.columns, sides, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{side}">{_text(value)}</td>' for value, side in zip(row, sides, strict=True))
        + "</tr>"
        for row in rows
    )
    left = len(table.rows) - len(rows)
    more = f'<div style="opacity:.7">and {left:,} more</div>' if left else ""
    return f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: object, most: int = MOST_IN_A_CELL) -> str:
    """Plain text of a value, escaped, and cut where it is long."""
    if value is None:
        return ""
    text = f"{value:,.4g}" if isinstance(value, float) else str(value)
    return escape(text if len(text) <= most else text[: most - 1] + "…")
