"""One call for a table on disk: Parquet or CSV, by its name or first bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from numpy.typing import ArrayLike

from leanrank.data.formats import DELIMITERS, ending, endings, format_of_content, format_of_name
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import Columns, TableNames
from leanrank.errors import DataError


def read_table(
    path: str | os.PathLike[str],
    *,
    label: str | None = None,
    qid: str | None = None,
    features: Sequence[str] | None = None,
    comments: str | None = None,
    group: ArrayLike | None = None,
    regroup: bool = False,
    missing: bool | None = None,
    delimiter: str | None = None,
    **more: Unpack[TableNames],
) -> RankingData:
    """Read a table of judged documents: Parquet (a file or a folder), or CSV with a line of column names.

    Parameters
    ----------
    path : path
        ``.parquet``, ``.pq`` or a folder of them; ``.csv`` (commas), ``.tsv`` (tabs), these also ``.gz``, ``.bz2``
        or ``.zst``.
    label, qid, features, comments
        Names of columns, as in `from_frame`; files that `write_parquet` wrote need none.
    group : array, optional
        Rows per query, in place of `qid`.
    regroup : bool
        Bring the rows of a query together (stable) where they are not adjacent, rather than refuse.
    missing : bool, optional
        Whether empty cells, null and NaN in features stand for missing values. If not given: as a file of
        `write_parquet` says, otherwise no.
    delimiter : str, optional
        What stands between the cells of a CSV, where the file's name does not say it.
    weight, query_weight, position, time, query_group, slices
        Columns beside the features, as in `from_frame`; files that `write_parquet` wrote need none.
    categorical : sequence of str
        Features that are kinds, not amounts, as in `from_frame`; files that `write_parquet` wrote need none.

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
    kind = "parquet" if file.is_dir() else format_of_name(file)
    if kind not in ("csv", "parquet"):
        kind = "csv" if delimiter is not None else format_of_content(file)
    named = Columns(label, qid, features, comments, **more)
    if kind == "parquet":
        from leanrank.data.parquet.scan import read_parquet

        return read_parquet(file, named, group=group, regroup=regroup, missing=missing)
    if kind != "csv":
        raise DataError(
            f"{file}: neither Parquet nor CSV by its name. Use {endings('parquet', 'csv')}, pass delimiter=',' if it "
            "is a CSV all the same, or read LETOR text with read_letor."
        )
    from leanrank.data.tabular.csv_files import read_csv

    between = delimiter or DELIMITERS[ending(file)]
    return read_csv(file, named, delimiter=between, group=group, regroup=regroup, missing=bool(missing))
