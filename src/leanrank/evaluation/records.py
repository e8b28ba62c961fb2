"""What came out of a cross-validation: one frozen record per fold, and their summary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.arrow_table import in_library
from leanrank.data.formats import format_of_name
from leanrank.data.json_record import LATER, JsonRecord
from leanrank.data.text_file import parse_json, refuse_huge, require_shape
from leanrank.data.whole_file import whole_file, write_whole
from leanrank.errors import DataError, UnknownNameError
from leanrank.evaluation.stability import Repetition, Stability, repetition, stability

_IDS = [(str, float)]

#: The method that keeps every feature: the reference that the others are measured against.
ALL_FEATURES = "all features"


@dataclass(frozen=True)
class FoldRecord(JsonRecord):
    """One fold: what was chosen on its training and validation queries, and what that is worth on its test queries.

    Attributes
    ----------
    fold : str
    selector, ranker : str
        Class names; "all features" where nothing was selected.
    selector_parameters, ranker_parameters : dict
        Those that were chosen, as plain values.
    k : int, float or None
        The size asked for; None where the method stopped by itself.
    features : tuple of int
        Selected features, 0-based, in order of selection; `feature_names` are their names.
    n_features_in : int
        Features there were.
    valid_score : float or None
        The metric they were chosen by, on the validation queries.
    scores : dict
        Mean of each metric over the test queries.
    query_ids, per_query : list, dict of lists
        The test queries and each metric of each; None where the metric leaves the query out.
    selection_seconds, training_seconds : float
        The time of selecting what was chosen, and of training the ranker on it.
    query_weights : tuple of float
        How much each test query counts; empty where all count alike.
    query_groups : tuple
        What test queries have in common; empty where each stands for itself.
    query_slices : dict of tuples
        Of what kind each test query is, by the name of the slice.
    """

    fold: str
    selector: str
    ranker: str
    k: int | float | None
    features: tuple[int, ...]
    feature_names: tuple[str, ...]
    n_features_in: int
    valid_score: float | None
    scores: Mapping[str, float | None]
    query_ids: tuple[Any, ...] = field(repr=False)
    per_query: Mapping[str, tuple[float | None, ...]] = field(repr=False)
    selection_seconds: float
    training_seconds: float
    selector_parameters: Mapping[str, Any] = field(default_factory=dict)
    ranker_parameters: Mapping[str, Any] = field(default_factory=dict)
    query_weights: tuple[float, ...] = field(default=(), repr=False, metadata=LATER)
    query_groups: tuple[Any, ...] = field(default=(), repr=False, metadata=LATER)
    query_slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, metadata=LATER)

    @property
    def n_features(self) -> int:
        return len(self.features)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], source: str = "This record") -> FoldRecord:
        """The record that `to_dict` was made of; one that is damaged is an error that names `source`."""
        require_shape(plain, cls.shape(k=(float, None), query_ids=_IDS, query_groups=_IDS), source)
        check_record(plain, source)
        return cls.of_dict(plain)


@dataclass(frozen=True, repr=False)
class CrossValidation:
    """The records of all folds.

    Attributes
    ----------
    records : tuple of FoldRecord
    metrics : dict
        The definition (repr) of each metric.
    """

    records: tuple[FoldRecord, ...]
    metrics: Mapping[str, str]

    @property
    def mean(self) -> dict[str, float]:
        """Each metric's mean over the folds, every fold counting alike (the LETOR rule)."""
        return {name: float(np.mean([_number(r.scores[name]) for r in self.records])) for name in self.metrics}

    @property
    def n_features(self) -> float:
        """Mean number of selected features."""
        return float(np.mean([record.n_features for record in self.records]))

    @property
    def feature_sets(self) -> list[tuple[int, ...]]:
        """The features selected in each fold, 0-based."""
        return [record.features for record in self.records]

    @property
    def stability(self) -> Stability:
        """How alike the folds' selections are."""
        return stability(self.feature_sets, self.records[0].n_features_in)

    @property
    def repetition(self) -> Repetition:
        """How often features repeat over the folds, by name."""
        return repetition([record.feature_names for record in self.records])

    def per_query(self, metric: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """`metric` of every test query, folds one after another; NaN where it is left out."""
        if metric not in self.metrics:
            raise UnknownNameError.of("metric of this cross-validation", metric, self.metrics)
        return np.array([_number(value) for record in self.records for value in record.per_query[metric]])

    @property
    def query_groups(self) -> NDArray[Any] | None:
        """What every test query has in common with others, folds one after another; None without groups."""
        groups = [group for record in self.records for group in record.query_groups]
        return np.array(groups) if groups else None

    @property
    def query_slices(self) -> dict[str, NDArray[Any]]:
        """Of what kind every test query is, folds one after another, by the name of the slice."""
        names = [name for name in self.records[0].query_slices if all(name in r.query_slices for r in self.records)]
        return {name: np.array([one for r in self.records for one in r.query_slices[name]]) for name in names}

    @property
    def query_weights(self) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
        """How much every test query counts, folds one after another; None where all count alike."""
        weights = [weight for record in self.records for weight in record.query_weights]
        return np.array(weights) if weights else None

    def to_frame(self, library: str = "pyarrow", *, per_query: bool = False) -> Any:
        """A table with a row per fold, or per test query. As one of "pyarrow", "pandas" or "polars"."""
        return in_library(_query_table(self.records) if per_query else _fold_table(self.records), library)

    def to_json(self, *, indent: int | None = None) -> str:
        """Everything, as JSON; `from_json` reads it."""
        content = {
            "mean": {name: None if np.isnan(value) else value for name, value in self.mean.items()},
            "metrics": dict(self.metrics),
            "records": [record.to_dict() for record in self.records],
        }
        return json.dumps(content, indent=indent, allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> CrossValidation:
        """Read what `to_json` wrote."""
        source = "This is not the JSON of a cross-validation"
        content = parse_json(text, source)
        require_shape(content, {"records": [{}], "metrics": {str: str}}, source)
        records = tuple(FoldRecord.from_dict(record, source) for record in content["records"])
        if not records or not content["metrics"] or any(set(r.scores) != set(content["metrics"]) for r in records):
            raise DataError(f"{source}: every fold must have the metrics that it names, and there must be one.")
        check_ids((one for record in records for one in record.query_ids), source)
        return cls(records, content["metrics"])

    def write(self, path: str | PathLike[str], *, per_query: bool = False) -> None:
        """Write as JSON (.json) or as the table of `to_frame` in Parquet (.parquet), by the name of the file."""
        target = Path(path)
        if target.suffix == ".json":
            write_whole(target, self.to_json(indent=1) + "\n")
        elif format_of_name(target) == "parquet":
            write_parquet_table(target, self.to_frame(per_query=per_query))
        else:
            raise UnknownNameError.of("kind of file", target.suffix, [".json", ".parquet"])

    def __repr__(self) -> str:
        first = self.records[0]
        figures = ", ".join(f"{name} {value:.4f}" for name, value in self.mean.items())
        return (
            f"CrossValidation: {first.selector} + {first.ranker}, {len(self.records)} folds\n"
            f"  mean      {figures}\n"
            f"  features  {self.n_features:g} of {first.n_features_in}"
        )


def write_parquet_table(path: Path, table: Any) -> None:
    """The table as a Parquet file, whole or not at all."""
    import pyarrow.parquet

    with whole_file(path) as file:
        pyarrow.parquet.write_table(table, file)


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _fold_table(records: Sequence[FoldRecord]) -> Any:
    import pyarrow

    def column(of: Any, kind: Any = None) -> Any:
        return pyarrow.array([of(record) for record in records], kind)

    return pyarrow.table(
        {
            "fold": column(lambda r: r.fold),
            "selector": column(lambda r: r.selector),
            "selector_parameters": column(lambda r: json.dumps(r.selector_parameters)),
            "ranker": column(lambda r: r.ranker),
            "ranker_parameters": column(lambda r: json.dumps(r.ranker_parameters)),
            "k": column(lambda r: None if r.k is None else float(r.k), pyarrow.float64()),
            "n_features": column(lambda r: r.n_features, pyarrow.int64()),
            "features": column(lambda r: list(r.features), pyarrow.list_(pyarrow.int64())),
            "feature_names": column(lambda r: list(r.feature_names), pyarrow.list_(pyarrow.string())),
            "valid_score": column(lambda r: r.valid_score, pyarrow.float64()),
            **{name: column(lambda r, name=name: r.scores[name], pyarrow.float64()) for name in records[0].scores},
            "selection_seconds": column(lambda r: r.selection_seconds, pyarrow.float64()),
            "training_seconds": column(lambda r: r.training_seconds, pyarrow.float64()),
        }
    )


def _query_table(records: Sequence[FoldRecord]) -> Any:
    import pyarrow

    names = list(records[0].per_query)
    return pyarrow.table(
        {
            "fold": pyarrow.array([r.fold for r in records for _ in r.query_ids]),
            "qid": pyarrow.array([q for r in records for q in r.query_ids]),
            **{n: pyarrow.array([v for r in records for v in r.per_query[n]], pyarrow.float64()) for n in names},
        }
    )


_MOST_FEATURES = 10_000_000
_LARGEST_ID = 2**63 - 1


def check_record(plain: Mapping[str, Any], source: str) -> None:
    """Refuse a record of the right shape whose parts do not go together; the error names `source`."""
    n, sizes = plain["n_features_in"], {len(values) for values in plain["per_query"].values()}
    if not sizes <= {len(plain["query_ids"])} or set(plain["scores"]) != set(plain["per_query"]):
        raise DataError(f"{source}: damaged: the metrics of a fold are not those of its queries.")
    if len(plain["features"]) != len(plain["feature_names"]) or any(
        not 0 <= j < n <= _MOST_FEATURES for j in plain["features"]
    ):
        raise DataError(f"{source}: damaged: the features of a fold are not among the {n:,} there were.")
    try:
        json.dumps([plain["selector_parameters"], plain["ranker_parameters"]], allow_nan=False)
    except ValueError:
        raise DataError(f"{source}: damaged: a parameter is not a finite number.") from None
    weights, groups = plain.get("query_weights", []), plain.get("query_groups", [])
    alone = [plain[name] for name in ("k", "valid_score", "selection_seconds", "training_seconds")]
    figures = [alone, plain["scores"].values(), *plain["per_query"].values(), weights]
    refuse_huge((number for column in figures for number in column), source)
    columns = [("groups", groups), ("weights", weights), *plain.get("query_slices", {}).items()]
    for what, values in columns:
        if values and len(values) != len(plain["query_ids"]):
            raise DataError(f"{source}: damaged: a fold has {len(values)} {what} of its queries.")


def check_ids(ids: Iterable[str | float], source: str) -> None:
    """Refuse ids of queries that are no column of a table: of several kinds, or beyond 64 bits.

    >>> check_ids(["tea", 7], "cv.json")
    Traceback (most recent call last):
    ...
    leanrank.errors.DataError: cv.json: damaged: its queries have ids of several kinds (int, str).
    """
    kinds = set()
    for one in ids:
        kinds.add(type(one).__name__)
        if not isinstance(one, str) and not abs(one) <= _LARGEST_ID:
            raise DataError(f"{source}: damaged: {one!r} is no id of a query.")
    if len(kinds) > 1:
        raise DataError(f"{source}: damaged: its queries have ids of several kinds ({', '.join(sorted(kinds))}).")
