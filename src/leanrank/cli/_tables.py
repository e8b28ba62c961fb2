"""Tables on the terminal: those of commands, of a report, and of a selection. Names are data: never read as markup."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.cli._catalogue import UNNAMED, Naming
from leanrank.cli._standard_input import typed

if TYPE_CHECKING:
    from leanrank.evaluation.compare.comparison import Comparison
    from leanrank.evaluation.select.answers import Answer
    from leanrank.evaluation.select.curve_point import CurvePoint
    from leanrank.evaluation.select.selection import Selection
    from leanrank.report import tables

#: Ranks with a column of their own in the unified ranking: with thirty methods there is no room for thirty.
_RANKS_SHOWN = 5


def table(title: str, columns: Iterable[str], *, right: Container[str] = (), **look: Any) -> Table:
    """A table with these columns, some of them aligned right; long texts go on in the next line.

    The title stays on one line, also above a table that is not as wide.
    """
    line = Text(title, no_wrap=True, overflow="ignore") if title else None
    drawn = Table(title=line, title_justify="left", **look)
    for heading in columns:
        drawn.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    return drawn


def show_comparison(comparison: Comparison, metric: str | None, console: Console, naming: Naming = UNNAMED) -> None:
    """Print every table of a comparison, one ranker after another; features by their names."""
    from leanrank.data.weights import weighting_said
    from leanrank.report._summary import summarize
    from leanrank.report.comparison_tables import comparison_tables

    if comparison.unfinished:
        noun = "combination is" if comparison.unfinished == 1 else "combinations are"
        console.print(Text(f"{comparison.unfinished} {noun} not finished and not shown.", style="yellow"))
    if not comparison.runs:
        console.print(Text("Nothing is finished yet."))
        return
    summary = summarize(comparison, metric=metric, catalogue=naming.catalogue)
    for one in comparison_tables(summary, ranks_shown=_RANKS_SHOWN):
        _show(one, console)
    weighting = weighting_said(comparison.about)
    if weighting:
        console.print(Text(f"Mind: {weighting}: means and tests are weighted."))
    if comparison.n_graphs:
        each = f"{sum(comparison.graph_seconds) / comparison.n_graphs:.3f} s each (not in their selection time)"
        graphs = f"Feature graphs computed: {comparison.n_graphs}, one for each fold and all methods on graphs"
        console.print(Text(f"{graphs}, {each}."))


def show_shadow(summary: dict[str, Any], console: Console) -> None:
    """The answers of a shadow, what they assume, then every table."""
    from leanrank.report.shadow_tables import answers, shadow_tables

    for sentence in (summary["sentence"], *answers(summary)):
        console.print(Text(f"{sentence}.", style="bold"), soft_wrap=True)
    for assumption in (summary["loss"] or {}).get("assumptions", []):
        console.print(Text(f"  Assumed: {assumption}."), soft_wrap=True)
    for one in shadow_tables(summary):
        _show(one, console)


def _show(one: tables.Table, console: Console) -> None:
    """A table narrow enough for a hundred columns of a terminal, with a line between numbers of features; its note."""
    from leanrank.report.tables import is_number, shown

    look: dict[str, Any] = {"title_style": "bold", "box": box.SIMPLE_HEAD, "padding": (0, 1, 0, 0)}
    drawn = Table(title=Text(one.title), title_justify="left", **look)
    for heading, kind in one.columns:
        justify: Any = "right" if is_number(kind) else "left"
        drawn.add_column(heading.strip(), justify=justify, no_wrap=kind != "name", overflow="fold")
    for r, row in enumerate(one.rows):
        if r and one.columns[0][0] == "k" and row[0] != one.rows[r - 1][0]:
            drawn.add_section()
        cells = [Text(shown(value, kind)) for value, (_, kind) in zip(row, one.columns, strict=True)]
        for c in (c for c in range(len(row)) if (r, c) in one.best):
            cells[c].style = "bold" if one.columns[c][1] != "signed" else "green" if row[c] > 0 else "red"
        drawn.add_row(*cells)
    console.print(drawn)
    if one.note:
        console.print(Text(one.note), soft_wrap=True)


#: Sizes of the path that are shown.
SHOWN = 6
#: Features that stand for copies, a line each, that are shown.
COPIES = 2
#: Names of features that are shown, and how many letters of them.
NAMED, LETTERS = 16, 150


def show_selection(selection: Selection, test: dict[str, Any] | None, console: Console, finished: Path) -> None:
    """The answers with their numbers, the features, the risk, and the other sizes of the path.

    `finished` is the file that another answer can be had from.
    """
    from leanrank.data.weights import weighting_said
    from leanrank.evaluation.select.selection_views import holds_for, metrics_said, slices_said

    chosen = selection.chosen
    style = "green" if selection.proven else "yellow"
    console.print(Text(selection.sentence(), style=f"bold {style}"))
    console.print(_answers(selection))
    if test is not None:
        measured = f"{test['all_features']:.4f} with all features, {test['selected']:.4f} with these"
        console.print(Text(f"Test queries: {measured}, {_interval(test['difference'])}."))
    logged = selection.settings.get("logged")
    if logged is not None:
        allowed = f"--max-loss {selection.settings['max_loss']:g}"
        verdict = f"within {allowed}" if logged["proves"] else f"which does not prove {allowed}"
        console.print(Text(f"The log: {logged['sentence']}, {verdict}."))
    if not chosen.is_everything:
        console.print(Text(f"Ship: {_named(selection)}."))
        console.print(Text(f"Risk: {chosen.risk}"))
        for what, said in (("Also: ", metrics_said(selection)), ("In slices: ", slices_said(selection))):
            if said:
                console.print(Text(f"{what}{said}."))
    console.print(Text(f"Why:  {selection.reason}."))
    console.print(Text(f"For:  {holds_for(selection)}."))
    console.print(Text(f"More: {selection.forecast.sentence()}."))
    weighting = weighting_said(selection.settings)
    if weighting:
        console.print(Text(f"Mind: {weighting}: means, intervals and certificates are weighted."))
    if selection.sample:
        console.print(Text(f"{selection.sample['sentence']}."))
    for sentence in _copies(selection):
        console.print(Text(sentence))
    if len(selection.walked) > 1:
        console.print(_path(selection, finished), soft_wrap=True)


def _answers(selection: Selection) -> Table:
    """The three answers, that which was asked for marked."""
    metric, total = selection.settings["metric_name"].upper(), len(selection.feature_names)
    columns = ("", "features", *(["cost"] * selection.priced), f"{metric} against all {total}", "what is known")
    drawn = table("", columns, right=("features", "cost"), box=None, pad_edge=False)
    for answer in selection.answers.values():
        mark, style = (">", "bold") if answer.name == selection.answer else (" ", "")
        cost = [f"{answer.cost:g}"] * selection.priced
        change = "unchanged" if answer.is_everything else _interval(answer.estimate) if answer.is_measured else "-"
        drawn.add_row(f"{mark} {answer.name}", str(answer.k), *cost, change, _known(selection, answer), style=style)
    return drawn


def _known(selection: Selection, answer: Answer) -> str:
    """What is known of an answer, in a few words."""
    from leanrank.evaluation.select.choice import thousandths

    loss = selection.settings["max_loss"]
    if not answer.is_measured:
        return "this size was not measured"
    if answer.name == "safe":
        return answer.reason.partition(";")[0]
    if answer.name == "asked" and answer.is_everything:
        return "all that can be used"
    if answer.is_everything:
        return f"nothing smaller is proven to lose at most {loss:g}" if answer.name == "certified" else "as safe"
    if answer.proven:
        others = "".join(f", {other:g} of {name.upper()}" for name, other in list(selection.max_losses.items())[1:])
        return f"proven: loses at most {loss:g}{others}" + " in every slice" * selection.certifies_slices
    if answer.certified_loss is None:
        few = all(point.certified_loss is None for point in selection.walked)
        return "too few queries to prove anything" if few else "an estimate; drops copies alone"
    if answer.certified_loss <= loss:
        return "an estimate; certified over all queries and for the first metric only"
    return f"an estimate; certified only at --max-loss {thousandths(answer.certified_loss):g}"


def _named(selection: Selection) -> str:
    """The features by name, as a catalogue calls them where there is one, as many as there is room for."""
    names: list[str] = []
    length = 0
    for name in map(selection.label, selection.features[:NAMED]):
        length += len(name) + 2
        if length > LETTERS and names:
            break
        names.append(name if len(name) <= LETTERS else f"{name[:LETTERS]}...")
    more = selection.n_features - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _copies(selection: Selection) -> list[str]:
    """Which features stand for others, as many lines as there is room for; the report has all."""
    if len(selection.copies) <= COPIES and all(len(said) <= LETTERS for said in selection.copies):
        return selection.copies
    n_others = sum(map(len, selection.replaced.values()))
    n_standing = len(selection.replaced)
    stand = f"{n_standing} features stand" if n_standing > 1 else "One feature stands"
    return [f"{stand} for {n_others} others that order every query alike; the report names them."]


def _path(selection: Selection, finished: Path) -> Text:
    """The path, smallest last: what each size does, what it is proven to lose at most, and the command that takes it.

    Plain lines: in a narrow terminal a long command goes on in the next line, and nothing is cut.
    """
    from leanrank.evaluation.select.choice import thousandths

    rows = [["k", *["cost"] * selection.priced, "against all [95%]", "proven", "to take it"]]
    for point in offered(selection):
        interval = f"{point.difference:+.3f} [{point.low:+.3f}, {point.high:+.3f}]"
        proven = "-" if point.certified_loss is None else f"{thousandths(point.certified_loss):g}"
        again = shlex.join(["leanrank", "select", "--from", typed(finished), "-k", str(point.k)])
        rows.append([str(point.k), *[f"{point.cost:g}"] * selection.priced, interval, proven, again])
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    return Text("\n".join("  ".join([*map(str.rjust, row, widths), row[-1]]) for row in rows))


def offered(selection: Selection) -> list[CurvePoint]:
    """The sizes of the path, at most `SHOWN` of them, spread over all."""
    walked = selection.walked
    if len(walked) <= SHOWN:
        return list(walked)
    return [walked[round(i * (len(walked) - 1) / (SHOWN - 1))] for i in range(SHOWN)]


def _interval(d: dict[str, float]) -> str:
    return f"{d['mean']:+.4f} [{d['low']:+.4f}, {d['high']:+.4f}]"
