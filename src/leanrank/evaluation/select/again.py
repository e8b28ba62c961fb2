"""Choosing again from a finished run: another size, cost or loss of the path, or what judged queries of a log prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError, ParameterError, is_number, is_whole
from leanrank.evaluation.logged_loss import LoggedLoss
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.answers import ASKED, Answer, risk_of
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.limits import Limits

if TYPE_CHECKING:
    from leanrank.evaluation.select.curve_point import CurvePoint
    from leanrank.evaluation.select.selection import Selection


def first(selection: Selection, k: int) -> Selection:
    """The first `k` features of the path, with what was measured of them; see `Selection.at`."""
    limits = _limits(selection)
    sizes = _sizes(selection, limits)
    least = max(1, int(limits.must_keep.sum()))
    if not is_whole(k, least) or k > sizes[-1]:
        least = sizes[0]
        whole = len(selection.path)
        length = "the length of the path" if sizes[-1] == whole else f"as many of the {whole} as the families allow"
        length += " without copies of others" * bool(limits.is_scarce and selection.stands_for)
        raise ParameterError.of("at", "k", f"a whole number from {least} to {sizes[-1]}, {length}", k)
    k = int(k)
    rule = limits.other_sizes(k, sizes)
    if rule is not None:
        raise ParameterError.of("at", "k", rule, k)
    asked = f"{k} feature{'s' * (k > 1)} asked for"
    return replace(selection, asked=_answer(selection, k, asked), answer=ASKED)


def is_possible(selection: Selection, k: int) -> bool:
    """Whether `first` has a set of this size: it has what must be kept, and parts nothing that goes together."""
    return k in _sizes(selection, _limits(selection))


def apart(selection: Selection, limits: ColumnLimits) -> NDArray[np.int64]:
    """The path without copies that others stand for, which come behind all others."""
    order = limits.obeyed(_columns(selection, selection.path))
    copies = tuple(name for others in selection.stands_for.values() for name in others)
    return order[~np.isin(order, _columns(selection, copies))]


def within_cost(selection: Selection, cost: float) -> Selection:
    """The largest measured set of the path that costs no more, without copies; see `Selection.cheaper_than`."""
    limits = _limits(selection)
    bills = {k: limits.total(_first(selection, limits, k)) for k in limits.sizes(apart(selection, limits))}
    cheapest = min(bills.values())
    if not is_number(cost, cheapest, np.inf):
        raise ParameterError.of("cheaper_than", "cost", f">= {cheapest:g}, the cost of the cheapest set", cost)
    fitting = [k for k, bill in bills.items() if bill <= cost * (1 + 1e-9)]
    measured = {point.k for point in (*selection.walked, *_everything(selection))}
    k = max(measured.intersection(fitting), default=max(fitting))
    return replace(selection, asked=_answer(selection, k, f"a cost of at most {cost:g} asked for"), answer=ASKED)


def within_loss(selection: Selection, max_loss: float | Sequence[float]) -> Selection:
    """The answers for another `max_loss`, the certified one asked for; see `Selection.within`."""
    names = list(selection.max_losses)
    losses = list(max_loss) if isinstance(max_loss, Sequence) else [max_loss] * len(names)
    if len(losses) != len(names):
        raise ParameterError.of("within", "max_loss", f"one number, or one for each of {', '.join(names)}", max_loss)
    if not all(is_number(loss, 0) for loss in losses):  # a text is a sequence too
        raise ParameterError.of("within", "max_loss", ">= 0 and finite", max_loss)
    allowed = {name: float(loss) for name, loss in zip(names, losses, strict=True)}
    settings = {**selection.settings, "max_loss": float(losses[0])}
    if len(names) > 1:
        settings["max_losses"] = allowed
    changed = replace(selection, settings=settings, forecast=selection.forecast.asked(float(losses[0])), asked=None)
    certified = _at_a_loss(changed, "certified", allowed)
    return replace(changed, certified=certified, recommended=_recommended(changed, allowed), answer="certified")


def _recommended(selection: Selection, allowed: dict[str, float]) -> Answer:
    """What the run would have recommended, had it been asked for these losses.

    Where they are different ones, or the file is older than that was kept, the smallest set that is certified at them,
    or at what the queries can tell.
    """
    before, losses = selection.recommended, set(allowed.values())
    if selection.settings["n_features"] is not None:
        return before
    if len(losses) > 1 or not selection.recommended_by_loss:
        told = selection.forecast.resolved or 0.0
        return _at_a_loss(selection, "recommended", {name: max(loss, told) for name, loss in allowed.items()})
    [loss] = losses
    k = [k for least, k in selection.recommended_by_loss if round(least, 9) <= loss][-1]
    point = next((point for point in selection.walked if point.k == k), None)
    n = f"{selection.forecast.n_queries:,} queries"
    if point is None:
        return replace(selection.safe, name="recommended", reason=f"{n} show of no smaller set that it loses so little")
    if (before.method, before.measured_k) == (point.method, point.k):
        return replace(before, proven=_proven(selection, point), risk=_risk(selection, before.estimate, point))
    why = f"what {n} recommend at a loss of {loss:.2g}, asked for after the run"
    return replace(_answer(selection, point.k, why), name="recommended")


def _at_a_loss(selection: Selection, name: str, losses: dict[str, float]) -> Answer:
    """The smallest set of the path that is certified at these losses; the safe one where none is."""
    before, sure = selection.answers[name], f"{100 * selection.settings['level']:g}% confidence"
    loss, slices = next(iter(losses.values())), selection.certifies_slices and name == "certified"
    points = [p for p in selection.walked if p.holds(losses, slices=slices)]
    if not points:
        why = f"{selection.forecast.n_queries:,} queries prove of no smaller set that it loses at most {loss:.2g}"
        untested = name == "recommended" and not before.is_everything and before.certified_loss is None
        return replace(before if untested else selection.safe, name=name, reason=why)
    point = min(points, key=lambda p: (p.cost, p.k))
    if (before.method, before.measured_k) == (point.method, point.k):  # its estimate did not choose
        proven = _proven(selection, point)
        return replace(before, proven=proven, risk=_risk(selection, before.estimate, point))
    size = "cheapest" if selection.priced else "smallest"
    why = f"the {size} set that loses at most {loss:.2g} with {sure}, a loss asked for after the run"
    return replace(_answer(selection, point.k, why), name=name)


def _answer(selection: Selection, k: int, reason: str) -> Answer:
    """The first `k` features of the path, as an answer.

    Its estimate is that of the curve: in each fold the method was chosen without it, and the interval holds for all
    points at once, so that it holds for one that was picked by looking at them.
    """
    indices = _first(selection, _limits(selection), k)
    features = tuple(selection.feature_names[j] for j in indices)
    point = next((p for p in (*selection.walked, *_everything(selection)) if p.k == k), None)
    estimate: dict[str, float] = {}
    if point is not None:
        n = selection.forecast.n_queries
        estimate = {"mean": point.difference, "low": point.low, "high": point.high, "n_queries": n}
        reason += f", the first of {selection.path_method}" * (point.method != ALL_FEATURES)
    else:
        reason += f"; this size was not measured, it lies between {_neighbours(selection, k)}"
    loss = None if point is None else point.certified_loss
    return Answer(
        name=ASKED,
        features=features,
        indices=tuple(indices),
        method=selection.path_method if point is None else point.method,
        measured_k=k,
        cost=float(_limits(selection).total(indices)),
        estimate=estimate,
        optimistic=estimate,
        certified_loss=loss,
        proven=point is not None and _proven(selection, point) and k < selection.baseline["n_features"],
        reason=reason,
        risk=_risk(selection, estimate, point),
    )


def _proven(selection: Selection, point: CurvePoint) -> bool:
    return point.holds(selection.max_losses, slices=selection.certifies_slices)


def _risk(selection: Selection, estimate: dict[str, float], point: CurvePoint | None) -> str:
    if not estimate or point is None:
        return "Unknown: no ranker was trained on so many of the features."
    untested = point.certified_loss is None and any(p.certified_loss is not None for p in selection.walked)
    return risk_of(
        estimate,
        max(0.0, -estimate["low"]) if untested else point.certified_loss,
        proven=_proven(selection, point),
        max_losses=selection.max_losses,
        level=selection.settings["level"],
        slices=selection.certifies_slices,
    )


def _neighbours(selection: Selection, k: int) -> str:
    """The measured sizes next to one that was not, with their numbers."""
    points = sorted((*selection.walked, *_everything(selection)), key=lambda point: point.k)
    below = [point for point in points if point.k < k][-1:]
    above = [point for point in points if point.k > k][:1]
    nothing = [] if below else ["no features"]
    return " and ".join([*nothing, *map(_said, [*below, *above])])


def _said(point: CurvePoint) -> str:
    return f"{point.k} ({point.difference:+.4f} [{point.low:+.4f}, {point.high:+.4f}])"


def _everything(selection: Selection) -> list[CurvePoint]:
    """All features, as a point of the path."""
    return [point for point in selection.curve if point.on_path and point.method == ALL_FEATURES]


def _columns(selection: Selection, names: tuple[str, ...]) -> list[int]:
    place = {name: j for j, name in enumerate(selection.feature_names)}
    return [place[name] for name in names]


def _limits(selection: Selection) -> ColumnLimits:
    """The limits of a finished run, from its settings; without its budget."""
    names = [field.name for field in fields(Limits) if field.name != "budget" and field.name in selection.settings]
    limits = Limits(**{name: selection.settings[name] for name in names})
    return limits.bound("select", selection.feature_names)


def _sizes(selection: Selection, limits: ColumnLimits) -> list[int]:
    """The sizes that the path makes up within the rules, the smallest first: with copies only what none has without."""
    alone = apart(selection, limits)
    whole = alone if limits.is_scarce else limits.obeyed(_columns(selection, selection.path))
    return limits.sizes(alone) + [k for k in limits.sizes(whole) if k > len(alone)]


def _first(selection: Selection, limits: ColumnLimits, k: int) -> list[int]:
    """The features of the path that make up such a size, by column; fewer where it makes up only fewer."""
    order = apart(selection, limits)
    if k > len(order) and not limits.is_scarce:
        order = limits.obeyed(_columns(selection, selection.path))
    return [int(j) for j in limits.first(order, k)]


def certified_on_log(selection: Selection, loss: LoggedLoss) -> Selection:
    """The selection with the recommended features as the certified answer, where the log proves it.

    It does where the whole interval of the loss over all logged queries is within the `max_loss` asked for. The
    ranker that was shadowed must have the recommended features; its loss is that of the two trained rankers on these
    queries, not of training again. What the log says stands in the settings, whether it proves anything or not.
    """
    settings, recommended = selection.settings, selection.recommended
    if len(selection.max_losses) > 1 or selection.certifies_slices:
        raise DataError(f"{loss.where}: the log proves the loss of one metric over all queries, more was asked for.")
    if loss.metric != settings["metric_name"]:
        raise DataError(
            f"{loss.where}: the loss is one of {loss.metric}, the selection is measured by {settings['metric_name']}: "
            "run leanrank shadow with --metric and -k of the same."
        )
    if loss.level < settings["level"]:
        raise DataError(
            f"{loss.where}: the interval is one of {loss.level:.0%}, {settings['level']:.0%} were asked for."
        )
    if loss.features != set(recommended.features):
        raise DataError(
            f"{loss.where}: the model that was shadowed has {len(loss.features)} features, which are not the "
            f"{recommended.k} that are recommended: shadow a model of those."
        )
    proves = loss.high <= settings["max_loss"]
    selection = replace(selection, settings={**settings, "logged": {**loss.to_dict(), "proves": proves}})
    if not proves or recommended.k >= selection.certified.k:
        return selection
    shown = f"{loss.n_judged:,} judged of {loss.n_queries:,} logged queries show that it loses at most {loss.high:.4g}"
    risk = (
        "It is proven for the two models that were shadowed, on the queries of that log; those without a relevant "
        "document lose nothing."
    )
    proven = replace(
        recommended, certified_loss=loss.high, proven=True, reason=f"{recommended.reason}; {shown}", risk=risk
    )
    by_log = {"mean": -loss.mean, "low": -loss.high, "high": -loss.low, "n_queries": loss.n_judged}
    certified = replace(proven, name="certified", estimate=by_log, reason=shown)
    return replace(selection, recommended=proven, certified=certified)
