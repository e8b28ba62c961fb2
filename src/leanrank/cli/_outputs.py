"""Where results go: what cannot be written is refused before the work, `-` is standard output, and no input is lost."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any

import typer

from leanrank.data.whole_file import refuse_same_file, write_whole
from leanrank.errors import DataError, ParameterError

#: What an output is called that goes to standard output.
STDOUT = Path("-")


def check_outputs(*outputs: Path | None, reads: Sequence[Path | None] = ()) -> None:
    """Refuse an output that cannot be written, and one that is an input or another output under any name."""
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


class Format(StrEnum):
    """How the chosen features are written."""

    json = "json"
    ids = "ids"
    names = "names"
    ranklib = "ranklib"


OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where to write the features; - is standard output.")
]
FormatOption = Annotated[Format | None, typer.Option("--format", help="json, ids, names (one a line) or ranklib.")]


@dataclass(frozen=True)
class Delivery:
    """Where the features go, and how."""

    output: Path | None
    form: Format | None
    as_json: bool

    @property
    def is_shown(self) -> bool:
        """Whether a person should see tables: standard output holds nothing else."""
        return not self.as_json and self.output != STDOUT and (self.output is not None or self.form is None)

    @property
    def features_file(self) -> Path | None:
        """The file that other commands take as --features, if one is written."""
        return self.output if self.output != STDOUT and self.form in (None, Format.json) else None

    def write(self, record: dict[str, Any]) -> None:
        """Write the features, or print them."""
        if self.output is not None and not (self.as_json and self.output == STDOUT):
            write_text(self.output, written(record, self.form or Format.json))
        if self.as_json:
            write_text(STDOUT, written(record, Format.json))
        elif self.output is None and self.form is not None:
            write_text(STDOUT, written(record, self.form))


def written(record: dict[str, Any], form: Format) -> str:
    """The features in one of the formats."""
    if form is Format.json:
        from leanrank.selectors.features_file import text_of

        return text_of(record)
    lines = {
        Format.ids: record["ids"],
        Format.names: record["names"],
        Format.ranklib: sorted(record["ids"]),  # what RankLib's -feature takes: one id a line
    }[form]
    return "".join(f"{line}\n" for line in lines)
