"""`leanrank reproduce`: a paper's experiments on the data at hand, published figures beside ours."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._completion import paper_names
from leanrank.cli._outputs import check_outputs, refuse_stdout
from leanrank.cli._reading import JsonOption
from leanrank.cli._tables import table
from leanrank.data.whole_file import write_whole

if TYPE_CHECKING:
    from leanrank.reproduce.outcome import Page, Reproduction

DIFFERS = 1

_STYLES = {"equal": "green", "close": "cyan", "differs": "yellow", "not computed": "dim"}


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            help="A paper: fs-scpr, bestgain, gas, rankrelief, rcdr, or all of them; or a page of figures that several "
            "report: fsmrank, rankers, sushi-rankers, sushi-rcdr; or the large public data sets: large.",
            autocompletion=paper_names,
        ),
    ],
    data: Annotated[Path | None, typer.Option(help="The folder of data sets; else that of LEANRANK_DATA.")] = None,
    quick: Annotated[bool, typer.Option(help="A reduced version, for a machine that waits.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Folds at a time; 0 takes every core.")] = 0,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--markdown",
            "-o",
            help="Also write a page of Markdown, and its rows and data into a folder beside it.",
        ),
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(help="Keep finished work in this file: an interrupted run goes on from there.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the experiments of PAPER and print each published figure beside ours.

    Exits with code 1 if a figure that must be equal in every printed digit is not.

    Example: leanrank reproduce bestgain --data letor
    """
    from sklearn.exceptions import ConvergenceWarning

    from leanrank.kernels._threads import default_threads
    from leanrank.reproduce.markdown import document
    from leanrank.reproduce.outcome import Page
    from leanrank.reproduce.papers import PAPERS, run_paper
    from leanrank.selectors.features_file import plain

    refuse_stdout("the figures go there", markdown)
    check_outputs(markdown, journal)
    outcomes: list[Reproduction | Page] = []
    for name in PAPERS if paper == "all" else [paper]:
        with warnings.catch_warnings():
            # Settings at the ends of the grids may not converge or be determined: validation queries pass over them.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The clustering into")
            outcome = run_paper(name, data, quick=quick, n_jobs=jobs or default_threads(), journal=journal)
        outcomes.append(outcome)
        if not as_json:
            print(document(outcome)) if isinstance(outcome, Page) else _show(outcome)
    if as_json:
        print(json.dumps(plain([_plain(one) for one in outcomes]), ensure_ascii=False, indent=1))
    papers = [one for one in outcomes if not isinstance(one, Page)]
    if markdown is not None:
        pages = [document(one) for one in outcomes if isinstance(one, Page)]
        write_whole(markdown, "".join(pages) if pages else _page(papers, markdown))
    failed = [cell for one in papers for cell in one.failed]
    if failed:
        p = failed[0].published
        print(
            f"leanrank: {len(failed)} figures that must be equal are not, the first is table {p.table}, {p.dataset}, "
            f"{p.method}, {p.metric}: {p.text} published, {failed[0].ours:.6g} here.",
            file=sys.stderr,
        )
        raise typer.Exit(DIFFERS)


def _page(papers: list[Reproduction], path: Path) -> str:
    """Write the papers' data files and rows; the page is of these papers and of those that have files there already."""
    from leanrank.reproduce.data_files import read_data, write_data
    from leanrank.reproduce.markdown import ALL, page, rows_page
    from leanrank.reproduce.papers import PAPERS

    folder = path.with_suffix("")
    for paper in papers:
        write_data(paper, folder)
    if len(papers) < len(PAPERS):
        now = {paper.paper: paper for paper in papers}
        papers = [one for name in PAPERS if (one := now.get(name) or read_data(name, folder)) is not None]
    write_whole(folder / ALL, rows_page(papers, path.name))
    return page(papers, folder.name)


def _plain(outcome: Reproduction | Page) -> dict[str, object]:
    from leanrank.reproduce.outcome import Page

    if isinstance(outcome, Page):
        return asdict(outcome)
    cells = [
        {**asdict(cell), "difference": cell.difference, "status": cell.status, "failed": cell.failed}
        for cell in outcome.cells
    ]
    return {**asdict(outcome), "summary": outcome.summary, "cells": cells}


def _show(reproduction: Reproduction) -> None:
    from leanrank.reproduce.markdown import cell_row, verdict

    console = Console()
    if not console.is_terminal:
        console = Console(width=180)
    console.rule(Text(reproduction.title))
    console.print(Text(reproduction.protocol))
    if reproduction.cells:
        columns = ("table", "data", "method", "measure", "published", "ours", "difference", "status", "why")
        drawn = table("Published and ours", columns, right=("published", "ours", "difference"), title_style="bold")
        for cell in reproduction.cells:
            row = cell_row(cell)
            style = "bold red" if cell.failed else _STYLES.get(row[7].partition(",")[0], "")
            drawn.add_row(*(Text(text) for text in row), style=style)
        console.print(drawn)
    for own in reproduction.tables:
        drawn = table(own.title, own.columns, title_style="bold")
        for line in own.rows:
            drawn.add_row(*(Text(text) for text in line))
        console.print(drawn)
    if reproduction.claims:
        drawn = table("What the paper states", ("claim", "verdict", "our figures"), title_style="bold")
        for claim in reproduction.claims:
            style = {True: "green", False: "yellow", None: "dim"}[claim.holds]
            drawn.add_row(Text(claim.text), Text(verdict(claim), style=style), Text(claim.figures))
        console.print(drawn)
    console.print(Text(reproduction.summary, style="bold"))
    console.print()
