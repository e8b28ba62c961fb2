"""Pieces of whole lines from a byte stream."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from leanrank.data.compressed import ByteReader
from leanrank.errors import DataError
from leanrank.kernels import letor_parser as parser

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
            n_lines += 0 if at_end else int(parser.count(np.frombuffer(buffer, np.uint8, end))[0])
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
