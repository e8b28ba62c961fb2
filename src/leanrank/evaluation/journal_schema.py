"""What journals hold: the tasks of `select` and `compare` by name, and what their results look like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leanrank.data.text_file import refuse_huge, require_shape
from leanrank.errors import DataError
from leanrank.evaluation.journal import Journal, Task
from leanrank.evaluation.records import FoldRecord

#: What the journal of a comparison says it is; that of `select` says nothing of the kind.
COMPARE = "compare"

_SELECTION = {"task": "selection"}
_ORIGIN = {"task": "origin"}
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


def path_task(scope: str, method: str, fold: int | None, largest: int) -> dict[str, Any]:
    """The order of the features by a method in a fold, or on all queries (None): a list of feature indices."""
    return {"task": "path", "scope": scope, "method": method, "fold": fold, "largest": largest}


def fit_task(scope: str, fold: int, features: Iterable[int]) -> dict[str, Any]:
    """A ranker trained on these features in a fold: `values`, the metric of every test query, None where it skips one,
    `others`, those of further metrics, if there are any, and `share`, that of every feature in what the ranker makes
    use of, where it was trained on all."""
    return {"task": "fit", "scope": scope, "fold": fold, "features": sorted(map(int, features))}


def graph_task(fold: int) -> dict[str, Any]:
    """The feature graph of a fold of a comparison: its fields as lists."""
    return {"task": "graph", "fold": fold}


def selections_task(method: str, fold: int, sizes: Sequence[int]) -> dict[str, Any]:
    """The feature sets of a method in a fold of a comparison: k, features, parameters and seconds of each."""
    return {"task": "select", "method": method, "fold": fold, "sizes": list(sizes)}


def cell_task(method: str, ranker: str, k: int | None, fold: int) -> dict[str, Any]:
    """A method with a ranker at a size in a fold of a comparison: a `FoldRecord` as a dict."""
    return {"task": "cell", "method": method, "ranker": ranker, "k": k, "fold": fold}


def check_fit(fit: Any, n_queries: int, n_features: int, source: object, *, n_metrics: int = 1) -> None:
    """Refuse the result of a `fit_task` that is not a value for each query and, if any, a share for each feature."""
    shape = {"values": [(float, None)], "share": ([float], None), "others?": [[(float, None)]]}
    require_shape(fit, shape, str(source))
    rows = [fit["values"], *fit.get("others", ())]
    right = len(rows) == n_metrics and all(len(row) == n_queries for row in rows)
    if not right or (fit["share"] is not None and len(fit["share"]) != n_features):
        raise DataError(f"{source}: a fit in the journal is not of these queries and features: name another journal.")
    refuse_huge((value for row in (*rows, fit["share"] or ()) for value in row), source)


def check_path(order: Any, n_features: int, source: object) -> None:
    """Refuse the result of a `path_task` that is not an order of different features."""
    require_shape(order, [int], str(source))
    if len(set(order)) < len(order) or any(not 0 <= j < n_features for j in order):
        raise DataError(f"{source}: an order in the journal is not of these features: name another journal.")


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


def is_graph(task: Task) -> bool:
    return task.get("task") == "graph"


def is_cell(task: Task) -> bool:
    return task.get("task") == "cell"


def is_comparison(about: Mapping[str, Any]) -> bool:
    """Whether a journal that says this of itself is one of `compare`."""
    return about.get("what") == COMPARE


def keep_selection(journal: Journal, selection: Mapping[str, Any]) -> None:
    """Write the answer of `select`, once the run is finished."""
    journal.put(_SELECTION, selection)


def selection_in(journal: Journal) -> dict[str, Any]:
    """The answer of `select`; an unfinished run is an error."""
    answer: dict[str, Any] | None = journal.get(_SELECTION)
    if answer is None:
        raise DataError(
            f"{journal.path}: the run is not finished. Repeat its command with --resume {journal.path} to finish it."
        )
    return answer


def keep_origin(
    journal: Journal, settings: Mapping[str, Any], source: Mapping[str, Any], test: Mapping[str, Any] | None
) -> None:
    """Write where the answer came from, and what a test said of it; not where another run has taken its place."""
    answer = journal.get(_SELECTION)
    if isinstance(answer, dict) and answer.get("settings") == settings:
        journal.put(_ORIGIN, {"source": source, "test": test, "settings": settings})


def origin_in(journal: Journal, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The source of the answer and what a test said of it; nothing where they belong to a run that asked otherwise."""
    origin = journal.get(_ORIGIN) or {}
    require_shape(origin, {"source?": {}, "test?": ({}, None)}, str(journal.path))
    if origin.get("settings") != settings:
        return {}, None
    return origin.get("source", {}), origin.get("test")
