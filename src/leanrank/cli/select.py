"""`leanrank select`: which features to keep, measured."""

from __future__ import annotations

import shlex
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._catalogue import CatalogueOptions
from leanrank.cli._choosing_again import ChoosingAgain
from leanrank.cli._invocation import OF_ONE_RUN, Invocation, announced, interruptible
from leanrank.cli._limits import LimitOptions, cost_unit
from leanrank.cli._measuring import MeasuringOptions
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, Delivery, FormatOption, OutputOption, check_outputs, refuse_stdout
from leanrank.cli._ranker_options import RankerOptions
from leanrank.cli._reading import JsonOption, Reading
from leanrank.cli._shadow_options import LoggedOptions
from leanrank.cli._standard_input import typed
from leanrank.cli._tables import show_selection
from leanrank.errors import JournalMismatch, LeanRankError, ParameterError

if TYPE_CHECKING:
    from leanrank.data.query_sample import QuerySample
    from leanrank.data.ranking_data import RankingData
    from leanrank.evaluation.select.selection import Selection


@dataclass(frozen=True)
class SelectJournal:
    """A journal file; `named` by the user or at the default place, and perhaps of a run that `resumes`."""

    path: Path
    named: bool
    resumes: bool

    @classmethod
    def of(cls, journal: Path | None, resume: Path | None, output: Path | None) -> SelectJournal:
        """As the user says, or beside the output."""
        if resume is not None and not resume.is_file():
            raise ParameterError(f"There is no journal {str(resume)!r} to resume.")
        beside = Path("leanrank-select.db") if output in (None, STDOUT) else Path(f"{output}.db")
        return cls(resume or journal or beside, named=(resume or journal) is not None, resumes=resume is not None)

    def run(self, select: Callable[..., Selection], data: Any, **options: Any) -> Selection:
        """Select with this journal; one that the user named is never thrown away, one of the default name makes way."""
        try:
            return select(data, journal=self.path, **options)
        except JournalMismatch:
            if self.named:
                raise
            aside = self._moved_aside()
            print(f"leanrank: {self.path} is of a run with other settings, and is now {aside}", file=sys.stderr)
            return select(data, journal=self.path, **options)

    def _moved_aside(self) -> str:
        """One journal stays beside the new one: that of the last other run, so that they do not pile up."""
        aside = f"{self.path}.old"
        for ending in ("", "-wal", "-shm"):
            Path(f"{aside}{ending}").unlink(missing_ok=True)
            if Path(f"{self.path}{ending}").exists():
                Path(f"{self.path}{ending}").replace(f"{aside}{ending}")
        return aside

    def remember(self, selection: Selection, test: dict[str, Any] | None) -> None:
        """Add where the selection came from, and what a test said of it; that this fails costs nobody the result."""
        from leanrank.evaluation.journal import Journal, read_about
        from leanrank.evaluation.journal_schema import keep_origin

        try:
            with Journal(self.path, read_about(self.path)) as book:
                keep_origin(book, selection.settings, selection.source, test)
        except (LeanRankError, OSError, sqlite3.Error) as error:
            why = str(error) if isinstance(error, LeanRankError) else f"{self.path}: {error}"
            print(f"leanrank: the journal does not say where the result came from: {why}", file=sys.stderr)


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
    file: Annotated[Path | None, typer.Argument(help="Judged data: LETOR text, CSV or Parquet.")] = None,
    *,
    measuring: MeasuringOptions,
    finished: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="A finished run instead of FILE: its features.json or journal. With -k, --max-loss, --budget or "
            "--answer it gives another answer; nothing is trained.",
        ),
    ] = None,
    valid: Annotated[Path | None, typer.Option(help="Data that rankers stop early on.")] = None,
    test: Annotated[Path | None, typer.Option(help="Data to measure the final choice on.")] = None,
    log: LoggedOptions,
    memory: Annotated[
        str | None, typer.Option(help="What the data may take, as 2GB: FILE may be larger. Queries are drawn to fit.")
    ] = None,
    journal: Annotated[Path | None, typer.Option(help="Where finished work is kept.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the journal of an interrupted run.")] = None,
    output: OutputOption = None,
    form: FormatOption = None,
    report: Annotated[Path | None, typer.Option(help="Also write a report (.html, .md or .json) here.")] = None,
    ranker_options: RankerOptions,
    limits: LimitOptions,
    named: CatalogueOptions,
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

    Three answers: what is safe to drop, what is recommended, what is certified to lose at most --max-loss.

    Example: leanrank select train.txt -o features.json
    """
    # whatever can be refused before any work is refused here
    measuring.check()
    if finished is not None:
        ChoosingAgain.of(context, finished, log).run(context, Delivery(output, form, as_json), report, named)
        return
    if file is None:
        raise ParameterError("Name a file of judged data, or a finished run with --from.")
    book = SelectJournal.of(journal, resume, output)
    refuse_stdout("features go there", report)
    reads = (file, limits.costs, valid, test, log.judged, log.shadow, ranker_options.ranker_file, named.file)
    check_outputs(output, report, book.path, reads=reads)
    if report is not None:
        from leanrank.report.writing import form_of, renderer

        renderer(form_of(report))
    options = {**limits.read(), **measuring.read(), "ranker": ranker_options.ranker(measuring.ranker)}
    options["logged"] = log.read(measuring.metrics[0])
    options["catalogue"] = named.read()
    unit = cost_unit(limits.costs)
    invocation, delivery = Invocation.of(context), Delivery(output, form, as_json)
    with interruptible(book.path, invocation.command(), resumes=book.resumes):
        sample = reading.sample(file, memory, measuring.seed)
        files = _Files.read(sample, file, valid, test, reading)
        selection, tested = _measure(book, files, options)
        told = {"command": invocation.command(without=OF_ONE_RUN), "data": typed(file)}
        source = {**told, **reading.given(), **unit}
        selection = replace(selection, source=source)
        delivery.write(selection.to_dict() if tested is None else {**selection.to_dict(), "test": tested})
        if report is not None:
            from leanrank.report.writing import write_report

            write_report(selection, report, files.data, test=tested, engine=options["engine"])
        book.remember(selection, tested)
        if delivery.is_shown:
            written = [path for path in (output, report) if path is not None]
            _show(selection, tested, files.data, written, delivery.features_file or book.path)
            same = [*reading.arguments(), *ranker_options.arguments()]
            next_step = _next_step(file, delivery.features_file, measuring.ranker, same)
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


def _measure(book: SelectJournal, files: _Files, options: dict[str, Any]) -> tuple[Selection, dict[str, Any] | None]:
    """The selection, and what it does to the data kept for a test."""
    from leanrank.data.splits import QueryKFold
    from leanrank.evaluation.select.measuring import final_test
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


def _show(
    selection: Selection, test: dict[str, Any] | None, data: RankingData, written: list[Path], finished: Path
) -> None:
    console = Console()
    show_selection(selection, test, console, finished)
    if data.missing_counts().any():
        console.print(Text(_missing_said(selection, data)), soft_wrap=True)
    for path in written:
        console.print(Text(f"Written: {path}"), soft_wrap=True)


def _missing_said(selection: Selection, data: RankingData) -> str:
    """What stood for missing values, and what a ranker needs that takes none."""
    from leanrank.evaluation.select.selection_views import ranker_of
    from leanrank.rankers.registry import BOOSTERS

    ranker = ranker_of(selection)
    if ranker in BOOSTERS:
        return f"Values are missing: {ranker} got them as they are, methods the least of the feature in the query."
    said = "Values are missing: the least of the feature in the query stood for them."
    kept = [name for name, n in zip(data.feature_names, data.missing_counts(), strict=True) if n]
    kept = [name for name in kept if name in selection.features]
    if not kept or ranker is None:
        return said
    return f"{said} A model has no query to look at: fill those of {', '.join(kept)} before you train."


def _next_step(file: Path, features: Path | None, ranker: str | None, same: list[str]) -> str | None:
    if features is None:
        return None
    from leanrank.evaluation.select.run import default_ranker

    learner = ranker or default_ranker(None)._name
    train = ["train", typed(file), *same, "--features", str(features), "--ranker", learner]
    return f"Next: {shlex.join(['leanrank', *train, '-o', 'model.json'])}"
