"""`leanrank train`: fit a ranker and write it down."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._completion import metric_lists, ranker_names
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, check_outputs, refuse_stdout, write_text
from leanrank.cli._ranker_options import RankerOptions
from leanrank.cli._reading import FileArgument, JsonOption, ReadingChosen
from leanrank.cli._settings import parse_settings
from leanrank.cli._standard_input import typed
from leanrank.cli._tables import table

if TYPE_CHECKING:
    from leanrank.rankers._base import Ranker


@option_groups()
def train(
    file: FileArgument,
    ranker: Annotated[
        str, typer.Option("--ranker", "-r", help="The learner, by name.", autocompletion=ranker_names)
    ] = "ranksvm",
    features: Annotated[
        Path | None, typer.Option(help="Features to use: the JSON of `leanrank select`. All if not given.")
    ] = None,
    valid: Annotated[Path | None, typer.Option(help="Held-out data to choose C, rounds or epochs on.")] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="As --ranker-set."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the model (.json); - is standard output.")
    ] = Path("model.json"),
    metric: Annotated[
        str, typer.Option(help="Metrics to report, with commas between.", autocompletion=metric_lists)
    ] = "ndcg@10,map",
    seed: Annotated[int, typer.Option(help="Seed of rankers that draw numbers.")] = 0,
    *,
    ranker_options: RankerOptions,
    reading: ReadingChosen,
    as_json: JsonOption = False,
) -> None:
    """Train a ranker on FILE.

    Every feature is divided by a constant, its mean range within queries, where the ranker wants features of one
    scale and can take the constants into its weights: the model is for the features as they are. RankSVM chooses its C
    on --valid, or on a fifth of the queries, unless one is set.

    Example: leanrank train train.txt --ranker ranksvm --features features.json --valid vali.txt -o model.json
    """
    from leanrank.cli._unlike_scales import warn_of_unlike_scales
    from leanrank.evaluation.final_training import train_to_ship
    from leanrank.metrics.names import metric as parse_metric

    beside = None if output == STDOUT else Path(f"{output}.npz")
    check_outputs(output, beside, reads=(file, features, valid, ranker_options.ranker_file))
    settings = {**ranker_options.of_one(ranker), **parse_settings(setting)}
    measures = [parse_metric(name) for name in metric.split(",")]
    model = _ranker(ranker, seed, settings)
    data = reading.read(file) if features is None else reading.read_chosen(file, features)[0]
    held_out = None if valid is None else reading.read_for_model(valid, data.feature_names)
    warn_of_unlike_scales(model, data)
    chooses = isinstance(getattr(model, "C", None), list | tuple)
    model = train_to_ship(model, data, held_out)
    _save(model, output)
    parts = {"training": data} | ({} if held_out is None else {"held out": held_out})
    quality = {name: {m.name: model.score(part, metric=m) for m in measures} for name, part in parts.items()}
    record = {
        "file": typed(file),
        "model": str(output),
        "ranker": model._name,
        "n_rows": data.n_rows,
        "n_queries": data.n_queries,
        "features": list(data.feature_names),
        **(
            {"C": model.C_, "chosen_on": "a fifth of the queries" if valid is None else typed(valid)} if chooses else {}
        ),
        "quality": {part: {m: None if v != v else v for m, v in values.items()} for part, values in quality.items()},
    }
    if as_json and output != STDOUT:
        print(json.dumps(record, ensure_ascii=False))
        return
    _show(record, output)


def _ranker(name: str, seed: int, settings: dict[str, Any]) -> Ranker:
    """The ranker as `select` measures it: RankSVM has its C chosen unless one is set."""
    from leanrank.rankers import registry
    from leanrank.rankers.ranksvm import GRID, RankSVM

    known = registry.ranker_class(name)
    names = known._get_param_names()
    if "random_state" in names or "estimator" in names:  # every booster has one
        settings = {"random_state": seed, **settings}
    elif known is RankSVM:
        settings = {"C": GRID, **settings}
    return registry.get(name, **settings)


def _save(model: Ranker, output: Path) -> None:
    """Write the model, or print one that is a single file."""
    if output != STDOUT:
        model.save(output)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        model.save(path)
        if len(list(Path(folder).iterdir())) > 1:
            refuse_stdout("this model is two files", output)
        write_text(STDOUT, path.read_text(encoding="utf-8"))


def _show(record: dict[str, Any], output: Path) -> None:
    console = Console(stderr=output == STDOUT)
    size = f"{len(record['features'])} features, {record['n_rows']:,} documents, {record['n_queries']:,} queries"
    metrics = list(record["quality"]["training"])
    drawn = table(f"{record['ranker']} on {size}", ["", *metrics], right=metrics)
    for part, values in record["quality"].items():
        drawn.add_row(part, *("nan" if value is None else f"{value:.4f}" for value in values.values()))
    console.print(drawn)
    if "C" in record:
        console.print(Text(f"C = {record['C']:g}, chosen on {record['chosen_on']}."), soft_wrap=True)
    if output == STDOUT:
        return
    console.print(
        Text(f"Written: {output}. Next: leanrank predict test.txt --model {output} -o scores.txt"), soft_wrap=True
    )
