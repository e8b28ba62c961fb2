"""How the values of each feature are spread, label by label, and what share of them is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData

#: Documents that are looked at, at most; of more, every second, third, ... one.
LOOKED_AT = 50_000
#: Groups of labels at most: of more levels, neighbours go together.
GROUPS = 5
#: The quartiles that are told of each group.
QUARTILES = (25, 50, 75)
#: The ends of a feature's scale: a few documents far out do not squeeze the rest.
ENDS = (2, 98)
#: Columns that are looked at together.
_COLUMNS = 64


def distributions(data: RankingData) -> dict[str, Any]:
    """For each feature the quartiles of its values for each group of labels, and the share of them that is missing.

    `labels` names the groups, the lowest first; `spread` has for each feature the ends of its scale (`low`, `high`) and
    `quartiles`, three values for each group, None where it has no value; a category has no spread. `missing` is the
    share of each feature.
    """
    step = -(-data.n_rows // LOOKED_AT)
    label = np.asarray(data.y[::step], dtype=np.float64) + 0.0  # no -0
    groups = label_groups(label)
    spread: list[dict[str, Any] | None] = []
    for start in range(0, data.n_features, _COLUMNS):
        part = data.X[::step, start : start + _COLUMNS]
        values = np.asarray(part.toarray() if data.is_sparse else part, dtype=np.float64)
        spread += [_spread(column, [label_in for _, label_in in groups]) for column in values.T]
    for column in data.category_columns:  # the numbers of categories are no values
        spread[column] = None
    return {
        "labels": [name for name, _ in groups],
        "spread": spread,
        "missing": np.round(data.missing_counts() / data.n_rows, 4).tolist(),
        "step": step,
    }


def label_groups(label: NDArray[np.float64]) -> list[tuple[str, NDArray[np.bool_]]]:
    """The labels in at most `GROUPS` groups, the lowest first: the name of each, and where it is.

    >>> [name for name, _ in label_groups(np.array([0.0, 2, 1, 0]))]
    ['0', '1', '2']
    >>> [name for name, _ in label_groups(np.arange(10.0))]
    ['0 to 1', '2 to 3', '4 to 5', '6 to 7', '8 to 9']
    """
    levels = np.unique(label)
    parts = np.array_split(levels, min(GROUPS, len(levels)))
    return [
        (f"{part[0]:g}" if len(part) == 1 else f"{part[0]:g} to {part[-1]:g}", (label >= part[0]) & (label <= part[-1]))
        for part in parts
    ]


def _spread(column: NDArray[np.float64], groups: list[NDArray[np.bool_]]) -> dict[str, Any]:
    known = np.isfinite(column)
    if not known.any():
        return {"low": 0.0, "high": 0.0, "quartiles": [None] * len(groups)}
    low, high = np.percentile(column[known], ENDS)
    quartiles = [
        _short(np.percentile(column[known & inside], QUARTILES)) if (known & inside).any() else None
        for inside in groups
    ]
    return {"low": _short([low])[0], "high": _short([high])[0], "quartiles": quartiles}


def _short(values: Any) -> list[float]:
    """Four digits are more than a picture shows."""
    return [float(f"{value:.4g}") for value in values]
