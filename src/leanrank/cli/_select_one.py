"""`leanrank select --method NAME`: features by one method, without measuring what they are worth."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingSource
    from leanrank.selectors._base import Selector


#: Options of the command that are parameters of some selectors.
_OPTIONS = {
    "costs": "--costs",
    "groups": "--costs with groups",
    "must_keep": "--must-keep",
    "never": "--never",
    "budget": "--budget",
    "ranker": "--ranker",
}


def taken_by(method: str, **options: Any) -> dict[str, Any]:
    """Those of the options that were given, as parameters of the selector; one that it does not have is refused."""
    from leanrank.selectors import registry
    from leanrank.selectors.limits import Limits

    selector = registry.selector_class(method)
    given = {name: value for name, value in options.items() if value is not None and value != ()}
    known = selector._get_param_names()
    for name in given:
        if name not in known and (name == "ranker" or "limits" not in known):
            raise ParameterError(
                f"{selector.__name__} does not take {_OPTIONS[name]}: leave it out or use another method."
            )
    limits = {field.name: given.pop(field.name) for field in fields(Limits) if field.name in given}
    return {**given, "limits": Limits(**limits)} if limits else given


def select_one(
    method: str, settings: dict[str, Any], data: RankingSource | None, graph: Path | None, seed: int, source: str
) -> dict[str, Any]:
    """Fit one selector and return its record: names, ids, order, scores, trace, parameters, seed, fingerprint."""
    from leanrank.data.ranking_data import fingerprint
    from leanrank.selectors import registry

    selector = registry.get(method, **settings)
    if "random_state" in selector.get_params(deep=False) and "random_state" not in settings:
        selector.set_params(random_state=seed)
    if graph is not None:
        _fit_graph(selector, graph)
    elif data is None:
        raise ParameterError("Name a file of judged data, or a graph with --graph.")
    else:
        selector.fit(data)
    found = None if data is None else fingerprint(data)
    return {**selector.to_dict(), "seed": seed, "data": source, "fingerprint": found}


def _fit_graph(selector: Selector, path: Path) -> None:
    from leanrank.selectors._graph_selector import GraphSelector
    from leanrank.stats.feature_graph import FeatureGraph

    if not isinstance(selector, GraphSelector):
        raise ParameterError(f"{type(selector).__name__} does not live on a feature graph: leave out --graph.")
    selector.fit_graph(FeatureGraph.load(path))


def show_one(record: dict[str, Any], console: Console) -> None:
    """The features with the reason for each."""
    names, n_in = record["names"], record["n_features_in"]
    table = Table(title=f"{record['method']} keeps {len(names)} of {n_in} features", title_justify="left")
    table.add_column("#", justify="right")
    table.add_column("feature", overflow="fold")
    table.add_column("why", overflow="fold")
    for position, step in enumerate(record["trace"][: len(names)], start=1):
        table.add_row(str(position), Text(str(step["name"])), Text(str(step["reason"])))
    console.print(table)
    if record["dropped"]:
        console.print(Text(f"{len(record['dropped'])} features are constant inside every query and were left out."))
