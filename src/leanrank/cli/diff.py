"""`leanrank diff`: how two selections or two models differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.cli._catalogue import CatalogueOptions, Naming
from leanrank.cli._completion import metric_names, ranker_names
from leanrank.cli._option_groups import option_groups
from leanrank.cli._ranker_options import RankerOptions
from leanrank.cli._reading import JsonOption, Reading, largest_number
from leanrank.cli._settings import check_seed
from leanrank.cli._tables import table
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.evaluation.select.diff import Diff, Quality
    from leanrank.evaluation.select.diff_sides import Side


@option_groups()
def diff(
    a: Annotated[Path, typer.Argument(help="features.json of `select` or `order`, or a model of `train`.")],
    b: Annotated[Path, typer.Argument(help="Another one, of the same kind.")],
    data: Annotated[
        Path | None, typer.Option(help="Judged data to compare them on; queries that neither has seen.")
    ] = None,
    ranker: Annotated[
        str | None,
        typer.Option(
            "--ranker", "-r", help="What is trained on the features; as A was made with.", autocompletion=ranker_names
        ),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="What is measured; as A was, or ndcg@10.", autocompletion=metric_names)
    ] = None,
    cv: Annotated[int, typer.Option("--folds", "--cv", help="Folds, by query.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of everything that draws numbers.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads that train rankers; 0 takes every core.")] = 0,
    *,
    ranker_options: RankerOptions,
    reading: Reading,
    named: CatalogueOptions,
    as_json: JsonOption = False,
) -> None:
    """Compare A and B: which features, with --data which queries, and how sure it is which is better.

    Two selections are tried by cross-validation: the ranker is trained on both sets of features, in the same folds of
    the data. Two models score the data as they are, and nothing is trained.

    Example: leanrank diff features.json smaller.json --data test.txt
    """
    from leanrank.evaluation.select.diff import diff as compare
    from leanrank.evaluation.select.diff_sides import Side
    from leanrank.kernels._threads import default_threads
    from leanrank.rankers.registry import ranker_class

    check_seed(seed)
    if ranker is not None:
        ranker_class(ranker)
    trained = [ranker, metric, ranker_options.ranker_set, ranker_options.ranker_file]
    if data is None and (any(trained) or reading.given()):
        raise ParameterError("Nothing is measured without data: name them with --data FILE.")
    first, second = (Side.of(path, path.name) for path in (a, b))
    judged = None
    if data is not None:
        judged = reading.read(data, at_least=largest_number((*first.features, *second.features)))
    told = compare(
        first,
        second,
        judged,
        ranker=ranker_options.ranker(ranker),
        metric=metric,
        cv=cv,
        random_state=seed,
        n_jobs=jobs or default_threads(),
        progress=True,
    )
    naming = _naming(named, first, second)
    if as_json:
        print(json.dumps({**told.to_dict(), **naming.to_dict()}, ensure_ascii=False))
        return
    _show(told, naming, Console())


def _naming(named: CatalogueOptions, *sides: Side) -> Naming:
    """The catalogue that was named, or else the one that a selection was made with."""
    if named.catalogue is not None:
        return named.naming(tuple(dict.fromkeys(name for side in sides for name in side.feature_names)))
    return Naming(next((side.catalogue for side in sides if side.catalogue is not None), None))


def _show(told: Diff, naming: Naming, console: Console) -> None:
    console.print(Text(f"a: {told.a}; b: {told.b}"), soft_wrap=True)
    console.print(Text(told.sentence(), style="bold"))
    if told.only_a or told.only_b:
        console.print(_features(told, naming))
    if told.cost_a is not None and told.cost_b is not None:
        console.print(Text(f"Together a costs {told.cost_a:g}, b {told.cost_b:g}: {told.cost_b - told.cost_a:+g}."))
    if told.quality is not None:
        q = told.quality
        console.print(
            Text(f"{q.better:,} queries are better with b, {q.worse:,} worse, {q.same:,} the same ({q.how}).")
        )
        console.print(_queries(q))
    for note in told.notes:
        console.print(Text(f"Note: {note}.", style="yellow"))


def _features(told: Diff, naming: Naming) -> Table:
    columns = ["feature", *naming.headings, "in", *["copy of"] * bool(told.copies), *["cost"] * bool(told.costs)]
    drawn = table("Features of one alone", columns, right=["cost"])
    for name, where in (*((name, "a") for name in told.only_a), *((name, "b") for name in told.only_b)):
        cost = told.costs.get(name)
        price = ["" if cost is None else f"{cost:g}"] if told.costs else []
        copy = [Text(told.copies.get(name, ""))] if told.copies else []
        drawn.add_row(Text(name), *naming.cells(name), where, *copy, *price)
    return drawn


def _queries(quality: Quality) -> Table:
    columns = ("query", "a", "b", "change")
    drawn = table(f"{quality.metric}, and the queries that change most", columns, right=columns[1:])
    drawn.add_row("mean of all", f"{quality.a:.4f}", f"{quality.b:.4f}", f"{quality.difference:+.4f}", end_section=True)
    for query in quality.queries:
        change = f"{query['b'] - query['a']:+.4f}"
        drawn.add_row(Text(query["query"]), f"{query['a']:.4f}", f"{query['b']:.4f}", change)
    return drawn
