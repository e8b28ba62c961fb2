"""Read LETOR files: `<label> qid:<query> <feature>:<value> ... # comment`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from leanrank.data.compressed import PathLike, name_of
from leanrank.data.grouping import query_offsets
from leanrank.data.letor.options import Null, Query, Sizes, Width, as_paths, checked, sizes_of
from leanrank.data.letor.rows import SPARSE_BELOW, Format, Rows, Sparse, matrix, query_names
from leanrank.data.letor.stream import PIECE_BYTES, Source, Stretch, stretches
from leanrank.data.letor.writer import write_letor as write_letor
from leanrank.data.memory_size import check_expansion
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError


def read_letor(
    path: PathLike | Iterable[PathLike],
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    sparse: Sparse = "auto",
    dtype: Width = "float32",
    null: Null = "nan",
    query: Query = None,
    regroup: bool = False,
) -> RankingData:
    """Read one LETOR file, or several as one.

    A line is a document: ``<label> qid:<query> <feature>:<value> ... # comment``. Features count from 1, may come
    in any order, and are 0 where absent. Files may be plain or compressed (gzip, bzip2, Zstandard, told by their
    first bytes), with either kind of line end; blank lines and lines of only a comment are skipped.

    Parameters
    ----------
    path : path or paths
        Several files are joined; a query may be in one of them only.
    n_features : int, optional
        Number of features; a larger id is an error. Otherwise the largest id, at most 1,000,000.
    feature_names : sequence of str, optional
        Names of the features by id; "1", "2", ... if not given.
    sparse : bool or "auto"
        Whether X is a CSR matrix. "auto": if less than 25 % of its cells are in the file.
    dtype : "float32" or "float64"
        Width of the values: the double nearest to the decimal number, then rounded to this.
    null : "nan", "error" or a number
        What ``NULL`` and ``nan`` stand for: NaN (and the data are marked ``missing``), an error, or this number.
    query : path, paths or group sizes, optional
        For files without ``qid:``, as LightGBM and XGBoost have them: the number of rows of each query, or a file with
        one such number a line. If not given, ``<path>.query`` or ``<path>.group`` beside the file is taken. Queries
        then count from 0. Where rows have a ``qid:``, a file beside is not looked at.
    regroup : bool
        Whether to bring together the rows of a query that are not adjacent (an error otherwise).

    Returns
    -------
    RankingData
        Query ids are int64 if all of them are whole numbers as Python prints them, else text ("007" stays so).
        Comments are what follows "#", or None if no row has one.

    Notes
    -----
    Parsing is linear in the size of the file, some 300 MB/s a core; memory is about twice that of the result.
    A line over 64 MiB is refused.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "train.txt")
    >>> _ = path.write_text("2 qid:10 1:0.5 2:1e-3 # d1\\n0 qid:10 1:-3 2:NULL # d2\\n1 qid:11 1:7 2:4 # d3\\n")
    >>> data = read_letor(path)
    >>> data
    RankingData: 3 documents, 2 queries (1 to 2 documents, median 1.5), 2 features
      labels    0: 1, 1: 1, 2: 1
      features  1, 2
      storage   dense float32, 1 missing values
    >>> data.query_ids, data.comments.tolist()
    (array([10, 11]), [' d1', ' d2', ' d3'])
    >>> folder.cleanup()
    """
    sources = as_paths(path)
    form = checked("read_letor", n_features, feature_names, sparse, dtype, null)
    return read(sources, form, sizes=sizes_of(query, sources), regroup=regroup)


def read(
    sources: Sequence[Source],
    form: Format,
    *,
    sizes: Sizes = None,
    regroup: bool = False,
    piece_bytes: int = PIECE_BYTES,
) -> RankingData:
    """`read_letor` after its parameters are checked; sources may be binary streams."""
    parts, n_bytes, file_bytes = [], 0, sum(map(_file_bytes, sources))
    for part in stretches(sources, form, sizes=sizes, regroup=regroup, piece_bytes=piece_bytes):
        parts.append(part)
        n_bytes += part.rows.n_bytes
        if file_bytes:
            check_expansion(n_bytes, file_bytes, name_of(sources[-1]))
    largest = max(parts, key=lambda part: part.largest_id)
    total = form.n_features or max(largest.largest_id, form.at_least)
    stored, n_rows = sum(len(part.rows.values) for part in parts), sum(len(part.rows) for part in parts)
    is_sparse = choose_storage(form.sparse, stored, n_rows, total, largest.largest_at)
    rows = [part.rows for part in parts]
    missing = form.marks_missing and any(part.n_nulls for part in parts)
    data = assemble(rows, starts_of(parts), total, form.feature_names, sparse=is_sparse, missing=missing)
    return _regrouped(data) if regroup else data


def _file_bytes(source: Source) -> int:
    """The size of a file, 0 where it is none and nobody knows."""
    return os.path.getsize(source) if isinstance(source, str | os.PathLike) and os.path.isfile(source) else 0


def assemble(
    rows: Sequence[Rows],
    starts: Sequence[tuple[int, bytes]],
    n_features: int,
    feature_names: Sequence[str] | None,
    *,
    sparse: bool,
    missing: bool,
) -> RankingData:
    """Join rows and the places where queries begin among them."""
    n_rows = sum(len(part) for part in rows)
    comments = None
    if any(part.comments is not None for part in rows):
        comments = [text for part in rows for text in (part.comments or [""] * len(part))]
    return RankingData(
        matrix(rows, n_features, sparse=sparse),
        np.concatenate([part.y for part in rows]),
        np.array([*(row for row, _ in starts), n_rows], dtype=np.int64),
        query_names([name for _, name in starts]),
        () if feature_names is None else tuple(feature_names),
        comments,  # type: ignore[arg-type]
        missing,
    )


def starts_of(parts: Sequence[Stretch]) -> list[tuple[int, bytes]]:
    """Where queries begin, counted over all parts."""
    starts, first = [], 0
    for part in parts:
        starts += [(first + row, name) for row, name in part.starts]
        first += len(part.rows)
    return starts


def choose_storage(sparse: Sparse, stored: int, n_rows: int, n_features: int, largest_at: str) -> bool:
    """Whether X is CSR; a dense matrix that would be next to empty and fill the memory is refused."""
    if n_features == 0:
        raise DataError(f"{largest_at.rpartition(', line')[0]} has no features: no line has a <feature>:<value>.")
    cells = n_rows * n_features
    if sparse is False and cells > 1 << 28 and stored < cells // 100:
        raise DataError(
            f"{largest_at}: {n_rows:,} rows x {n_features:,} features, of which {stored:,} values are in the file, are "
            "too many cells for sparse=False. Pass sparse=True or 'auto'."
        )
    return stored < SPARSE_BELOW * cells if sparse == "auto" else bool(sparse)


def _regrouped(data: RankingData) -> RankingData:
    query_ptr, query_ids, order = query_offsets(data.qid, n_rows=data.n_rows, regroup=True)
    if order is None:
        return data
    comments = None if data.comments is None else data.comments[order]
    ids: Any = query_ids
    return RankingData(data.X[order], data.y[order], query_ptr, ids, data.feature_names, comments, data.missing)
