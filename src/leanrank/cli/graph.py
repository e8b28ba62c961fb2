"""`leanrank graph`: compute the feature graph once, for every method to use."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._catalogue import CatalogueOptions
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, check_outputs, refuse_binary_on_terminal, refuse_stdout, write_chart
from leanrank.cli._reading import FileArgument, JsonOption, Reading
from leanrank.cli._standard_input import typed
from leanrank.cli._tables import table

if TYPE_CHECKING:
    from leanrank.stats.feature_graph import FeatureGraph


@option_groups()
def graph(
    file: FileArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the graph (.npz); - is standard output.")
    ] = Path("graph.npz"),
    importance: Annotated[str, typer.Option(help="What a feature alone is worth: a metric or a loss.")] = "map",
    similarity: Annotated[str, typer.Option(help="kendall, spearman, pearson or tau_ap.")] = "kendall",
    ties: Annotated[
        str, typer.Option(help="Kendall's ties: signed, or strict (as papers count), half, clipped, ordinal, tau-b.")
    ] = "signed",
    engine: Annotated[str | None, typer.Option(help="local[:threads], cuda, dask://host:port or spark.")] = None,
    heatmap: Annotated[Path | None, typer.Option(help="Also write a heatmap (.html, .png, .svg).")] = None,
    draw: Annotated[Path | None, typer.Option(help="Also draw the graph (.html, .png, .svg).")] = None,
    *,
    reading: Reading,
    named: CatalogueOptions,
    as_json: JsonOption = False,
) -> None:
    """Compute how good each feature of FILE is alone and how alike each two are.

    Example: leanrank graph train.txt -o graph.npz --heatmap heatmap.html
    """
    from leanrank.stats.feature_graph import feature_graph
    from leanrank.stats.similarity import Similarity

    check_outputs(output, heatmap, draw, reads=[file, named.file])
    refuse_stdout("the graph itself may go there", heatmap, draw)
    refuse_binary_on_terminal(output)
    measure = Similarity(similarity, ties=ties) if similarity == "kendall" else Similarity(similarity)
    where, judged = None, None
    if engine is not None:
        from leanrank.engines.parse import engine_of

        where, judged = engine_of(engine), reading.scan(file)
    else:
        judged = reading.read(file).require_complete("The feature graph")
    naming = named.naming(judged.feature_names)
    computed = feature_graph(judged, importance, measure, where, progress=True)
    computed.save(output)
    shown = computed if naming.catalogue is None else computed.labelled(naming.catalogue)
    if heatmap is not None:
        write_chart(shown.heatmap(), heatmap)
    if draw is not None:
        write_chart(shown.draw(), draw)
    pairs = computed.strongest_pairs(10)
    copies = [[computed.feature_names[j] for j in group] for group in computed.copies()]
    constant = [name for name, is_so in zip(computed.feature_names, computed.constant, strict=True) if is_so]
    if output == STDOUT:
        return
    if as_json:
        about = {"file": typed(file), "graph": str(output), "n_features": len(computed.feature_names)}
        facts = {"n_queries": computed.n_queries, "strongest_pairs": pairs, "copies": copies, "constant": constant}
        print(json.dumps({**about, **facts, **naming.to_dict()}, ensure_ascii=False))
        return
    console = Console()
    _show(shown, console)
    written = [output, *(path for path in (heatmap, draw) if path is not None)]
    console.print(Text(f"Written: {', '.join(map(str, written))}. "), end="", soft_wrap=True)
    console.print(Text(f"Next: leanrank order --graph {shlex.quote(str(output))} --method gas -k 10"), soft_wrap=True)


def _show(graph: FeatureGraph, console: Console, shown: int = 10) -> None:
    title = f"The best of {len(graph.feature_names)} features alone"
    best = table(title, ("feature", "importance"), right=["importance"])
    for j in sorted(range(len(graph.importance)), key=lambda j: (-graph.importance[j], j))[:shown]:
        best.add_row(Text(graph.feature_names[j]), f"{graph.importance[j]:.4f}")
    console.print(best)
    alike = table("The most similar pairs", ("feature", "feature", "similarity"), right=["similarity"])
    for a, b, strength in graph.strongest_pairs(shown):
        alike.add_row(Text(a), Text(b), f"{strength:.4f}")
    console.print(alike)
    for group in graph.copies():
        names = ", ".join(graph.feature_names[j] for j in group)
        console.print(Text(f"These order every query alike, and methods take one of them: {names}"), soft_wrap=True)
    constant = [name for name, is_so in zip(graph.feature_names, graph.constant, strict=True) if is_so]
    if constant:
        said = f"Constant inside every query, and taken by no method: {', '.join(constant)}"
        console.print(Text(said), soft_wrap=True)
