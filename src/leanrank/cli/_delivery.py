"""The chosen features as a file or on the screen, in the format asked for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from leanrank.cli._outputs import STDOUT, write_text


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
