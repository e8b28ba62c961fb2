"""`leanrank shadow`: what a pruned ranker would change on logged queries, and what judgements say it costs."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, check_outputs, refuse_stdout
from leanrank.cli._reading import JsonOption, Reading, largest_number
from leanrank.cli._shadow_options import DriftOptions, JudgingOptions
from leanrank.cli._standard_input import typed
from leanrank.data.formats import format_of
from leanrank.errors import DataError, LeanRankError, ParameterError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingSource
    from leanrank.evaluation.shadow.asked import Asked

CHECK_FAILED = 1


@option_groups(without=["regroup", "propensities"])  # blocks of a log are read one after another
def shadow(
    logged: Annotated[Path, typer.Argument(help="Logged queries: LETOR text, CSV or Parquet; labels are not read.")],
    full: Annotated[Path, typer.Option(help="The model that ranks now, of `leanrank train`.")],
    pruned: Annotated[Path, typer.Option(help="The model that would take its place.")],
    k: Annotated[int, typer.Option("-k", help="Places that people see.")] = 10,
    persistence: Annotated[
        float, typer.Option(help="Rank-biased overlap: the probability of looking at the next place.")
    ] = 0.9,
    slices: Annotated[Path | None, typer.Option(help="A CSV with the columns qid and slice.")] = None,
    show: Annotated[int, typer.Option(help="The most changed queries to show side by side.")] = 5,
    *,
    judging: JudgingOptions,
    drift: DriftOptions,
    report: Annotated[Path | None, typer.Option(help="Also write a report (.html, .md, .json).")] = None,
    engine: Annotated[str | None, typer.Option(help="local[:threads] or dask://host:port.")] = None,
    reading: Reading,
    as_json: JsonOption = False,
) -> None:
    """Compare the lists of two models on LOGGED queries that nobody has judged.

    Queries whose first K places stay as they are lose nothing: --ask draws queries to judge among the others, with
    known probabilities, and --judged says from their labels what is lost over all. With --before, what drifted since an
    older log.

    Example: leanrank shadow logged.txt --full model_all.json --pruned model_20.json --ask judges.csv --judge 100
    """
    from leanrank.evaluation.shadow.drift import drift as compare_logs
    from leanrank.evaluation.shadow.run import shadow as run
    from leanrank.rankers._saving import load_ranker
    from leanrank.report.shadow_tables import summarize_shadow

    judging.check()
    inputs = (logged, full, pruned, slices, judging.judged, judging.labels, drift.before)
    refuse_stdout("the figures go there", report)
    if judging.ask == STDOUT and as_json:
        raise ParameterError("--ask - and --json both go to standard output: name a file for judges.")
    check_outputs(judging.ask, report, reads=inputs)
    rankers = load_ranker(full), load_ranker(pruned)
    log = _log(logged, rankers, reading)
    groups = None if slices is None else read_slices(slices)
    shadowed = run(log, *rankers, k=k, persistence=persistence, slices=groups, engine=engine, progress=True)
    loss = judging.loss(shadowed)
    drifted = None
    if drift.before is not None:
        older = _log(drift.before, rankers, reading)
        drifted = compare_logs(older, log, *rankers, k=k, limits=drift.limits(), engine=engine, progress=True)
    asked = judging.drawn(shadowed)
    summary = summarize_shadow(shadowed, log, loss=loss, drift=drifted, asked=asked, show=show, source=_named(inputs))
    written = _written(asked, log, judging.ask, report, summary)
    if as_json:
        print(json.dumps(summary, ensure_ascii=False, allow_nan=False))
    elif judging.ask != STDOUT:
        _show(summary, written)
    if drifted is not None and not drifted.ok:
        raise typer.Exit(CHECK_FAILED)


def _log(path: Path, rankers: tuple[Any, Any], reading: Reading) -> RankingSource:
    """A log as a source of blocks, with all features that the rankers need."""
    log = _opened(path, reading)
    needed = [str(name) for ranker in rankers for name in getattr(ranker, "feature_names_in_", ())]
    if format_of(path) == "letor" and largest_number(needed) > len(log.feature_names):
        log = reading.scan(path, n_features=largest_number(needed))  # the last ones are 0 in every row
    known = set(log.feature_names)
    absent = next((name for name in needed if name not in known), None)
    if absent is not None:
        raise DataError(f"{path} lacks the feature {absent!r}, which a model was trained with.")
    return log


def _opened(path: Path, reading: Reading) -> RankingSource:
    """A log as a source; a table without a column of labels is one that nobody judged."""
    try:
        return reading.scan(path)
    except LeanRankError as error:
        if "label" not in (error.parameter, getattr(error.__cause__, "parameter", None)) or reading.label is not None:
            raise
    return replace(reading, label="").scan(path)


def read_slices(path: Path) -> dict[str, str]:
    """Slices of queries from a CSV with the columns qid and slice."""
    from leanrank.data.text_file import read_text

    rows = csv.DictReader(io.StringIO(read_text(path)))
    for name in ("qid", "slice"):
        if name not in (rows.fieldnames or ()):
            raise DataError(f"{path}: there is no column {name!r}; slices have the columns qid and slice.")
    return {str(row["qid"]): str(row["slice"]) for row in rows}


def _named(paths: tuple[Path | None, ...]) -> dict[str, str | None]:
    names = ("logged", "full", "pruned", "slices", "judged", "labels", "before")
    return {name: None if path is None else typed(path) for name, path in zip(names, paths, strict=True)}


def _written(
    asked: Asked | None, log: RankingSource, ask: Path | None, report: Path | None, summary: dict[str, Any]
) -> list[str]:
    """Write the files that were asked for; what was written, in words."""
    from leanrank.report.writing import write_summary

    written = []
    if asked is not None and ask is not None:
        asked.write(ask, log)
        written.append(f"{ask}: {len(asked):,} queries, {len(asked.documents):,} documents to judge")
    if report is not None:
        write_summary(summary, report)
        written.append(str(report))
    return written


def _show(summary: dict[str, Any], written: list[str]) -> None:
    from leanrank.cli._tables import show_shadow

    console = Console()
    show_shadow(summary, console if console.is_terminal else Console(width=160))
    for line in written:
        console.print(Text(f"Written: {line}"), soft_wrap=True)
