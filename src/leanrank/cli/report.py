"""`leanrank report`: a selection or a comparison as one HTML file, or as Markdown, JSON and pictures."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._catalogue import CatalogueOptions
from leanrank.cli._completion import metric_names
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, check_outputs
from leanrank.cli._reading import Reading
from leanrank.errors import DataError, LeanRankError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData
    from leanrank.evaluation.compare.comparison import Comparison
    from leanrank.evaluation.select.selection import Selection


class ReportFormat(StrEnum):
    """How a report is written."""

    html = "html"
    md = "md"
    json = "json"


@option_groups()
def report(
    results: Annotated[
        Path, typer.Argument(help="features.json or the journal (.db) of `select`, or the journal of `compare`.")
    ],
    data: Annotated[
        Path | None, typer.Option(help="The data of the selection, if they are no longer where they were.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write; report.html if not said, - is standard output."),
    ] = None,
    form: Annotated[
        ReportFormat | None, typer.Option("--format", help="The format, if the name of the file does not say it.")
    ] = None,
    charts: Annotated[Path | None, typer.Option(help="A folder for the charts as PNG and SVG.")] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="compare: the metric that is tested; the last one if not said.", autocompletion=metric_names),
    ] = (None),
    *,
    named: CatalogueOptions,
    reading: Reading,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, and write no report.")] = False,
) -> None:
    """Write a report of RESULTS: what was chosen, why, what it costs and how sure that is, in one file.

    The data are read again from where `select` found them, and checked to be the same.

    Example: leanrank report features.json -o report.html
    """
    from leanrank.evaluation.compare.comparison import Comparison
    from leanrank.report._summary import summarize
    from leanrank.report.chart_files import write_charts
    from leanrank.report.loading import load_results
    from leanrank.report.writing import as_json as text_of
    from leanrank.report.writing import form_of, renderer, write_summary

    target = output or Path(f"report.{form or 'html'}")
    written_as = form or form_of(target)
    renderer(written_as)  # an unknown format is refused before any work
    check_outputs(None if as_json else target, reads=(results, data, named.file))
    loaded = load_results(results)
    console, why_not = Console(stderr=as_json or target == STDOUT), ""
    judged: RankingData | None = None
    if isinstance(loaded.results, Comparison):
        if data is not None:
            raise DataError("A report of a comparison is made of its journal alone: leave out --data.")
    elif data is not None:
        judged = _judged(Reading.as_before(loaded.results.source, **reading.given()), data, loaded.results)
    else:
        judged, why_not = data_again(loaded.results)
    naming = named.naming(_feature_names(loaded.results))
    summary = summarize(loaded.results, judged, test=loaded.test, metric=metric, catalogue=naming.catalogue)
    if why_not:
        summary["notes"].append(why_not)
        Console(stderr=True).print(Text(why_not, style="yellow"))
    if charts is not None:
        written = write_charts(summary, charts)
        console.print(Text(f"Written: {len(written)} pictures in {charts}"), soft_wrap=True)
    if as_json:
        print(text_of(summary), end="")
        return
    write_summary(summary, target, written_as)
    console.print(Text(summary["sentence"], style="bold"))
    if target != STDOUT:
        console.print(Text(f"Written: {target}"), soft_wrap=True)


def _feature_names(results: Selection | Comparison) -> tuple[str, ...]:
    return results.feature_names if hasattr(results, "feature_names") else tuple(results.about["feature_names"])


def _judged(reading: Reading, path: Path, selection: Selection) -> RankingData:
    """The data of a selection; where it took some of the queries, these are drawn again."""
    if not selection.sample:
        return reading.read(path)
    return reading.sample(path, selection.sample["memory"], selection.settings["random_state"]).data


def data_again(selection: Selection) -> tuple[RankingData | None, str]:
    """The data of a selection from where they were, or why there are none."""
    source = selection.source
    where = source.get("data")
    if where is None:
        return None, "Name the data with --data FILE to have them in the report."
    if where == "-":
        return None, "The data came from standard input: name them with --data FILE to have them in the report."
    try:
        data = _judged(Reading.as_before(source), Path(where), selection)
    except (LeanRankError, OSError):
        return None, f"The data are no longer in {where}: name them with --data FILE to have them in the report."
    if data.fingerprint() != selection.settings["fingerprint"]:
        return None, f"{where} has changed since the selection was made: name the same data with --data FILE."
    return data, ""
