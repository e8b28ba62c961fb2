"""The journal of `leanrank select`: where it is, when it makes way for another run, and what is added at the end."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leanrank.cli._outputs import STDOUT
from leanrank.errors import JournalMismatch, LeanRankError, ParameterError

if TYPE_CHECKING:
    from leanrank.evaluation.select.selection import Selection


@dataclass(frozen=True)
class SelectJournal:
    """A journal file; `named` by the user or at the default place, and perhaps of a run that `resumes`."""

    path: Path
    named: bool
    resumes: bool

    @classmethod
    def of(cls, journal: Path | None, resume: Path | None, output: Path | None) -> SelectJournal:
        """As the user says, or beside the output."""
        if resume is not None and not resume.is_file():
            raise ParameterError(f"There is no journal {str(resume)!r} to resume.")
        beside = Path("leanrank-select.db") if output in (None, STDOUT) else Path(f"{output}.db")
        return cls(resume or journal or beside, named=(resume or journal) is not None, resumes=resume is not None)

    def run(self, select: Callable[..., Selection], data: Any, **options: Any) -> Selection:
        """Select with this journal; one that the user named is never thrown away, one of the default name makes way."""
        try:
            return select(data, journal=self.path, **options)
        except JournalMismatch:
            if self.named:
                raise
            aside = self._moved_aside()
            print(f"leanrank: {self.path} is of a run with other settings, and is now {aside}", file=sys.stderr)
            return select(data, journal=self.path, **options)

    def _moved_aside(self) -> str:
        """One journal stays beside the new one: that of the last other run, so that they do not pile up."""
        aside = f"{self.path}.old"
        for ending in ("", "-wal", "-shm"):
            Path(f"{aside}{ending}").unlink(missing_ok=True)
            if Path(f"{self.path}{ending}").exists():
                Path(f"{self.path}{ending}").replace(f"{aside}{ending}")
        return aside

    def remember(self, selection: Selection, test: dict[str, Any] | None) -> None:
        """Add where the selection came from, and what a test said of it; that this fails costs nobody the result."""
        from leanrank.evaluation.journal import Journal, read_about
        from leanrank.evaluation.journal_schema import keep_origin

        try:
            with Journal(self.path, read_about(self.path)) as book:
                keep_origin(book, selection.settings, selection.source, test)
        except (LeanRankError, OSError, sqlite3.Error) as error:
            why = str(error) if isinstance(error, LeanRankError) else f"{self.path}: {error}"
            print(f"leanrank: the journal does not say where the result came from: {why}", file=sys.stderr)
