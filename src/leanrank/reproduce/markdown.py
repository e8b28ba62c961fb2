"""A reproduction as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from leanrank.reproduce.outcome import Cell, Claim, Page, Reproduction, Table

INTRODUCTION = """# Reproduction

What `leanrank reproduce PAPER` found for the five papers leanrank implements: each published figure beside ours. This
page is written by `make reproduce`. *Equal* means equal in every printed digit, *close* within 0.015 of a measure in
[0, 1]. The published figures are facts taken from the papers; the data are not part of leanrank: name their folder with
`--data`, or in `LEANRANK_DATA`.
"""


def page(reproductions: Sequence[Reproduction]) -> str:
    """All papers on one page."""
    return "\n".join([INTRODUCTION, *(section(reproduction) for reproduction in reproductions)])


def section(paper: Reproduction) -> str:
    """One paper."""
    lines = [f"## {paper.title}", "", f"`leanrank reproduce {paper.paper}{' --quick' if paper.quick else ''}`", ""]
    lines += [paper.summary, "", paper.discussion, "", f"*Protocol.* {paper.protocol}", ""]
    if paper.claims:
        lines += ["### What the paper states", "", *_claims(paper.claims), ""]
    compared = [cell for cell in paper.cells if cell.ours is not None]
    if compared:
        lines += ["### Published and ours", "", *_cells(compared), ""]
    missing = [cell for cell in paper.cells if cell.ours is None]
    if missing:
        lines += ["### Not computed", "", *_missing(missing), ""]
    for table in paper.tables:
        lines += [f"### {table.title}", "", *_table(table), ""]
    return "\n".join(lines)


def document(page: Page) -> str:
    """A page of its own."""
    made = f"Made by `leanrank reproduce {page.name}`."
    lines = [f"# {page.title}", "", page.introduction, "", made, ""]
    for section in page.sections:
        lines += [f"## {section.heading}", ""] if section.heading else []
        lines += [section.text, ""] if section.text else []
        lines += [*_table(section.table), ""] if section.table is not None else []
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _table(table: Table) -> list[str]:
    return [_row(table.columns), "|" + "---|" * len(table.columns), *(_row(row) for row in table.rows)]


def _claims(claims: Sequence[Claim]) -> list[str]:
    rows = tuple((claim.text, verdict(claim), claim.figures) for claim in claims)
    return _table(Table("", ("claim", "", "our figures"), rows))


def verdict(claim: Claim) -> str:
    """ "holds", "does not hold here", or "not tested"."""
    return {True: "holds", False: "does not hold here", None: "not tested"}[claim.holds]


def _cells(cells: Sequence[Cell]) -> list[str]:
    columns = ("table", "data", "method", "measure", "published", "ours", "difference", "", "why")
    return _table(Table("", columns, tuple(cell_row(cell) for cell in cells)))


def cell_row(cell: Cell) -> tuple[str, ...]:
    """A cell as texts: place, published, ours, difference, status, reason."""
    p = cell.published
    place = (p.table, p.dataset, p.method, p.metric, p.text + (" (?)" if p.doubtful else ""))
    if cell.ours is None or cell.difference is None:
        return (*place, "", "", "not computed", cell.reason)
    # A mean of counts beside a whole number shows the digit by which it differs.
    decimals = p.decimals if cell.status == "equal" else max(p.decimals, 1)
    status = cell.status + (", exact" if cell.exact else "")
    reason = "" if cell.status == "equal" else cell.reason
    difference = round(cell.difference, decimals) + 0.0  # no minus before a zero
    return (*place, f"{cell.ours:.{decimals}f}", f"{difference:+.{decimals}f}", status, reason)


def _missing(cells: Sequence[Cell]) -> list[str]:
    """Grouped by table, data set and reason."""

    def key(cell: Cell) -> tuple[str, str, str]:
        return cell.published.table, cell.published.dataset, cell.reason

    ordered = sorted(cells, key=lambda cell: (cell.reason, cell.published.table.zfill(4), cell.published.dataset))
    rows = [(t, d, str(len(list(group))), reason) for (t, d, reason), group in groupby(ordered, key)]
    return _table(Table("", ("table", "data", "figures", "why"), tuple(rows)))
