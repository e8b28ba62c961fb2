"""Where a selection came from: the command and the data, kept with the result so that a report can be made later."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leanrank.evaluation.select.selection import Selection


def origin_of(file: Path, **reading: Any) -> dict[str, Any]:
    """The command that runs, and the data it reads with the options that it takes to read them."""
    from leanrank.report.repeat import repeatable

    given = {name: value for name, value in reading.items() if value}
    return {"command": shlex.join(["leanrank", *repeatable(sys.argv[1:])]), "data": str(file), **given}


def remember(journal: Path, selection: Selection, test: dict[str, Any] | None) -> None:
    """Write where a selection came from, and what a test said of it, into the journal of its run."""
    from leanrank.evaluation.journal import Journal, read_about
    from leanrank.evaluation.journal_schema import keep_origin

    with Journal(journal, read_about(journal)) as book:
        keep_origin(book, selection.settings, selection.source, test)
