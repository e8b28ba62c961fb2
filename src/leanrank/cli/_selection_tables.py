"""A selection as tables on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from leanrank.evaluation.select.selection import CurvePoint, Selection

#: Smaller sets that are offered.
OFFERED = 8


def show_selection(selection: Selection, test: dict[str, Any] | None, console: Console) -> None:
    """The answer, the features, and what changed."""
    from leanrank.evaluation.records import ALL_FEATURES

    kept_all = selection.method == ALL_FEATURES
    style = "green" if selection.proven and not kept_all else "yellow"
    console.print(Text(selection.sentence(), style=f"bold {style}"))
    console.print(Text(f"Why: {selection.reason}."))
    if selection.sample:
        console.print(Text(f"{selection.sample['sentence']}."))
    for sentence in selection.copies:
        console.print(Text(sentence))
    if not kept_all:
        console.print(_kept(selection))
    console.print(_before_and_after(selection, test))
    n, loss = selection.nested["mean"], selection.settings["max_loss"]
    if n < -loss:
        console.print(Text(f"Chosen again without each fold, the loss is {-n:.4f}: expect less than held out says."))
    console.print(Text(f"Method: {selection.method}. Ranker: {selection.settings['ranker']}"))
    smaller = smaller_sets(selection)
    if selection.settings["n_features"] is None and smaller:
        console.print(_offered(smaller, priced=selection.priced))


def smaller_sets(selection: Selection) -> list[CurvePoint]:
    """Sets cheaper than the chosen one (without prices: smaller), each bounded better than those cheaper still.

    None where the queries are too few to prove anything at any loss.
    """
    from leanrank.evaluation.bootstrap import FEWEST_QUERIES
    from leanrank.evaluation.select.stop_rule import surer_than_cheaper

    if selection.versus_all["n_queries"] < FEWEST_QUERIES:
        return []
    own = next(p for p in selection.curve if (p.method, p.k) == (selection.method, selection.measured_k))
    cheaper = [p for p in selection.curve if (p.cost, p.k) < (own.cost, own.k)]
    return [cheaper[i] for i in surer_than_cheaper([(p.cost, p.k, p.bound) for p in cheaper])]


def loss_that_takes(point: CurvePoint) -> float:
    """The --max-loss, in thousandths, with which a set is proven."""
    from leanrank.evaluation.select.choice import thousandths

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
    change.add_row(f"{metric}, chosen again", "", f"{before['mean'] + n['mean']:.4f}", _interval(n))
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
