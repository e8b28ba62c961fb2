"""Where results go: what cannot be written is refused before the work, `-` is standard output, and no input is lost."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError, ParameterError

#: What an output is called that goes to standard output.
STDOUT = Path("-")


def check_outputs(*outputs: Path | None, reads: Sequence[Path | None] = ()) -> None:
    """Refuse an output that cannot be written, and one that is an input or another output under any name."""
    from leanrank.data.whole_file import refuse_same_file

    wanted = [path for path in outputs if path is not None]
    for number, path in enumerate(wanted):
        refuse_same_file(path, *reads)
        if any(_same(path, other) for other in wanted[:number]):
            raise ParameterError(
                f"{path} would be written over by another output: choose another name for one of them."
            )
        if path != STDOUT:
            _require_writable(path)


def refuse_stdout(why: str, *outputs: Path | None) -> None:
    """Refuse `-` where it cannot be: `why` says it in a clause."""
    if STDOUT in outputs:
        raise ParameterError(f"'-' is standard output, and {why}: name a file.")


def refuse_binary_on_terminal(output: Path | None) -> None:
    """Bytes on a terminal help nobody."""
    if output == STDOUT and sys.stdout.isatty():
        raise ParameterError("This is no text, and would go to the terminal: name a file with -o, or use a pipe.")


def write_text(output: Path, text: str) -> None:
    """Write text as UTF-8, whole or not at all, or print it.

    A file name that is not UTF-8 stands in `text` as halves of surrogate pairs: these are written as their escapes,
    which in JSON mean the same.
    """
    from leanrank.data.whole_file import write_whole

    write_whole(output, text.encode("utf-8", "backslashreplace"))


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)  # a device takes both
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


PICTURES = {".png": "png", ".svg": "svg", ".pdf": "pdf"}


def write_chart(chart: Any, path: Path) -> None:
    """Write an altair chart by the ending of `path`; the HTML needs no network."""
    suffix = path.suffix.lower()
    if suffix == ".html":
        text = StringIO()
        chart.save(text, format="html", inline=True)
        write_whole(path, text.getvalue())
    elif suffix == ".svg":
        text = StringIO()
        chart.save(text, format="svg")
        write_whole(path, text.getvalue())
    elif suffix in PICTURES:
        picture = BytesIO()
        chart.save(picture, format=PICTURES[suffix])
        write_whole(path, picture.getvalue())
    else:
        raise ParameterError(f"A chart is written as .html, .png, .svg or .pdf. Got {path.name!r}.")
