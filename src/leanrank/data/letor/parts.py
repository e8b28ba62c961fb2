"""Ranges of bytes of LETOR files as parts of whole queries."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from leanrank.data.compressed import open_bytes
from leanrank.data.letor.stream import MAX_LINE_BYTES
from leanrank.data.ranking_data import BLOCK_ROWS, RankingData
from leanrank.data.sources import even_cuts

if TYPE_CHECKING:
    from leanrank.data.letor.scan import LetorSource

# A part below this is not worth a task of its own; reading goes by such pieces too.
_LEAST_BYTES = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def letor_parts(source: LetorSource, n: int, least_bytes: int = _LEAST_BYTES) -> list[LetorPart] | None:
    """At most `n` ranges of about equal bytes (a few more for many files); a compressed file is one range.

    None where bytes do not tell the queries (they are counted by sizes beside the file), where a source is a stream,
    and where a single compressed file would be all.
    """
    if source.sizes is not None or not all(isinstance(one, (str, os.PathLike)) for one in source.sources):
        return None
    paths = [str(Path(one).absolute()) for one in source.sources]
    plain = [_is_plain(path) for path in paths]
    if not any(plain) and len(paths) == 1:
        return None
    if not all(_has_ids(path) for path in paths):
        return None
    sizes = np.array([os.path.getsize(path) for path in paths], dtype=np.int64)
    piece = max(least_bytes, int(sizes.sum()) // n)
    ranges = [
        (path, start, min(start + step, int(size)))
        for path, size, is_plain in zip(paths, sizes, plain, strict=True)
        for step in [piece if is_plain else int(size)]
        for start in range(0, int(size), step)
    ]
    cuts = even_cuts(np.array([stop - start for _, start, stop in ranges], dtype=np.int64), n)
    return [LetorPart(source, tuple(ranges[a:b])) for a, b in pairwise(cuts)]


@dataclass(frozen=True, repr=False)
class LetorPart:
    """The queries that begin in some ranges of bytes: (absolute path, start, stop)."""

    source: LetorSource
    ranges: tuple[tuple[str, int, int], ...]

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.source.feature_names

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for path, _, _ in self.ranges))

    def __repr__(self) -> str:
        return "LetorPart: " + ", ".join(f"{Path(path).name} {a:,} to {b:,}" for path, a, b in self.ranges)

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[RankingData]:
        """Yield blocks of whole queries of about `n_rows` rows; none if no query begins here."""
        sources: list[Any] = []
        for path, start, stop in self.ranges:
            if not _is_plain(path):
                sources.append(path)
                continue
            with open(path, "rb") as file:
                first, last = query_start(file, start), query_start(file, stop)
            if first < last:
                sources.append(ByteRange(path, first, last))
        if sources:
            yield from self.source.over(sources).blocks(n_rows)


class ByteRange(io.RawIOBase):
    """The bytes from `first` to before `last` of a file, as a stream that opens the file when it is read."""

    def __init__(self, path: str, first: int, last: int) -> None:
        self.name = f"{path}, from byte {first:,} on" if first else path
        self._path, self._at, self._last = path, first, last
        self._file: io.FileIO | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._file is None:
            self._file = open(self._path, "rb", buffering=0)  # noqa: SIM115 - closed with the stream
            self._file.seek(self._at)
        n = self._file.readinto(memoryview(buffer)[: self._last - self._at])
        self._at += n
        return n

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


def query_start(file: BinaryIO, offset: int) -> int:
    """Where the first query begins whose first line starts at `offset` or later; the file's size if there is none."""
    here = _next_line(file, offset)
    query = _query_before(file, here)
    file.seek(here)
    while line := file.readline(MAX_LINE_BYTES):
        other = _query_of(line)
        if other is not None and other != query:
            return here
        here += len(line)
    return here


def _next_line(file: BinaryIO, offset: int) -> int:
    """Where the first line starts that starts at `offset` or later."""
    if offset == 0:
        return 0
    file.seek(offset - 1)
    return offset - 1 + len(file.readline(MAX_LINE_BYTES))


def _query_before(file: BinaryIO, end: int) -> bytes | None:
    """The query of the last document before the line that starts at `end`."""
    reach = _LEAST_BYTES
    while end:
        start = max(0, end - reach)
        file.seek(start)
        lines = file.read(end - start).split(b"\n")
        if start:
            lines = lines[1:]  # cut, unless it happens to start here
        for line in reversed(lines):
            query = _query_of(line)
            if query is not None:
                return query
        if start == 0:
            break
        reach *= 4
    return None


def _query_of(line: bytes) -> bytes | None:
    """The query id of a line; None for blank lines and comments, empty where there is none."""
    tokens = line.removeprefix(_BYTE_ORDER_MARK).split(b"#", 1)[0].split(None, 2)
    if not tokens:
        return None
    return tokens[1] if len(tokens) > 1 and tokens[1].startswith(b"qid:") else b""


def _is_plain(path: str) -> bool:
    with open_bytes(path, bounded=False) as stream:
        return isinstance(stream, io.BufferedReader)


def _has_ids(path: str) -> bool:
    """Whether the first document names its query."""
    with open_bytes(path, bounded=False) as stream:
        text = b""
        buffer = bytearray(_LEAST_BYTES)
        while n := stream.readinto(memoryview(buffer)):
            text += buffer[:n]
            for line in text.split(b"\n")[:-1]:
                query = _query_of(line)
                if query is not None:
                    return query != b""
            text = text[text.rfind(b"\n") + 1 :]
        return bool(_query_of(text))
