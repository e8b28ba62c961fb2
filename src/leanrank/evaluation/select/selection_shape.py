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
    "bound": float,
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
    "cv": int,
    "random_state": int,
    "version": str,
    "fingerprint": str,
    "valid": (str, None),
}
_STABILITY = {"nogueira": (float, None), "low": (float, None), "high": (float, None), "frequency": {str: float}}
_SHAPE: Shape = {
    "method": str,
    "measured_k": int,
    "names": [str],
    "indices": [int],
    "proven": bool,
    "reason": str,
    "provable?": ({"method": str, "max_loss": float, "n_features": int, "mean": float}, None),
    "versus_all": _DIFFERENCE,
    "nested": _DIFFERENCE,
    "baseline": {"n_features": int, "cost": float, "mean": float},
    "cost": float,
    "path": [str],
    "dropped": [str],
    "curve": [_POINT],
    "pareto": [_POINT],
    "stability": _STABILITY,
    "losers": [{"query": str, "all_features": float, "selected": float}],
    "per_query?": ({"better": int, "worse": int, "same": int, "edges": [float], "counts": [int]}, {str: ()}),
    "feature_names": [str],
    "settings": _SETTINGS,
    "source?": {"command?": str, "data?": str},
    "sample?": ({"sentence": str}, {str: ()}),
    "seconds": float,
    "test?": ({"difference": _DIFFERENCE}, None),
}


def check_selection(record: dict[str, Any], source: str) -> None:
    """Refuse a record that is not what `Selection.to_dict` writes; the error names `source` and the place."""
    require_shape(record, _SHAPE, source)
    names = record["feature_names"]
    known = set(names)
    if not record["names"] or len(known) < len(names):
        raise DataError(f"{source}: damaged: it keeps no feature, or two features have one name.")
    places = record["indices"]
    if len(places) != len(record["names"]) or any(
        not 0 <= j < len(names) or names[j] != name for j, name in zip(places, record["names"], strict=True)
    ):
        raise DataError(f"{source}: damaged: its 'names' and 'indices' are not those of its 'feature_names'.")
    path = record["path"]
    if not known.issuperset(path) or len(set(path)) < len(path) or len(path) < len(places):
        raise DataError(f"{source}: damaged: its 'path' must be different features, no fewer than it keeps.")
