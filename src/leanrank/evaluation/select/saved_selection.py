"""A saved Selection: read from features.json, or from what a journal keeps, and checked before any of it is used."""

from __future__ import annotations

import os
from typing import Any

from leanrank.data.json_shape import Shape, require_shape
from leanrank.errors import DataError
from leanrank.evaluation.select.answers import ASKED, Answer
from leanrank.evaluation.select.curve_point import CurvePoint
from leanrank.evaluation.select.importance_drift import ImportanceDrift
from leanrank.evaluation.select.resolution import Forecast
from leanrank.evaluation.select.selection import Selection
from leanrank.evaluation.select.version_1 import with_answers
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
