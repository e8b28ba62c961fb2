"""A selection as plain values, ready for JSON: what was taken, in which order, why, and with which settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from leanrank import __version__


def selection_record(
    method: str,
    parameters: dict[str, Any],
    names: list[str],
    selected: list[int],
    scores: list[float],
    trace: list[dict[str, Any]],
    dropped: list[int],
    stands_for: Mapping[int, tuple[int, ...]],
) -> dict[str, Any]:
    """The record of a selection. `names` are those of all features; the rest counts from 0.

    Keys: `method`, `version`, `parameters`, `n_features_in`; in order of selection `names`, `ids` (1-based, as LETOR
    files count), `indices` (0-based), `scores`; `trace`; `dropped` (names of features left out as constant or copies);
    `stands_for` (names of the copies that a feature stands for).
    """
    return {
        "method": method,
        "version": __version__,
        "parameters": plain(parameters),
        "n_features_in": len(names),
        "names": [names[j] for j in selected],
        "ids": [j + 1 for j in selected],
        "indices": list(selected),
        "scores": plain([scores[j] for j in selected]),
        "trace": plain(trace),
        "dropped": [names[j] for j in dropped],
        "stands_for": {names[j]: [names[i] for i in copies] for j, copies in stands_for.items()},
    }


def plain(value: Any) -> Any:
    """Only dict, list, str, int, float, bool and None; what is none of these becomes its repr, NaN becomes None.

    Arrays and series become lists; so do sets, sorted, since their own order differs from one process to the next.

    >>> plain({"c": np.float64(0.5), "sizes": np.array([1, 2]), "score": float("nan"), "group": {"b", "a"}})
    {'c': 0.5, 'sizes': [1, 2], 'score': None, 'group': ['a', 'b']}
    """
    if hasattr(value, "tolist") and not isinstance(value, type):  # arrays, numpy's numbers, series of pandas
        value = value.tolist()
    elif hasattr(value, "to_list") and not isinstance(value, type):  # series of polars
        value = value.to_list()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=_place)
    if is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "get_params"):
        return {"type": type(value).__name__, **plain(asdict(value))}
    return repr(value)


def _place(item: Any) -> tuple[bool, float, str]:
    """Where a plain value comes in a sorted list of any: numbers first."""
    number = isinstance(item, int | float)
    return (not number, item if number else 0.0, repr(item))
