"""Reproductions as Markdown: one page for the papers, with a row for every table and every finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from leanrank.reproduce.data_files import CELLS, CLAIMS, table_file
from leanrank.reproduce.outcome import Cell, Claim, Page, Reproduction, Table

INTRODUCTION = """# Reproduction

What `leanrank reproduce PAPER` found for the five papers leanrank implements, written by `make reproduce`. *Equal*
means equal in every printed digit, *close* within 0.015 of a measure in [0, 1]. Each table of a paper is a row for
every data set, each finding a row of its own; the figures themselves are in the files named below each paper. Where a
paper leaves something open the row is of one reading, which is named, and the others stand beside it. The published
figures are facts taken from the papers; the data are not part of leanrank: name their folder with `--data`, or in
`LEANRANK_DATA`, and the rows that need them are filled by the same command.
"""

_COUNTS = ("equal", "close", "differs", "missing", "holds", "not", "needs")
_HEADINGS = ("paper", "equal", "close", "differ", "not computed", "findings hold", "do not", "not tested")


def page(reproductions: Sequence[Reproduction], folder: str = "") -> str:
    """All papers on one page, beside a folder of their data files if one is named."""
    rows = [(paper.paper, *(str(paper.count(status)) for status in _COUNTS)) for paper in reproductions]
    counts = _table(Table("", _HEADINGS, tuple(rows)))
    return "\n".join([INTRODUCTION, *counts, "", *(section(paper, folder) for paper in reproductions)])


def section(paper: Reproduction, folder: str = "") -> str:
    """One paper."""
    lines = [f"## {paper.title}", "", f"`leanrank reproduce {paper.paper}{' --quick' if paper.quick else ''}`", ""]
    lines += [paper.summary, "", paper.discussion, "", f"*Protocol.* {paper.protocol}", ""]
    rows = [*_table_rows(paper.cells), *(_claim_row(claim) for claim in paper.stated)]
    lines += [*_table(Table("", ("where", "what", "", "ours"), tuple(rows))), ""]
    others = _other_readings(paper)
    if others:
        columns = ("reading", "findings hold", "otherwise than above")
        lines += ["### In other readings", "", *_table(Table("", columns, tuple(others))), ""]
    for table in paper.tables:
        if table.shown:
            lines += [f"### {table.title}", "", *_table(table), ""]
    if folder:
        files = [(CELLS, "every published figure beside ours"), (CLAIMS, "the findings")]
        files += [(table_file(number), table.title) for number, table in enumerate(paper.tables, start=1)]
        lines += ["Files:", "", *(f"- [{name}]({folder}/{paper.paper}/{name}): {what}" for name, what in files), ""]
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


def verdict(claim: Claim) -> str:
    """ "holds", "does not hold here", or what it needs."""
    if claim.holds is None:
        return claim.figures if claim.figures.startswith("needs") else "not tested"
    return "holds" if claim.holds else "does not hold here"


def _claim_row(claim: Claim) -> tuple[str, ...]:
    return (claim.where or "text", claim.text, verdict(claim), "" if claim.holds is None else claim.figures)


def _other_readings(paper: Reproduction) -> list[tuple[str, ...]]:
    """A row for each other reading: how many findings hold in it, and which of them do and which do not only there."""
    before = {claim.text: claim.holds for claim in paper.stated}
    rows: list[tuple[str, ...]] = []
    for reading in dict.fromkeys(claim.reading for claim in paper.claims if claim.reading):
        of = [claim for claim in paper.claims if claim.reading == reading and claim.holds is not None]
        changed = [f"{claim.text}: {verdict(claim)} ({claim.figures})" for claim in of if _differs(claim, before)]
        rows.append((reading, f"{sum(bool(claim.holds) for claim in of)} of {len(of)}", "; ".join(changed)))
    return rows


def _differs(claim: Claim, before: Mapping[str, bool | None]) -> bool:
    return claim.text in before and before[claim.text] != claim.holds


def _table_rows(cells: Sequence[Cell]) -> list[tuple[str, ...]]:
    """A row for each table and data set: how many figures are equal, close, different, and what the rest need."""

    def key(cell: Cell) -> tuple[str, str]:
        return cell.published.table, cell.published.dataset

    rows: list[tuple[str, ...]] = []
    for (table, dataset), group in groupby(sorted(cells, key=lambda cell: (key(cell)[0].zfill(4), key(cell)[1])), key):
        of = list(group)
        statuses = [cell.status for cell in of]
        counts = {status: statuses.count(status) for status in ("equal", "close", "differs") if status in statuses}
        words = ", ".join(counts) if counts else ""
        missing = sorted({cell.reason for cell in of if cell.ours is None})
        status = "; ".join(part for part in (words, *missing) if part)
        methods = ", ".join(dict.fromkeys(cell.published.method for cell in of if cell.published.method))
        where = f"Table {table}" if table[0].isdigit() else table
        what = f"{dataset}: {methods}" if methods else dataset
        told = ", ".join(f"{n} {name}" for name, n in counts.items())
        rows.append((where, what, status, told))
    return rows


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
