"""What the record of a selection must look like: checked before any of it is used."""

from __future__ import annotations

from typing import Any

from leanrank.data.json_shape import Shape, require_shape
from leanrank.errors import DataError

_DIFFERENCE = {"mean": float, "low": float, "high": float}
_POINT = {
    "method": str,
    "k": int,
    "cost": float,
    "mean": float,
    "difference": float,
    "low": float,
    "high": float,
    "per_fold": [float],
}
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
#: From before there were three answers.
_BEFORE: Shape = {
    **_EVERY,
    "measured_k": int,
    "provable?": ({"method": str, "max_loss": float, "n_features": int, "mean": float}, None),
    "versus_all": {**_DIFFERENCE, "n_queries": int},
    "nested": _DIFFERENCE,
    "curve": [{**_POINT, "bound": float}],
    "pareto": [{**_POINT, "bound": float}],
    "stability": _STABILITY,
    "losers": _LOSERS,
    "per_query?": _PER_QUERY,
}
_NUMBERS = ({**_DIFFERENCE, "n_queries": int}, {str: ()})
_ANSWER = {
    "name": str,
    "features": [str],
    "indices": [int],
    "method": str,
    "measured_k": int,
    "cost": float,
    "estimate": _NUMBERS,
    "optimistic": _NUMBERS,
    "certified_loss": (float, None),
    "proven": bool,
    "reason": str,
    "risk": str,
}
_METRIC = {
    "metric": str,
    "mean": float,
    "difference": float,
    "low": float,
    "high": float,
    "certified_loss": (float, None),
    "certified_in_slices": (float, None),
}
_SLICE = {
    "slice": str,
    "value": str,
    "n_queries": int,
    "n_drawn": int,
    "mean": (float, None),
    "low": (float, None),
    "high": (float, None),
}
_SHAPE: Shape = {
    **_EVERY,
    "answer": str,
    "answers": {"safe": _ANSWER, "recommended": _ANSWER, "certified": _ANSWER, "asked?": _ANSWER},
    "forecast": {
        "n_queries": int,
        "expected": float,
        "resolved": (float, None),
        "max_loss": float,
        "queries_needed": (int, None),
        "n_groups?": int,
        "n_untested?": int,
    },
    "path_method": str,
    "curve": [
        {
            **_POINT,
            "on_path": bool,
            "certified_loss": (float, None),
            "evidence": ({"stability": _STABILITY, "losers": _LOSERS, "per_query": _PER_QUERY}, None),
            "metrics?": [_METRIC],
            "slices?": [_SLICE],
        }
    ],
    "pareto": [int],
    "drift?": {"windows": [[float]], "features": [str], "shares": [[float]]},
    "stands_for?": {str: [str]},
    "catalogue?": object,
}


def check_before(record: dict[str, Any], source: str) -> None:
    """Refuse a record that is not what `Selection.to_dict` wrote before there were three answers."""
    require_shape(record, _BEFORE, source)


def check_selection(record: dict[str, Any], source: str) -> None:
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
    evidence = [point["evidence"] for point in record["curve"] if point["evidence"]]
    if not all(known.issuperset(one["stability"]["frequency"]) for one in evidence):
        raise DataError(f"{source}: damaged: its 'stability' names features that are not in 'feature_names'.")
