"""Comparison: the tables that a journal of `compare` holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from leanrank._notebook import Table, card
from leanrank.data.arrow_table import in_library
from leanrank.data.formats import format_of_name
from leanrank.data.weights import weighting_said
from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError, UnknownNameError
from leanrank.evaluation import journal_schema
from leanrank.evaluation.compare.slice_changes import Row, SliceRow, slice_changes
from leanrank.evaluation.journal import Journal, read_about
from leanrank.evaluation.records import ALL_FEATURES, CrossValidation, FoldRecord, write_parquet_table
from leanrank.evaluation.significance import PairedTest, holm, paired_bootstraps, paired_t_test, weighed_differences
from leanrank.evaluation.stability import Repetition, Stability
from leanrank.evaluation.unified_ranking import UnifiedRanking, competition_ranks, unified_ranking

#: Figures are compared as they are printed.
DECIMALS = 4


@dataclass(frozen=True)
class MeanRow(Row):
    """A method at a size with a ranker, over all folds."""

    scores: Mapping[str, float]
    n_features: float
    selection_seconds: float
    training_seconds: float


@dataclass(frozen=True)
class TestRow(Row):
    """A method against the reference, over the test queries of all folds. `t_holm` and `bootstrap_holm` are corrected
    for all rows of the table."""

    t: PairedTest
    t_holm: float
    bootstrap: PairedTest
    bootstrap_holm: float


@dataclass(frozen=True)
class FeatureRow(Row):
    """The features a method took in each fold. They do not depend on the ranker, unless settings were tuned with it."""

    repetition: Repetition
    stability: Stability


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of `compare`.

    Attributes
    ----------
    about : dict
        What was compared: folds, metrics with their definitions, settings.
    runs : dict
        (ranker, k, method) -> CrossValidation, of those with all folds finished.
    unfinished : int
        (ranker, k, method) combinations with some folds missing; they are in no table.
    graph_seconds : tuple of float
        The time of each feature graph, computed for all methods together; not part of the methods' selection seconds.
    """

    about: Mapping[str, Any]
    runs: Mapping[tuple[str, int | None, str], CrossValidation]
    unfinished: int
    graph_seconds: tuple[float, ...]

    @classmethod
    def of(cls, journal: Journal, about: Mapping[str, Any]) -> Comparison:
        """The tables of an open journal about these things."""
        source = str(journal.path)
        journal_schema.check_about(about, source)
        finished: dict[tuple[str, int | None, str], dict[int, FoldRecord]] = {}
        graphs: list[float] = []
        for task, result, seconds in journal:
            if journal_schema.is_graph(task):
                graphs.append(seconds)
            elif journal_schema.is_cell(task):
                journal_schema.check_cell(task, source)
                key = (task["ranker"], task["k"], task["method"])
                finished.setdefault(key, {})[task["fold"]] = FoldRecord.from_dict(result, source)
        records = (record for of_fold in finished.values() for record in of_fold.values())
        journal_schema.check_records(records, about, source)
        n_folds = len(about["folds"])
        metrics = dict(about["metrics"])
        runs = {
            key: CrossValidation(tuple(of_fold[f] for f in range(n_folds)), metrics)
            for key, of_fold in sorted(finished.items(), key=lambda item: _order(*item[0]))
            if set(range(n_folds)) <= set(of_fold)
        }
        return cls(about, runs, len(finished) - len(runs), tuple(graphs))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Comparison:
        """The tables of a journal file, finished or not."""
        about = read_about(path)
        if not journal_schema.is_comparison(about):
            raise DataError(f"{path}: is a journal, but not one of `compare`.")
        with Journal(path, about) as journal:
            return cls.of(journal, about)

    @property
    def n_graphs(self) -> int:
        """Feature graphs computed."""
        return len(self.graph_seconds)

    @property
    def metrics(self) -> list[str]:
        return [name for name, _ in self.about["metrics"]]

    @property
    def in_groups(self) -> bool:
        """Whether queries have groups, which tests are over then."""
        return any(run.query_groups is not None for run in self.runs.values())

    def _metric(self, name: str | None) -> str:
        if name is not None and name not in self.metrics:
            raise UnknownNameError.of("metric of this comparison", name, self.metrics)
        return self.metrics[-1] if name is None else name

    def means(self) -> list[MeanRow]:
        """Mean over folds of every metric, number of features, seconds of selection and of training."""
        return [
            MeanRow(
                ranker,
                k,
                method,
                run.mean,
                run.n_features,
                _mean(r.selection_seconds for r in run.records),
                _mean(r.training_seconds for r in run.records),
            )
            for (ranker, k, method), run in self.runs.items()
        ]

    def ranks(self) -> dict[tuple[str, int | None, str], dict[str, int]]:
        """(ranker, k, metric) -> competition rank of each method, by the printed figures; the reference takes part."""
        table = {}
        for place, column in self._columns().items():
            ranks = competition_ranks(list(column.values()), decimals=DECIMALS)
            table[place] = dict(zip(column, ranks.tolist(), strict=True))
        return table

    def unified(self) -> UnifiedRanking | None:
        """The unified ranking over all columns; None where no method is in all of them."""
        columns = list(self._columns().values())
        if not columns:
            return None
        common = [m for m in columns[0] if all(m in column for column in columns)]
        shared = [{m: column[m] for m in common} for column in columns]
        return unified_ranking(shared, decimals=DECIMALS) if common else None

    def _columns(self) -> dict[tuple[str, int | None, str], dict[str, float]]:
        columns: dict[tuple[str, int | None, str], dict[str, float]] = {}
        sizes = list(dict.fromkeys((ranker, k) for ranker, k, _ in self.runs if k is not None))
        for ranker, k in sizes:
            present = {method: run for (r, size, method), run in self.runs.items() if (r, size) == (ranker, k)}
            if (ranker, None, ALL_FEATURES) in self.runs:
                present = {ALL_FEATURES: self.runs[ranker, None, ALL_FEATURES], **present}
            for metric in self.metrics:
                columns[ranker, k, metric] = {method: run.mean[metric] for method, run in present.items()}
        return columns

    def tests(self, metric: str | None = None, *, n_resamples: int = 9_999, random_state: int = 0) -> list[TestRow]:
        """Every method against all features: paired t-test and bootstrap over queries, with Holm's correction.

        Where queries have groups, both are over these, and `PairedTest.n` counts them.
        """
        name = self._metric(metric)
        places, differences, shares, t_tests = [], [], [], []
        for (ranker, k, method), run in self.runs.items():
            reference = self.runs.get((ranker, None, ALL_FEATURES))
            if method == ALL_FEATURES or reference is None:
                continue
            first, second = run.per_query(name), reference.per_query(name)
            places.append((ranker, k, method))
            weight, group = run.query_weights, run.query_groups
            own, share = weighed_differences(first, second, weight, group)
            differences.append(own)
            shares.append(share)
            t_tests.append(paired_t_test(first, second, weight=weight, group=group))
        known = [np.ones(len(d)) if s is None else s for d, s in zip(differences, shares, strict=True)]
        weights = known if any(share is not None for share in shares) else None
        bootstraps = paired_bootstraps(differences, n_resamples=n_resamples, random_state=random_state, weights=weights)
        by_t, by_bootstrap = holm([t.p for t in t_tests]), holm([b.p for b in bootstraps])
        return [
            TestRow(*place, t, float(by_t[i]), b, float(by_bootstrap[i]))
            for i, (place, t, b) in enumerate(zip(places, t_tests, bootstraps, strict=True))
        ]

    def slices(self, metric: str | None = None) -> list[SliceRow]:
        """Every method against all features in each slice of the queries; none where queries have no slices."""
        name, rows = self._metric(metric), list[SliceRow]()
        for (ranker, k, method), run in self.runs.items():
            reference = self.runs.get((ranker, None, ALL_FEATURES))
            if method != ALL_FEATURES and reference is not None:
                changes = slice_changes(run.per_query(name), reference.per_query(name), run)
                rows += [SliceRow(ranker, k, method, *change) for change in changes]
        return rows

    def features(self) -> list[FeatureRow]:
        """How often features repeat over folds, and how stable the selections are."""
        return [
            FeatureRow(ranker, k, method, run.repetition, run.stability)
            for (ranker, k, method), run in self._once().items()
        ]

    def _once(self) -> dict[tuple[str, int | None, str], CrossValidation]:
        """Runs of the first ranker, or of all where selections depend on it; without the reference."""
        first = next((ranker for ranker, _, _ in self.runs), "")
        return {
            key: run
            for key, run in self.runs.items()
            if key[2] != ALL_FEATURES and (self.about["tune"] or key[0] == first)
        }

    def to_frame(self, library: str = "pyarrow", *, per_query: bool = False) -> Any:
        """A table with a row per method, size, ranker and fold, or test query. "pyarrow", "pandas" or "polars"."""
        import pyarrow

        tables = []
        for (ranker, k, method), run in self.runs.items():
            table = run.to_frame(per_query=per_query)
            table = table.drop_columns([name for name in ("selector", "ranker", "k") if name in table.column_names])
            for name, value in reversed((("method", method), ("ranker", ranker), ("k", k))):
                kind = pyarrow.int64() if name == "k" else pyarrow.string()
                table = table.add_column(0, name, pyarrow.array([value] * table.num_rows, kind))
            tables.append(table)
        if not tables:
            raise DataError("Nothing is finished yet: there is no table to make.")
        return in_library(pyarrow.concat_tables(tables), library)

    def write(self, path: str | PathLike[str], metric: str | None = None, *, per_query: bool = False) -> None:
        """Write the tables as JSON (.json), or the table of `to_frame` as Parquet (.parquet), by the file's name."""
        target = Path(path)
        check_kind(target)
        if target.suffix == ".json":
            write_whole(target, json.dumps(self.to_dict(metric), ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        else:
            write_parquet_table(target, self.to_frame(per_query=per_query))

    def _repr_html_(self) -> str:
        rows = [
            [row.ranker, row.method, row.n_features, *(row.scores[name] for name in self.metrics)]
            for row in self.means()
        ]
        facts = {"folds": len(self.about["folds"]), "weights": weighting_said(self.about) or None}
        facts["unfinished"] = self.unfinished or None
        return card("Comparison", facts, [Table(["ranker", "method", "features", *self.metrics], rows)])

    def to_dict(self, metric: str | None = None) -> dict[str, Any]:
        """All tables as plain values, for JSON."""
        unified, slices = self.unified(), [_plain(row) for row in self.slices(metric)]
        return {
            "about": dict(self.about),
            "unfinished": self.unfinished,
            "n_graphs": self.n_graphs,
            "means": [_plain(row) for row in self.means()],
            "ranks": [
                {"ranker": ranker, "k": k, "metric": name, "ranks": ranks}
                for (ranker, k, name), ranks in self.ranks().items()
            ],
            "unified": None
            if unified is None
            else [
                {"method": method, "counts": unified.counts[m].tolist(), "rank": float(unified.scores[m])}
                for m, method in enumerate(unified.methods)
            ],
            "tests": {
                "metric": self._metric(metric),
                "rows": [_plain(row) for row in self.tests(metric)],
                **({"over": "groups of queries"} if self.in_groups else {}),
            },
            **({"slices": slices} if slices else {}),
            "features": [_plain(row) for row in self.features()],
        }


def check_kind(path: Path) -> None:
    """Refuse a file that `Comparison.write` could not write, before the work rather than after it."""
    if path.suffix != ".json" and format_of_name(path) != "parquet":
        raise UnknownNameError.of("kind of file", path.suffix, [".json", ".parquet"])


def _order(ranker: str, k: int | None, method: str) -> tuple[str, int, bool, str]:
    return ranker, 0 if k is None else k, method != ALL_FEATURES, method


def _mean(values: Any) -> float:
    return float(np.mean(list(values)))


def _plain(row: Any) -> dict[str, Any]:
    """A row as a dict, NaN as None."""

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: clean(item) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [clean(item) for item in value]
        return None if isinstance(value, float) and not np.isfinite(value) else value

    plain: dict[str, Any] = clean(asdict(row))
    return plain
