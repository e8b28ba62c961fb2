"""A selection on one page of the terminal: what to ship, what is known of the risk, and what else there is."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.cli._standard_input import typed
from leanrank.cli._tables import table

if TYPE_CHECKING:
    from leanrank.evaluation.select.answers import Answer
    from leanrank.evaluation.select.curve_point import CurvePoint
    from leanrank.evaluation.select.selection import Selection

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
    if not chosen.is_everything:
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
        return "too few queries to prove anything"
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
    n_others = sum(map(len, selection.stands_for.values()))
    n_standing = len(selection.stands_for)
    stand = f"{n_standing} features stand" if n_standing > 1 else "One feature stands"
    return [f"{stand} for {n_others} others that tell the ranker nothing else; the report names them."]


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
