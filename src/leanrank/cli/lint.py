"""`leanrank lint`: what is in a file of judgements, and what is wrong with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.cli._catalogue import UNNAMED, CatalogueOptions, Naming
from leanrank.cli._option_groups import option_groups
from leanrank.cli._reading import FileArgument, JsonOption, Reading
from leanrank.cli._standard_input import typed
from leanrank.cli._tables import table

if TYPE_CHECKING:
    from leanrank.stats.lint import LintReport

CHECK_FAILED = 1


@option_groups()
def lint(
    file: FileArgument,
    *,
    reading: Reading,
    named: CatalogueOptions,
    as_json: JsonOption = False,
    strict: Annotated[bool, typer.Option(help="Exit with code 1 if there is a warning.")] = False,
) -> None:
    """Count what is in FILE and name what is wrong: useless, duplicate or leaking features, empty queries.

    Example: leanrank lint train.txt.gz
    """
    from leanrank.stats.lint import lint as lint_data

    data = reading.read(file)
    naming, report = named.naming(data.feature_names), lint_data(data)
    if as_json:
        print(json.dumps({"file": typed(file), **report.to_dict(), **naming.to_dict()}, ensure_ascii=False, indent=2))
    else:
        show(report, typed(file), Console(), naming)
    if strict and not report.ok:
        raise typer.Exit(CHECK_FAILED)


def show(report: LintReport, title: str, console: Console, naming: Naming = UNNAMED) -> None:
    """Print the report as tables. Names are data: never read as markup."""
    from leanrank.stats.like_findings import like_findings

    shape = Table(show_header=False, box=None, title=Text(title, style="bold"), title_justify="left")
    size = report.documents_per_query
    shape.add_row("documents", f"{report.n_rows:,}")
    shape.add_row("queries", f"{report.n_queries:,}")
    shape.add_row("features", f"{report.n_features:,}")
    shape.add_row("labels", _labels(report.labels))
    shape.add_row("per query", f"{size['min']:,} to {size['max']:,} documents, median {size['median']:g}")
    if report.missing_values:
        share = report.missing_values / (report.n_rows * report.n_features)
        shape.add_row("missing", f"{report.missing_values:,} values ({share:.1%})")
    console.print(shape)
    console.print()
    if not report.findings:
        console.print("Nothing wrong found.", style="green")
        return
    drawn = table("Findings", ("finding", "where", "what it means"), title_style="bold")
    for like in like_findings(report.findings, naming.labels):
        style = "yellow" if like.severity == "warning" else "cyan"
        drawn.add_row(Text(like.kind, style=style), Text(like.where), Text(like.message))
    console.print(drawn)


def _labels(labels: dict[str, int], shown: int = 12) -> str:
    parts = [f"{level}: {count:,}" for level, count in labels.items()]
    return ", ".join(parts[:shown]) + (f", ... ({len(parts):,} levels)" if len(parts) > shown else "")
