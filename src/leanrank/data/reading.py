"""One call to read, scan or write any file of judged data: its name, or else its first bytes, say the format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from numpy.typing import ArrayLike

from leanrank.data.categories import as_categories
from leanrank.data.formats import DELIMITERS, FileFormat, ending, endings, format_of, format_of_content, format_of_name
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.roles import ColumnNames, Columns, TableNames
from leanrank.data.side_columns import SIDE_ROLES
from leanrank.errors import DataError, ParameterError, is_whole

if TYPE_CHECKING:
    from leanrank.data.letor.options import Null


def read(
    path: str | os.PathLike[str],
    *,
    label: str | None = None,
    qid: str | None = None,
    features: Sequence[str] | None = None,
    comments: str | None = None,
    regroup: bool = False,
    missing: bool = True,
    at_least: int = 0,
    **more: Unpack[TableNames],
) -> RankingData:
    """Read a file of judged data, whatever its format.

    ==================================================  ====================================================
    LETOR text                                          ``.txt``, ``.letor``, ``.svm``, ``.libsvm``, ``.dat``
    LightGBM's and XGBoost's rows without query ids     the same, with the sizes of the queries in
                                                        ``<path>.query`` or ``<path>.group``
    CSV with a line of column names                     ``.csv``; with tabs ``.tsv``, ``.tab``
    Parquet                                             ``.parquet``, ``.pq``, or a folder of them
    ==================================================  ====================================================

    Text may be compressed, with ``.gz``, ``.bz2`` or ``.zst`` after that. Where the name says nothing (``rank.train``),
    the first bytes do: Parquet and LETOR text are known by them.

    Parameters
    ----------
    path : path
        A file, or a folder of Parquet files.
    label, qid, features, comments : str, features a sequence of str, default=None
        Columns of a table, as in `read_table`. LETOR text has label, query and comment in their places, so that names
        say nothing about it; `features` is refused there (`RankingData.subset` keeps some of them).
    regroup : bool, default=False
        Bring the rows of a query together (stable) where they are not adjacent, rather than refuse.
    missing : bool, default=True
        Whether NaN, null, empty cells and LETOR's NULL are let in as missing values, rather than refused. Methods that
        cannot take them say so.
    at_least : int, default=0
        LETOR text: the number of features where the file has fewer, as a feature that is 0 in every row need not be in
        it. A table has its columns.
    weight, query_weight, position, time, query_group, slices
        Columns of a table beside the features, as in `from_frame`; LETOR text has no place for them, and refuses them.
    categorical : sequence of str
        Features that are kinds, not amounts, as in `from_frame`. Of LETOR text by their numbers, as texts ("3"): their
        values are whole numbers, each of which is a category.

    See Also
    --------
    scan : The same for files larger than memory.
    read_letor, read_table : One format, with all that can be said about it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text, table = pathlib.Path(folder, "judged.txt"), pathlib.Path(folder, "judged.csv")
    ...     _ = text.write_text("1 qid:7 1:2.5\\n0 qid:7 1:0.5\\n")
    ...     _ = table.write_text("label,qid,bm25\\n1,7,2.5\\n0,7,0.5\\n")
    ...     read(text).X.tolist(), read(table).X.tolist()
    ([[2.5], [0.5]], [[2.5], [0.5]])
    """
    if not is_whole(at_least, 0) or at_least >= 2**31:
        raise ParameterError.of("read", "at_least", "a whole number from 0 to 2,147,483,647", at_least)
    if format_of(path) == "letor":
        from leanrank.data.letor import reader
        from leanrank.data.letor.options import MAX_FEATURES, checked

        kinds = more.pop("categorical", ())
        _refuse_names("read", {"features": features, **more})
        if at_least > MAX_FEATURES:  # every feature up to there would get a name
            raise DataError(
                f"{os.fspath(path)}: a feature beyond number {MAX_FEATURES:,} is asked for, which no LETOR file has "
                "unless read_letor is told n_features."
            )
        form = replace(checked("read", null="nan" if missing else "error"), at_least=at_least)
        data: RankingData = as_categories(reader.read([path], form, regroup=regroup), kinds)
        return data
    return read_table(
        path, label=label, qid=qid, features=features, comments=comments, regroup=regroup, missing=missing, **more
    )


def scan(
    path: str | os.PathLike[str],
    *,
    regroup: bool = False,
    missing: bool = True,
    n_features: int | None = None,
    **columns: Unpack[ColumnNames],
) -> RankingSource:
    """Open a file of judged data, whatever its format, as a source that is read block by block.

    LETOR text and Parquet of any size are never in memory as a whole. CSV is, and so are LETOR text with `regroup`
    and any file with categories: convert the former to Parquet first if they are too large.

    Parameters
    ----------
    path, label, qid, features, comments, regroup, missing, weight, query_weight, position, time, query_group, slices
        As in `read`.
    n_features : int, default=None
        LETOR text: the number of features. If not given, the file is read once here to count them.

    See Also
    --------
    read : The same in memory.
    scan_letor, scan_parquet : One format, with all that can be said about it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "judged.txt")
    ...     _ = file.write_text("1 qid:7 1:2.5\\n0 qid:7 1:0.5\\n1 qid:8 1:3\\n")
    ...     [block.query_ids.tolist() for block in scan(file).blocks(n_rows=2)]
    [[7], [8]]
    """
    kind = format_of(path)
    if kind != "letor" and n_features is not None:
        rule = "left out for a table, which has as many features as its columns say"
        raise ParameterError.of("scan", "n_features", rule, n_features)
    if kind == "parquet":
        from leanrank.data.parquet.scan import open_parquet

        source = open_parquet(path, Columns(**columns), regroup=regroup, missing=missing)
        return source if not source.roles.categorical else read(path, regroup=regroup, missing=missing, **columns)
    if kind == "csv":
        return read(path, regroup=regroup, missing=missing, **columns)
    if columns.get("categorical"):
        return read(path, regroup=regroup, missing=missing, at_least=n_features or 0, **columns)
    _refuse_names("scan", {name: value for name, value in columns.items() if name in ("features", *SIDE_ROLES)})
    null: Null = "nan" if missing else "error"
    if regroup:
        from leanrank.data.letor.reader import read_letor

        return read_letor(path, n_features=n_features, null=null, regroup=True)
    from leanrank.data.letor.scan import scan_letor

    return scan_letor(path, n_features=n_features, null=null)


def write(data: RankingData, path: str | os.PathLike[str], kind: FileFormat | None = None) -> None:
    """Write `data` in the format that `kind` or else the name says; LETOR text where neither does.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "judged.tsv")
    ...     write(RankingData([[2.5], [0.5]], [1, 0], [0, 2], ["tea"], ["bm25"]), file)
    ...     file.read_text().splitlines()[1].split("\\t")
    ['1', '"tea"', '2.5']
    """
    kind = kind or format_of_name(path) or "letor"
    if kind == "csv":
        from leanrank.data.tabular.csv_files import write_csv

        write_csv(data, path)
    elif kind == "parquet":
        from leanrank.data.parquet.files import write_parquet

        write_parquet(data, path)
    elif kind == "trec":
        from leanrank.data.trec import qrels_text
        from leanrank.data.whole_file import write_whole

        write_whole(path, qrels_text(data))
    else:
        from leanrank.data.letor.writer import write_letor

        write_letor(data, path)


def _refuse_names(owner: str, names: Mapping[str, object]) -> None:
    for parameter, given in names.items():
        if given or (parameter == "features" and given is not None):
            rule = "left out for LETOR text, which has no names of columns"
            raise ParameterError.of(owner, parameter, rule, given)


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
