"""How to repeat a run: the command it came from, or the call."""

from __future__ import annotations

from typing import Any

#: Options of `leanrank select` that say where one run puts things, not what is computed.
_OF_ONE_RUN = ("--resume", "--journal", "--output", "-o", "--report")


def how_to_repeat(summary: dict[str, Any]) -> str:
    """The command line, or the call in Python for a selection that was made there."""
    command = summary["source"].get("command")
    if command:
        return f"{command} -o features.json"
    s = summary["settings"]
    arguments = [f"ranker={s['ranker']}", f"metric={s['metric_name']!r}", f"methods={s['methods']!r}"]
    arguments += [f"{name}={s[name]!r}" for name in ("n_features", "budget") if s[name] is not None]
    arguments += [f"{name}={s[name]!r}" for name in ("max_loss", "level", "cv", "random_state")]
    arguments += [f"{name}={s[name]!r}" for name in ("must_keep", "never") if s[name]]
    arguments += [f"{name}=..." for name in ("costs", "groups", "valid") if s[name] is not None]
    return "leanrank.select(\n    data,\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


def repeatable(arguments: list[str]) -> list[str]:
    """The arguments of a command without those that only say where one run puts things.

    >>> repeatable(["select", "train.txt", "--resume", "run.db", "-k", "5", "--journal=other.db", "-of.json"])
    ['select', 'train.txt', '-k', '5']
    """
    kept, skip = [], False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in _OF_ONE_RUN:
            skip = True
        elif argument.partition("=")[0] not in _OF_ONE_RUN and not argument.startswith("-o"):
            kept.append(argument)
    return kept
