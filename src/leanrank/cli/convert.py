"""`leanrank convert`: judged data from one format to another, with all features or the selected ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, check_outputs, refuse_binary_on_terminal, refuse_stdout
from leanrank.cli._reading import FileArgument, JsonOption, Reading, ReadingChosen
from leanrank.cli._standard_input import typed
from leanrank.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData

FORMATS = ("letor", "csv", "parquet", "lightgbm", "trec")


@option_groups()
def convert(
    file: FileArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write; - is standard output, with --to.")],
    to: Annotated[
        str | None, typer.Option(help="letor, csv, parquet, lightgbm or trec; by the ending of OUTPUT if not given.")
    ] = None,
    features: Annotated[
        Path | None, typer.Option(help="Features to keep: the JSON of `leanrank select`. All if not given.")
    ] = None,
    renumber: Annotated[
        bool, typer.Option("--renumber/--keep-ids", help="Number the kept features 1, 2, 3, ..., or leave their ids.")
    ] = False,
    *,
    reading: ReadingChosen,
    as_json: JsonOption = False,
) -> None:
    """Write FILE in another format, with all features or those of a selection, in the order of FILE.

    LETOR: .txt, .letor, .dat; CSV: .csv, .tsv; Parquet: .parquet, .pq; TREC qrels (labels only): .qrels. LightGBM
    (--to lightgbm) is OUTPUT and OUTPUT.query; as input it is known by FILE.query beside it. Names of features are
    not part of LETOR and LightGBM files: there a feature is its number.

    Example: leanrank convert train.txt --features features.json --renumber -o train.parquet
    """
    kind = _format(output, to)
    beside = None
    if kind == "lightgbm":
        refuse_stdout("LightGBM's format is two files", output)
        beside = Path(f"{output}.query")
    elif kind == "parquet":
        refuse_binary_on_terminal(output)
    check_outputs(output, beside, reads=(file, Path(f"{file}.query"), features))
    data, ids = _read(file, features, reading)
    if renumber:
        ids = list(range(1, data.n_features + 1))
        if features is not None:
            names = tuple(str(number) for number in ids)
            kinds = {names[j]: data.categories[data.feature_names[j]] for j in data.category_columns}
            data = replace(data, feature_names=names, categories=kinds)
    _write(data, ids, output, kind)
    if output == STDOUT:
        return
    record = {
        "file": typed(file),
        "output": str(output),
        "format": kind,
        "n_rows": data.n_rows,
        "n_queries": data.n_queries,
        "n_features": data.n_features,
        "ids": ids,
    }
    if as_json:
        print(json.dumps(record))
        return
    size = f"{data.n_rows:,} documents, {data.n_queries:,} queries, {data.n_features:,} features"
    written = f"{output}" if beside is None else f"{output} and {beside}"
    Console().print(Text(f"{size}. Written: {written} ({kind})."))


def _format(output: Path, to: str | None) -> str:
    if to is not None:
        if to not in FORMATS:
            raise UnknownNameError.of("format", to, FORMATS)
        return to
    from leanrank.data.formats import endings, format_of_name

    kind = format_of_name(output)
    if kind is None:
        raise ParameterError(
            f"The ending of {output.name!r} does not say the format: use one of {endings()}, or give --to."
        )
    return kind


def _read(file: Path, features: Path | None, reading: Reading) -> tuple[RankingData, list[int]]:
    """The data with the wanted features, in the order of the file, and their numbers in it."""
    if features is None:
        data, columns = reading.read_numbered(file)
    else:
        data, columns = reading.read_chosen(file, features)
    return data, [column + 1 for column in columns]


def _write(data: RankingData, ids: list[int], output: Path, kind: str) -> None:
    if kind == "lightgbm":
        from leanrank.data.letor.writer import write_lightgbm

        write_lightgbm(_numbered(data, ids), output)
        return
    from leanrank.data.reading import write

    write(_numbered(data, ids) if kind == "letor" else data, output, kind)  # type: ignore[arg-type]


def _numbered(data: RankingData, ids: list[int]) -> RankingData:
    """The data with column `ids[j] - 1` for column j, for formats in which a feature is its number."""
    if ids == list(range(1, data.n_features + 1)):
        return data
    import numpy as np
    import scipy.sparse as sp

    from leanrank.data.categories import as_whole_numbers

    data = as_whole_numbers(data)
    columns = np.array(ids, dtype=np.int64) - 1
    if data.is_sparse:
        X = sp.csr_array((data.X.data, columns[data.X.indices], data.X.indptr), shape=(data.n_rows, ids[-1]))
    else:  # every value stays in the file, zeros too, as in a file with all features
        row_ptr = np.arange(data.n_rows + 1, dtype=np.int64) * data.n_features
        X = sp.csr_array((data.X.ravel(), np.tile(columns, data.n_rows), row_ptr), shape=(data.n_rows, ids[-1]))
    return replace(data, X=X, feature_names=())
