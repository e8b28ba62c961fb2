"""`leanrank select`: the main job with a journal, which an interrupt leaves whole."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from leanrank.errors import JournalMismatch

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData
    from leanrank.evaluation.select.selection import Selection

INTERRUPTED = 130


def select_auto(
    data: RankingData, *, journal: Path | None, resume: Path | None, output: Path | None, **options: Any
) -> Selection:
    """Run `leanrank.select` with a journal."""
    from leanrank.evaluation.select.run import select

    path = journal_of(journal, resume, output)
    return _run(select, data, path, named=(resume or journal) is not None, **options)


@contextmanager
def interruptible(journal: Path, command: str, *, resumes: bool) -> Iterator[None]:
    """A run with this journal; an interrupt says how to go on, or that there is nothing to go on with."""
    before = _written(journal)
    try:
        yield
    except KeyboardInterrupt:
        if _written(journal) == before:
            _say_nothing_is_lost()
        else:
            again = command if resumes else f"{command} --resume {shlex.quote(str(journal))}"
            kept = f"what is finished is kept in {journal}. Go on with:\n  {again}"
            print(f"leanrank: interrupted; {kept}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def announced(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with one line where it is interrupted before it has a journal: typer would leave in silence."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            _say_nothing_is_lost()
            raise typer.Exit(INTERRUPTED) from None

    return run


def _say_nothing_is_lost() -> None:
    print("leanrank: interrupted before anything was finished, so nothing is lost.", file=sys.stderr)


def _written(journal: Path) -> list[int | None]:
    """When the files of a journal were written last."""
    files = (journal, Path(f"{journal}-wal"))
    return [file.stat().st_mtime_ns if file.exists() else None for file in files]


def journal_of(journal: Path | None, resume: Path | None, output: Path | None) -> Path:
    """Where finished work is kept: as the user says, or beside the output."""
    return resume or journal or (Path(f"{output}.db") if output is not None else Path("leanrank-select.db"))


def _run(select: Any, data: RankingData, path: Path, *, named: bool, **options: Any) -> Selection:
    """A journal that the user named is never thrown away; one of the default name makes way for a new run."""
    try:
        found: Selection = select(data, journal=path, **options)
    except JournalMismatch:
        if named:
            raise
        aside = next(name for n in count(1) if not Path(name := f"{path}.old{n if n > 1 else ''}").exists())
        for ending in ("", "-wal", "-shm"):
            if Path(f"{path}{ending}").exists():
                Path(f"{path}{ending}").replace(f"{aside}{ending}")
        print(f"leanrank: {path} is of a run with other settings, and is now {aside}", file=sys.stderr)
        found = select(data, journal=path, **options)
    return found
