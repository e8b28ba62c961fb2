"""Where results go: what cannot be written is refused before the work, `-` is standard output, and no input is lost."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from leanrank.errors import DataError, ParameterError

#: What an output is called that goes to standard output.
STDOUT = Path("-")


def check_outputs(*outputs: Path | None, reads: Iterable[Path | None] = ()) -> None:
    """Refuse an output that cannot be written, and one that is an input or another output under any name."""
    wanted = [path for path in outputs if path is not None]
    inputs = [path for path in reads if path is not None]
    for number, path in enumerate(wanted):
        refuse_same_file(path, *inputs)
        refuse_same_file(path, *wanted[:number], what="the file of another option")
        if path != STDOUT:
            _require_writable(path)


def refuse_same_file(output: Path, *others: Path, what: str = "read by the same command") -> None:
    """Refuse an output that is one of the other files, also by way of a link: what it holds would be lost."""
    for other in others:
        if _same(output, other):
            raise ParameterError(f"{output} would be written over, and it is {what}: choose another name.")


def refuse_stdout(why: str, *outputs: Path | None) -> None:
    """Refuse `-` where it cannot be: `why` says it in a clause."""
    if STDOUT in outputs:
        raise ParameterError(f"'-' is standard output, and {why}: name a file.")


def refuse_binary_on_terminal(output: Path | None) -> None:
    """Bytes on a terminal help nobody."""
    if output == STDOUT and sys.stdout.isatty():
        raise ParameterError("This is no text, and would go to the terminal: name a file with -o, or use a pipe.")


@contextmanager
def output_file(output: Path) -> Iterator[Path]:
    """A path to write to: `output` itself; for standard output a file of our own, which is copied there at the end."""
    if output != STDOUT:
        yield output
        return
    with TemporaryDirectory(prefix="leanrank-") as folder:
        place = Path(folder, "output")
        yield place
        content = place.read_bytes()
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(content.decode())


def write_text(output: Path, text: str) -> None:
    """Write text as UTF-8, whole or not at all, or print it.

    A file name that is not UTF-8 stands in `text` as halves of surrogate pairs: these are written as their escapes,
    which in JSON mean the same.
    """
    from leanrank.data.whole_file import write_whole

    with output_file(output) as path:
        write_whole(path, text.encode("utf-8", "backslashreplace"))


def _same(one: Path, other: Path) -> bool:
    if STDOUT in (one, other):
        return one == other
    try:
        return os.path.samefile(one, other) and one.is_file()  # a terminal or a pipe may be both
    except OSError:  # one of them is not there
        return one.resolve() == other.resolve()


def _require_writable(path: Path) -> None:
    """Refuse a folder, and a file in a folder that is not there or takes no files."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file():
            return  # a device or a pipe
        with TemporaryFile(dir=path.resolve().parent):
            pass
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror}).") from error
