"""Reproductions as Markdown: a short page of all papers, and every table and finding row by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from leanrank.reproduce.data_files import CELLS, CHOICES, CLAIMS, table_file
from leanrank.reproduce.outcome import Cell, Claim, Page, Reproduction, Table

ROWS_INTRODUCTION = """# Reproduction, row by row

Every table and every finding of the five papers, with what `leanrank reproduce` gave for it; [Reproduction](../{back})
is the short page. *Equal* means equal in every printed digit, *close* within 0.015 of a measure in [0, 1]. Each table
of a paper is a row for every data set, each finding a row of its own; the figures themselves are in the files named
below each paper. Where a paper leaves something open the row is of one reading, which is named, and the others stand
beside it.
"""


def rows_page(reproductions: Sequence[Reproduction], back: str) -> str:
    """All papers row by row, on a page in the folder of their data files; `back` is the short page above it."""
    return "\n".join([ROWS_INTRODUCTION.format(back=back), *(section(paper) for paper in reproductions)])


def section(paper: Reproduction) -> str:
    """One paper."""
    lines = [f"## {paper.title}", "", f"`leanrank reproduce {paper.paper}{' --quick' if paper.quick else ''}`", ""]
    lines += [paper.summary, "", paper.discussion, "", f"*Protocol.* {paper.protocol}", ""]
    if paper.choices:
        choices = tuple((c.about, c.reading, c.by, str(c.n_tried)) for c in paper.choices)
        lines += [*table_lines(Table("", ("left open", "read here as", "decided by", "readings tried"), choices)), ""]
    rows = [*_table_rows(paper.cells), *(_claim_row(claim) for claim in paper.stated)]
    lines += [*table_lines(Table("", ("where", "what", "", "ours"), tuple(rows))), ""]
    others = _other_readings(paper)
    if others:
        columns = ("reading", "findings hold", "otherwise than above")
        lines += ["### In other readings", "", *table_lines(Table("", columns, tuple(others))), ""]
    for table in paper.tables:
        if table.shown:
            lines += [f"### {table.title}", "", *table_lines(table), ""]
    files = [(CELLS, "every published figure beside ours"), (CLAIMS, "the findings"), (CHOICES, "the readings")]
    files += [(table_file(number), table.title) for number, table in enumerate(paper.tables, start=1)]
    lines += ["Files:", "", *(f"- [{name}]({paper.paper}/{name}): {what}" for name, what in files), ""]
    return "\n".join(lines)


def document(page: Page) -> str:
    """A page of its own."""
    made = f"Made by `leanrank reproduce {page.name}`."
    lines = [f"# {page.title}", "", page.introduction, "", made, ""]
    for section in page.sections:
        lines += [f"## {section.heading}", ""] if section.heading else []
        lines += [section.text, ""] if section.text else []
        lines += [*table_lines(section.table), ""] if section.table is not None else []
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table_lines(table: Table) -> list[str]:
    """A table in Markdown."""
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
        differing = [
            claim for claim in of if claim.holds != before.get(claim.text, True)
        ]  # without a row above: to hold
        changed = [f"{claim.text}: {verdict(claim)} ({claim.figures})" for claim in differing]
        rows.append((reading, f"{sum(bool(claim.holds) for claim in of)} of {len(of)}", "; ".join(changed)))
    return rows


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


#: The page with everything, in the folder of the data files.
ALL = "all.md"

INTRODUCTION = """# Reproduction

The experiments of the five papers that leanrank implements, run again, their published figures beside ours.
[Row by row]({folder}/{rows}) has every table, figure and finding of the papers with what came of it, how each was run,
and the files of all figures. *Equal* means equal in every printed digit, *close* within 0.015 of a measure in [0, 1];
*not computed* are mostly figures on data sets that are not at hand. A finding is a statement of the paper, tested on
our figures.
"""

READINGS = """## Readings

What a paper leaves open was read in several ways; all are shown row by row, and the counts above are of one. What
decided was the text, what it builds on, queries for validation, or development data. Where only a published number
could decide, the row says so, and agreement with that number confirms nothing.
"""

RUN = """## Run it

```bash
leanrank reproduce all --data FOLDER -o reproduction.md
```

writes this page, the page of rows and the files of figures; one paper's name instead of `all` runs that one and keeps
the rest, `--journal FILE` lets an interrupted run go on, `--quick` is a reduced version. It exits with 1 if a figure
that must be equal is not. The data are not part of leanrank: FOLDER holds `ohsumed`, `mq2008` and `sushi`, and
`td2003`, `td2004`, `hp2004`, `np2004` and `gov` fill the rows that need them, as LETOR lays them out. `leanrank
reproduce large` does the like for MSLR-WEB10K and 30K, Yahoo and Istella.
"""

_COUNTS = ("equal", "close", "differs", "missing", "holds", "not", "needs")
_HEADINGS = ("paper", "equal", "close", "differ", "not computed", "findings hold", "do not", "not tested")


def page(reproductions: Sequence[Reproduction], folder: str) -> str:
    """The short page of all papers, beside a folder with the page of rows and the data files."""
    counts = [(paper.paper, *(str(paper.count(status)) for status in _COUNTS)) for paper in reproductions]
    lines = [INTRODUCTION.format(folder=folder, rows=ALL), *table_lines(Table("", _HEADINGS, tuple(counts))), ""]
    lines += ["## What was found", ""]
    for paper in reproductions:
        held, known = paper.count("holds"), paper.count("holds") + paper.count("not")
        verdict = f" {held} of {known} findings hold." if known else ""
        lines += [f"**{paper.title}** (`{paper.paper}`).{verdict} {paper.short}", ""]
    choices = tuple(
        (paper.paper, c.about, c.reading, c.by, str(c.n_tried)) for paper in reproductions for c in paper.choices
    )
    if choices:
        columns = ("paper", "left open", "read here as", "decided by", "readings tried")
        lines += [READINGS, *table_lines(Table("", columns, choices)), ""]
    return "\n".join([*lines, RUN])
