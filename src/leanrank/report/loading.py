"""What a report can be made of: a saved selection, the journal of `select`, or the journal of `compare`."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leanrank.data.text_file import read_json
from leanrank.errors import DataError
from leanrank.evaluation import journal_schema
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.journal import Journal, read_about
from leanrank.evaluation.select.saved_selection import selection_of
from leanrank.evaluation.select.selection import Selection

_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True)
class Results:
    """Results, and what `leanrank select --test` said of them."""

    results: Selection | Comparison
    test: dict[str, Any] | None = None


def load_results(path: str | os.PathLike[str]) -> Results:
    """Read results of `select` (its features.json, its journal) or of `compare` (its journal)."""
    place = Path(path)
    try:
        with place.open("rb") as file:
            is_journal = file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise DataError(f"{place}: cannot be read ({error.strerror}).") from error
    return _of_journal(place) if is_journal else _of_json(place)


def _of_journal(path: Path) -> Results:
    about = read_about(path)
    if journal_schema.is_comparison(about):
        return Results(Comparison.load(path))
    with Journal(path, about) as journal:
        selection = selection_of(journal_schema.selection_in(journal), path)
        source, test = journal_schema.origin_in(journal, selection.settings)
    return Results(replace(selection, source=source), test)


def _of_json(path: Path) -> Results:
    try:
        record = read_json(path)
    except DataError as error:
        raise DataError(
            f"{path}: is neither a journal nor JSON. A report is made of the features.json or the journal (.db) that "
            "`leanrank select` writes, or of the journal of `leanrank compare`."
        ) from error
    if isinstance(record, dict) and record.get("format") == "leanrank-report":
        raise DataError(f"{path}: is a report already. Make another from the file it was made of.")
    return Results(selection_of(record, path), record.get("test"))
