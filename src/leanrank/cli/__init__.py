"""The command line: parse, call, print."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    """Entry point of the `leanrank` command.

    Exit codes: 0 done, 1 a check failed, 2 bad input or usage, 130 interrupted (Ctrl-C or SIGTERM).
    """
    from leanrank.cli._signals import INTERRUPTED, leave, listen

    listen()
    try:
        from leanrank.cli.app import run

        if isinstance(sys.stdout, TextIOWrapper):  # a file name need not be text: it is printed with escapes
            sys.stdout.reconfigure(errors="backslashreplace")
        code = run(sys.argv[1:], sys.argv[0])
    except KeyboardInterrupt:
        print("leanrank: interrupted before anything was started", file=sys.stderr)
        code = INTERRUPTED
    leave(code)
