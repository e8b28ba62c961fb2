"""The command line: parse, call, print."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    """Entry point of the `leanrank` command.

    Exit codes: 0 done, 1 a check failed, 2 bad input or usage, 130 interrupted.
    """
    try:
        from leanrank.cli.app import run
    except KeyboardInterrupt:
        print("leanrank: interrupted before anything was started", file=sys.stderr)
        raise SystemExit(130) from None
    if isinstance(sys.stdout, TextIOWrapper):  # a file name need not be text: it is printed with escapes
        sys.stdout.reconfigure(errors="backslashreplace")
    raise SystemExit(run(sys.argv[1:], sys.argv[0]))
