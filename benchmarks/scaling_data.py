"""A Parquet folder of the shape of MSLR-WEB30K, of any length, generated block by block."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from leanrank.data.parquet.files import write_parquet
from leanrank.data.parquet.scan import ParquetSource, scan_parquet
from leanrank.data.ranking_data import RankingData

K, DOCUMENTS = 136, 125
ROWS_PER_FILE = 1_000_000
#: A block, and a row group.
_QUERIES_PER_BLOCK = 100_000 // DOCUMENTS
_BLOCKS = ROWS_PER_FILE // (_QUERIES_PER_BLOCK * DOCUMENTS)
#: What a million rows take on disk, at most; it is about 60% of this.
_BYTES_PER_FILE = ROWS_PER_FILE * (K + 3) * 4
#: What is left free.
_RESERVE = 5 * 10**9


def block_of(number: int, n_queries: int, n_features: int = K) -> RankingData:
    """Queries with counts, scores and flags as features, half of them related to the label."""
    rng = np.random.default_rng(number)
    n = n_queries * DOCUMENTS
    y = rng.choice(5, size=n, p=[0.52, 0.23, 0.16, 0.06, 0.03]).astype(np.float32)
    X = rng.standard_normal((n, n_features), dtype=np.float32)
    X[:, ::2] += 0.3 * y[:, None]
    third, half = n_features // 3, n_features // 2
    X[:, :third] = np.floor(np.exp(X[:, :third]))  # counts: many ties
    X[:, third:half] = X[:, third:half].round(1)
    return RankingData(X, y, np.arange(0, n + 1, DOCUMENTS), number * n_queries + np.arange(n_queries))


class Generated:
    """One file's blocks, made when they are asked for."""

    feature_names = tuple(str(j + 1) for j in range(K))

    def __init__(self, file: int) -> None:
        self.file = file

    def blocks(self, n_rows: int = 0) -> Iterator[RankingData]:
        for i in range(_BLOCKS):
            yield block_of(_BLOCKS * self.file + i, _QUERIES_PER_BLOCK)


def folder_of(rows: int) -> tuple[Path, int, str]:
    """The folder with the files it lacked, how many to use, and a note if the disk did not allow as many as asked for.

    `LEANRANK_SCALING_DIR`, or a folder for temporary files. It is kept: a file is there as a whole or not at all, so
    the next run uses it again.
    """
    folder = Path(os.environ.get("LEANRANK_SCALING_DIR") or Path(tempfile.gettempdir(), "leanrank-scaling"))
    folder.mkdir(parents=True, exist_ok=True)
    wanted = max(1, rows // ROWS_PER_FILE)
    paths = [folder / f"{file:03d}.parquet" for file in range(wanted)]
    absent = [file for file, path in enumerate(paths) if not _is_whole(path)]
    room = max(0, shutil.disk_usage(folder).free - _RESERVE) // _BYTES_PER_FILE
    n_files = wanted if len(absent) <= room else absent[int(room)]
    if n_files < 1:
        raise RuntimeError(f"{folder} has no room for a million rows ({_BYTES_PER_FILE / 1e9:.1f} GB)")
    for file in absent:
        if file < n_files:
            say(f"generating file {file + 1} of {n_files} in {folder}")
            write_parquet(Generated(file), paths[file])
    return folder, n_files, "" if n_files == wanted else f"scaled down from {wanted} million rows: the disk is full"


def _is_whole(path: Path) -> bool:
    if not path.exists():
        return False
    about = pq.read_metadata(path)
    return bool(about.num_rows == ROWS_PER_FILE and about.num_row_groups == _BLOCKS)


def first_files(folder: Path, n_files: int) -> ParquetSource:
    source = scan_parquet(folder)
    return ParquetSource(source.files[:n_files], source.roles, source.narrow, source.text_ids)


def forget_files(folder: Path, n_files: int) -> None:
    """Have the system drop what it holds of the files in memory: every fold reads from the disk, large or small."""
    for file in first_files(folder, n_files).files:
        handle = os.open(file.path, os.O_RDONLY)
        try:
            os.fsync(handle)  # only what is written can be dropped
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(handle)


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)
