"""The command line: parse, call, print."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main(program: str | None = None) -> None:
    """Entry point of the `leanrank` command; `program` is how it was called, if not by the path of a script.

    Exit codes: 0 done, 1 a check failed, 2 bad input or usage, 130 interrupted (Ctrl-C or SIGTERM).
    """
    from leanrank.cli._signals import INTERRUPTED, leave, listen

    listen()
    try:
        from leanrank.cli.app import run

        if isinstance(sys.stdout, TextIOWrapper):  # a file name need not be text: it is printed with escapes
            sys.stdout.reconfigure(errors="backslashreplace")
        code = run(sys.argv[1:], program or sys.argv[0])
    except KeyboardInterrupt:
        print("leanrank: interrupted before anything was started", file=sys.stderr)
        code = INTERRUPTED
    leave(code)
