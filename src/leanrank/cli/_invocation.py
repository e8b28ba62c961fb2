"""What was typed: the arguments of this run, for messages and records that repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

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
