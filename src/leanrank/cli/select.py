"""`leanrank select`: choose features by one method and write them down."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.cli._input import CommentsOption, LabelOption, QidOption, RegroupOption, read_data
from leanrank.cli._settings import parse_setting
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.selectors._base import Selector


class Format(StrEnum):
    """How the chosen features are written."""

    json = "json"
    ids = "ids"
    names = "names"
    ranklib = "ranklib"


def select(
    file: Annotated[Path | None, typer.Argument(help="Judged data; not needed with --graph.")] = None,
    method: Annotated[str, typer.Option("--method", "-m", help="The selector, by name.")] = "gas",
    k: Annotated[int | None, typer.Option("-k", help="How many features; the method's own rule if not given.")] = None,
    graph: Annotated[
        Path | None, typer.Option(help="A graph of `leanrank graph` to use instead of computing it.")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the method, e.g. c=0.5.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the features.")] = None,
    form: Annotated[Format | None, typer.Option("--format", help="json, ids, names (one a line) or ranklib.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of methods that draw numbers.")] = 0,
    label: LabelOption = None,
    qid: QidOption = None,
    comments: CommentsOption = None,
    regroup: RegroupOption = False,
) -> None:
    """Choose features of FILE by one method.

    Example: leanrank select train.txt --method gas -k 10 -o features.json
    """
    from leanrank.selectors import registry

    settings = dict(parse_setting(text) for text in setting or [])
    if k is not None:
        settings["n_features_to_select"] = k
    selector = registry.get(method, **settings)
    if "random_state" in selector.get_params(deep=False) and "random_state" not in settings:
        selector.set_params(random_state=seed)
    fingerprint = None
    if graph is not None:
        _fit_graph(selector, graph)
    elif file is None:
        raise ParameterError("Name a file of judged data, or a graph with --graph.")
    if file is not None:
        data = read_data(file, label=label, qid=qid, comments=comments, regroup=regroup)
        fingerprint = data.fingerprint()
        if graph is None:
            selector.fit(data)
    record = {**selector.to_dict(), "seed": seed, "data": str(file or graph), "fingerprint": fingerprint}
    _deliver(record, output, form, Console())


def _fit_graph(selector: Selector, path: Path) -> None:
    from leanrank.selectors._graph_selector import GraphSelector
    from leanrank.stats.feature_graph import FeatureGraph

    if not isinstance(selector, GraphSelector):
        raise ParameterError(f"{type(selector).__name__} does not live on a feature graph: leave out --graph.")
    selector.fit_graph(FeatureGraph.load(path))


def written(record: dict[str, Any], form: Format) -> str:
    """The features in one of the formats."""
    if form is Format.json:
        return json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    lines = {
        Format.ids: record["ids"],
        Format.names: record["names"],
        Format.ranklib: sorted(record["ids"]),  # what RankLib's -feature takes: one id a line
    }[form]
    return "".join(f"{line}\n" for line in lines)


def _deliver(record: dict[str, Any], output: Path | None, form: Format | None, console: Console) -> None:
    from leanrank.data.whole_file import write_whole

    if output is None and form is not None:
        print(written(record, form), end="")
        return
    if output is not None:
        write_whole(output, written(record, form or Format.json))
    names, n_in = record["names"], record["n_features_in"]
    table = Table(title=f"{record['method']} keeps {len(names)} of {n_in} features", title_justify="left")
    table.add_column("#", justify="right")
    table.add_column("feature", overflow="fold")
    table.add_column("why", overflow="fold")
    for position, step in enumerate(record["trace"][: len(names)], start=1):
        table.add_row(str(position), Text(str(step["name"])), Text(str(step["reason"])))
    console.print(table)
    if record["dropped"]:
        count = len(record["dropped"])
        console.print(Text(f"{count} features are constant inside every query and were left out."))
    if output is not None:
        console.print(Text(f"Written: {output}"))
