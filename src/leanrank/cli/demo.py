"""`leanrank demo`: the main job on synthetic data whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._invocation import Invocation
from leanrank.cli._reading import JsonOption

if TYPE_CHECKING:
    from leanrank.data.synthetic import FeatureTruth
    from leanrank.evaluation.select.selection import Selection

#: What the demo plants: copies of a few good features, and noise.
PLANTED = {"n_informative": 6, "n_redundant": 12, "n_noise": 12, "n_query_level": 1, "n_constant": 1}


def demo(
    context: typer.Context,
    folder: Annotated[Path, typer.Option("--output", "-o", help="Where to write.")] = Path("leanrank-demo"),
    queries: Annotated[int, typer.Option(help="Queries to generate.")] = 400,
    seed: Annotated[int, typer.Option(help="Seed of the synthetic data.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Generate judged data with planted features, lint them, and find the few that matter.

    Example: leanrank demo
    """
    from leanrank.cli._tables import show_selection
    from leanrank.cli.lint import show
    from leanrank.data.reading import read, write
    from leanrank.data.synthetic import make_ranking
    from leanrank.evaluation.select.run import select
    from leanrank.stats.lint import lint

    console = Console(quiet=as_json)
    data, truth = make_ranking(queries, random_state=seed, **PLANTED)
    folder.mkdir(parents=True, exist_ok=True)
    path, features, report = folder / "demo.csv", folder / "features.json", folder / "report.html"
    write(data, path)
    data = read(path)
    show(lint(data), str(path), console)
    console.print(Text("\nNow the main job: which of these features does a ranker need? (RankSVM, some ten seconds)\n"))
    selection = select(data, "ranksvm", max_loss=0.02, random_state=seed)
    selection.save(features)
    selection.report(report, data)
    show_selection(selection, None, console, features)
    console.print(Text(_found(selection, truth)))
    if as_json:
        files = {"data": str(path), "features": str(features), "report": str(report)}
        outcome = {
            "sentence": selection.sentence(),
            "names": list(selection.features),
            "planted": _found(selection, truth),
        }
        print(json.dumps({**files, **outcome}, ensure_ascii=False))
        return
    console.print(Text(f"Written: {path}, {features}"), soft_wrap=True)
    console.print(Text(f"Open the report in a browser: {report.resolve()}", style="bold"), soft_wrap=True)
    program = (
        "leanrank" if which("leanrank") else Invocation.of(context).program
    )  # it may be in an environment that is not active
    next_step = f"Next, on your own data: {program} select FILE -o features.json --report report.html"
    console.print(Text(next_step), soft_wrap=True)


def _found(selection: Selection, truth: Sequence[FeatureTruth]) -> str:
    """How much of what was planted is in the selection."""
    family = {entry.name: entry.source or entry.name for entry in truth if entry.role in ("informative", "redundant")}
    sources = {family[name] for name in selection.features if name in family}
    useless = [name for name in selection.features if name not in family]
    planted = len(set(family.values()))
    return (
        f"Planted truth: {len(sources)} of {planted} sources found ({len(sources) / planted:.0%}), "
        f"{len(selection.features) - len(sources) - len(useless)} copies too many, "
        f"{len(useless)} useless features kept."
    )
