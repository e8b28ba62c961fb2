"""`leanrank select`: which features to keep."""

from __future__ import annotations

import csv
import json
import math
import shlex
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._costs import read_costs
from leanrank.cli._input import (
    CommentsOption,
    JsonOption,
    LabelOption,
    QidOption,
    RegroupOption,
    read_data,
    read_like,
    scan_data,
)
from leanrank.cli._select_auto import announced, interruptible, journal_of, select_auto
from leanrank.cli._selection_tables import show_selection
from leanrank.cli._settings import parse_setting
from leanrank.cli._writable import require_writable
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData
    from leanrank.evaluation.select.selection import Selection


class Format(StrEnum):
    """How the chosen features are written."""

    json = "json"
    ids = "ids"
    names = "names"
    ranklib = "ranklib"


@announced
def select(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="Judged data; not needed with --graph.")] = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help="auto: measure a portfolio of methods; or one selector by name.")
    ] = "auto",
    k: Annotated[int | None, typer.Option("-k", help="How many features, instead of the stop rule.")] = None,
    max_loss: Annotated[float | None, typer.Option(help="auto: the loss the stop rule allows (0.002).")] = None,
    budget: Annotated[float | None, typer.Option(help="The most the features may cost together.")] = None,
    costs: Annotated[
        Path | None, typer.Option(help="CSV with the columns feature, cost[, group]; a group is paid for once.")
    ] = None,
    must_keep: Annotated[str | None, typer.Option(help="Features to keep in any case, separated by commas.")] = None,
    never: Annotated[str | None, typer.Option(help="Features never to take, separated by commas.")] = None,
    ranker: Annotated[
        str | None,
        typer.Option(
            "--ranker", "-r", help="auto, methods that train one: lightgbm (auto's if installed), ranksvm, ..."
        ),
    ] = None,
    metric: Annotated[str, typer.Option(help="auto: what is measured.")] = "ndcg@10",
    methods: Annotated[str, typer.Option(help="auto: the portfolio, names separated by commas.")] = "auto",
    valid: Annotated[Path | None, typer.Option(help="auto: data that rankers stop early on.")] = None,
    test: Annotated[Path | None, typer.Option(help="auto: data to measure the final choice on.")] = None,
    cv: Annotated[int, typer.Option("--folds", "--cv", help="auto: folds, by query.")] = 5,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="auto: threads that train rankers; 0 takes every core.")
    ] = 1,
    journal: Annotated[Path | None, typer.Option(help="auto: where finished work is kept.")] = None,
    resume: Annotated[Path | None, typer.Option(help="auto: go on with the journal of an interrupted run.")] = None,
    graph: Annotated[
        Path | None, typer.Option(help="One method: a graph of `leanrank graph` to use instead of computing it.")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="One method: a parameter, e.g. c=0.5.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the features.")] = None,
    form: Annotated[Format | None, typer.Option("--format", help="json, ids, names (one a line) or ranklib.")] = None,
    report: Annotated[Path | None, typer.Option(help="auto: also write a report (.html, .md or .json) here.")] = None,
    engine: Annotated[str | None, typer.Option(help="local[:threads], cuda, dask://host:port or spark.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything that draws numbers.")] = 0,
    label: LabelOption = None,
    qid: QidOption = None,
    comments: CommentsOption = None,
    regroup: RegroupOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find the fewest features of FILE that rank as well as all of them.

    Example: leanrank select train.txt -o features.json
    """

    reading: dict[str, Any] = {"label": label, "qid": qid, "comments": comments, "regroup": regroup}
    console = Console()
    where: Any = None
    # whatever can be refused before any work is refused here
    _check_numbers(seed, max_loss)
    one = method != "auto" or graph is not None
    _refuse_options_of_the_other(context, one=one)
    if k is not None and max_loss is not None:
        raise ParameterError(
            "-k fixes the number of features, --max-loss lets the stop rule find it: drop one of them."
        )
    if graph is not None and file is None:
        _refuse(context, ("label", "qid", "comments", "regroup"), "a file of judged data")
    if ranker is not None:
        from leanrank.rankers.registry import ranker_class

        ranker_class(ranker)
    if engine is not None:
        from leanrank.engines.parse import engine_of

        where = engine_of(engine)
    if report is not None:
        from leanrank.report.writing import form_of, renderer, write_report

        if one:
            raise ParameterError("--report shows what was measured, and one method alone measures nothing: drop one.")
        renderer(form_of(report))
    require_writable(output, report)
    prices, groups = (None, None) if costs is None else read_costs(costs)
    limits: dict[str, Any] = {
        "budget": budget,
        "costs": prices,
        "groups": groups,
        "must_keep": _names(must_keep),
        "never": _names(never),
    }
    if one:
        from leanrank.cli._select_one import select_one, show_one, taken_by

        name = "gas" if method == "auto" else method
        settings = dict(parse_setting(text) for text in setting or []) | taken_by(name, **limits, ranker=ranker)
        if k is not None:
            settings["n_features_to_select"] = k
        if where is not None:
            settings["engine"] = where
        judged: Any = None  # an engine reads it block by block
        if file is not None:
            judged = read_data(file, **reading) if where is None else scan_data(file, **reading)
        record = select_one(name, settings, judged, graph, seed, str(file or graph))
        if _deliver(record, output, form, as_json=as_json):
            show_one(record, console)
            _say_written(output, console)
        return
    if file is None:
        raise ParameterError("Name a file of judged data.")
    if resume is not None and not resume.is_file():
        raise ParameterError(f"There is no journal {str(resume)!r} to resume.")
    path, command = journal_of(journal, resume, output), shlex.join(["leanrank", *sys.argv[1:]])
    with interruptible(path, command, resumes=resume is not None):
        from leanrank.cli._origin import origin_of, remember
        from leanrank.kernels._threads import default_threads

        data = read_data(file, **reading)
        held_out, judged = (None if other is None else read_like(other, data, **reading) for other in (valid, test))
        selection = select_auto(
            data,
            journal=journal,
            resume=resume,
            output=output,
            ranker=ranker,
            metric=metric,
            methods=methods,
            n_features=k,
            max_loss=max_loss,
            **limits,
            cv=cv,
            random_state=seed,
            engine=where,
            valid=held_out,
            n_jobs=jobs or default_threads(),
            progress=True,
        )
        if judged is not None and judged.fingerprint() == data.fingerprint():
            print(
                f"leanrank: {test} holds what {file} holds: figures on it say nothing of other queries", file=sys.stderr
            )
        tested = None if judged is None else _test(selection, ranker, metric, data, held_out, judged)
        selection = replace(selection, source=origin_of(file, **reading))
        remember(path, selection, tested)
        record = selection.to_dict() if tested is None else {**selection.to_dict(), "test": tested}
        shown = _deliver(record, output, form, as_json=as_json)
        if report is not None:
            write_report(selection, report, data, test=tested, engine=where)
        if shown:
            show_selection(selection, tested, console)
            if data.missing_counts().any():
                console.print(Text("Values are missing: the least of the feature in the query stood for them."))
            _say_written(output, console)
            _say_written(report, console)
            next_step = _next_step(selection, file, output, form, ranker, **reading)
            if next_step is not None:
                console.print(Text(next_step), soft_wrap=True)


def _next_step(
    selection: Selection, file: Path, output: Path | None, form: Format | None, ranker: str | None, **reading: Any
) -> str | None:
    if selection.provable is not None:
        k, loss = selection.provable["n_features"], selection.provable["max_loss"]
        again = shlex.join(["leanrank", *_without(sys.argv[1:], "--max-loss"), "--max-loss", f"{loss:g}"])
        more = "judge more queries, or " if selection.undecided else ""
        return f"Next: {more}allow a larger loss to keep {k} or fewer (finished work is not repeated):\n  {again}"
    if output is None or form not in (None, Format.json):
        return None
    from leanrank.evaluation.select.run import default_ranker

    named = [part for name in ("label", "qid", "comments") if reading[name] for part in (f"--{name}", reading[name])]
    named += ["--regroup"] * reading["regroup"]
    learner = ranker or default_ranker(None)._name
    train = ["leanrank", "train", str(file), *named, "--features", str(output), "--ranker", learner, "-o", "model.json"]
    return f"Next: {shlex.join(train)}"


def _without(arguments: list[str], option: str) -> list[str]:
    """The arguments less an option and its value.

    >>> _without(["select", "a.txt", "--max-loss", "0.1", "-o", "b.json", "--max-loss=0.2"], "--max-loss")
    ['select', 'a.txt', '-o', 'b.json']
    """
    before = ["", *arguments]
    pairs = zip(before, arguments, strict=False)
    return [given for last, given in pairs if option not in (last, given) and not given.startswith(f"{option}=")]


def _refuse_options_of_the_other(context: typer.Context, *, one: bool) -> None:
    """Options without effect are refused, not dropped in silence."""
    if one:
        measuring = ("max_loss", "metric", "methods", "valid", "test", "cv", "jobs", "journal", "resume")
        _refuse(context, measuring, "--method auto, which measures")
    else:
        _refuse(context, ("setting",), "one method, named with --method")


def _refuse(context: typer.Context, names: tuple[str, ...], there: str) -> None:
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            raise ParameterError(f"{parameter.opts[0]} belongs to {there}: drop it, or choose the other.")


def _check_numbers(seed: int, max_loss: float | None) -> None:
    if seed < 0:
        raise ParameterError(f"--seed must be >= 0. Got {seed}.")
    if max_loss is not None and not 0 <= max_loss < math.inf:
        raise ParameterError(f"--max-loss must be >= 0 and finite. Got {max_loss}.")


def _names(text: str | None) -> tuple[str, ...]:
    """As in a line of a CSV file: a name with a comma is quoted."""
    return (
        ()
        if text is None
        else tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), ()) if name)
    )


def _test(
    selection: Selection,
    ranker: str | None,
    metric: str,
    data: RankingData,
    valid: RankingData | None,
    test: RankingData,
) -> dict[str, Any]:
    from leanrank.data.splits import QueryKFold
    from leanrank.evaluation.select.final_test import final_test
    from leanrank.evaluation.select.run import default_ranker
    from leanrank.metrics.names import metric as parse_metric

    if valid is None:
        train, held_out = next(iter(QueryKFold(5, shuffle=True, random_state=0).split_queries(data)))
        data, valid = data.take_queries(train), data.take_queries(held_out)
    return final_test(selection, default_ranker(ranker), parse_metric(metric), data, valid, test)


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


def _deliver(record: dict[str, Any], output: Path | None, form: Format | None, *, as_json: bool) -> bool:
    """Write or print the features; True where a person should also see tables."""
    from leanrank.data.whole_file import write_whole

    if output is not None:
        write_whole(output, written(record, form or Format.json))
    if as_json:
        print(written(record, Format.json), end="")
    elif output is None and form is not None:
        print(written(record, form), end="")
    else:
        return True
    return False


def _say_written(output: Path | None, console: Console) -> None:
    if output is not None:
        console.print(Text(f"Written: {output}"), soft_wrap=True)
