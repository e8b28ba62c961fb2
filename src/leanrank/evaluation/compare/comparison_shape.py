"""What the journal of a comparison must look like: checked before tables are made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from leanrank.data.json_shape import require_shape
from leanrank.errors import DataError
from leanrank.evaluation.records import FoldRecord

_ABOUT = {
    "folds": [[str, str]],
    "n_features": int,
    "metrics": [[str, str]],
    "validation": str,
    "importance": str,
    "similarity": str,
    "tune": bool,
    "scaler": (str, None),
    "random_state": int,
    "query_weights?": {"column": (str, None), "least": float, "most": float},
}
_CELL = {"ranker": str, "k": (int, None), "method": str, "fold": int}


def check_about(about: Mapping[str, Any], source: str) -> None:
    """Refuse what a journal says of its comparison, where tables cannot be made of it."""
    require_shape(about, _ABOUT, source)
    if not about["folds"] or not about["metrics"]:
        raise DataError(f"{source}: damaged: a comparison has folds and metrics.")


def check_cell(task: Mapping[str, Any], source: str) -> None:
    """Refuse a task that is no method with a ranker at a size in a fold."""
    require_shape(task, _CELL, source)


def check_records(records: Iterable[FoldRecord], about: Mapping[str, Any], source: str) -> None:
    """Refuse records of other metrics, other features or, in one fold, other queries than the rest have."""
    queries: dict[str, tuple[Any, ...]] = {}
    metrics = {name for name, _ in about["metrics"]}
    for record in records:
        alike = queries.setdefault(record.fold, record.query_ids) == record.query_ids
        if not alike or set(record.scores) != metrics or record.n_features_in != about["n_features"]:
            raise DataError(f"{source}: damaged: a result of fold {record.fold!r} is not of its queries and metrics.")
