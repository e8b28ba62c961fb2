"""`leanrank order`: features in the order of one method, without measuring what they are worth."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._catalogue import CatalogueOptions, Naming
from leanrank.cli._completion import method_names, ranker_names
from leanrank.cli._invocation import announced
from leanrank.cli._limits import LimitOptions
from leanrank.cli._measuring import CollapseOption
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import Delivery, FormatOption, OutputOption, check_outputs
from leanrank.cli._reading import JsonOption, Reading
from leanrank.cli._settings import check_seed, parse_settings
from leanrank.cli._standard_input import typed
from leanrank.cli._tables import table
from leanrank.errors import DataError, ParameterError

if TYPE_CHECKING:
    from leanrank.selectors._base import Selector
    from leanrank.stats.feature_graph import FeatureGraph

#: Options that are parameters of some selectors only.
_OPTIONS = {
    "at_most": "--family-limit",
    "budget": "--budget",
    "costs": "--costs",
    "engine": "--engine",
    "groups": "--costs with groups",
    "must_keep": "--must-keep",
    "never": "--never",
    "ranker": "--ranker",
    "together": "--together and --pair",
}


@announced
@option_groups()
def order(
    file: Annotated[Path | None, typer.Argument(help="Judged data; not needed with --graph.")] = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help="The selector, by name.", autocompletion=method_names)
    ] = "gas",
    k: Annotated[int | None, typer.Option("-k", help="How many features; else as many as the method takes.")] = None,
    graph: Annotated[
        Path | None, typer.Option(help="A graph of `leanrank graph` to use instead of computing it.")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of the method, e.g. c=0.5 or neighbours.n_samples=500."
        ),
    ] = None,
    ranker: Annotated[
        str | None,
        typer.Option("--ranker", "-r", help="The learner of a method that trains one.", autocompletion=ranker_names),
    ] = None,
    engine: Annotated[str | None, typer.Option(help="local[:threads], cuda, dask://host:port or spark.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything that draws numbers.")] = 0,
    collapse: CollapseOption = True,
    output: OutputOption = None,
    form: FormatOption = None,
    *,
    limits: LimitOptions,
    named: CatalogueOptions,
    reading: Reading,
    as_json: JsonOption = False,
) -> None:
    """Order the features of FILE by one method. Nothing is measured: `leanrank select` finds out what they are worth.

    Example: leanrank order train.txt --method gas -k 4 -o features.json
    """
    check_seed(seed)
    if file is None and graph is None:
        raise ParameterError("Name a file of judged data, or a graph with --graph.")
    if file is None and reading.given():
        raise ParameterError(f"{reading.arguments()[0]} belongs to a file of judged data: name one, or leave it out.")
    check_outputs(output, reads=(file, graph, limits.costs, named.file))
    where = _checked(ranker, engine)
    known, rules = named.read(), limits.read()
    default_cost = rules.pop("default_cost")
    settings = parse_settings(setting) | _taken_by(method, **rules, ranker=ranker, engine=where)
    if k is not None:
        settings["n_features_to_select"] = k
    selector = _selector(method, {"collapse": collapse, **settings}, seed)
    source = _source(selector, method, file, graph, reading)
    naming = Naming(None if known is None else known.of(source.feature_names))
    _complete_limits(selector, method, source, naming, default_cost)
    fingerprint = _fit(selector, source)
    chosen = {**selector.to_dict(), **naming.to_dict()}
    if not chosen["names"]:
        raise DataError(
            f"{method} keeps no feature of {file or graph}, so nothing is written: nothing in the data tells one from "
            "another, or it asks for more than any has. Look at the labels with leanrank lint."
        )
    record = {**chosen, "seed": seed, "data": typed(file or graph or Path()), "fingerprint": fingerprint}
    delivery = Delivery(output, form, as_json)
    delivery.write(record)
    if delivery.is_shown:
        console = Console()
        _show(record, method, naming, console)
        if selector.collapse and source.hides_copies:
            console.print(Text("Copies were not looked for: this graph does not show them. Name the judged data too."))
        if output is not None:
            console.print(Text(f"Written: {output}"), soft_wrap=True)


def _checked(ranker: str | None, engine: str | None) -> Any:
    """The engine; it and a ranker that are unknown are refused before any work."""
    from leanrank.engines.parse import engine_of
    from leanrank.rankers.registry import ranker_class

    where = None if engine is None else engine_of(engine)
    if ranker is not None:
        ranker_class(ranker)
    return where


def _taken_by(method: str, **options: Any) -> dict[str, Any]:
    """Those of the options that were given, as parameters of the selector; one that it does not have is refused."""
    from leanrank.selectors import registry
    from leanrank.selectors.limits import Limits

    known = registry.selector_class(method)._get_param_names()
    given = {name: value for name, value in options.items() if value is not None}
    rules = {field.name for field in fields(Limits)}
    for name in given:
        if ("limits" if name in rules else name) not in known:
            raise ParameterError(f"{method} does not take {_OPTIONS[name]}: leave it out or use another method.")
    limits = {name: given.pop(name) for name in rules & given.keys()}
    return {**given, "limits": Limits(**limits)} if limits else given


def _selector(method: str, settings: dict[str, Any], seed: int) -> Selector:
    from leanrank.selectors import registry

    selector = registry.get(method, **settings)
    own = any(name.endswith("random_state") for name in settings) or type(settings.get("shuffle_ties")) is int
    return selector if own else selector.change_seeds(lambda _: seed)


@dataclass(frozen=True)
class _Source:
    """What features are ordered by: a graph, or else the data; of these the fingerprint is kept."""

    data: Any
    graph: FeatureGraph | None

    @property
    def hides_copies(self) -> bool:
        """Whether nothing tells which features order every query alike."""
        return self.graph is not None and not self.graph.shows_copies and self.data is None

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple((self.data if self.graph is None else self.graph).feature_names)


def _source(selector: Selector, method: str, file: Path | None, graph: Path | None, reading: Reading) -> _Source:
    from leanrank.selectors._graph_selector import GraphSelector
    from leanrank.stats.feature_graph import FeatureGraph

    if graph is not None and not (isinstance(selector, GraphSelector) and selector.is_of_queries):
        raise ParameterError(f"{method} does not live on a feature graph: leave out --graph.")
    scans = selector.get_params(deep=False).get("engine") is not None  # an engine reads block by block
    data = None if file is None else reading.scan(file) if scans else reading.read(file)
    return _Source(data, None if graph is None else FeatureGraph.load(graph))


def _complete_limits(selector: Any, method: str, source: _Source, naming: Naming, default_cost: float | None) -> None:
    """Give the selector the costs and families of the catalogue, and the default price, where it takes any."""
    from leanrank.selectors.limits import Limits, catalogued

    if "limits" in selector.get_params(deep=False):
        own = selector.limits or Limits()
        selector.limits = catalogued(own, source.feature_names, naming.catalogue, default_cost, owner=method)
    elif default_cost is not None:
        raise ParameterError(f"{method} does not take --default-cost: leave it out or use another method.")


def _fit(selector: Any, source: _Source) -> str | None:
    """Fit it on the graph, or else on the data; returns the fingerprint of the data, where there are any."""
    from leanrank.data.ranking_data import fingerprint

    if source.graph is not None:
        selector.fit_graph(source.graph, source.data)
    else:
        selector.fit(source.data)
    return None if source.data is None else fingerprint(source.data)


def _show(record: dict[str, Any], method: str, naming: Naming, console: Console) -> None:
    """The features with the reason for each."""
    from leanrank.selectors.features_file import replaced

    names, n_in = record["names"], record["n_features_in"]
    columns = ("#", "feature", *naming.headings, "why")
    drawn = table(f"{method} keeps {len(names)} of {n_in} features", columns, right=["#"])
    why = {step["name"]: str(step["reason"]) for step in record["trace"]}
    for position, name in enumerate(names, start=1):
        drawn.add_row(str(position), Text(name), *naming.cells(name), Text(why.get(name, "")))
    console.print(drawn)
    copies = {copy for others in record["stands_for"].values() for copy in others}
    constant = [name for name in record["dropped"] if name not in copies]
    if constant:
        are = "feature is" if len(constant) == 1 else "features are"
        left = f"{len(constant)} {are} constant inside every query and left out."
        console.print(Text(left))
    for name, others in replaced(names, record["stands_for"]).items():
        told = f"{naming.label(name)} stands for {', '.join(naming.labels(others))}: they order every query alike."
        console.print(Text(told), soft_wrap=True)
