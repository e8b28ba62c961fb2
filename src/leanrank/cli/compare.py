"""`leanrank compare`: many methods, rankers and sizes on one data set, cross-validated into a journal."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._catalogue import CatalogueOptions
from leanrank.cli._completion import method_lists, metric_lists, metric_names, ranker_lists
from leanrank.cli._invocation import Invocation
from leanrank.cli._limits import LimitOptions
from leanrank.cli._measuring import folds_of
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import check_outputs, refuse_stdout
from leanrank.cli._ranker_options import RankerOptions
from leanrank.cli._reading import Reading
from leanrank.cli._signals import INTERRUPTED
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.evaluation.compare.request import CompareSettings
    from leanrank.selectors.limits import Limits


@dataclass(frozen=True)
class ComparedOptions:
    """Methods, rankers, sizes and metrics, each with commas between; see `option_groups`."""

    methods: Annotated[
        str,
        typer.Option(
            help="Selectors, with commas; 'all', or 'filters' that train nothing.", autocompletion=method_lists
        ),
    ] = "all"
    rankers: Annotated[str, typer.Option(help="Rankers, with commas.", autocompletion=ranker_lists)] = (
        "ranksvm,lightgbm"
    )
    k: Annotated[str, typer.Option("-k", "--k", help="Numbers of features, with commas.")] = "5,10,15,20"
    metrics: Annotated[str, typer.Option(help="Metrics, with commas.", autocompletion=metric_lists)] = (
        "ndcg@1,ndcg@3,ndcg@5,ndcg@10,map"
    )

    def read(self) -> dict[str, Any]:
        """The same as parameters of `compare`."""
        lists = {name: _parts(text) for name, text in vars(self).items()}
        return {**lists, "k": [_whole(size) for size in lists["k"]]}


@dataclass(frozen=True)
class ConditionOptions:
    """Conventions, tuning, scaling, folds and the seed; see `option_groups`."""

    convention: Annotated[
        str, typer.Option(help="The metrics' convention: standard, letor3, letor4, mslr, trec, ...")
    ] = "standard"
    validation: Annotated[
        str, typer.Option(help="The metric that settings are chosen by.", autocompletion=metric_names)
    ] = "map"
    tune: Annotated[bool, typer.Option(help="Tune the selectors too, not only the rankers.")] = False
    scale: Annotated[bool, typer.Option(help="Bring every feature of every query to [0, 1] first.")] = False
    folds: Annotated[
        str,
        typer.Option(
            "--folds", "--cv", help="Folds, by query, of data that have none of their own; 'time' tests what is later."
        ),
    ] = "5"
    seed: Annotated[int, typer.Option(help="Seed of the folds and of methods that draw numbers.")] = 0

    def settings(self, ranker_settings: dict[str, dict[str, Any]], limits: Limits | None) -> CompareSettings:
        """The same as `compare` takes them, with the parameters of rankers by name and what every set obeys."""
        from leanrank.data.scaling import QueryMinMaxScaler
        from leanrank.evaluation.compare.request import CompareSettings

        return CompareSettings(
            convention=self.convention,
            validation=self.validation,
            tune=self.tune,
            scaler=QueryMinMaxScaler() if self.scale else None,
            n_splits=folds_of(self.folds),
            random_state=self.seed,
            ranker_settings=ranker_settings,
            limits=limits,
        )


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(f"A number of features is a whole number >= 1, as in -k 5,10. Got {text!r}.")
    return int(text)


@option_groups()
def compare(
    context: typer.Context,
    data: Annotated[
        Path | None, typer.Argument(help="Judged data: a file, or a folder with S1..S5 or Fold1..Fold5.")
    ] = None,
    *,
    compared: ComparedOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="The journal of results.")] = Path("results.db"),
    show: Annotated[Path | None, typer.Option(help="Print the tables of a journal, and compute nothing.")] = None,
    table: Annotated[
        Path | None, typer.Option(help="Also write a table: .parquet (a row per fold), or .json (every table).")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="The metric that is tested; the last one if not given.", autocompletion=metric_names),
    ] = None,
    conditions: ConditionOptions,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; 0 takes every core.")] = 0,
    engine: Annotated[
        str | None, typer.Option(help="dask://host:port or spark: work on a cluster; the journal stays.")
    ] = None,
    ranker_options: RankerOptions,
    limits: LimitOptions,
    named: CatalogueOptions,
    reading: Reading,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Compare selection methods on DATA, a file or the folder of a LETOR data set.

    Every result is kept in the journal at once: the same command goes on where an interrupted one was, and does only
    what is new when methods, rankers or sizes are added.

    Example: leanrank compare ohsumed --methods gas,mmr,fs-scpr --rankers ranksvm -k 5,10 -o results.db
    """
    from leanrank.evaluation.compare.comparison import Comparison, check_kind

    refuse_stdout("tables for people go there: --json prints them for machines", output, table)
    check_outputs(table, reads=(data, show))
    if table is not None:
        check_kind(table)
    if show is not None:
        _print(Comparison.load(show), metric, table, named, as_json=as_json)
        return
    if data is None:
        raise ParameterError("Name the data to compare on, or a journal with --show.")
    from leanrank.engines.parse import engine_of
    from leanrank.evaluation.compare.run import compare as run
    from leanrank.kernels._threads import default_threads

    check_outputs(output, table, reads=(data, ranker_options.ranker_file, limits.costs, named.file))
    source = _source(data, reading)
    rules = _limits(limits, named, None if isinstance(source, Path) else source.feature_names)
    try:
        comparison = run(
            source,
            **compared.read(),
            journal=output,
            n_jobs=jobs or default_threads(),
            engine=None if engine is None else engine_of(engine),
            settings=conditions.settings(ranker_options.read(compared.read()["rankers"]), rules),
        )
    except KeyboardInterrupt:
        print(
            f"leanrank: interrupted after {_finished(output)} tasks; they are kept in {output}. To go on:",
            file=sys.stderr,
        )
        print(f"  {Invocation.of(context).command()}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    _print(comparison, metric, table, named, as_json=as_json)
    if not as_json:
        Console().print(Text(f"The results are in {output}. To see them again: leanrank compare --show {output}"))


def _limits(limits: LimitOptions, named: CatalogueOptions, names: Sequence[str] | None) -> Limits | None:
    """What every method obeys; None where nothing was asked for. A folder's features are those of the catalogue."""
    from leanrank.selectors.limits import Limits, catalogued

    rules = limits.read()
    default_cost = rules.pop("default_cost")
    given = {name: value for name, value in rules.items() if value is not None}
    known = named.read()
    if not given and default_cost is None:
        return None
    if known is not None and names is not None:
        known = known.of(names)
    features = names if names is not None else [facts.id for facts in known or ()]
    return catalogued(Limits(**given), features, known, default_cost, owner="compare")


def _print(comparison: Any, metric: str | None, table: Path | None, named: CatalogueOptions, *, as_json: bool) -> None:
    if table is not None:
        comparison.write(table, metric)
    if as_json:
        print(json.dumps(comparison.to_dict(metric), ensure_ascii=False, indent=1, allow_nan=False))
        return
    from leanrank.cli._tables import show_comparison

    console = Console()
    # Tables are wide: in a pipe nothing is cut off.
    naming = named.naming(comparison.about["feature_names"])
    show_comparison(comparison, metric, console if console.is_terminal else Console(width=200), naming)


def _source(path: Path, reading: Reading) -> Any:
    """A folder with LETOR's folds as it is; anything else is read."""
    if path.is_dir() and not any(path.rglob("*.parquet")):
        if reading.only or reading.drop:
            raise ParameterError("--only and --drop belong to a file: a folder of LETOR's folds is taken as it is.")
        return path
    return reading.read(path)


def _finished(path: Path) -> int:
    """Tasks in a journal; none where it was not begun."""
    from leanrank.evaluation.journal import Journal, read_about

    if not path.is_file():
        return 0
    with Journal(path, read_about(path)) as journal:
        return len(journal)
