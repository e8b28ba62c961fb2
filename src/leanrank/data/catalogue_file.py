"""Catalogues from files (CSV, TSV, JSON), from frames, and those of public data sets that come with leanrank."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from leanrank.data.catalogue import Catalogue, FeatureFacts, facts_of
from leanrank.data.columns import as_frame
from leanrank.data.text_file import parse_json
from leanrank.errors import DataError, ParameterError, UnknownNameError

#: Names of the catalogues that come with leanrank -> their files.
SHIPPED = {"gov": "gov", "letor4": "letor4", "mq2007": "letor4", "mq2008": "letor4", "mslr": "mslr"} | {
    "ohsumed": "ohsumed",
    "yahoo": "yahoo",
}
#: What the column of ids may be called.
IDS = ("id", "column", "feature")
#: Columns that a catalogue may have beside it.
COLUMNS = ("name", "description", "family", "cost", "phase")
#: The most bytes that a file may have.
LARGEST_FILE = 64 * 2**20


def read_catalogue(source: Any) -> Catalogue:
    """A catalogue of features: a file, one that comes with leanrank, or the same in memory.

    Parameters
    ----------
    source : path, str, dict, frame or Catalogue
        A file of CSV, TSV (``.tsv``) or JSON (``.json``: an object by id, or a list) with a column ``id`` (or
        ``column``, or ``feature``) and any of ``name``, ``description``, ``family``, ``cost`` and ``phase``. Lines
        before the header that begin with # are comments. Or one of "mslr", "letor4" (also "mq2007", "mq2008"),
        "ohsumed", "gov" and "yahoo". Or a dict from ids to names or to dicts of these columns, or a frame with them.

    Returns
    -------
    Catalogue

    Examples
    --------
    >>> read_catalogue("mslr").label("110")
    '110: BM25 of whole document'
    >>> read_catalogue({"f1": "clicks", "f2": {"name": "BM25", "cost": 2}}).costs()
    {'f2': 2.0}
    """
    if isinstance(source, Catalogue):
        return source
    if isinstance(source, Mapping):
        record = {str(name): {"name": facts} if isinstance(facts, str) else facts for name, facts in source.items()}
        return Catalogue(_rows(enumerate(_of_object(record, "the catalogue"), 1), "the catalogue", "entry"))
    if isinstance(source, str | os.PathLike):
        return _of_file(Path(source))
    frame = as_frame(source)
    if frame is None:
        raise ParameterError.of("read_catalogue", "source", "a path, a name, a dict or a frame", type(source).__name__)
    columns = _columns([str(name) for name in frame.columns], "the catalogue")
    # NaN stands for nothing
    values = [[None if value != value else value for value in frame[column].to_list()] for column in columns]
    rows = (dict(zip(columns.values(), row, strict=True)) for row in zip(*values, strict=True))
    return Catalogue(_rows(enumerate(rows, 1), "the catalogue", "row"))


def _of_file(path: Path) -> Catalogue:
    known = str(path).lower()
    if not path.exists() and known in SHIPPED:
        text = files("leanrank.data").joinpath("catalogues", f"{SHIPPED[known]}.csv").read_text(encoding="utf-8")
        return Catalogue(_of_lines(text, known, ","), known, public=True)
    if not path.exists() and path.suffix == "":
        raise UnknownNameError.of("catalogue, and no file of that name,", str(path), SHIPPED)
    text = _text(path)
    if path.suffix.lower() == ".json":
        content = parse_json(text, str(path))
        listed = _of_object(content, str(path)) if isinstance(content, dict) else content
        if not isinstance(listed, list):
            raise DataError(f"{path}: a catalogue in JSON is an object by id, or a list of objects with an id.")
        return Catalogue(_rows(enumerate(listed, 1), str(path), "entry"), str(path))
    separator = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    return Catalogue(_of_lines(text, str(path), separator), str(path))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise DataError(f"{path}: has more than {LARGEST_FILE >> 20} MB, which no catalogue has.")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not text in UTF-8.") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error


def _of_lines(text: str, source: str, separator: str) -> Iterator[FeatureFacts]:
    """The facts of a text with a header."""
    lines = text.splitlines(keepends=True)
    n_comments = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    rows = csv.reader(io.StringIO("".join(lines[n_comments:]), newline=""), delimiter=separator, strict=True)
    try:
        header = [name.strip() for name in next(rows, [])]
        columns = _columns(header, source)
        places = {name: header.index(heading) for heading, name in columns.items()}
        for row in rows:
            where = f"{source}, line {rows.line_num + n_comments}"
            if not any(field.strip() for field in row):
                continue
            if len(row) != len(header):
                raise DataError(
                    f"{where}: has {len(row)} fields, the header {len(header)}. Quote a text with a {separator!r}."
                )
            yield facts_of({name: row[place] for name, place in places.items()}, where)
    except csv.Error as error:
        raise DataError(f"{source}, line {rows.line_num + n_comments}: is not CSV ({error}).") from error


def _columns(header: list[str], source: str) -> dict[str, str]:
    """What each heading is of a catalogue; one that is nothing of it is refused."""
    ids = [name for name in header if name.lower() in IDS]
    if len(ids) != 1:
        listed = ", ".join(map(repr, header[:20])) or "none"
        raise DataError(f"{source}: a catalogue has one column id (or column, or feature). Its columns: {listed}.")
    columns: dict[str, str] = {}
    for heading in header:
        name = "id" if heading == ids[0] else heading.lower()
        if name not in ("id", *COLUMNS):
            raise DataError(str(UnknownNameError.of(f"column of {source}", heading, ("id", *COLUMNS))))
        if name in columns.values():
            raise DataError(f"{source}: column {heading!r} is there twice.")
        columns[heading] = name
    return columns


def _of_object(content: Mapping[str, Any], source: str) -> list[dict[str, Any]]:
    for name, facts in content.items():
        if not isinstance(facts, Mapping):
            raise DataError(f"{source}, {name!r}: expected an object with name, description, family, cost or phase.")
    return [{"id": name, **facts} for name, facts in content.items()]


def _rows(rows: Any, source: str, kind: str) -> Iterator[FeatureFacts]:
    """The facts of rows that are objects."""
    for number, row in rows:
        where = f"{source}, {kind} {number}"
        if not isinstance(row, Mapping):
            raise DataError(f"{where}: expected an object with an id.")
        columns = _columns([str(name) for name in row], where)
        yield facts_of({columns[str(name)]: value for name, value in row.items()}, where)
