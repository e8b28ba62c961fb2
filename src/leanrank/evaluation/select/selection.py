"""Selection: the answer of `select`, with the evidence for it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingData
from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError
from leanrank.evaluation.records import ALL_FEATURES

FORMAT = "leanrank-selection"
VERSION = 1


@dataclass(frozen=True)
class CurvePoint:
    """A method at a size: the metric on held-out queries, against all features.

    `mean` is the metric, `difference` its mean difference to all features; `low` and `high` hold for all points of the
    curve at once, and so does `bound`, the one-sided bound of the stop rule. `per_fold` is the metric of each fold.
    """

    method: str
    k: int
    cost: float
    mean: float
    difference: float
    low: float
    high: float
    bound: float
    per_fold: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Selection:
    """The features to keep, and why that is believed.

    Attributes
    ----------
    features, indices : tuple
        Names and 0-based indices of the features kept, in order of selection.
    method : str
        The method of the portfolio whose path they are.
    measured_k : int
        At how many features its path was measured; the path of all data may end earlier.
    path : tuple of str
        All features in that method's order, learned from all data. Where all are kept, in the order of the method that
        could be proven; what it leaves out follows in the order of the columns.
    proven : bool
        Whether the loss against all features is below `max_loss` at the level asked for, whatever was tried. All
        features lose nothing.
    reason : str
        Why these, in one sentence.
    provable : dict or None
        Where the stop rule kept all features because no smaller set is proven: the `max_loss` (in thousandths) at which
        one would be, its `n_features` and `method`, and the `mean` difference that is estimated for it.
    versus_all : dict
        Difference to all features on held-out queries: mean, low, high (they hold for everything tried), p.
    nested : dict
        The same difference where the choice itself was made without the queries it is measured on (but not which
        methods and sizes were measured, which all queries decide).
    baseline : dict
        All features: number, cost, metric.
    curve : tuple of CurvePoint
        Every method and size that was measured on all folds.
    pareto : tuple of CurvePoint
        Those that no other beats in metric, number and cost together.
    stability : dict
        How alike the sets of the folds are (Nogueira), and in what share of the folds each feature was chosen.
    losers : tuple of dict
        The queries hurt most: query, metric with all features, metric now.
    settings : dict
        Metric, ranker, methods, folds, seed, stop rule, version, fingerprint of the data.
    stands_for : dict
        Copies that were taken out before anything was measured: the names of the features that a feature stands for.
    per_query : dict
        How many queries are better, worse and the same with these features, and a histogram of the differences of
        those that changed (`edges`, `counts`).
    source : dict
        The command and where the data were, after a run of the command line.
    sample : dict
        Where memory did not allow all queries: how many `queries` and `rows` were drawn, of how many (`of_queries`,
        `of_rows`), the `memory` in bytes, and the `sentence` that says so. Empty where all took part.
    """

    features: tuple[str, ...]
    indices: tuple[int, ...]
    method: str
    measured_k: int
    path: tuple[str, ...]
    proven: bool
    reason: str
    versus_all: dict[str, float]
    nested: dict[str, float]
    baseline: dict[str, float]
    curve: tuple[CurvePoint, ...]
    pareto: tuple[CurvePoint, ...]
    stability: dict[str, Any]
    losers: tuple[dict[str, Any], ...]
    feature_names: tuple[str, ...]
    dropped: tuple[str, ...]
    cost: float
    settings: dict[str, Any]
    seconds: float = field(default=0.0, compare=False)
    provable: dict[str, Any] | None = None
    per_query: dict[str, Any] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)
    sample: dict[str, Any] = field(default_factory=dict)
    stands_for: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def priced(self) -> bool:
        """Whether features have prices, so that the stop rule takes the cheapest set."""
        return self.settings["costs"] is not None or self.settings["groups"] is not None

    @property
    def copies(self) -> list[str]:
        """Which features stand for others that tell the ranker the same, a sentence each."""
        return [
            f"{name} stands for {', '.join(others)}, which tell the ranker nothing else."
            for name, others in self.stands_for.items()
        ]

    @property
    def path_method(self) -> str:
        """The method whose order `path` is."""
        return self.method if self.provable is None else str(self.provable["method"])

    @property
    def undecided(self) -> bool:
        """Whether all features stay although some smaller set may lose no more than `max_loss`."""
        smaller = [point for point in self.curve if point.method != ALL_FEATURES]
        return self.method == ALL_FEATURES and any(point.high >= -self.settings["max_loss"] for point in smaller)

    def transform(self, X: Any) -> Any:
        """Keep the selected features of RankingData, an array, a CSR matrix or a frame, in their order in `X`."""
        columns = sorted(self.indices)
        if isinstance(X, RankingData):
            return X.subset([self.feature_names[j] for j in columns])
        if hasattr(X, "columns") and not isinstance(X, np.ndarray):
            import narwhals as nw

            names = [self.feature_names[j] for j in columns]
            return nw.from_native(X, eager_only=True).select(names).to_native()
        if X.shape[1] != len(self.feature_names):
            raise DataError(f"X has {X.shape[1]} columns; the selection was made among {len(self.feature_names)}.")
        return X[:, columns]

    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.method == ALL_FEATURES:
            loss, metric = self.settings["max_loss"], self.settings["metric_name"].upper()
            rest = "" if self.n_features == len(self.feature_names) else " that may be used"
            why = f"no smaller set is proven to lose at most {loss:g} of {metric}"
            return f"Keep all {self.n_features} features{rest}: {why}"
        total, metric = len(self.feature_names), self.settings["metric_name"]
        return sentence_of(self.n_features, total, metric, self.versus_all, proven=self.proven)

    def report(self, path: str | os.PathLike[str], data: RankingData | None = None) -> None:
        """Write a report of one file: HTML, or Markdown or JSON by the ending of `path`.

        With the data it was made from it also shows what each feature does alone, which ones are alike, and what
        is wrong with the data.
        """
        # By name: reports stand above this room, and nothing here needs them until somebody asks for one.
        import_module("leanrank.report.writing").write_report(self, path, data)

    def __repr__(self) -> str:
        shown = ", ".join(self.features[:12]) + (", ..." if self.n_features > 12 else "")
        lines = [
            f"Selection: {self.sentence()}",
            f"  features  {shown}",
            f"  method    {self.method}",
            f"  cost      {self.cost:g} of {self.baseline['cost']:g}",
            f"  nested    {self.nested['mean']:+.4f} [{self.nested['low']:+.4f}, {self.nested['high']:+.4f}]",
            f"  why       {self.reason}",
            *([f"  data      {self.sample['sentence']}"] if self.sample else []),
            *(f"  copies    {sentence}" for sentence in self.copies),
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values. `names`, `ids` (1-based), `indices` (0-based) are as `leanrank order` writes them."""
        return {
            "format": FORMAT,
            "format_version": VERSION,
            "method": self.method,
            "measured_k": self.measured_k,
            "names": list(self.features),
            "ids": [j + 1 for j in self.indices],
            "indices": list(self.indices),
            "n_features_in": len(self.feature_names),
            "sentence": self.sentence(),
            "proven": self.proven,
            "reason": self.reason,
            "provable": self.provable,
            "versus_all": self.versus_all,
            "nested": self.nested,
            "baseline": self.baseline,
            "cost": self.cost,
            "path": list(self.path),
            "dropped": list(self.dropped),
            "stands_for": {name: list(others) for name, others in self.stands_for.items()},
            "curve": [_point(point) for point in self.curve],
            "pareto": [_point(point) for point in self.pareto],
            "stability": self.stability,
            "losers": list(self.losers),
            "per_query": self.per_query,
            "feature_names": list(self.feature_names),
            "settings": self.settings,
            **({"source": self.source} if self.source else {}),
            **({"sample": self.sample} if self.sample else {}),
            "seconds": round(self.seconds, 3),
        }

    def to_json(self) -> str:
        """As JSON text; two runs with one seed differ in `seconds` alone."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON, whole or not at all."""
        write_whole(path, self.to_json())


def sentence_of(n_kept: int, n_features: int, metric: str, difference: dict[str, float], *, proven: bool) -> str:
    """What so many features do to the metric; they keep it where it is proven that they lose no more than is allowed.

    >>> sentence_of(12, 136, "ndcg@10", {"mean": -0.0008, "low": -0.0031, "high": 0.0014}, proven=True)
    '12 of 136 features keep NDCG@10: -0.0008 [-0.0031, +0.0014]'
    >>> sentence_of(2, 136, "ndcg@10", {"mean": -0.008, "low": -0.031, "high": 0.0014}, proven=False)
    '2 of 136 features may cost NDCG@10: -0.0080 [-0.0310, +0.0014]'
    """
    d = difference
    verb = "cost" if d["high"] < 0 else "gain" if d["low"] > 0 else "keep" if proven else "may cost"
    return (
        f"{n_kept} of {n_features} features {verb} {metric.upper()}: "
        f"{d['mean']:+.4f} [{d['low']:+.4f}, {d['high']:+.4f}]"
    )


def load_selection(path: str | os.PathLike[str]) -> Selection:
    """Read a selection written by `Selection.save`."""
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise DataError(f"{path}: is not JSON, so not a selection.") from error
    return selection_of(record, path)


def selection_of(record: Any, path: str | os.PathLike[str]) -> Selection:
    """The selection that `Selection.to_dict` turned into plain values; errors name `path`."""
    if not isinstance(record, dict) or record.get("format") != FORMAT or record.get("format_version") != VERSION:
        raise DataError(f"{path}: is not a selection written by this version of leanrank.")
    try:
        return Selection(
            features=tuple(record["names"]),
            indices=tuple(record["indices"]),
            path=tuple(record["path"]),
            curve=tuple(_as_point(point) for point in record["curve"]),
            pareto=tuple(_as_point(point) for point in record["pareto"]),
            losers=tuple(record["losers"]),
            feature_names=tuple(record["feature_names"]),
            dropped=tuple(record["dropped"]),
            provable=record.get("provable"),
            per_query=record.get("per_query", {}),
            source=record.get("source", {}),
            sample=record.get("sample", {}),
            stands_for={name: tuple(others) for name, others in record.get("stands_for", {}).items()},
            **{
                name: record[name]
                for name in (
                    "method",
                    "measured_k",
                    "proven",
                    "reason",
                    "versus_all",
                    "nested",
                    "baseline",
                    "stability",
                    "cost",
                    "settings",
                    "seconds",
                )
            },
        )
    except (KeyError, TypeError) as error:
        raise DataError(f"{path}: the selection is damaged ({error}).") from error


def _point(point: CurvePoint) -> dict[str, Any]:
    return {**vars(point), "per_fold": list(point.per_fold)}


def _as_point(record: dict[str, Any]) -> CurvePoint:
    return CurvePoint(**{**record, "per_fold": tuple(record["per_fold"])})
