"""The command line: parse, call, print."""

from __future__ import annotations


def main() -> None:
    """Entry point of the `leanrank` command.

    Exit codes: 0 done, 1 a check failed, 2 bad input or usage, 130 interrupted.
    """
    from leanrank.cli.app import run

    raise SystemExit(run())
