"""Byte streams of plain, gzip, bzip2 and Zstandard files and of named pipes, read and written through one door."""

from __future__ import annotations

import io
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

from leanrank.data.formats import codec_of
from leanrank.data.memory_size import check_expansion
from leanrank.data.whole_file import whole_file
from leanrank.errors import DataError

PathLike: TypeAlias = "str | os.PathLike[str]"

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}


class ByteReader(Protocol):
    """What the readers need of a stream."""

    def readinto(self, buffer: memoryview) -> int: ...


@contextmanager
def open_bytes(source: PathLike | io.BufferedIOBase, *, bounded: bool = True) -> Iterator[ByteReader]:
    """Open a file, or a stream already open, for reading; its first bytes, not its name, tell the compression.

    What goes wrong in opening and decompressing is a DataError that names the file. So is, if `bounded`, much more than
    the file's bytes promise: whoever keeps little of it in memory needs no bound.
    """
    name = name_of(source)
    try:
        with _opened(source, name) as file:
            yield _decompressed(file, name, bounded=bounded)
    except IsADirectoryError as error:
        raise DataError(f"{name} is a folder: expected a file.") from error
    except FileNotFoundError as error:
        raise DataError(f"There is no file {name}.") from error
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}.") from error


def _opened(source: PathLike | io.BufferedIOBase, name: str) -> io.BufferedReader:
    if not isinstance(source, (str, os.PathLike)):
        return io.BufferedReader(source)
    try:
        return io.BufferedReader(opened_pipe(source) if is_pipe(source) else io.FileIO(source), 1 << 18)
    except ValueError as error:
        raise DataError(f"{name!r} is not the name of a file: {error}.") from error


def name_of(source: object) -> str:
    """How messages call a file; a stream without a name is '<stream>'."""
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    return str(getattr(source, "name", "<stream>"))


@contextmanager
def create_bytes(path: PathLike) -> Iterator[Any]:
    """Open a file for writing, compressed as its suffix says (.gz, .bz2, .zst); it appears whole or not at all."""
    codec = codec_of(path)
    with whole_file(path) as file:
        if codec is None:
            yield file
            return
        import pyarrow

        with pyarrow.CompressedOutputStream(file, codec) as compressed:
            yield compressed


def _decompressed(file: io.BufferedReader, name: str, *, bounded: bool) -> ByteReader:
    head = file.peek(4)
    for magic, codec in _MAGIC.items():
        if head.startswith(magic):
            return _Decompressed(file, codec, name, bounded=bounded)
    return file


class _Decompressed:
    """A stream of the decompressed bytes; damage is a DataError, and so is, if `bounded`, far more of them."""

    def __init__(self, file: io.BufferedReader, codec: str, name: str, *, bounded: bool) -> None:
        import pyarrow  # slow to load, and plain files do without it

        self._packed = _Counted(file)
        self._stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(self._packed, "r"), codec)
        self._codec, self._name, self._bounded, self._n_bytes = codec, name, bounded, 0

    def readinto(self, buffer: memoryview) -> int:
        try:
            count = int(self._stream.readinto(buffer))
            self._n_bytes += count
            if self._bounded:
                check_expansion(self._n_bytes, self._packed.n_bytes, self._name)
            return count
        except OSError as error:
            if "Truncated" in str(error):
                raise DataError(
                    f"{self._name} is cut off: its {self._codec} stream ends too early. Copy or download it again."
                ) from error
            raise DataError(
                f"{self._name} is damaged: its {self._codec} stream does not decompress ({error})."
            ) from error


class RawBytes(io.RawIOBase):
    """A stream as Python's own readers want it."""

    def __init__(self, stream: ByteReader) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._stream.readinto(memoryview(buffer))


class _Counted:
    """A stream that knows how many of its bytes were read."""

    closed = False

    def __init__(self, file: io.BufferedReader) -> None:
        self._file, self.n_bytes = file, 0

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        self.n_bytes += len(content)
        return content

    def close(self) -> None:
        """Whoever opened the file closes it."""


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
