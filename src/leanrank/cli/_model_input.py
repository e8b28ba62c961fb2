"""Data for a model: the features it was trained on, whatever else the file holds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from leanrank.cli._input import read_data
from leanrank.errors import DataError

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData


def read_features(path: Path) -> list[str]:
    """Names of the features that `leanrank select` wrote down."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        names = record["names"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a selection: expected the JSON that leanrank select writes (-o).") from error
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise DataError(f"{path}: its 'names' must be a list of at least one text.")
    return names


def read_for_model(
    path: Path, names: Iterable[str] | None, *, label: str | None, qid: str | None, comments: str | None = None
) -> RankingData:
    """Read `path` and keep the model's features, by their `names`; None for a model that does not know names."""
    if names is None:
        return read_data(path, label=label, qid=qid, comments=comments)
    wanted = [str(name) for name in names]
    largest = max((int(name) for name in wanted if name.isdecimal()), default=0)
    data = read_data(path, largest, label=label, qid=qid, comments=comments)
    return data if list(data.feature_names) == wanted else data.subset(wanted)
