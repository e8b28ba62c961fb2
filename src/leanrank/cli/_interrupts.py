"""What is said when a command is interrupted: what is kept, and how to go on."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from leanrank.cli._signals import INTERRUPTED


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


def _say_nothing_is_lost() -> None:
    print("leanrank: interrupted before anything was finished, so nothing is lost.", file=sys.stderr)


def _written(journal: Path) -> list[int | None]:
    """When the files of a journal were written last."""
    files = (journal, Path(f"{journal}-wal"))
    return [file.stat().st_mtime_ns if file.exists() else None for file in files]
