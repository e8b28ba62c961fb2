"""A selection as others see it: in sentences, as a card of HTML for a notebook, and as frames."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from leanrank._notebook import Table, card
from leanrank.data.arrow_table import in_library
from leanrank.data.weights import weighting_said
from leanrank.errors import UnknownNameError
from leanrank.evaluation.bootstrap import FEWEST_QUERIES
from leanrank.evaluation.select.answers import ASKED
from leanrank.rankers.registry import BOOSTERS, name_of_class

if TYPE_CHECKING:
    from leanrank.data.catalogue import Catalogue
    from leanrank.evaluation.select.answers import Answer
    from leanrank.evaluation.select.selection import Selection
    from leanrank.evaluation.select.slice_losses import SliceLoss

#: What `Selection.to_frame` makes a frame of.
PARTS = ("curve", "features", "answers")
#: Slices that are named at most.
NAMED = 6


def sentence_of(selection: Selection) -> str:
    """The answer in one sentence, with the estimate that did not choose."""
    total, metric = len(selection.feature_names), selection.settings["metric_name"]
    if not selection.chosen.is_measured:
        return f"{selection.n_features} of {total} features: what they do to {metric.upper()} was not measured"
    if selection.chosen.is_everything:
        return _everything(selection)
    said = headline(selection.n_features, total, metric, selection.nested, proven=selection.proven)
    worst = selection.worst_slice
    return said if worst is None else f"{said}; worst in {_said(worst, ': ')}"


def _everything(selection: Selection) -> str:
    total, metric = len(selection.feature_names), selection.settings["metric_name"].upper()
    kept = f"all {total} features" if selection.n_features == total else f"{selection.n_features} of {total} features"
    if selection.answer == ASKED:
        return f"{kept[:1].upper()}{kept[1:]}: nothing that can be used is dropped"
    if selection.answer == "safe" and selection.n_features == total:
        return f"All {total} features: of none is it certain that it changes nothing in {metric}"
    if selection.answer == "safe":
        return f"{kept[:1].upper()}{kept[1:]}: what is dropped changes nothing in {metric}"
    if selection.answer == "certified":
        return f"Keep {kept}: no smaller set is proven to lose at most {selection.settings['max_loss']:g} of {metric}"
    return f"Keep {kept}: of no smaller set can so few queries tell what it loses of {metric}"


def headline(n_kept: int, n_features: int, metric: str, difference: dict[str, float], *, proven: bool) -> str:
    """What so many features do to the metric; they keep it where it is proven that they lose no more than is allowed.

    >>> headline(12, 136, "ndcg@10", {"mean": -0.0008, "low": -0.0031, "high": 0.0014}, proven=True)
    '12 of 136 features keep NDCG@10: -0.0008 [-0.0031, +0.0014]'
    >>> headline(2, 136, "ndcg@10", {"mean": -0.008, "low": -0.031, "high": 0.0014}, proven=False)
    '2 of 136 features may lower NDCG@10: -0.0080 [-0.0310, +0.0014]'
    """
    perhaps = "keep" if proven else "may lower" if difference["mean"] < 0 else "may change"
    verb = "lower" if difference["high"] < 0 else "gain" if difference["low"] > 0 else perhaps
    return f"{n_kept} of {n_features} features {verb} {metric.upper()}: {_signed(difference)}"


def text_of(selection: Selection) -> str:
    """The answer, its features, and all that is said of it, a line each."""
    shown = ", ".join(map(selection.label, selection.features[:12])) + (", ..." if selection.n_features > 12 else "")
    lines = [("features", shown), *facts_of(selection).items(), *(("copies", said) for said in selection.copies)]
    said = (f"  {name:<10}{words}" for name, words in lines if words)
    return "\n".join([f"Selection: {selection.sentence()}", *said])


def facts_of(selection: Selection) -> dict[str, str | None]:
    """What is said of the answer beside its sentence, its features and its copies, by name."""
    other = [f"{answer.name} {answer.k}" for answer in selection.answers.values() if answer.name != selection.answer]
    return {
        "method": selection.method,
        "cost": f"{selection.cost:g} of {selection.baseline['cost']:g}" if selection.priced else None,
        "why": selection.reason,
        "risk": selection.chosen.risk,
        "metrics": metrics_said(selection),
        "slices": slices_said(selection),
        "for": holds_for(selection),
        "others": f"{', '.join(other)} of {len(selection.feature_names)} features",
        "queries": selection.forecast.sentence(),
        "weights": weighting_said(selection.settings),
        "data": selection.sample.get("sentence"),
    }


def ranker_of(selection: Selection) -> str | None:
    """The name of the ranker that it was measured with; None for one that has no name here."""
    return name_of_class(selection.settings["ranker"].partition("(")[0])


def holds_for(selection: Selection) -> str:
    """For which ranker, trained in which way, the answer was measured: it says nothing of others."""
    name = ranker_of(selection)
    known = name is not None and name not in BOOSTERS
    if not selection.settings.get("scaled", known):  # older files do not say
        return f"{name or 'the ranker'} as it was trained here; another ranker may need others"
    return f"{name or 'the ranker'} with features scaled within each query; another ranker or scaling may need others"


def html_of(selection: Selection) -> str:
    """The answer, why, how sure, and its features in order; then the other answers."""
    share, facts = selection.stability["frequency"], facts_of(selection)
    facts["copies"] = " ".join(selection.copies)
    del facts["others"]  # they have a table
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
    cost = ("cost",) * selection.priced
    names = ("method", "k", *cost, "mean", "difference", "low", "high", "certified_loss", "on_path")
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
            "stands_for": list(selection.replaced.get(name, ())),
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
            **({"cost": answer.cost} if selection.priced else {}),
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


def _said(one: SliceLoss, between: str = " ") -> str:
    if one.low is None:
        groups = f" in {one.n_drawn} groups" if one.n_drawn < one.n_queries else ""
        needs = f"{FEWEST_QUERIES}{' groups' * bool(groups)}"
        return f"{one.title} {one.mean:+.4f}, of {one.n_queries} queries{groups}: an interval needs {needs}"
    return f"{one.title}{between}{one.mean:+.4f} [{one.low:+.4f}, {one.high:+.4f}]"
