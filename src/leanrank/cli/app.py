"""The `leanrank` command: its sub-commands, and what an error looks like."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from leanrank import __version__
from leanrank.cli._invocation import Invocation
from leanrank.cli._option_names import Command
from leanrank.cli._signals import INTERRUPTED, interrupted
from leanrank.cli._standard_input import as_called
from leanrank.cli.compare import compare
from leanrank.cli.convert import convert
from leanrank.cli.costs import costs
from leanrank.cli.demo import demo
from leanrank.cli.diff import diff
from leanrank.cli.evaluate import evaluate
from leanrank.cli.export import export
from leanrank.cli.graph import graph
from leanrank.cli.import_logs import import_logs
from leanrank.cli.lint import lint
from leanrank.cli.order import order
from leanrank.cli.predict import predict
from leanrank.cli.reduce import reduce
from leanrank.cli.report import report
from leanrank.cli.reproduce import reproduce
from leanrank.cli.select import select
from leanrank.cli.shadow import shadow
from leanrank.cli.train import train
from leanrank.cli.warm import warm
from leanrank.errors import LeanRankError
from leanrank.kernels._compiling import compiling

# The error of a mistyped command or option; its class is public only as the base of this one.
UsageError: type[Any] = typer.BadParameter.__base__  # type: ignore[assignment]

BAD_INPUT = 2
COMPILING = "leanrank: compiling for this machine, once; leanrank warm does it ahead"

EPILOG = """
Start with: leanrank demo, or on your own data: leanrank select train.txt -o features.json --report report.html

Every command has --help with an example, and --json. Results go to standard output, messages and progress to standard
error; a pipe gets no progress bars. Completion of commands, options and names of methods in the shell:
leanrank --install-completion

Exit codes: 0 done, 1 a check failed, 2 bad input or usage, 130 interrupted.
"""

app = typer.Typer(
    name="leanrank",
    help="Find the fewest features a ranker needs.",
    epilog=EPILOG,
    rich_markup_mode="markdown",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_FIND = (lint, graph, select, diff, order, reduce)
_RANK = (train, predict, evaluate, shadow, compare, reproduce, report)
app.command("import", cls=Command)(import_logs)
for command in (costs, *_FIND, *_RANK, export, convert, demo, warm):
    app.command(cls=Command)(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"leanrank {__version__}")
        raise typer.Exit


@app.callback()
def _leanrank(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Find the fewest features a ranker needs."""


def run(arguments: Sequence[str], program: str = "leanrank") -> int:
    """Run one command and return its exit code; what goes wrong becomes one sentence on standard error."""
    typed = Invocation(program, tuple(arguments))
    if sys.stderr.isatty():
        compiling.say = lambda: print(COMPILING, file=sys.stderr)
    try:
        return _code_of(arguments, typed)
    except LeanRankError as error:
        return _fail(str(error))
    except UsageError as error:
        error.show()
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        print("leanrank: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has gone: not our error, nothing more to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as left:  # so a console leaves when the reader of its pipe has gone
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        return 0
    except OSError as error:
        return _fail(f"{error.filename or 'input/output'}: {error.strerror or error}")


def _code_of(arguments: Sequence[str], typed: Invocation) -> int:
    """Run the command; whatever it fails with after an interrupt is the interrupt."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say
            return int(app(list(arguments), prog_name="leanrank", standalone_mode=False, obj=typed) or 0)
    except Exception as error:
        if interrupted():
            raise KeyboardInterrupt from error
        raise


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as one line; where in the code it was raised helps nobody here."""
    print(f"leanrank: {as_called(' '.join(str(message).split()))}", file=sys.stderr)


def _fail(sentence: str) -> int:
    print(f"leanrank: {sentence}", file=sys.stderr)
    return BAD_INPUT
