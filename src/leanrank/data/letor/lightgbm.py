"""LightGBM's ranking files: rows without query ids, and how many rows each query has in a file beside (.query).

https://lightgbm.readthedocs.io/en/stable/Parameters.html#query-data
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from leanrank.data.compressed import create_bytes, open_bytes
from leanrank.data.letor.reader import read_letor
from leanrank.data.letor.writer import write_letor
from leanrank.data.ranking_data import RankingData
from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError


def query_path(path: str | os.PathLike[str]) -> Path:
    """The file of query sizes that LightGBM looks for beside `path`."""
    file = Path(path)
    return file.with_name(file.name + ".query")


def write_lightgbm(data: RankingData, path: str | os.PathLike[str]) -> None:
    """Write ``<label> <feature>:<value> ...`` to `path` and the sizes of the queries to ``path.query``.

    Features count from 1, as in LETOR files and LightGBM's own examples: LightGBM calls feature 1 Column_1, and has a
    Column_0 that is empty. A missing value is written as nan. Query ids, comments and names are not part of the format.

    >>> import tempfile
    >>> data = RankingData([[2.5], [0.5]], [1, 0], [0, 2], ["tea"], ["bm25"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_lightgbm(data, Path(folder, "rank.train"))
    ...     Path(folder, "rank.train").read_text(), Path(folder, "rank.train.query").read_text()
    ('1 1:2.5\\n0 1:0.5\\n', '2\\n')
    """
    bare = replace(data, query_ids=list(range(data.n_queries)), comments=None)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder, create_bytes(path) as out:
        letor = Path(folder, "rows.txt")
        write_letor(bare, letor)
        with letor.open("rb") as lines:
            for line in lines:
                label, _, features = line.rstrip(b"\n").partition(b" ")
                rest = features.partition(b" ")[2].replace(b":NULL", b":nan").rstrip()
                out.write(label + (b" " + rest if rest else b"") + b"\n")
    write_whole(query_path(path), "".join(f"{size}\n" for size in data.query_sizes.tolist()))


def read_lightgbm(path: str | os.PathLike[str], *, n_features: int | None = None) -> RankingData:
    """Read rows and the sizes of their queries (``path.query``); queries are called 1, 2, 3, ..."""
    sizes = _sizes(query_path(path))
    content = bytearray()
    with open_bytes(path) as file:
        buffer = memoryview(bytearray(1 << 20))
        while count := file.readinto(buffer):
            content += buffer[:count]
    lines = [line for line in bytes(content).split(b"\n") if line.strip()]
    if sum(sizes) != len(lines):
        raise DataError(
            f"{os.fspath(path)}: has {len(lines):,} rows; the queries of {query_path(path)} have {sum(sizes):,}."
        )
    letor = b"".join(_with_query_ids(lines, sizes, os.fspath(path)))
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows.txt")
        rows.write_bytes(letor)
        try:
            return read_letor(rows, n_features=n_features)
        except DataError as error:
            raise DataError(str(error).replace(str(rows), os.fspath(path))) from error


def _sizes(path: Path) -> list[int]:
    try:
        words = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: the sizes of the queries cannot be read; LightGBM's rows need them.") from error
    for word in words:
        if not (word.isascii() and word.isdecimal() and int(word) >= 1):
            raise DataError(f"{path}: expected the number of rows of a query a line, found {word[:40]!r}.")
    return [int(word) for word in words]


def _with_query_ids(lines: list[bytes], sizes: list[int], source: str) -> Iterator[bytes]:
    row = 0
    for query, size in enumerate(sizes, start=1):
        for line in lines[row : row + size]:
            label, *fields = line.split()  # blanks or tabs between
            rest = b" ".join(fields)
            if b"qid:" in rest:
                raise DataError(f"{source}, row {row + 1}: has a qid, so it is a LETOR file; it needs no .query file.")
            rest = rest.replace(b":nan", b":NULL").replace(b":NaN", b":NULL")
            yield label + b" qid:%d " % query + rest + b"\n"
        row += size
