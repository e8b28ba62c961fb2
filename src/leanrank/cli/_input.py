"""Reading whatever file the user names: LETOR text, CSV or Parquet, by its name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leanrank.errors import DataError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData, RankingSource

TABLE_SUFFIXES = {".csv", ".tsv", ".parquet", ".pq"}
COMPRESSION_SUFFIXES = {".gz", ".bz2", ".zst"}

# The options that every command that reads data shares.
FileArgument = Annotated[Path, typer.Argument(help="Judged data: LETOR text (.gz, .bz2, .zst), CSV or Parquet.")]
LabelOption = Annotated[str | None, typer.Option(help="CSV, Parquet: the column of labels.")]
QidOption = Annotated[str | None, typer.Option(help="CSV, Parquet: the column of query ids.")]
CommentsOption = Annotated[str | None, typer.Option(help="CSV, Parquet: a column of texts to keep, not a feature.")]
RegroupOption = Annotated[bool, typer.Option(help="Bring rows of one query together where they are not adjacent.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def is_table(path: Path) -> bool:
    """Whether the name says CSV or Parquet (a folder is taken for a Parquet data set)."""
    name = path.with_suffix("") if path.suffix.lower() in COMPRESSION_SUFFIXES else path
    return name.suffix.lower() in TABLE_SUFFIXES or path.is_dir()


def read_data(
    path: Path, *, label: str | None, qid: str | None, comments: str | None = None, regroup: bool = False
) -> RankingData:
    """Read a judged file; missing values are let in, methods refuse them by name."""
    if is_table(path):
        from leanrank.data.tables import read_table

        return read_table(path, label=label, qid=qid, comments=comments, regroup=regroup, missing=True)
    from leanrank.data.letor.reader import read_letor

    return read_letor(path, regroup=regroup)


def read_like(path: Path, data: RankingData, **reading: Any) -> RankingData:
    """Read another judged file with the features of `data`; what it has beside them is left out."""
    other, wanted = read_data(path, **reading), list(data.feature_names)
    if not is_table(path) and other.n_features < data.n_features:
        # A feature that is 0 in every row need not be in a LETOR file.
        from leanrank.data.letor.reader import read_letor

        other = read_letor(path, n_features=data.n_features, regroup=bool(reading.get("regroup")))
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
    if path.is_dir() or path.suffix.lower() in (".parquet", ".pq"):
        from leanrank.data.parquet.scan import scan_parquet

        return scan_parquet(path, label=label, qid=qid, comments=comments, regroup=regroup, missing=True)
    if is_table(path) or regroup:
        return read_data(path, label=label, qid=qid, comments=comments, regroup=regroup)
    from leanrank.data.letor.scan import scan_letor

    return scan_letor(path)
