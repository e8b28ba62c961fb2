"""Query sizes beside a LETOR file without query ids, as LightGBM and XGBoost keep them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leanrank.data.compressed import PathLike, name_of, open_bytes
from leanrank.data.formats import without_compression
from leanrank.data.letor.lines import whole_lines
from leanrank.errors import DataError


def find_sizes(path: PathLike) -> Path | None:
    """The `.query` or `.group` file beside `path`, with or without the suffix of a compression."""
    given = Path(path)
    for base in dict.fromkeys((without_compression(given), given)):
        for suffix in (".query", ".group"):
            beside = base.with_name(base.name + suffix)
            if beside.is_file():
                return beside
    return None


def read_sizes(path: PathLike) -> NDArray[np.int64]:
    """The number of rows of each query, one whole number a line; blank lines are skipped."""
    name = name_of(path)
    sizes: list[int] = []
    with open_bytes(path) as stream:
        n_lines = 0
        for piece in whole_lines(stream, name):
            for line in bytes(piece).split(b"\n")[:-1]:
                n_lines += 1
                token = line.strip()
                if token:
                    sizes.append(_size(token, name, n_lines))
    if not sizes:
        raise DataError(f"{name} is empty: expected the number of rows of each query, one a line.")
    return np.array(sizes, dtype=np.int64)


def _size(token: bytes, name: str, line: int) -> int:
    if not token.isdigit() or len(token) > 18 or int(token) == 0:
        text = token[:40].decode("utf-8", "backslashreplace")
        raise DataError(f"{name}, line {line:,}: found {text!r}, expected the number of rows of a query, 1 or more.")
    return int(token)
