"""The rows of LETOR files in order, from pieces of whole lines, with the places where queries begin."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leanrank.data.compressed import ByteReader, PathLike, name_of, open_bytes
from leanrank.data.formats import without_compression
from leanrank.data.letor.errors import Fault, came_back, no_rows, without_queries
from leanrank.data.letor.rows import Format, Piece, Rows, parse_piece
from leanrank.errors import DataError
from leanrank.kernels import letor_parser as parser
from leanrank.kernels._threads import default_threads

Source: TypeAlias = Any  # a path, or a binary stream

#: Bytes of text parsed at a time.
PIECE_BYTES = 1 << 18

#: A line longer than this is refused: it is not a document, and reading on could fill the memory.
MAX_LINE_BYTES = 64 << 20

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def whole_lines(stream: ByteReader, file: str, piece_bytes: int = PIECE_BYTES) -> Iterator[memoryview]:
    """Yield the stream in pieces of about `piece_bytes` that end with a line feed; one is added at the end if needed.

    >>> import io
    >>> [bytes(piece) for piece in whole_lines(io.BytesIO(b"1 a\\n2 b\\n3 c"), "x", 7)]
    [b'1 a\\n', b'2 b\\n', b'3 c\\n']
    """
    rest = b""
    n_lines = 0
    first = True
    while True:
        # Twice the size while a line does not fit; one byte is kept for a line feed at the end.
        buffer = bytearray(max(piece_bytes, min(len(rest) * 2, MAX_LINE_BYTES + 1)) + 1)
        buffer[: len(rest)] = rest
        with memoryview(buffer) as view:
            filled = _fill(stream, view, len(rest))
        at_end = filled < len(buffer) - 1
        if first and buffer.startswith(_BYTE_ORDER_MARK):
            buffer[:3] = b"   "  # blanks, so that columns still count from the first byte
        first = False
        if at_end and filled and buffer[filled - 1] != 10:
            buffer[filled] = 10
            filled += 1
        end = filled if at_end else buffer.rfind(b"\n", 0, filled) + 1
        if end:
            rest = b"" if end == filled else bytes(memoryview(buffer)[end:filled])
            yield memoryview(buffer)[:end].toreadonly()
            n_lines += 0 if at_end else buffer.count(b"\n", 0, end)
        else:
            rest = bytes(memoryview(buffer)[:filled])
        if not end and filled > MAX_LINE_BYTES:
            raise DataError(
                f"{file}, line {n_lines + 1:,}: the line is longer than {MAX_LINE_BYTES >> 20} MiB, so it cannot be a "
                "document. Check the line ends and the format."
            )
        if at_end:
            return


def _fill(stream: ByteReader, view: memoryview, start: int) -> int:
    """Read until the view is full but for one byte, or the stream ends; return where it ends."""
    end = len(view) - 1
    while start < end:
        n = stream.readinto(view[start:end])
        if not n:
            break
        start += n
    return start


def find_sizes(path: PathLike) -> Path | None:
    """The `.query` or `.group` file beside `path`, with or without the suffix of a compression."""
    given = Path(path)
    for base in dict.fromkeys((without_compression(given), given)):
        for suffix in (".query", ".group"):
            beside = base.with_name(base.name + suffix)
            if beside.is_file():
                return beside
    return None


def read_sizes(path: PathLike) -> NDArray[np.int64]:
    """The number of rows of each query, one whole number a line; blank lines are skipped."""
    name = name_of(path)
    sizes: list[int] = []
    with open_bytes(path) as stream:
        n_lines = 0
        for piece in whole_lines(stream, name):
            for line in bytes(piece).split(b"\n")[:-1]:
                n_lines += 1
                token = line.strip()
                if token:
                    sizes.append(_size(token, name, n_lines))
    if not sizes:
        raise DataError(f"{name} is empty: expected the number of rows of each query, one a line.")
    return np.array(sizes, dtype=np.int64)


def _size(token: bytes, name: str, line: int) -> int:
    if not token.isdigit() or len(token) > 18 or int(token) == 0:
        text = token[:40].decode("utf-8", "backslashreplace")
        raise DataError(f"{name}, line {line:,}: found {text!r}, expected the number of rows of a query, 1 or more.")
    return int(token)


@dataclass(frozen=True)
class Stretch:
    """Rows in the order of the file, and the rows among them at which a query begins, with its id."""

    rows: Rows
    starts: list[tuple[int, bytes]]
    n_nulls: int
    largest_id: int
    largest_at: str


def stretches(
    sources: Sequence[Source],
    form: Format,
    *,
    sizes: Sequence[PathLike] | NDArray[np.int64] | None = None,
    regroup: bool = False,
    piece_bytes: int = PIECE_BYTES,
) -> Iterator[Stretch]:
    """Parse the files one after the other.

    `sizes` are the files with the query sizes, one per source, or the sizes themselves over all sources. A query
    that comes back after another one is an error, unless `regroup`: then it begins again.
    """
    queries = _Queries(regroup=regroup)
    if isinstance(sizes, np.ndarray):
        queries.use_sizes(sizes, "The group sizes", for_all=True)
    for i, source in enumerate(sources):
        name = name_of(source)
        queries.begin_file(source, name)
        if sizes is not None and not isinstance(sizes, np.ndarray):
            queries.use_sizes(read_sizes(sizes[i]), f"The sizes in {name_of(sizes[i])}")
        n_rows = n_lines = 0
        for piece in _pieces(source, name, form, piece_bytes):
            if piece.fault is not None:
                raise piece.fault.error(name, n_lines, max_id=form.max_id, dtype=form.dtype)
            if len(piece.rows):
                starts = queries.starts(piece, n_lines, form)
                largest, line = piece.largest
                yield Stretch(piece.rows, starts, piece.n_nulls, largest, f"{name}, line {n_lines + line:,}")
            n_rows += len(piece.rows)
            n_lines += piece.n_lines
        if not n_rows:
            raise no_rows(name, empty=n_lines == 0)
        queries.end_file(last=i == len(sources) - 1)


def _pieces(source: Source, name: str, form: Format, piece_bytes: int) -> Iterator[Piece]:
    """Parse on a few threads while this one reads and decompresses."""
    with open_bytes(source, bounded=False) as stream:
        texts, n_threads = whole_lines(stream, name, piece_bytes), default_threads()
        if n_threads == 1:
            yield from (parse_piece(text, form) for text in texts)
            return
        waiting: deque[Future[Piece]] = deque()
        with ThreadPoolExecutor(n_threads) as pool:
            for text in texts:
                waiting.append(pool.submit(parse_piece, text, form))
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


class _Queries:
    """Where queries begin, by ids in the rows or by sizes; notices a query that comes back.

    A query leaves its id and line behind, about 100 bytes: all else is forgotten.
    """

    def __init__(self, *, regroup: bool) -> None:
        self._regroup = regroup
        self._seen: dict[bytes, tuple[str, int]] = {}
        self._offsets: NDArray[np.int64] | None = None  # by sizes: where queries begin
        self._row = 0  # rows since the offsets began
        self._n_counted = 0  # queries before the offsets began
        self._for_all = False
        self._have_ids: bool | None = None

    def begin_file(self, source: Source, name: str) -> None:
        self._source, self._name = source, name
        self._current: bytes | None = None

    def end_file(self, *, last: bool) -> None:
        if self._offsets is None or (self._for_all and not last):
            return
        if self._row != self._offsets[-1]:
            raise DataError(
                f"{self._whose} sum to {self._offsets[-1]:,} rows, but {self._name} ends after {self._row:,}."
            )
        self._n_counted += len(self._offsets) - 1
        self._offsets = None

    def use_sizes(self, sizes: NDArray[np.int64], whose: str, *, for_all: bool = False) -> None:
        self._offsets, self._row = np.concatenate(([0], np.cumsum(sizes))), 0
        self._whose, self._for_all = whose, for_all

    def starts(self, piece: Piece, n_lines: int, form: Format) -> list[tuple[int, bytes]]:
        has_id = piece.runs[0][1] != b""
        if self._current is None:
            self._begin_rows(has_id, n_lines + piece.runs[0][2])
        elif has_id != self._have_ids:  # the kernel sees this within a piece only
            kind, back = (parser.LATE_QID, 4) if has_id else (parser.NO_QID, 0)
            fault = Fault(kind, piece.query_at - back, piece.text)
            raise fault.error(self._name, n_lines, max_id=form.max_id, dtype=form.dtype)
        if not has_id:
            self._current = b""
            return self._counted(len(piece.rows))
        begins = []
        for row, query, line in piece.runs:
            if query == self._current:
                continue
            self._current = query
            begins.append((row, query))
            if not self._regroup:
                if query in self._seen:
                    raise came_back(query.decode(), self._name, n_lines + line, *self._seen[query])
                self._seen[query] = self._name, n_lines + line
        return begins

    def _begin_rows(self, has_id: bool, line: int) -> None:
        """The first row of a file tells how its queries are given."""
        where = f"{self._name}, line {line:,}"
        if self._have_ids is not None and has_id != self._have_ids:
            raise DataError(f"{where}: some of the files have query ids in their rows and some do not.")
        self._have_ids = has_id
        if has_id and self._offsets is not None:
            raise DataError(f"{where}: the rows have query ids, and query sizes are given too. Leave out query=.")
        if has_id or self._offsets is not None:
            return
        beside = find_sizes(self._source) if not hasattr(self._source, "readinto") else None
        if beside is None:
            raise without_queries(self._name, line)
        self.use_sizes(read_sizes(beside), f"The sizes in {beside}")

    def _counted(self, n: int) -> list[tuple[int, bytes]]:
        assert self._offsets is not None
        first, last = np.searchsorted(self._offsets, (self._row, self._row + n))
        if self._row + n > self._offsets[-1]:
            raise DataError(f"{self._whose} sum to {self._offsets[-1]:,} rows, but {self._name} has more.")
        rows = self._offsets[first:last] - self._row
        numbers = range(self._n_counted + int(first), self._n_counted + int(last))
        self._row += n
        return [(row, b"%d" % number) for row, number in zip(rows.tolist(), numbers, strict=True)]
