"""`leanrank select`: the main job, with a journal, and the answer as a table."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leanrank.errors import DataError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData
    from leanrank.evaluation.selection import CurvePoint, Selection

INTERRUPTED = 130
#: Smaller sets that are offered.
OFFERED = 8


def select_auto(
    data: RankingData, *, journal: Path | None, resume: Path | None, output: Path | None, **options: Any
) -> Selection:
    """Run `leanrank.select` with a journal."""
    from leanrank.evaluation.select_features import select

    path = journal_of(journal, resume, output)
    return _run(select, data, path, named=(resume or journal) is not None, **options)


@contextmanager
def interruptible(journal: Path, command: str, *, resumes: bool) -> Iterator[None]:
    """A run with this journal; an interrupt says how to go on, or that there is nothing to go on with."""
    before = _written(journal)
    try:
        yield
    except KeyboardInterrupt:
        if _written(journal) == before:
            _say_nothing_is_lost()
        else:
            again = command if resumes else f"{command} --resume {shlex.quote(str(journal))}"
            kept = f"what is finished is kept in {journal}. Go on with:\n  {again}"
            print(f"leanrank: interrupted; {kept}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def announced(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with one line where it is interrupted before it has a journal: typer would leave in silence."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            _say_nothing_is_lost()
            raise typer.Exit(INTERRUPTED) from None

    return run


def _say_nothing_is_lost() -> None:
    print("leanrank: interrupted before anything was finished, so nothing is lost.", file=sys.stderr)


def _written(journal: Path) -> list[int | None]:
    """When the files of a journal were written last."""
    files = (journal, Path(f"{journal}-wal"))
    return [file.stat().st_mtime_ns if file.exists() else None for file in files]


def journal_of(journal: Path | None, resume: Path | None, output: Path | None) -> Path:
    """Where finished work is kept: as the user says, or beside the output."""
    return resume or journal or (Path(f"{output}.db") if output is not None else Path("leanrank-select.db"))


def _run(select: Any, data: RankingData, path: Path, *, named: bool, **options: Any) -> Selection:
    """A journal that the user named is never thrown away; one of the default name makes way for a new run."""
    try:
        found: Selection = select(data, journal=path, **options)
    except DataError as error:
        if named or "journal of another run" not in str(error):
            raise
        aside = next(name for n in count(1) if not Path(name := f"{path}.old{n if n > 1 else ''}").exists())
        for ending in ("", "-wal", "-shm"):
            if Path(f"{path}{ending}").exists():
                Path(f"{path}{ending}").replace(f"{aside}{ending}")
        print(f"leanrank: {path} is of a run with other settings, and is now {aside}", file=sys.stderr)
        found = select(data, journal=path, **options)
    return found


def show_selection(selection: Selection, test: dict[str, Any] | None, console: Console) -> None:
    """The answer, the features, and what changed."""
    from leanrank.evaluation.choice import ALL

    kept_all = selection.method == ALL
    style = "green" if selection.proven and not kept_all else "yellow"
    console.print(Text(selection.sentence(), style=f"bold {style}"))
    console.print(Text(f"Why: {selection.reason}."))
    if not kept_all:
        console.print(_kept(selection))
    console.print(_before_and_after(selection, test))
    n, loss = selection.nested["mean"], selection.settings["max_loss"]
    if n < -loss:
        console.print(
            Text(f"With the choice repeated in each fold the loss is {-n:.4f}: expect less than held out says.")
        )
    console.print(Text(f"Method: {selection.method}. Ranker: {selection.settings['ranker']}"))
    smaller = smaller_sets(selection)
    if selection.settings["n_features"] is None and smaller:
        console.print(_offered(smaller, priced=selection.priced))


def smaller_sets(selection: Selection) -> list[CurvePoint]:
    """Sets cheaper than the chosen one (without prices: smaller), each bounded better than those cheaper still.

    None where the queries are too few to prove anything at any loss.
    """
    from leanrank.evaluation.stop_rule import FEWEST_QUERIES

    if selection.versus_all["n_queries"] < FEWEST_QUERIES:
        return []
    own = next(p for p in selection.curve if (p.method, p.k) == (selection.method, selection.measured_k))
    front: list[CurvePoint] = []
    for point in sorted(selection.curve, key=lambda point: (point.cost, point.k, -point.bound)):
        if (point.cost, point.k) < (own.cost, own.k) and (not front or point.bound > front[-1].bound):
            front.append(point)
    return front


def loss_that_takes(point: CurvePoint) -> float:
    """The --max-loss, in thousandths, with which a set is proven."""
    from leanrank.evaluation.choice import thousandths

    return max(0.0, thousandths(-point.bound))


def _before_and_after(selection: Selection, test: dict[str, Any] | None) -> Table:
    change = Table(title="Before and after", title_justify="left")
    for heading in ("", "all features", "kept", "difference [95% interval]"):
        change.add_column(heading, justify="left" if not heading else "right")
    before, d, n = selection.baseline, selection.versus_all, selection.nested
    metric = selection.settings["metric_name"].upper()
    usable = f"{before['n_features']}" + (" usable" if before["n_features"] < len(selection.feature_names) else "")
    dropped = f"{before['n_features'] - selection.n_features} dropped"
    change.add_row("features", usable, f"{selection.n_features}", dropped)
    change.add_row("cost", f"{before['cost']:g}", f"{selection.cost:g}", f"{selection.cost - before['cost']:+g}")
    after = before["mean"] + d["mean"]
    change.add_row(f"{metric}, held out", f"{before['mean']:.4f}", f"{after:.4f}", _interval(d))
    change.add_row(f"{metric}, choice repeated", "", f"{before['mean'] + n['mean']:.4f}", _interval(n))
    if test is not None:
        row = (f"{test['all_features']:.4f}", f"{test['selected']:.4f}", _interval(test["difference"]))
        change.add_row(f"{metric}, test", *row)
    return change


def _kept(selection: Selection) -> Table:
    features = Table(title="Kept", title_justify="left")
    features.add_column("#", justify="right")
    features.add_column("feature", overflow="fold")
    features.add_column("chosen in folds", justify="right")
    often = selection.stability["frequency"]
    for position, name in enumerate(selection.features, start=1):
        features.add_row(str(position), Text(name), f"{often.get(name, 0):.0%}")
    return features


def _offered(points: list[CurvePoint], *, priced: bool) -> Table:
    """What could be dropped at the price of a larger loss; of many sets, the surest."""
    title = "Cheaper features, for a larger loss" if priced else "Fewer features, for a larger loss"
    table = Table(title=title, title_justify="left")
    for heading in ("features", *(["cost"] * priced), "method", "difference [95% interval]", "takes --max-loss"):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    for point in points[-OFFERED:]:
        interval = _interval({"mean": point.difference, "low": point.low, "high": point.high})
        cost = [f"{point.cost:g}"] * priced
        table.add_row(str(point.k), *cost, Text(point.method), interval, f"{loss_that_takes(point):g}")
    return table


def _interval(d: dict[str, float]) -> str:
    return f"{d['mean']:+.4f} [{d['low']:+.4f}, {d['high']:+.4f}]"
