"""A saved Selection: read from features.json, or from what a journal keeps, and checked before any of it is used."""

from __future__ import annotations

import os
from typing import Any

from leanrank.data.text_file import Shape, require_shape
from leanrank.errors import DataError
from leanrank.evaluation.bootstrap import FEWEST_QUERIES
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.answers import ASKED, RECOMMENDED, Answer, risk_of
from leanrank.evaluation.select.curve_point import CurvePoint
from leanrank.evaluation.select.importance_drift import ImportanceDrift
from leanrank.evaluation.select.resolution import Forecast
from leanrank.evaluation.select.selection import Selection
from leanrank.selectors.features_file import catalogue_in, read_record, upgraded

_DIFFERENCE = {"mean": float, "low": float, "high": float}
_SETTINGS = {
    "metric": str,
    "metric_name": str,
    "ranker": str,
    "methods": [str],
    "max_loss": float,
    "level": float,
    "n_features": (int, None),
    "costs": ({str: float}, None),
    "groups": ({str: [str]}, None),
    "budget": (float, None),
    "must_keep": [str],
    "never": [str],
    "other_metrics?": {str: str},
    "max_losses?": {str: float},
    "certify_slices?": bool,
    "query_weights?": {"column": (str, None), "least": float, "most": float},
    "cv": (int, str),
    "random_state": int,
    "version": str,
    "fingerprint": str,
    "valid": (str, None),
    "families?": {str: [str]},
    "at_most?": {str: int},
    "together?": [[str]],
}
_STABILITY = {"nogueira": (float, None), "low": (float, None), "high": (float, None), "frequency": {str: float}}
_LOSERS = [{"query": str, "all_features": float, "selected": float}]
_PER_QUERY = ({"better": int, "worse": int, "same": int, "edges": [float], "counts": [int]}, {str: ()})
_EVIDENCE = {"stability": _STABILITY, "losers": _LOSERS, "per_query": _PER_QUERY}
_EVERY: Shape = {
    "method": str,
    "names": [str],
    "indices": [int],
    "proven": bool,
    "reason": str,
    "baseline": {"n_features": int, "cost": float, "mean": float},
    "cost": float,
    "path": [str],
    "dropped": [str],
    "feature_names": [str],
    "settings": _SETTINGS,
    "source?": {"command?": str, "data?": str, "cost_unit?": str},
    "sample?": ({"sentence": str}, {str: ()}),
    "seconds": float,
    "test?": ({"difference": _DIFFERENCE}, None),
}
_OF_A_POINT = ("method", "k", "cost", "mean", "difference", "low", "high", "per_fold")
_BOUNDED = [{**{name: CurvePoint.shape()[name] for name in _OF_A_POINT}, "bound": float}]
#: From before there were three answers.
_BEFORE: Shape = {
    **_EVERY,
    "measured_k": int,
    "provable?": ({"method": str, "max_loss": float, "n_features": int, "mean": float}, None),
    "versus_all": {**_DIFFERENCE, "n_queries": int},
    "nested": _DIFFERENCE,
    "curve": _BOUNDED,
    "pareto": _BOUNDED,
    "stability": _STABILITY,
    "losers": _LOSERS,
    "per_query?": _PER_QUERY,
}
_NUMBERS = ({**_DIFFERENCE, "n_queries": int}, {str: ()})
_ANSWER = Answer.shape(estimate=_NUMBERS, optimistic=_NUMBERS)
_SHAPE: Shape = {
    **_EVERY,
    "answer": str,
    "answers": {"safe": _ANSWER, "recommended": _ANSWER, "certified": _ANSWER, "asked?": _ANSWER},
    "forecast": Forecast.shape(),
    "path_method": str,
    "curve": [CurvePoint.shape(evidence=(_EVIDENCE, None))],
    "pareto": [int],
    "recommended_by_loss?": [[float]],
    "drift?": ImportanceDrift.shape(),
    "stands_for?": {str: [str]},
    "catalogue?": object,
}


def load_selection(path: str | os.PathLike[str]) -> Selection:
    """Read a selection written by `Selection.save` or `leanrank select -o`, of this version of leanrank or before."""
    return selection_of(read_record(path), path)


def selection_of(record: Any, path: str | os.PathLike[str]) -> Selection:
    """The selection that `Selection.to_dict` turned into plain values; errors name `path`."""
    record = upgraded(record, path)
    if record["kind"] != "measured":
        raise DataError(
            f"{path}: is the order of one method, which measured nothing. `leanrank select` measures what features are "
            "worth."
        )
    if "answers" not in record:
        require_shape(record, _BEFORE, str(path))
    try:
        record = with_answers(record)
        _check(record, str(path))
        curve = tuple(CurvePoint.of_dict(point) for point in record["curve"])
        answers = {name: Answer.of_dict(answer) for name, answer in record["answers"].items()}
        return Selection(
            safe=answers["safe"],
            recommended=answers["recommended"],
            certified=answers["certified"],
            asked=answers.get(ASKED),
            path=tuple(record["path"]),
            curve=curve,
            pareto=tuple(curve[i] for i in record["pareto"]),
            forecast=Forecast.of_dict(record["forecast"]),
            feature_names=tuple(record["feature_names"]),
            source=record.get("source", {}),
            sample=record.get("sample", {}),
            drift=ImportanceDrift.of_dict(record["drift"]) if "drift" in record else None,
            stands_for={name: tuple(others) for name, others in record.get("stands_for", {}).items()},
            catalogue=catalogue_in(record, path),
            recommended_by_loss=tuple((float(loss), int(k)) for loss, k in record.get("recommended_by_loss", [])),
            **{name: record[name] for name in ("answer", "path_method", "baseline", "settings", "seconds")},
        )
    except (KeyError, TypeError, IndexError) as error:
        raise DataError(f"{path}: the selection is damaged ({error}).") from error


def _check(record: dict[str, Any], source: str) -> None:
    """Refuse a record that is not what `Selection.to_dict` writes; the error names `source` and the place."""
    require_shape(record, _SHAPE, source)
    names = record["feature_names"]
    known = set(names)
    if not record["names"] or len(known) < len(names):
        raise DataError(f"{source}: damaged: it keeps no feature, or two features have one name.")
    if record["answer"] not in record["answers"]:
        raise DataError(f"{source}: damaged: it has no answer called {record['answer']!r}.")
    for answer in ({"features": record["names"], "indices": record["indices"]}, *record["answers"].values()):
        chosen, places = answer["features"], answer["indices"]
        if len(places) != len(chosen) or any(
            not 0 <= j < len(names) or names[j] != name for j, name in zip(places, chosen, strict=True)
        ):
            raise DataError(f"{source}: damaged: its features and their indices are not those of 'feature_names'.")
    path = record["path"]
    if not known.issuperset(path) or len(set(path)) < len(path) or len(path) < len(record["indices"]):
        raise DataError(f"{source}: damaged: its 'path' must be different features, no fewer than it keeps.")
    if not all(0 <= i < len(record["curve"]) for i in record["pareto"]):
        raise DataError(f"{source}: damaged: its 'pareto' must be places of its 'curve'.")
    steps = record.get("recommended_by_loss", [])
    if not all(len(step) == 2 and float(step[1]).is_integer() for step in steps) or any(s[0] for s in steps[:1]):
        raise DataError(f"{source}: damaged: its 'recommended_by_loss' must be pairs of a loss, from 0 on, and a size.")
    evidence = [point["evidence"] for point in record["curve"] if point["evidence"]]
    if not all(known.issuperset(one["stability"]["frequency"]) for one in evidence):
        raise DataError(f"{source}: damaged: its 'stability' names features that are not in 'feature_names'.")


Record = dict[str, Any]


def with_answers(record: Record) -> Record:
    """A record of features.json that has three answers; one that has them already is left as it is.

    The one answer of then is the recommended one, and the certified one where it was proven. The bounds of then held
    for all sets at once, so that each is certified at its own. A record that lacks something raises KeyError or
    TypeError.
    """
    if "answers" in record or record["kind"] != "measured":
        return record
    settings, n = record["settings"], record["versus_all"]["n_queries"]
    path_method = record["method"] if record.get("provable") is None else record["provable"]["method"]
    curve = _curve(record, path_method, n)
    place = {(point["method"], point["k"]): i for i, point in enumerate(curve)}
    answer = _answer(record, curve[place[record["method"], record["measured_k"]]]["certified_loss"])
    everything = _everything(record, n)
    proven = answer.proven and not answer.is_everything
    forecast = Forecast.before(n, settings["max_loss"], level=settings["level"])
    answers = {"safe": everything, RECOMMENDED: answer, "certified": answer if proven else everything}
    return {
        **record,
        "answer": RECOMMENDED,
        "answers": {name: {**each.to_dict(), "name": name} for name, each in answers.items()},
        "forecast": forecast.to_dict(),
        "path_method": path_method,
        "curve": curve,
        "pareto": [place[point["method"], point["k"]] for point in record["pareto"]],
    }


def _curve(record: Record, path_method: str, n_queries: int) -> list[Record]:
    """The points, those of the path first and from the largest, all features at the end."""
    chosen = {"stability": record["stability"], "losers": record["losers"], "per_query": record.get("per_query", {})}
    points = []
    for old in record["curve"]:
        on_path = old["method"] in (path_method, ALL_FEATURES)
        loss = max(0.0, -old["bound"]) if on_path and n_queries >= FEWEST_QUERIES else None
        own = (old["method"], old["k"]) == (record["method"], record["measured_k"])
        kept = {name: value for name, value in old.items() if name != "bound"}
        points.append({**kept, "on_path": on_path, "certified_loss": loss, "evidence": chosen if own else None})

    def place(point: Record) -> tuple[bool, bool, int]:
        return point["method"] == ALL_FEATURES, not point["on_path"], -point["k"] if point["on_path"] else 0

    return sorted(points, key=place)


def _answer(record: Record, loss: float | None) -> Answer:
    s = record["settings"]
    estimate, optimistic = (
        {key: record[name][key] for key in ("mean", "low", "high", "n_queries")} for name in ("nested", "versus_all")
    )
    return Answer(
        name=RECOMMENDED,
        features=tuple(record["names"]),
        indices=tuple(record["indices"]),
        method=record["method"],
        measured_k=record["measured_k"],
        cost=record["cost"],
        estimate=estimate,
        optimistic=optimistic,
        certified_loss=loss,
        proven=record["proven"] and record["method"] != ALL_FEATURES,
        reason=record["reason"],
        risk=risk_of(
            estimate,
            loss,
            proven=loss is not None and loss <= s["max_loss"],
            max_losses={s["metric_name"]: s["max_loss"]},
            level=s["level"],
        ),
    )


def _everything(record: Record, n_queries: int) -> Answer:
    """All features that may be used, as the safe answer."""
    never, names = set(record["settings"]["never"]), record["feature_names"]
    kept = [j for j, name in enumerate(names) if name not in never]
    nothing = {"mean": 0.0, "low": 0.0, "high": 0.0, "n_queries": n_queries}
    return Answer(
        name="safe",
        features=tuple(names[j] for j in kept),
        indices=tuple(kept),
        method=ALL_FEATURES,
        measured_k=record["baseline"]["n_features"],
        cost=record["baseline"]["cost"],
        estimate=nothing,
        optimistic=nothing,
        certified_loss=0.0,
        proven=False,
        reason="which features are copies was not looked at then",
        risk="None that these queries could show: scores stay as they are.",
    )
