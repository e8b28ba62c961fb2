"""LightGBM's ranking files: rows without query ids, and how many rows each query has in a file beside (.query).

https://lightgbm.readthedocs.io/en/stable/Parameters.html#query-data
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from leanrank.data.compressed import create_bytes
from leanrank.data.letor.writer import write_letor
from leanrank.data.ranking_data import RankingData
from leanrank.data.whole_file import write_whole


def query_path(path: str | os.PathLike[str]) -> Path:
    """The file of query sizes that LightGBM looks for beside `path`."""
    file = Path(path)
    return file.with_name(file.name + ".query")


def write_lightgbm(data: RankingData, path: str | os.PathLike[str]) -> None:
    """Write ``<label> <feature>:<value> ...`` to `path` and the sizes of the queries to ``path.query``.

    Features count from 1, as in LETOR files and LightGBM's own examples: LightGBM calls feature 1 Column_1, and has a
    Column_0 that is empty. A missing value is written as nan. Query ids, comments and names are not part of the format:
    `read_letor`, which takes the sizes beside by itself, counts queries from 0.

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
