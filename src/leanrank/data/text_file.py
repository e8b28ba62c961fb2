"""Text and JSON files, or one sentence on what is wrong with them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from leanrank.errors import DataError

_DEEPEST = 100


def read_text(path: str | os.PathLike[str]) -> str:
    """A text file in UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not text in UTF-8.") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error


def parse_json(text: str | bytes, source: str) -> Any:
    """JSON from text that came from `source`: no NaN, no infinity, and nested no deeper than files of ours can be."""
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"{source}: not JSON ({str(error)[:80]}).") from error
    level = [content]
    for _ in range(_DEEPEST):
        level = [inner for node in level if isinstance(node, dict | list) for inner in _inside(node)]
        if not level:
            return content
    raise DataError(f"{source}: its JSON is nested more than {_DEEPEST} deep, which no file of ours is.")


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number in JSON")


def _inside(node: Any) -> Any:
    return node.values() if isinstance(node, dict) else node


def read_json(path: str | os.PathLike[str]) -> Any:
    """A JSON file."""
    return parse_json(read_text(path), str(path))
