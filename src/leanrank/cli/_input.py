"""Reading whatever file the user names: LETOR text, CSV or Parquet, by its name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leanrank.errors import DataError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData, RankingSource

# The options that every command that reads data shares.
FileArgument = Annotated[Path, typer.Argument(help="Judged data: LETOR text (.gz, .bz2, .zst), CSV or Parquet.")]
LabelOption = Annotated[str | None, typer.Option(help="CSV, Parquet: the column of labels.")]
QidOption = Annotated[str | None, typer.Option(help="CSV, Parquet: the column of query ids.")]
CommentsOption = Annotated[str | None, typer.Option(help="CSV, Parquet: a column of texts to keep, not a feature.")]
RegroupOption = Annotated[bool, typer.Option(help="Bring rows of one query together where they are not adjacent.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def read_data(
    path: Path,
    at_least: int = 0,
    /,
    *,
    label: str | None,
    qid: str | None,
    comments: str | None = None,
    regroup: bool = False,
) -> RankingData:
    """Read a judged file, LETOR text with `at_least` so many features; missing values are let in."""
    from leanrank.data.reading import read

    return read(path, label=label, qid=qid, comments=comments, regroup=regroup, at_least=at_least)


def read_like(path: Path, data: RankingData, **reading: Any) -> RankingData:
    """Read another judged file with the features of `data`; what it has beside them is left out."""
    other, wanted = read_data(path, data.n_features, **reading), list(data.feature_names)
    if list(other.feature_names) == wanted:
        return other
    known = set(other.feature_names)
    absent = next((name for name in wanted if name not in known), None)
    if absent is not None:
        raise DataError(
            f"{path} has {other.n_features} features, the training data {data.n_features}, of which it lacks "
            f"{absent!r}: name a file with the same features."
        )
    return other.subset(wanted)


def scan_data(
    path: Path, *, label: str | None, qid: str | None, comments: str | None = None, regroup: bool = False
) -> RankingSource:
    """A judged file as a source that the engine reads block by block; CSV, and text to be regrouped, are read here."""
    from leanrank.data.reading import scan

    return scan(path, label=label, qid=qid, comments=comments, regroup=regroup)
