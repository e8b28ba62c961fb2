"""`leanrank reduce`: few combined attributes instead of many features."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.cli._input import (
    CommentsOption,
    FileArgument,
    JsonOption,
    LabelOption,
    QidOption,
    RegroupOption,
    read_data,
)

if TYPE_CHECKING:
    from leanrank.reducers.rcdr import RCDR


class Reducer(StrEnum):
    """The reducers there are."""

    rcdr = "rcdr"


class Kind(StrEnum):
    """The rank correlation."""

    kendall = "kendall"
    spearman = "spearman"


def reduce(
    file: FileArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the reduced data (.parquet, else LETOR).")
    ] = None,
    method: Annotated[Reducer, typer.Option("--method", "-m", help="The reducer.")] = Reducer.rcdr,
    components: Annotated[int, typer.Option("-k", help="How many components at most.")] = 5,
    kind: Annotated[Kind, typer.Option(help="The rank correlation.")] = Kind.spearman,
    scale: Annotated[bool, typer.Option(help="Divide every feature by its standard deviation first.")] = True,
    weights: Annotated[Path | None, typer.Option(help="Also write the components as JSON.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Also draw the components (.html, .png, .svg).")] = None,
    label: LabelOption = None,
    qid: QidOption = None,
    comments: CommentsOption = None,
    regroup: RegroupOption = False,
    as_json: JsonOption = False,
) -> None:
    """Combine the features of FILE into a few that keep the order of the labels (RCDR).

    Example: leanrank reduce train.txt -k 3 -o reduced.txt --weights components.json
    """
    from leanrank.cli._charts import write_chart
    from leanrank.data.whole_file import write_whole
    from leanrank.data.writing import write
    from leanrank.reducers.rcdr import RCDR

    data = read_data(file, label=label, qid=qid, comments=comments, regroup=regroup).require_complete("RCDR")
    reducer = RCDR(components, kind=kind.value, scale=scale).fit(data)
    record = {
        "method": method.value,
        "kind": kind.value,
        "features": list(data.feature_names),
        "components": (reducer.components_ / reducer.scale_).tolist(),
        "norms": reducer.norms_.tolist(),
        "fingerprint": data.fingerprint(),
    }
    if output is not None:
        write(reducer.transform(data), output)
    if weights is not None:
        write_whole(weights, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    if chart is not None:
        write_chart(reducer.chart(), chart)
    if as_json:
        print(json.dumps(record, ensure_ascii=False))
        return
    console = Console()
    _show(reducer, console)
    written = [path for path in (output, weights, chart) if path is not None]
    if written:
        console.print(Text(f"Written: {', '.join(map(str, written))}"), soft_wrap=True)


def _show(reducer: RCDR, console: Console) -> None:
    table = Table(title=f"{reducer.n_components_} components", title_justify="left")
    table.add_column("component")
    table.add_column("correlation", justify="right")
    table.add_column("made of (better when higher, or lower where negative)", overflow="fold")
    for row in reducer.top_attributes():
        attributes = ", ".join(f"{name} {weight:+.3f}" for name, weight in row["attributes"])
        table.add_row(row["component"], f"{row['norm']:.4f}", Text(attributes))
    console.print(table)
