"""A reproduction as files of comma-separated values, and back: the page is made from them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError
from leanrank.reproduce.outcome import Cell, Choice, Claim, Reproduction, Table, published

CELLS, CLAIMS, CHOICES = "figures.csv", "findings.csv", "readings.csv"
_CELL_COLUMNS = ("table", "data", "method", "measure", "published", "ours", "exact", "status", "why")
_CLAIM_COLUMNS = ("where", "finding", "holds", "ours", "reading")
_CHOICE_COLUMNS = ("left open", "reading", "by", "tried")
_HOLDS = {"yes": True, "no": False, "": None}


def write_data(paper: Reproduction, folder: Path) -> None:
    """Every cell, claim, reading and table of a paper, in a folder of its name; what was there before goes."""
    own = folder / paper.paper
    own.mkdir(parents=True, exist_ok=True)
    for old in own.glob("*.csv"):
        old.unlink()
    cells = [_cell_row(cell) for cell in paper.cells]
    write_whole(own / CELLS, _text([_CELL_COLUMNS, *cells]))
    said = {holds: word for word, holds in _HOLDS.items()}
    claims = [(c.where, c.text, said[c.holds], c.figures, c.reading) for c in paper.claims]
    write_whole(own / CLAIMS, _text([_CLAIM_COLUMNS, *claims]))
    choices = [(c.about, c.reading, c.by, str(c.n_tried)) for c in paper.choices]
    write_whole(own / CHOICES, _text([_CHOICE_COLUMNS, *choices]))
    for number, table in enumerate(paper.tables, start=1):
        shown = "shown" if table.shown else ""
        write_whole(own / table_file(number), _text([(table.title, shown), table.columns, *table.rows]))


def table_file(number: int) -> str:
    """The file of a table of ours, counted from 1: its title, its columns, its rows."""
    return f"table{number:02d}.csv"


def read_data(paper: str, folder: Path) -> Reproduction | None:
    """What `write_data` wrote; None if there is nothing of this paper."""
    own = folder / paper
    if not (own / CLAIMS).is_file():
        return None
    printed = {(p.table, p.dataset, p.method, p.metric): p for p in published(paper)}
    cells = []
    for row in _rows(own / CELLS)[1:]:
        place = tuple(row[:4])
        if place not in printed:
            raise DataError(f"{own / CELLS}: {place} is not a published figure of {paper}; write the file again.")
        ours = None if row[5] == "" else float(row[5])
        cells.append(Cell(printed[place], ours, row[6] == "yes", row[8]))
    claims = [
        Claim(text, _HOLDS[holds], ours, where, reading)
        for where, text, holds, ours, reading in _rows(own / CLAIMS)[1:]
    ]
    tables = []
    for path in sorted(own.glob("table*.csv")):
        (title, shown), columns, *rows = (tuple(row) for row in _rows(path))
        tables.append(Table(title, columns, tuple(rows), shown == "shown"))
    choices = [Choice(about, reading, by, int(tried)) for about, reading, by, tried in _rows(own / CHOICES)[1:]]
    return Reproduction.of(paper, cells, claims, tables, choices)


def _cell_row(cell: Cell) -> tuple[str, ...]:
    p = cell.published
    ours = "" if cell.ours is None else f"{cell.ours:.6g}"
    return (p.table, p.dataset, p.method, p.metric, p.text, ours, "yes" if cell.exact else "", cell.status, cell.reason)


def _text(rows: Iterable[Sequence[str]]) -> str:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))
