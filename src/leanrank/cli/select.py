"""`leanrank select`: which features to keep, measured."""

from __future__ import annotations

import math
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._completion import method_lists, metric_names, ranker_names
from leanrank.cli._delivery import Delivery, FormatOption, OutputOption
from leanrank.cli._interrupts import announced, interruptible
from leanrank.cli._invocation import OF_ONE_RUN, Invocation
from leanrank.cli._limits import LimitOptions
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import check_outputs, refuse_stdout
from leanrank.cli._reading import JsonOption, Reading
from leanrank.cli._select_journal import SelectJournal
from leanrank.cli._selection_tables import show_selection
from leanrank.cli._settings import check_seed
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.data.query_sample import QuerySample
    from leanrank.data.ranking_data import RankingData
    from leanrank.evaluation.select.selection import Selection


def _name_order(given: str | None) -> str | None:
    if given is not None:
        raise ParameterError(
            "select measures many methods: for one without measuring use leanrank order FILE --method NAME."
        )
    return given


@announced
@option_groups()
def select(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Judged data: LETOR text, CSV or Parquet.")],
    k: Annotated[int | None, typer.Option("-k", help="How many features, instead of the stop rule.")] = None,
    max_loss: Annotated[float | None, typer.Option(help="The loss the stop rule allows (0.002).")] = None,
    ranker: Annotated[
        str | None,
        typer.Option(
            "--ranker", "-r", help="lightgbm (if installed, else ranksvm), ranksvm, ...", autocompletion=ranker_names
        ),
    ] = None,
    metric: Annotated[str, typer.Option(help="What is measured.", autocompletion=metric_names)] = "ndcg@10",
    methods: Annotated[
        str, typer.Option(help="The portfolio, names separated by commas.", autocompletion=method_lists)
    ] = "auto",
    valid: Annotated[Path | None, typer.Option(help="Data that rankers stop early on.")] = None,
    test: Annotated[Path | None, typer.Option(help="Data to measure the final choice on.")] = None,
    cv: Annotated[int, typer.Option("--folds", "--cv", help="Folds, by query.")] = 5,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads that train rankers; 0 takes every core.")] = 1,
    memory: Annotated[
        str | None, typer.Option(help="What the data may take, as 2GB: FILE may be larger. Queries are drawn to fit.")
    ] = None,
    journal: Annotated[Path | None, typer.Option(help="Where finished work is kept.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the journal of an interrupted run.")] = None,
    output: OutputOption = None,
    form: FormatOption = None,
    report: Annotated[Path | None, typer.Option(help="Also write a report (.html, .md or .json) here.")] = None,
    engine: Annotated[str | None, typer.Option(help="local[:threads], cuda, dask://host:port or spark.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything that draws numbers.")] = 0,
    *,
    limits: LimitOptions,
    reading: Reading,
    as_json: JsonOption = False,
    one_method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", "--graph", hidden=True, is_eager=True, callback=_name_order, help="See `leanrank order`."
        ),
    ] = None,
) -> None:
    """Find the fewest features of FILE that rank as well as all of them.

    Example: leanrank select train.txt -o features.json
    """
    # whatever can be refused before any work is refused here
    _check_numbers(k, max_loss, seed)
    book = SelectJournal.of(journal, resume, output)
    refuse_stdout("features go there", report)
    check_outputs(output, report, book.path, reads=(file, limits.costs, valid, test))
    options = {
        **limits.read(),
        **_checked(ranker, engine, report),
        "ranker": ranker,
        "metric": metric,
        "methods": methods,
        "n_features": k,
        "max_loss": max_loss,
        "cv": cv,
        "random_state": seed,
        "n_jobs": _threads(jobs),
    }
    typed, delivery = Invocation.of(context), Delivery(output, form, as_json)
    with interruptible(book.path, typed.command(), resumes=book.resumes):
        sample = reading.sample(file, memory, seed)
        files = _Files.read(sample, file, valid, test, reading)
        selection, tested = _measure(book, files, options)
        source = {"command": typed.command(without=OF_ONE_RUN), "data": str(file), **reading.given()}
        selection = replace(selection, source=source)
        delivery.write(selection.to_dict() if tested is None else {**selection.to_dict(), "test": tested})
        if report is not None:
            from leanrank.report.writing import write_report

            write_report(selection, report, files.data, test=tested, engine=options["engine"])
        book.remember(selection, tested)
        if delivery.is_shown:
            _show(selection, tested, files.data, [path for path in (output, report) if path is not None])
            next_step = _next_step(selection, file, delivery.features_file, ranker, reading, typed)
            if next_step is not None:
                Console().print(Text(next_step), soft_wrap=True)


@dataclass(frozen=True)
class _Files:
    """The data that a run reads."""

    sample: QuerySample
    valid: RankingData | None
    test: RankingData | None

    @property
    def data(self) -> RankingData:
        return self.sample.data

    @classmethod
    def read(cls, sample: QuerySample, file: Path, valid: Path | None, test: Path | None, reading: Reading) -> _Files:
        data = sample.data
        held_out, judged = (None if other is None else reading.read_like(other, data) for other in (valid, test))
        if judged is not None and judged.fingerprint() == data.fingerprint():
            same = f"{test} holds what {file} holds: figures on it say nothing of other queries"
            print(f"leanrank: {same}", file=sys.stderr)
        return cls(sample, held_out, judged)


def _check_numbers(k: int | None, max_loss: float | None, seed: int) -> None:
    check_seed(seed)
    if max_loss is not None and not 0 <= max_loss < math.inf:
        raise ParameterError(f"--max-loss must be >= 0 and finite. Got {max_loss}.")
    if k is not None and max_loss is not None:
        raise ParameterError(
            "-k fixes the number of features, --max-loss lets the stop rule find it: drop one of them."
        )


def _checked(ranker: str | None, engine: str | None, report: Path | None) -> dict[str, Any]:
    """Names that are not known are refused before any work; returns the engine."""
    if ranker is not None:
        from leanrank.rankers.registry import ranker_class

        ranker_class(ranker)
    if report is not None:
        from leanrank.report.writing import form_of, renderer

        renderer(form_of(report))
    if engine is None:
        return {"engine": None}
    from leanrank.engines.parse import engine_of

    return {"engine": engine_of(engine)}


def _threads(jobs: int) -> int:
    from leanrank.kernels._threads import default_threads

    return jobs or default_threads()


def _measure(book: SelectJournal, files: _Files, options: dict[str, Any]) -> tuple[Selection, dict[str, Any] | None]:
    """The selection, and what it does to the data kept for a test."""
    from leanrank.data.splits import QueryKFold
    from leanrank.evaluation.select.final_test import final_test
    from leanrank.evaluation.select.run import default_ranker
    from leanrank.evaluation.select.run import select as select_features
    from leanrank.metrics.names import metric as parse_metric

    selection = book.run(select_features, files.sample, valid=files.valid, progress=True, **options)
    if files.test is None:
        return selection, None
    data, valid = files.data, files.valid
    if valid is None:
        train, held_out = next(iter(QueryKFold(5, shuffle=True, random_state=0).split_queries(data)))
        data, valid = data.take_queries(train), data.take_queries(held_out)
    learner, measure = default_ranker(options["ranker"]), parse_metric(options["metric"])
    return selection, final_test(selection, learner, measure, data, valid, files.test)


def _show(selection: Selection, test: dict[str, Any] | None, data: RankingData, written: list[Path]) -> None:
    console = Console()
    show_selection(selection, test, console)
    if data.missing_counts().any():
        console.print(Text("Values are missing: the least of the feature in the query stood for them."))
    for path in written:
        console.print(Text(f"Written: {path}"), soft_wrap=True)


def _next_step(
    selection: Selection, file: Path, features: Path | None, ranker: str | None, reading: Reading, typed: Invocation
) -> str | None:
    if selection.provable is not None:
        k, loss = selection.provable["n_features"], selection.provable["max_loss"]
        again = typed.command("--max-loss", f"{loss:g}", without=["--max-loss"])
        more = "judge more queries, or " if selection.undecided else ""
        return f"Next: {more}allow a larger loss to keep {k} or fewer (finished work is not repeated):\n  {again}"
    if features is None:
        return None
    from leanrank.evaluation.select.run import default_ranker

    learner = ranker or default_ranker(None)._name
    train = ["train", str(file), *reading.arguments(), "--features", str(features), "--ranker", learner]
    return f"Next: {shlex.join(['leanrank', *train, '-o', 'model.json'])}"
