"""Parameters of a method as the command line gives them: NAME=VALUE."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from leanrank.errors import ParameterError


def parse_settings(texts: Iterable[str] | None) -> dict[str, Any]:
    """What was given as --set NAME=VALUE, any number of times."""
    return dict(parse_setting(text) for text in texts or ())


def check_seed(seed: int) -> None:
    """Refuse a seed that no generator takes."""
    if seed < 0:
        raise ParameterError(f"--seed must be >= 0. Got {seed}.")


def parse_setting(text: str, example: str = "--set c=0.5") -> tuple[str, Any]:
    """`name=value`; the value is read as JSON where it is JSON (numbers, lists, true, null), as text otherwise.

    >>> parse_setting("C=[0.1, 1]"), parse_setting("solver=lbfgs")
    (('C', [0.1, 1]), ('solver', 'lbfgs'))
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ParameterError(f"A setting is NAME=VALUE, as in {example}. Got {text!r}.")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
