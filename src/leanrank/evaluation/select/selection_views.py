"""A selection for a notebook: as a card of HTML, as frames, and what it says beyond its headline in sentences."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from leanrank._notebook import Table, card
from leanrank.data.query_weighting import weighting_said
from leanrank.errors import UnknownNameError
from leanrank.evaluation.bootstrap import FEWEST_QUERIES
from leanrank.evaluation.records import in_library

if TYPE_CHECKING:
    from leanrank.data.catalogue import Catalogue
    from leanrank.evaluation.select.answers import Answer
    from leanrank.evaluation.select.selection import Selection
    from leanrank.evaluation.select.slice_losses import SliceLoss

#: What `Selection.to_frame` makes a frame of.
PARTS = ("curve", "features", "answers")
#: Slices that are named at most.
NAMED = 6


def html_of(selection: Selection) -> str:
    """The answer, why, how sure, and its features in order; then the other answers."""
    share = selection.stability["frequency"]
    facts = {
        "method": selection.method,
        "cost": f"{selection.cost:g} of {selection.baseline['cost']:g}" if selection.priced else None,
        "why": selection.reason,
        "risk": selection.chosen.risk,
        "metrics": metrics_said(selection) or None,
        "slices": slices_said(selection) or None,
        "queries": selection.forecast.sentence(),
        "weights": weighting_said(selection.settings) or None,
        "data": selection.sample.get("sentence"),
        "copies": " ".join(selection.copies),
    }
    known = selection.catalogue
    kept = [
        [i + 1, name, *_told(known, name), f"{share[name]:.0%}" if name in share else ""]
        for i, name in enumerate(selection.features)
    ]
    answers = [
        [answer.name, answer.k, answer.method, _signed(answer.estimate), _proven(answer)]
        for answer in selection.answers.values()
    ]
    metric = selection.settings["metric_name"].upper()
    tables = [
        Table(["", "feature", *([] if known is None else ["name", "description"]), "chosen in folds"], kept),
        Table(["answer", "features", "method", f"change of {metric}", "proven"], answers),
    ]
    return card(selection.sentence(), facts, tables)


def frame_of(selection: Selection, part: str, library: str | None) -> Any:
    """One of `PARTS` as a frame of the library; of the first that is installed of pandas and polars where None."""
    import pyarrow

    if part not in PARTS:
        raise UnknownNameError.of("part of a selection", part, PARTS, owner="to_frame", parameter="part")
    if library is None:
        library = next((name for name in ("pandas", "polars") if find_spec(name) is not None), "pyarrow")
    rows = {"curve": _curve, "features": _features, "answers": _answers}[part](selection)
    return in_library(pyarrow.Table.from_pylist(rows), library)


def _curve(selection: Selection) -> list[dict[str, Any]]:
    names = ("method", "k", "cost", "mean", "difference", "low", "high", "certified_loss", "on_path")
    return [
        {**{name: getattr(point, name) for name in names}, "chosen": point is selection.point}
        for point in selection.curve
    ]


def _features(selection: Selection) -> list[dict[str, Any]]:
    position = {name: i + 1 for i, name in enumerate(selection.path)}
    kept, share = set(selection.features), selection.stability["frequency"]
    return [
        {
            "name": name,
            "id": j + 1,
            "kept": name in kept,
            "position": position.get(name),
            "frequency": share.get(name, 0.0 if share else None),
            "stands_for": list(selection.stands_for.get(name, ())),
            **_facts(selection.catalogue, name),
        }
        for j, name in enumerate(selection.feature_names)
    ]


def _told(catalogue: Catalogue | None, feature: str) -> list[str]:
    return [] if catalogue is None else [catalogue.get(feature).name, catalogue.get(feature).description]


def _facts(catalogue: Catalogue | None, feature: str) -> dict[str, Any]:
    """The columns that a catalogue adds; `label` is what it calls the feature."""
    if catalogue is None:
        return {}
    facts = catalogue.get(feature)
    return {"label": facts.name or feature} | {
        name: getattr(facts, name) for name in ("description", "family", "phase")
    }


def _answers(selection: Selection) -> list[dict[str, Any]]:
    return [
        {
            "answer": answer.name,
            "k": answer.k,
            "method": answer.method,
            "cost": answer.cost,
            **{name: answer.estimate.get(name) for name in ("mean", "low", "high")},
            "certified_loss": answer.certified_loss,
            "proven": answer.proven,
            "features": list(answer.features),
            "reason": answer.reason,
            "risk": answer.risk,
        }
        for answer in selection.answers.values()
    ]


def _proven(answer: Answer) -> str:
    return "" if answer.is_everything else "yes" if answer.proven else "no"


def _signed(estimate: dict[str, float]) -> str:
    if not estimate:
        return "not measured"
    return f"{estimate['mean']:+.4f} [{estimate['low']:+.4f}, {estimate['high']:+.4f}]"


def metrics_said(selection: Selection) -> str:
    """What the features do to the metrics beside the first; nothing where there is one, or they drop nothing."""
    if selection.point is None or selection.chosen.is_everything:
        return ""
    parts = []
    for one in selection.point.metrics[1:]:
        known = "" if one.certified_loss is None else f", certified at {one.certified_loss:.4f}"
        parts.append(f"{one.metric.upper()} {one.difference:+.4f} [{one.low:+.4f}, {one.high:+.4f}]{known}")
    return "; ".join(parts)


def slices_said(selection: Selection) -> str:
    """What the features do in each slice, the worst first; nothing where there are none, or they drop nothing."""
    if selection.chosen.is_everything:
        return ""
    judged = [one for one in selection.slices if one.mean is not None]
    order = sorted(judged, key=lambda one: (one.low is None, one.mean))
    parts = [_said(one) for one in order[:NAMED]]
    more = [f"{len(order) - NAMED} more"] if len(order) > NAMED else []
    return "; ".join([*parts, *more])


def _said(one: SliceLoss) -> str:
    if one.low is None:
        groups = f" in {one.n_drawn} groups" if one.n_drawn < one.n_queries else ""
        needs = f"{FEWEST_QUERIES}{' groups' * bool(groups)}"
        return f"{one.title} {one.mean:+.4f}, of {one.n_queries} queries{groups}: an interval needs {needs}"
    return f"{one.title} {one.mean:+.4f} [{one.low:+.4f}, {one.high:+.4f}]"
