"""What was typed: for messages and records that repeat it, and for how to go on after an interrupt."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from leanrank.cli._signals import INTERRUPTED

#: Options that say where one run puts things, not what is computed.
OF_ONE_RUN = ("--resume", "--journal", "--output", "-o", "--report")


@dataclass(frozen=True)
class Invocation:
    """One run of the tool: the `program` as it was called, and the `arguments` after it."""

    program: str = "leanrank"
    arguments: tuple[str, ...] = ()

    @classmethod
    def of(cls, context: typer.Context) -> Invocation:
        """That of a running command; the application puts it into every context."""
        return context.obj if isinstance(context.obj, cls) else cls()

    def command(self, *more: str, without: Sequence[str] = ()) -> str:
        """The line to type again, less some options with their values, and with `more` at its end.

        >>> typed = Invocation("leanrank", ("select", "a b.txt", "--max-loss", "0.1", "-of.json"))
        >>> typed.command("--max-loss", "0.2", without=["--max-loss"])
        "leanrank select 'a b.txt' -of.json --max-loss 0.2"
        >>> typed.command(without=OF_ONE_RUN)
        "leanrank select 'a b.txt' --max-loss 0.1"
        """
        kept, skip = [], False
        for argument in self.arguments:
            if skip:
                skip = False
            elif argument in without:
                skip = True
            elif not _gives(argument, without):
                kept.append(argument)
        return shlex.join(["leanrank", *kept, *more])


def _gives(argument: str, options: Sequence[str]) -> bool:
    """Whether it is one of the options together with its value: --output=x, -ox."""
    short = any(argument.startswith(option) for option in options if not option.startswith("--"))
    return argument.partition("=")[0] in options or (short and not argument.startswith("--"))


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
