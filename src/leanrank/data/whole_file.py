"""Files that appear whole or not at all: written beside the target, then renamed."""

from __future__ import annotations

import io
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, Any

from leanrank.data.formats import format_of_name
from leanrank.errors import DataError

_DESCRIPTOR = re.compile(r"/dev/(?:fd/(\d+)|(stdout)|(stderr))|/proc/self/fd/(\d+)")

#: Where Linux shows the open files of this process: the way to name one that has no name.
_OPEN_FILES = "/proc/self/fd"


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a binary file for writing that takes the place of `path` only when the block ends without an error.

    A new file gets the mode that the umask leaves it; one that is replaced keeps its mode. Where `path` is a link, what
    it points to is replaced and the link stays. What is not a regular file (a device, a pipe) is never replaced: bytes
    go through to it as they are written, as they go to standard output where `path` is "-".

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "out.txt")
    ...     with whole_file(target) as file:
    ...         _ = file.write(b"done")
    ...         before = target.exists()
    ...     before, target.read_bytes()
    (False, b'done')
    """
    target, beside, mode, held = "", None, None, -1
    with _about(path):
        file = _opened_through(path)
        if file is None:
            target = os.path.realpath(path)  # a link stays: what it points to is replaced
            mode = _mode(target)
            folder, name = os.path.split(target)
            beside = os.path.join(folder, f".{name[:50]}.{secrets.token_hex(4)}.part")
            # Until it is whole, nobody may read what replaces a file that only its owner may read.
            file = _opened_beside(folder, beside, 0o666 if mode is None else 0o600)
            held = os.dup(file.fileno())  # it has no name yet, and some writers close what they write to
    try:
        with _about(path, target, beside):
            with file:
                yield file
            if beside is not None:
                _named(held, beside)
                if mode is not None:
                    os.chmod(beside, mode)
                os.replace(beside, target)
    finally:
        if beside is not None:
            os.close(held)
            with suppress(FileNotFoundError):
                os.unlink(beside)


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write `content` (text as UTF-8) to `path`, whole or not at all."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def is_standard_stream(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is "-", which stands for standard output (a file of that name is "./-")."""
    return os.fspath(path) == "-"


def refuse_same_file(output: str | os.PathLike[str] | None, *inputs: str | os.PathLike[str] | None) -> None:
    """Refuse an output that would be written over one of the files that are read; None stands for no file.

    Links of both kinds are seen through. An output inside a folder that is read is refused too where its name says
    that it would be read as data the next time (out.parquet, not features.json).

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "train.txt")
    ...     _ = file.write_text("1 qid:1 1:0.5")
    ...     refuse_same_file(Path(folder, "features.json"), file, None)
    ...     refuse_same_file(None, file)
    """
    if output is None or is_standard_stream(output):
        return
    there = os.path.exists(output)
    if there and not (os.path.isfile(output) or os.path.isdir(output)):
        return  # a device or a pipe: nothing in it to lose
    for given in inputs:
        if given is None or not os.path.exists(given):
            continue
        if there and os.path.samefile(output, given):
            raise DataError(f"{os.fspath(output)} is read here, and would be written over: choose another output.")
        if os.path.isdir(given) and format_of_name(output) is not None:
            inside, folder = os.path.realpath(output), os.path.realpath(given)
            if os.path.commonpath((inside, folder)) == folder:
                raise DataError(
                    f"{os.fspath(output)} is inside {os.fspath(given)}, which is read here, and would be taken for "
                    "more data: choose another output."
                )


@contextmanager
def _about(path: str | os.PathLike[str], *ours: str | None) -> Iterator[None]:
    """Turn what the system refuses into an error that names `path`; with `ours`, only where it is about these files."""
    try:
        yield
    except BrokenPipeError:
        raise  # whoever reads has seen enough: no fault of the file
    except OSError as error:
        if ours and error.filename not in (None, os.fspath(path), *ours):
            raise  # some other file's trouble
        raise DataError(f"{os.fspath(path)}: cannot be written ({error.strerror or error}).") from error


def _opened_beside(folder: str, beside: str, mode: int) -> IO[bytes]:
    """A file without a name where the system has such: whatever kills this process, nothing is left of it."""
    unnamed = getattr(os, "O_TMPFILE", None)
    if unnamed is not None and os.path.isdir(_OPEN_FILES):
        with suppress(OSError):  # not every file system can
            return os.fdopen(os.open(folder or ".", unnamed | os.O_RDWR, mode), "wb")
    return open(beside, "xb", opener=partial(os.open, mode=mode))


def _named(held: int, beside: str) -> None:
    """Give a file without a name this one; where the system refuses, what is written is copied rather than lost."""
    if os.path.exists(beside):
        return
    there = os.open(_OPEN_FILES, os.O_RDONLY)
    try:  # only with a folder given does Python follow the link that stands for the file
        os.link(str(held), beside, src_dir_fd=there, follow_symlinks=True)
    except OSError:
        opener = partial(os.open, mode=stat.S_IMODE(os.fstat(held).st_mode))
        with open(beside, "xb", opener=opener) as copy, os.fdopen(os.dup(held), "rb") as written:
            written.seek(0)
            shutil.copyfileobj(written, copy)
    finally:
        os.close(there)


def _mode(target: str) -> int | None:
    """The permissions of the file that is to be replaced."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return None


def _opened_through(path: str | os.PathLike[str]) -> IO[bytes] | None:
    """What is written to as it stands: standard output, an open descriptor, a device, a pipe; None for a file."""
    if is_standard_stream(path):
        return io.BufferedWriter(_StandardOutput())
    name = os.path.abspath(path)
    numbered = _DESCRIPTOR.fullmatch(name)
    if numbered is not None:  # opened anew, a file behind it would be cut at its beginning
        sys.stdout.flush()
        sys.stderr.flush()
        fd, stdout, stderr, process_fd = numbered.groups()
        return os.fdopen(os.dup(1 if stdout else 2 if stderr else int(fd or process_fd)), "wb")
    try:
        is_file = stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        is_file = True
    return None if is_file else open(path, "wb")


class _StandardOutput(io.RawIOBase):
    """Standard output as whoever runs us has it now; closing this leaves it open."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            raise DataError("Standard output takes no bytes here: name a file.")
        stream.write(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            sys.stdout.flush()
        super().close()
