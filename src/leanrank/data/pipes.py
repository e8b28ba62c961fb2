"""Named pipes: opened without waiting for ever for somebody who writes to them."""

from __future__ import annotations

import io
import os
import stat
import time
from typing import Any

from leanrank.errors import DataError

#: So many seconds a pipe is waited for that nobody has opened for writing.
PATIENCE = 10.0


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether this is a named pipe; what is not there is none."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def opened_pipe(path: str | os.PathLike[str], patience: float | None = None) -> io.RawIOBase:
    """A named pipe for reading, once somebody writes to it; a DataError where nobody does within `patience` seconds."""
    seconds = PATIENCE if patience is None else patience
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        first = _first_byte(descriptor, time.monotonic() + seconds)
        if first is None:
            raise DataError(f"{os.fspath(path)}: a pipe that nobody has opened for writing within {seconds:g} seconds.")
        os.set_blocking(descriptor, True)
        return _Begun(first, io.FileIO(descriptor))
    except BaseException:
        os.close(descriptor)
        raise


def _first_byte(descriptor: int, until: float) -> bytes | None:
    """The first byte, or none yet, of a pipe that has a writer; None where no writer comes."""
    while True:
        try:
            byte = os.read(descriptor, 1)
        except BlockingIOError:  # a writer, who has not written yet
            return b""
        if byte:
            return byte
        if time.monotonic() > until:
            return None
        time.sleep(0.05)


class _Begun(io.RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, first: bytes, rest: io.FileIO) -> None:
        self._first, self._rest = first, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._first:
            n = min(len(buffer), len(self._first))
            buffer[:n], self._first = self._first[:n], self._first[n:]
            return n
        return self._rest.readinto(buffer)

    def close(self) -> None:
        self._rest.close()
        super().close()
