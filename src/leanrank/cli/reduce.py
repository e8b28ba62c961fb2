"""`leanrank reduce`: few combined attributes instead of many features."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, check_outputs, refuse_stdout, write_chart, write_text
from leanrank.cli._reading import FileArgument, JsonOption, Reading
from leanrank.cli._tables import table

if TYPE_CHECKING:
    from leanrank.reducers.rcdr import RCDR


class Kind(StrEnum):
    """The rank correlation."""

    kendall = "kendall"
    spearman = "spearman"


@option_groups()
def reduce(
    file: FileArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the reduced data; the name says how, - prints."),
    ] = None,
    k: Annotated[int, typer.Option("-k", help="How many components at most.")] = 5,
    kind: Annotated[Kind, typer.Option(help="The rank correlation.")] = Kind.spearman,
    scale: Annotated[bool, typer.Option(help="Divide every feature by its standard deviation first.")] = True,
    weights: Annotated[Path | None, typer.Option(help="Also write the components as JSON.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Also draw the components (.html, .png, .svg).")] = None,
    *,
    reading: Reading,
    as_json: JsonOption = False,
) -> None:
    """Combine the features of FILE into a few that keep the order of the labels (RCDR).

    Example: leanrank reduce train.txt -k 3 -o reduced.txt --weights components.json
    """
    from leanrank.data.reading import write
    from leanrank.reducers.rcdr import RCDR

    check_outputs(output, weights, chart, reads=[file])
    refuse_stdout("the reduced data may go there", weights, chart)
    data = reading.read(file).require_complete("RCDR")
    reducer = RCDR(k, kind=kind.value, scale=scale).fit(data)
    record = {
        "method": "rcdr",
        "kind": kind.value,
        "features": list(data.feature_names),
        "components": (reducer.components_ / reducer.scale_).tolist(),
        "norms": reducer.norms_.tolist(),
        "fingerprint": data.fingerprint(),
    }
    if output is not None:
        write(reducer.transform(data), output)
    if weights is not None:
        write_text(weights, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    if chart is not None:
        write_chart(reducer.chart(), chart)
    if output == STDOUT:
        return
    if as_json:
        print(json.dumps(record, ensure_ascii=False))
        return
    console = Console()
    _show(reducer, console)
    written = [path for path in (output, weights, chart) if path is not None]
    if written:
        console.print(Text(f"Written: {', '.join(map(str, written))}"), soft_wrap=True)


def _show(reducer: RCDR, console: Console) -> None:
    columns = ("component", "correlation", "made of (better when higher, or lower where negative)")
    drawn = table(f"{reducer.n_components_} components", columns, right=["correlation"])
    for row in reducer.top_attributes():
        attributes = ", ".join(f"{name} {weight:+.3f}" for name, weight in row["attributes"])
        drawn.add_row(row["component"], f"{row['norm']:.4f}", Text(attributes))
    console.print(drawn)
