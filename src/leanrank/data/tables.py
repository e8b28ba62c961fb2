"""One call for a table on disk: Parquet or CSV, by its name or first bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from leanrank.data.grouping import query_offsets
from leanrank.data.parquet.files import about
from leanrank.data.parquet.scan import ParquetSource, open_parquet
from leanrank.data.ranking_data import RankingData
from leanrank.data.tabular.csv_reader import read_csv
from leanrank.errors import DataError

_PARQUET = (".parquet", ".pq")
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_COMPRESSED = (".gz", ".bz2", ".zst")


def read_table(
    path: str | os.PathLike[str],
    *,
    label: str | None = None,
    qid: str | None = None,
    features: Sequence[str] | None = None,
    comments: str | None = None,
    group: ArrayLike | None = None,
    query_ptr: ArrayLike | None = None,
    regroup: bool = False,
    missing: bool | None = None,
    delimiter: str | None = None,
) -> RankingData:
    """Read a table of judged documents: Parquet (a file or a folder), or CSV with a line of column names.

    Parameters
    ----------
    path : path
        ``.parquet``, ``.pq`` or a folder of them; ``.csv`` (commas), ``.tsv`` (tabs), these also ``.gz``, ``.bz2``
        or ``.zst``.
    label, qid, features, comments
        Names of columns, as in `from_frame`; files that `write_parquet` wrote need none.
    group, query_ptr : arrays, optional
        Rows per query, or offsets of the queries, in place of `qid`.
    regroup : bool
        Bring the rows of a query together (stable) where they are not adjacent, rather than refuse.
    missing : bool, optional
        Whether empty cells, null and NaN in features stand for missing values. If not given: as a file of
        `write_parquet` says, otherwise no.
    delimiter : str, optional
        What stands between the cells of a CSV, where the file's name does not say it.

    Returns
    -------
    RankingData
        Parquet keeps float32 where all features are, otherwise float64, as for CSV. Query ids of a CSV are whole
        numbers if all of them are written as such ("7", not "007"), otherwise texts. Parquet is read batch by
        batch into place: the peak is the result and a batch.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "judged.csv")
    ...     _ = file.write_text("qid,label,bm25\\n007,1,2.5\\n007,0,0.5\\n")
    ...     read_table(file).query_ids.tolist()
    ['007']
    """
    file = Path(path)
    if not file.exists():
        raise DataError(f"{file}: there is no such file or folder.")
    suffixes = [suffix.lower() for suffix in file.suffixes]
    kind = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] in _COMPRESSED else (suffixes or [""])[-1]
    names = {"label": label, "qid": qid, "comments": comments}
    if file.is_dir() or kind in _PARQUET or (kind not in _DELIMITERS and delimiter is None and _is_parquet(file)):
        needs_qid = qid is not None or (group is None and query_ptr is None)
        source = open_parquet(file, **names, features=features, regroup=regroup, missing=missing, needs_qid=needs_qid)
        return _read_whole(source, file, group=group, query_ptr=query_ptr)
    if delimiter is None and kind not in _DELIMITERS:
        raise DataError(
            f"{file}: neither Parquet nor CSV by its name. Use .parquet, .csv or .tsv, pass delimiter=',' if it is a "
            "CSV all the same, or read LETOR text with read_letor."
        )
    return read_csv(
        file,
        delimiter=delimiter or _DELIMITERS[kind],
        **names,
        features=features,
        group=group,
        query_ptr=query_ptr,
        regroup=regroup,
        missing=bool(missing),
    )


def _is_parquet(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == b"PAR1"


def _read_whole(
    source: ParquetSource, path: Path, *, group: ArrayLike | None, query_ptr: ArrayLike | None
) -> RankingData:
    n = source.n_rows
    with about(path):
        X = np.empty((n, len(source.feature_names)), dtype=source.dtype)
        y = np.empty(n, dtype=np.float32)
        ids, texts, top = [], [], 0
        for rows in source.stream():
            X[top : top + len(rows)] = rows.X
            y[top : top + len(rows)] = rows.y
            ids.append(rows.qid)
            if rows.comments is not None:
                texts.append(rows.comments)
            top += len(rows)
        offsets, query_ids, order = query_offsets(
            np.concatenate(ids) if source.roles.qid is not None else None,
            group=group,
            query_ptr=query_ptr,
            n_rows=n,
            regroup=source.regroup,
        )
        comments = None if source.roles.comments is None else np.concatenate(texts)
        if order is not None:
            X, y, comments = X[order], y[order], None if comments is None else comments[order]
        return RankingData(X, y, offsets, query_ids, source.feature_names, comments, source.missing)  # type: ignore[arg-type]
