"""Rows of a LETOR file as flat arrays: parsed piece by piece, cut, and joined into a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.letor.errors import REPEATED_ID, Fault
from leanrank.kernels import letor_parser as parser

Sparse: TypeAlias = "bool | Literal['auto']"

#: With ``sparse="auto"``, fewer stored cells than this share make a CSR matrix.
SPARSE_BELOW = 0.25

# Decimals from here on round to infinity: half a unit beyond the largest number.
_LIMIT = {"float32": 2.0**128 - 2.0**103, "float64": np.inf}


@dataclass(frozen=True)
class Format:
    """How a file is read: the values' width, what NULL means (None: refused), the largest id, and the features.

    `n_features` is their number where it is known before; otherwise they are as many as the largest id in the file, and
    `at_least` so many.
    """

    dtype: str = "float32"
    null_value: float | None = np.nan
    max_id: int = 2**31 - 1
    n_features: int | None = None
    feature_names: tuple[str, ...] | None = None
    sparse: Sparse = "auto"
    at_least: int = 0

    @property
    def marks_missing(self) -> bool:
        """Whether NULL becomes a missing value."""
        return self.null_value is not None and bool(np.isnan(self.null_value))


@dataclass(frozen=True)
class Rows:
    """Some rows. Where every row has the features 1..width in order, `ids` is None and values are a plain table."""

    y: NDArray[np.float32]
    row_ptr: NDArray[np.int64]
    ids: NDArray[np.int32] | None
    values: NDArray[Any]
    width: int
    comments: list[str] | None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_bytes(self) -> int:
        """About what they take in memory; a comment takes some 50 bytes more than its letters."""
        texts = sum(map(len, self.comments)) + 50 * len(self.comments) if self.comments is not None else 0
        arrays = (self.y, self.row_ptr, self.values)
        return texts + sum(array.nbytes for array in arrays) + (0 if self.ids is None else self.ids.nbytes)

    def cut(self, first: int, last: int) -> Rows:
        a, b = int(self.row_ptr[first]), int(self.row_ptr[last])
        return Rows(
            self.y[first:last],
            self.row_ptr[first : last + 1] - a,
            None if self.ids is None else self.ids[a:b],
            self.values[a:b],
            self.width,
            None if self.comments is None else self.comments[first:last],
        )


@dataclass(frozen=True)
class Piece:
    """Parsed text: its rows, where a query id begins (row, id, line) and what is wrong, if anything."""

    rows: Rows
    runs: list[tuple[int, bytes, int]]
    n_lines: int
    n_nulls: int
    largest: tuple[int, int]  # the largest feature id and its line
    fault: Fault | None
    text: memoryview
    query_at: int  # where the first row's query id is, or should be


def parse_piece(text: memoryview, form: Format) -> Piece:
    """Parse whole lines; the rows before a fault are kept."""
    buffer = np.frombuffer(text, dtype=np.uint8)
    lines, colons = parser.count(buffer)
    y, row_start, row_ptr = np.empty(lines), np.empty(lines, np.int64), np.empty(lines + 1, np.int64)
    ids, values = np.empty(colons, np.int32), np.empty(colons, form.dtype)
    runs, slow = np.empty((lines, 4), np.int64), np.empty((lines + colons, 3), np.int64)
    comments, stats = np.empty(len(buffer), np.uint8), np.empty(parser.N_STATS, np.int64)
    nulls, null_value = form.null_value is not None, form.null_value or 0.0
    options = form.max_id, _LIMIT[form.dtype], nulls, null_value, parser.POWERS_OF_FIVE
    kind = parser.parse(buffer, *options, y, row_start, row_ptr, ids, values, runs, slow, comments, stats)
    n, n_entries = int(stats[parser.ROWS]), int(stats[parser.ENTRIES])
    row_ptr, ids, values = row_ptr[: n + 1], ids[:n_entries], values[:n_entries]
    faults = [Fault(kind, int(stats[parser.POSITION]), text)] if kind != parser.OK else []
    faults += _finish_slow(slow[: stats[parser.SLOW]], text, y, values)
    if stats[parser.UNSORTED]:
        entries = _sort_rows(row_ptr, ids, values)
        faults += [Fault(REPEATED_ID, _token_position(text, row_start, row_ptr, entry), text) for entry in entries]
    faults += _undecodable(runs[: stats[parser.RUNS]], text)
    width = int(stats[parser.WIDTH])
    texts = comments[: stats[parser.COMMENT_BYTES]].tobytes().decode("utf-8", "surrogateescape")
    rows = Rows(
        y[:n].astype(np.float32),
        row_ptr,
        ids if width < 0 else None,
        values,
        max(width, 0),
        texts.split("\n")[:n] if stats[parser.COMMENTED] else None,
    )
    largest_line = bytes(text[: stats[parser.LARGEST_AT]]).count(b"\n") + 1 if n else 0
    return Piece(
        rows,
        [
            (row, bytes(text[start:end]), line)
            for row, start, end, line in runs[: stats[parser.RUNS]].tolist()
            if row < n
        ],
        int(stats[parser.LINES]),
        int(stats[parser.NULLS]),
        (int(stats[parser.LARGEST_ID]), largest_line),
        min(faults, key=lambda fault: fault.position, default=None),
        text,
        int(runs[0, 1]) if stats[parser.RUNS] else 0,
    )


def _finish_slow(
    slow: NDArray[np.int64], text: memoryview, y: NDArray[np.float64], values: NDArray[Any]
) -> list[Fault]:
    """Numbers the kernel left open: Python's own conversion rounds correctly whatever their length."""
    if not len(slow):
        return []
    entries = slow[:, 0]
    numbers = np.array([float(bytes(text[start:end])) for start, end in slow[:, 1:].tolist()])
    is_label = entries < 0
    too_large = ~(np.abs(numbers) < np.where(is_label, _LIMIT["float32"], _LIMIT[values.dtype.name]))
    if too_large.any():
        first = int(np.argmax(too_large))
        start = int(slow[first, 1])
        before = bytes(text[max(0, start - 20) : start])  # a feature's token begins at its id
        blank = max(before.rfind(byte) for byte in (b" ", b"\t", b"\n")) + 1
        return [Fault(parser.OVERFLOW, start if is_label[first] else start - len(before) + blank, text)]
    y[-1 - entries[is_label]] = numbers[is_label]
    values[entries[~is_label]] = numbers[~is_label]
    return []


def _sort_rows(row_ptr: NDArray[np.int64], ids: NDArray[np.int32], values: NDArray[Any]) -> list[int]:
    """Bring the ids of each row in order, in place; return the first entry that repeats an id, if any."""
    n_entries = int(row_ptr[-1])
    row_of = np.repeat(np.arange(len(row_ptr) - 1), np.diff(row_ptr))
    order = np.lexsort((ids[:n_entries], row_of))
    repeats = (np.diff(ids[order]) == 0) & (np.diff(row_of[order]) == 0)
    if repeats.any():
        return [int(order[1:][repeats].min())]
    ids[:n_entries], values[:n_entries] = ids[order], values[order]
    return []


def _token_position(text: memoryview, row_start: NDArray[np.int64], row_ptr: NDArray[np.int64], entry: int) -> int:
    """Where the token of an entry begins: the row's tokens are counted from its last one back."""
    row = int(np.searchsorted(row_ptr, entry, side="right")) - 1
    start = int(row_start[row])
    line = bytes(text[start:]).partition(b"\n")[0].partition(b"#")[0]
    tokens = [i for i, byte in enumerate(line) if byte > 32 and (i == 0 or line[i - 1] <= 32)]
    features = tokens[-int(row_ptr[row + 1] - row_ptr[row]) :]
    return start + features[entry - int(row_ptr[row])]


def _undecodable(runs: NDArray[np.int64], text: memoryview) -> list[Fault]:
    for _, start, end, _ in runs.tolist():
        token = bytes(text[start:end])
        if not token.isascii():
            try:
                token.decode()
            except UnicodeDecodeError:
                return [Fault(parser.BAD_QID, start - 4, text)]
    return []


def matrix(parts: Sequence[Rows], n_features: int, *, sparse: bool) -> Any:
    """The features of all rows as one dense or CSR matrix of `n_features` columns."""
    dtype = parts[0].values.dtype
    if sparse:
        sizes = np.concatenate([np.diff(part.row_ptr) for part in parts])
        indices = np.concatenate([_ids(part) for part in parts])
        row_ptr = np.concatenate(([0], np.cumsum(sizes)))
        values = np.concatenate([part.values for part in parts])
        return sp.csr_array((values, indices, row_ptr), shape=(len(sizes), n_features))
    if len(parts) == 1 and parts[0].ids is None and parts[0].width == n_features:
        return parts[0].values.reshape(-1, n_features)
    X = np.zeros((sum(len(part) for part in parts), n_features), dtype)
    first = 0
    for part in parts:
        target = X[first : first + len(part)]
        if part.ids is None:
            target[:, : part.width] = part.values.reshape(len(part), part.width)
        else:
            parser.scatter(part.row_ptr, part.ids, part.values, target)
        first += len(part)
    return X


def _ids(part: Rows) -> NDArray[np.int32]:
    return part.ids if part.ids is not None else np.tile(np.arange(part.width, dtype=np.int32), len(part))


def query_names(names: Sequence[bytes]) -> NDArray[Any]:
    """Query ids as int64 if all are written as such a number is, else as text.

    >>> query_names([b"10", b"7"]), query_names([b"10", b"007"])
    (array([10,  7]), array(['10', '007'], dtype='<U3'))
    """
    try:
        numbers = [int(name) for name in names]
        if all(str(number).encode() == name for number, name in zip(numbers, names, strict=True)):
            return np.array(numbers, dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    return np.array([name.decode() for name in names])
