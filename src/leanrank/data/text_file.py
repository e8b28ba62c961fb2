"""Text and JSON files, or one sentence on what is wrong with them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from leanrank.errors import DataError


def read_text(path: str | os.PathLike[str]) -> str:
    """A text file in UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not text in UTF-8.") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error


def parse_json(text: str, source: str) -> Any:
    """JSON from text that came from `source`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{source}: not JSON ({str(error)[:80]}).") from error


def read_json(path: str | os.PathLike[str]) -> Any:
    """A JSON file."""
    return parse_json(read_text(path), str(path))
