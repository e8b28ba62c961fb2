"""Write LETOR files that read back bit for bit, and LightGBM's, whose query sizes are in a file beside."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leanrank.data.categories import as_whole_numbers
from leanrank.data.compressed import PathLike, create_bytes
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.roles import listed
from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError, ParameterError
from leanrank.kernels import letor_printer as printer
from leanrank.kernels.letor_parser import MAX_QID_BYTES

Texts: TypeAlias = "tuple[NDArray[np.uint8], NDArray[np.int64]]"  # all bytes, and where each text begins

# Values printed at a time: some 50 MB of memory.
_CELLS = 1_000_000


def write_letor(data: RankingData | RankingSource, path: PathLike, *, decimals: int | None = None) -> None:
    """Write data, or the blocks of a source one by one, as LETOR text.

    A row is ``<label> qid:<query> <feature>:<value> ... #comment``.

    A dense matrix is written with all its values, a CSR matrix with its stored ones (and the highest feature at
    least once, so that the number of features survives). NaN is written as NULL. The names of features are not
    part of the format: give them to `read_letor` again. Categories are refused, unless their texts are whole numbers,
    which are written then. The file appears whole or not at all.

    Parameters
    ----------
    data : RankingData or RankingSource
        Query ids must not have blanks or "#".
    path : path
        Compressed if it ends with .gz, .bz2 or .zst.
    decimals : int, optional
        Digits after the point, 0 to 15. If not given, as few digits as read back as the same number.

    Notes
    -----
    Some 15 million values a second. With ``decimals=None`` reading gives back the same values, labels, queries and
    comments, bit for bit, if read with the same `dtype`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> data = RankingData([[0.1, 2.0], [float("nan"), 1e-30]], [1, 0], [0, 2], [7], comments=[" d1", ""], missing=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "out.txt")
    ...     write_letor(data, path)
    ...     print(path.read_text(), end="")
    1 qid:7 1:0.1 2:2 # d1
    0 qid:7 1:NULL 2:1e-30
    """
    if decimals is not None and (isinstance(decimals, bool) or decimals not in range(16)):
        raise ParameterError.of("write_letor", "decimals", "a whole number from 0 to 15, or None", decimals)
    if not isinstance(data, RankingSource):
        raise ParameterError.of("write_letor", "data", "a RankingData or a RankingSource", type(data).__name__)
    n_features = len(data.feature_names)
    show_last = not (isinstance(data, RankingData) and data.is_sparse and n_features - 1 in data.X.indices)
    with create_bytes(path) as file:
        for block in data.blocks():
            _refuse_beside(block, path)
            for part in _parts(as_whole_numbers(block), n_features):
                file.write(_printed(part, decimals, show_last=show_last))
                show_last = False


def _refuse_beside(block: RankingData, path: PathLike) -> None:
    """What would be lost is refused: LETOR text has no place for it."""
    if block.beside:
        names = listed(name for _, name, _ in block.beside.known())
        raise DataError(
            f"{os.fspath(path)}: LETOR text has no place for {names} of the data: write Parquet or CSV, or take them "
            "away with dataclasses.replace(data, beside=SideColumns())."
        )


def _parts(block: RankingData, n_features: int) -> Iterator[RankingData]:
    per_row = block.X.nnz // block.n_rows + 1 if block.is_sparse else n_features
    yield from block.blocks(max(1, _CELLS // per_row))


def _printed(block: RankingData, decimals: int | None, *, show_last: bool) -> NDArray[np.uint8]:
    row_ptr, columns, values = _entries(block, show_last=show_last)
    units, places, prepared = _numbers(values, decimals)
    levels, level_of = np.unique(block.y.view(np.uint32), return_inverse=True)  # by their bits: -0 is not 0
    labels = _shortest_texts(levels.view(np.float32))
    qids = _joined(_qid_texts(block.query_ids))
    comments = _joined(_comment_texts(block))
    query_of = np.repeat(np.arange(block.n_queries), block.query_sizes)
    per_row = int(np.diff(labels[1]).max() + np.diff(qids[1]).max()) + len(" qid: #\n")
    per_value = len(str(block.n_features)) + len(" :") + printer.NUMBER_BYTES
    out = np.empty(block.n_rows * per_row + len(values) * per_value + len(comments[0]) + len(prepared[0]), np.uint8)
    arrays = [*labels, level_of, *qids, query_of, row_ptr, columns, np.signbit(values), units, places, *prepared]
    return out[: printer.print_rows(*arrays, *comments, out)]  # type: ignore[call-arg]


def _entries(block: RankingData, *, show_last: bool) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Row offsets, features and a copy of the values; the features of a dense matrix go without saying."""
    if not block.is_sparse:
        row_ptr = np.arange(block.n_rows + 1, dtype=np.int64) * block.n_features
        return row_ptr, np.empty(0, np.int64), block.X.ravel().copy()
    row_ptr = block.X.indptr.astype(np.int64)
    columns, values = block.X.indices.astype(np.int64), block.X.data.copy()
    end, last = int(row_ptr[1]), block.n_features - 1
    if show_last and (end == 0 or columns[end - 1] != last):
        columns, values = np.insert(columns, end, last), np.insert(values, end, 0)
        row_ptr[1:] += 1
    return row_ptr, columns, values


def _numbers(values: NDArray[Any], decimals: int | None) -> tuple[NDArray[np.int64], NDArray[np.int8], Texts]:
    """Each value as whole units and decimal places, and the texts of those that do not fit that form."""
    units, places = np.empty(len(values), np.int64), np.empty(len(values), np.int8)
    if decimals is None:
        whole = 2.0**24 if values.dtype == np.float32 else 2.0**53
        printer.shortest(values, np.empty(1, values.dtype), whole, units, places)
        return units, places, _shortest_texts(values[places == printer.PREPARED])
    printer.fixed(values, decimals, units, places)
    rest = values[places == printer.PREPARED].tolist()
    return units, places, _joined([f"{value:.{decimals}f}".encode() for value in rest])


def _shortest_texts(values: NDArray[Any]) -> Texts:
    """The shortest text of each value that reads back as it."""
    import pyarrow
    import pyarrow.compute as pc

    texts = pc.cast(pyarrow.array(values), pyarrow.string())
    if values.dtype == np.float32:  # is read as a double, then rounded: twice rounded may be one unit off
        back = pc.cast(texts, pyarrow.float64()).to_numpy().astype(np.float32)
        if (back != values).any():
            doubles = pc.cast(pyarrow.array(values.astype(np.float64)), pyarrow.string())
            texts = pc.if_else(pyarrow.array(back == values), texts, doubles)
    _, offsets, data = texts.buffers()
    ptr = np.frombuffer(offsets, np.int32)[: len(values) + 1].astype(np.int64)
    return np.frombuffer(data or b"", np.uint8), ptr


def _qid_texts(query_ids: NDArray[Any]) -> list[bytes]:
    texts = [str(name).encode("utf-8", "replace") for name in query_ids.tolist()]
    for name, text in zip(query_ids.tolist(), texts, strict=True):
        if not text or min(text) <= 32 or 127 in text or b"#" in text:
            raise DataError(f"Query id {name!r} cannot be written to a LETOR file: it must have no blanks and no '#'.")
        if len(text) > MAX_QID_BYTES:
            raise DataError(f"Query id {name[:40]!r}... is longer than {MAX_QID_BYTES} bytes: give it a shorter one.")
    return texts


def _comment_texts(block: RankingData) -> list[bytes]:
    if block.comments is None:
        return [b""] * block.n_rows
    texts = []
    for row, text in enumerate(block.comments.tolist()):
        if "\n" in text or text.endswith("\r"):
            query = block.qid[row]
            raise DataError(f"The comment {text[:40]!r} of query {query} has a line end: a LETOR row is one line.")
        try:
            texts.append(text.encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError as error:
            raise DataError(
                f"The comment {text[:40]!r} cannot be written as UTF-8: it has half a character."
            ) from error
    return texts


def _joined(texts: Iterable[bytes]) -> Texts:
    parts = list(texts)
    ptr = np.concatenate(([0], np.cumsum([len(part) for part in parts], dtype=np.int64))).astype(np.int64)
    return np.frombuffer(b"".join(parts), np.uint8), ptr


def query_path(path: str | os.PathLike[str]) -> Path:
    """The file of query sizes that LightGBM looks for beside `path`."""
    file = Path(path)
    return file.with_name(file.name + ".query")


def write_lightgbm(data: RankingData, path: str | os.PathLike[str]) -> None:
    """Write ``<label> <feature>:<value> ...`` to `path` and the sizes of the queries to ``path.query``.

    See https://lightgbm.readthedocs.io/en/stable/Parameters.html#query-data for LightGBM's own words on these files.
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
