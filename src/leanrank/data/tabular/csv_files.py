"""CSV with a line of column names, through pyarrow; every error with file, line and column."""

from __future__ import annotations

import csv
import io
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from leanrank.data.arrow_table import arrow_table
from leanrank.data.compressed import RawBytes, create_bytes, open_bytes
from leanrank.data.formats import DELIMITERS, codec_of, ending
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.roles import Columns, assign_roles, refuse_duplicates
from leanrank.data.side_columns import named_beside
from leanrank.data.tabular.frames import from_frame
from leanrank.errors import DataError, LeanRankError

_BLOCK_BYTES = 1 << 24  # a line must fit into it
_HEADER_BYTES = 1 << 20
_WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"


def read_csv(
    path: Path,
    named: Columns,
    *,
    delimiter: str,
    group: ArrayLike | None = None,
    regroup: bool = False,
    missing: bool = False,
) -> RankingData:
    """Read the file as a pyarrow table with the types its columns' roles ask for, then as any frame."""
    import pyarrow as pa

    names = _header(path, delimiter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:  # what the names alone can tell, before the file is read
            refuse_duplicates(names)
            needs_qid = named.qid is not None or group is None
            roles = assign_roles(dict.fromkeys(names, "text"), named, numeric=names, needs_qid=needs_qid)
        except LeanRankError as error:
            raise type(error)(f"{path}: {error}{_other_delimiter(names, delimiter)}") from error
    features = named.features
    types = {} if roles.label is None else {roles.label: pa.float64()}
    types |= {name: pa.string() for name in (roles.qid, roles.comments) if name is not None}
    beside = named_beside(roles.beside)
    types |= {name: pa.float64() for name, role in beside if role in ("weight", "query_weight", "position")}
    types |= {name: pa.string() for name, role in beside if role in ("query_group", "slice")}
    types |= {name: pa.string() for name in roles.categorical}
    only = names
    if features is not None:
        types |= {name: pa.float64() for name in roles.features if name not in roles.categorical}
        only = list(dict.fromkeys([*types, *(name for name, _ in beside)]))
    table = _read(path, delimiter, types, names, only=only)
    try:
        if features is None:
            table = _without_typos(table, [name for name in roles.features if name not in roles.categorical])
        for name in roles.categorical:  # an empty cell is a missing value
            table = _with_nulls(table, name)
        if roles.qid is not None:
            table = _with_query_ids(table, roles.qid)
        return from_frame(
            table,
            label=roles.label or "",
            qid=roles.qid,
            features=features,
            comments=roles.comments,
            group=group,
            regroup=regroup,
            missing=missing,
            categorical=roles.categorical,
            **roles.beside,
        )
    except LeanRankError as error:
        text = re.sub(
            r"(?<!['\w])row (\d+)", lambda row: f"line {_line(path, delimiter, int(row.group(1)) + 2)}", str(error)
        )
        raise type(error)(f"{path}: {text}") from error


@contextmanager
def _stream(path: Path) -> Iterator[Any]:
    """The file's bytes, decompressed; a pipe is refused, as the file is read more than once."""
    import pyarrow as pa

    if not path.is_file():
        raise DataError(f"{path}: is no file, and a CSV is read more than once: write it to a file first.")
    if codec_of(path) is None:
        yield pa.OSFile(str(path), "rb")
    else:
        with open_bytes(path) as packed:
            yield pa.PythonFile(io.BufferedReader(RawBytes(packed)), "r")


def _line(path: Path, delimiter: str, record: int) -> int:
    """The line on which a record ends; the line of names is record 1, empty lines are none."""
    with _stream(path) as stream:
        lines = csv.reader(io.TextIOWrapper(stream, "utf-8", "replace", newline=""), delimiter=delimiter)
        with suppress(csv.Error):  # a cell too long for Python's reader: the line reached so far
            for number, _ in enumerate(filter(None, lines), start=1):
                if number == record:
                    break
        return lines.line_num


def _options(
    delimiter: str,
    types: dict[str, Any],
    only: Sequence[str] | None,
    *,
    threads: bool,
    block_bytes: int = _BLOCK_BYTES,
) -> dict[str, Any]:
    from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions

    return {
        "read_options": ReadOptions(use_threads=threads, block_size=block_bytes),
        "parse_options": ParseOptions(delimiter=delimiter, newlines_in_values=True),
        "convert_options": ConvertOptions(column_types=types, include_columns=only),
    }


def _header(path: Path, delimiter: str) -> list[str]:
    """The column names, without reading further than the first block."""
    import pyarrow as pa
    from pyarrow.csv import open_csv

    for block_bytes in (_HEADER_BYTES, _BLOCK_BYTES):  # types are found out for the whole block: a small one will do
        options = _options(delimiter, {}, None, threads=False, block_bytes=block_bytes)
        try:
            with _stream(path) as stream, open_csv(stream, **options) as reader:
                return list(reader.schema.names)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            last = error
    raise DataError(_sentence(path, delimiter, last, [])) from last


def _read(path: Path, delimiter: str, types: dict[str, Any], names: Sequence[str], *, only: Sequence[str]) -> Any:
    import pyarrow as pa
    from pyarrow.csv import read_csv as read

    table = None
    for threads in (True, False):  # once more on one thread, which counts lines
        try:
            with _stream(path) as stream:
                table = read(stream, **_options(delimiter, types, only, threads=threads))
            break
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            last = error
    if table is None:
        raise DataError(_sentence(path, delimiter, last, names)) from last
    if not table.num_rows:
        raise DataError(f"{path}: there are no documents, only a line of column names.")
    return table


def _sentence(path: Path, delimiter: str, error: Exception, names: Sequence[str]) -> str:
    """pyarrow's message as one of ours: file, line, column, what was found."""
    text = " ".join(str(error).split())
    record = re.search(r"Row #(\d+)", text)
    where = f"{path}, line {_line(path, delimiter, int(record.group(1)))}" if record else f"{path}"
    if "Empty CSV" in text:
        return f"{path}: the file is empty: a line of column names and at least one document are needed."
    if cells := re.search(r"Expected (\d+) columns, got (\d+)", text):
        return f"{where}: {cells.group(2)} cells where the line of column names has {cells.group(1)}."
    if value := re.search(r"invalid value '(.*)'", text):
        number = re.search(r"column #(\d+)", text)
        column = f"column {names[int(number.group(1))]!r}" if number and names else "a column"
        return f"{where}: {value.group(1)!r} in {column} is not a number."
    if "straddling" in text:
        return f"{path}: a line is longer than {_BLOCK_BYTES >> 20} MiB, or a quote is never closed."
    return f"{where}: cannot be read as CSV: {text}"


def _without_typos(table: Any, candidates: Sequence[str]) -> Any:
    """Refuse a column of texts of which most are numbers: that is a typo, not a column to leave out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in candidates:
        column = table[name]
        if pa.types.is_string(column.type):
            numeric = pc.fill_null(
                pc.match_substring_regex(column, r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"), True
            )
            if pc.sum(numeric).as_py() * 2 > len(column):
                row = pc.index(numeric, False).as_py()
                raise DataError(f"{column[row].as_py()!r} in column {name!r}, row {row}, is not a number.")
    return table


def _with_query_ids(table: Any, name: str) -> Any:
    """Query ids as whole numbers where all of them are written as such."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = table[name]
    empty = pc.equal(ids, "")
    if pc.any(empty).as_py():
        raise DataError(f"The query id in column {name!r}, row {pc.index(empty, True).as_py()}, is missing.")
    if pc.all(pc.match_substring_regex(ids, _WHOLE)).as_py():
        ids = ids.cast(pa.int64())
    return table.set_column(table.schema.get_field_index(name), name, ids)


def _with_nulls(table: Any, name: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = table[name]
    known = pc.if_else(pc.equal(texts, ""), pa.scalar(None, texts.type), texts)
    return table.set_column(table.schema.get_field_index(name), name, known)


def _other_delimiter(names: Sequence[str], delimiter: str) -> str:
    if len(names) == 1:
        for other in (";", "\t", "|", ","):
            if other != delimiter and other in names[0]:
                return f" If the cells are separated by {other!r}, pass delimiter={other!r}."
    return ""


def write_csv(data: RankingData | RankingSource, path: str | os.PathLike[str]) -> None:
    """Write label, qid, comment (if any), what is beside the features, and these, with a line of names.

    Between cells are commas, or tabs where it is a .tsv.
    A missing value is an empty cell. Numbers are as short as they can be: rounded to the type that they had, they read
    back as what they were (`read_table` gives float64). The file appears whole or not at all.

    >>> import tempfile
    >>> from pathlib import Path
    >>> data = RankingData([[2.5], [0.5]], [1, 0], [0, 2], ["tea"], ["bm25"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(data, Path(folder, "judged.csv"))
    ...     print(Path(folder, "judged.csv").read_text().replace('"', ""))
    label,qid,bm25
    1,tea,2.5
    0,tea,0.5
    <BLANKLINE>
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow.csv import CSVWriter, WriteOptions

    delimiter = DELIMITERS.get(ending(path), ",")
    writer = None
    with create_bytes(path) as file:
        for block in data.blocks():
            table = arrow_table(block)
            for j, column in enumerate(table.columns):
                if pa.types.is_dictionary(column.type):
                    table = table.set_column(j, table.column_names[j], column.cast(pa.string()))
                if pa.types.is_floating(column.type):
                    known = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
                    table = table.set_column(j, table.column_names[j], known)
            if writer is None:
                options = WriteOptions(delimiter=delimiter, quoting_style="needed")
                writer = CSVWriter(file, table.schema, write_options=options)
            writer.write_table(table)
        if writer is not None:
            writer.close()
