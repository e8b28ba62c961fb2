"""`leanrank export`: the selected features, and a model, for a search engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._catalogue import CatalogueOptions
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import check_outputs, refuse_stdout
from leanrank.cli._reading import JsonOption

if TYPE_CHECKING:
    from leanrank.exports.export import Export


@option_groups()
def export(
    features: Annotated[Path, typer.Argument(help="The selection: the JSON of `leanrank select`.")],
    to: Annotated[
        str,
        typer.Option(help="elasticsearch, elasticsearch-ml, opensearch, solr, vespa, ranklib, lightgbm or xgboost."),
    ],
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
    by_position: Annotated[
        bool, typer.Option("--by-position", help="Feature 3 of the data is the third of the set; else by name.")
    ] = False,
    unmatched: Annotated[
        str, typer.Option(help="What a feature whose query does not match was in training: zero or missing (trees).")
    ] = "zero",
    engine_version: Annotated[
        str | None, typer.Option(help="Of the engine, such as 8.17; the newest if not given.")
    ] = None,
    name: Annotated[str, typer.Option(help="The model's name in the engine.")] = "leanrank",
    *,
    named: CatalogueOptions,
    as_json: JsonOption = False,
) -> None:
    """Cut an engine's feature set down to the selection, numbered as the model's features are.

    Features are found by name; by position with --by-position, for data without names. Beside the feature set a mapping
    (old number -> new number) is written, and with --model the model in the engine's format: linear models and trees
    of LightGBM, XGBoost and CatBoost for Elasticsearch, OpenSearch, Solr, Vespa and RankLib; a library's own trees for
    itself. Scaling by query cannot be exported.

    Newer engines give trees a missing value, not 0, where the query of a feature does not match. --unmatched says what
    it was in training, and every split sends it there.

    Example: leanrank export features.json --to elasticsearch --featureset full.json --model model.json -o pruned.json
    """
    from leanrank.data.text_file import read_json
    from leanrank.data.whole_file import write_whole
    from leanrank.exports.export import export_features, model_suffix
    from leanrank.exports.target import Target
    from leanrank.rankers._saving import load_ranker

    targets = _targets(output, model_output, model_suffix(to))
    refuse_stdout("an export is several files", output, model_output)
    check_outputs(*targets.values(), reads=(features, featureset, model, normalizers, named.file))
    result = export_features(
        features,
        featureset,
        to=Target(to, engine_version, unmatched, name, targets["model"].name),
        model=None if model is None else load_ranker(model),
        normalizers=None if normalizers is None else read_json(normalizers),
        by_position=by_position,
        catalogue=named.read(),
    )
    texts = {"featureset": result.feature_set, "mapping": result.mapping, "model": result.model}
    written = {kind: targets[kind] for kind, text in texts.items() if text is not None}
    for kind, path in written.items():
        write_whole(path, texts[kind] or "")
    _say(result, to, "position" if by_position else "name", written, as_json=as_json)


def _targets(output: Path, model_output: Path | None, suffix: str) -> dict[str, Path]:
    """Where each text goes: the mapping, and the model if nothing else is said, beside the feature set."""
    beside = output.with_suffix("")
    model = model_output or beside.with_name(beside.name + suffix)
    return {"featureset": output, "mapping": beside.with_name(beside.name + ".mapping.json"), "model": model}


def _say(result: Export, to: str, matched: str, written: dict[str, Path], *, as_json: bool) -> None:
    if as_json:
        record = {kind: str(path) for kind, path in written.items()}
        names = [feature.name for feature in result.features]
        copies = {feature.name: list(feature.stands_for) for feature in result.features if feature.stands_for}
        told = {"to": to, "n_features": len(names), "features": names, "stands_for": copies, "matched": matched}
        print(json.dumps({**told, **record}, ensure_ascii=False))
        return
    console = Console()
    console.print(Text(f"{len(result.features)} features for {to}, matched by {matched}, in the order of the model."))
    standing = [feature for feature in result.features if feature.stands_for]
    if standing:
        n_others = sum(len(feature.stands_for) for feature in standing)
        stand = f"{len(standing)} of them stand" if len(standing) > 1 else "One of them stands"
        said = f"{stand} for {n_others} other{'s' * (n_others > 1)}, copies in the training data: see the mapping."
        console.print(Text(said))
    console.print(Text("Written: " + ", ".join(str(path) for path in written.values()) + "."), soft_wrap=True)
