"""`leanrank export`: the selected features, and a model, for a search engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._outputs import check_outputs, refuse_stdout
from leanrank.cli._reading import JsonOption


def export(
    features: Annotated[Path, typer.Argument(help="The selection: the JSON of `leanrank select`.")],
    to: Annotated[str, typer.Option(help="elasticsearch, opensearch, solr, vespa, ranklib, lightgbm or xgboost.")],
    featureset: Annotated[Path, typer.Option(help="The engine's file of all features.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the pruned feature set.")],
    model: Annotated[
        Path | None, typer.Option("--model", "-m", help="A model of `leanrank train --features`: export it as well.")
    ] = None,
    model_output: Annotated[
        Path | None, typer.Option(help="Where to write the engine's model; beside the feature set if not given.")
    ] = None,
    normalizers: Annotated[
        Path | None, typer.Option(help="JSON: min_max or standard constants by which the model's data were scaled.")
    ] = None,
    match: Annotated[str, typer.Option(help="Find features by name, by position, or auto.")] = "auto",
    name: Annotated[str, typer.Option(help="The model's name in the engine.")] = "leanrank",
    as_json: JsonOption = False,
) -> None:
    """Cut an engine's feature set down to the selection, numbered as the model's features are.

    Features are found by name, or by position where the data had no names ("1" to "K": feature 3 is the third). Beside
    the feature set a mapping (old number -> new number) is written, and with --model the model in the engine's
    format: linear models for Elasticsearch, OpenSearch, Solr, Vespa and RankLib; XGBoost for Elasticsearch,
    OpenSearch, Vespa and XGBoost; LightGBM for Vespa and LightGBM. Scaling by query cannot be exported.

    Example: leanrank export features.json --to elasticsearch --featureset full.json --model model.json -o pruned.json
    """
    from leanrank.data.text_file import read_json
    from leanrank.data.whole_file import write_whole
    from leanrank.exports.export import export_features, model_suffix
    from leanrank.rankers._saving import load_ranker

    beside = output.with_suffix("")
    model_path = model_output or beside.with_name(beside.name + model_suffix(to))
    mapping_path = beside.with_name(beside.name + ".mapping.json")
    refuse_stdout("an export is several files", output, model_output)
    check_outputs(output, mapping_path, model_path, reads=(features, featureset, model, normalizers))
    result = export_features(
        features,
        featureset,
        to=to,
        model=None if model is None else load_ranker(model),
        normalizers=None if normalizers is None else read_json(normalizers),
        match=match,
        name=name,
        model_file=model_path.name,
    )
    written = {"featureset": output, "mapping": mapping_path}
    write_whole(output, result.feature_set)
    write_whole(mapping_path, result.mapping)
    if result.model is not None:
        write_whole(model_path, result.model)
        written["model"] = model_path
    if as_json:
        record = {key: str(path) for key, path in written.items()}
        names = [feature.name for feature in result.features]
        print(json.dumps({"to": to, "n_features": len(names), "features": names, **record}, ensure_ascii=False))
        return
    console = Console()
    console.print(Text(f"{len(result.features)} features for {to}, in the order of the model."))
    console.print(Text("Written: " + ", ".join(str(path) for path in written.values()) + "."), soft_wrap=True)
