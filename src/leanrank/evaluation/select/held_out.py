"""HeldOut: what a set of features is worth on queries that neither chose nor trained with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.folds import Queries
from leanrank.data.ranking_data import RankingData
from leanrank.data.reordered import with_columns
from leanrank.data.weights import is_part
from leanrank.evaluation.folds import QueryFolds
from leanrank.evaluation.journal import Task
from leanrank.evaluation.journal_schema import check_fit, fit_task
from leanrank.evaluation.tasks import Tasks
from leanrank.evaluation.training import filled, prepared, train
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker
from leanrank.selectors._ranker_selector import importances
from leanrank.selectors.hybrids import shares
from leanrank.stats.best_scale import best_scales
from leanrank.stats.copies import Copies
from leanrank.stats.feature_graph import FeatureGraph, feature_graph
from leanrank.stats.importance import Importance
from leanrank.stats.similarity import Similarity

Values = NDArray[np.float64]
_Key = tuple[str, str, bytes]  # of a graph: how it is computed, and of which columns


@dataclass(frozen=True, eq=False)
class Material:
    """Data, and held-out data if any were given, in two forms: as selection sees them, and as the ranker does.

    Selection sees one of several `copies`, all features that the ranker learns from are with them. Each form is made
    when it is first needed; to another process only the data as given travel.
    """

    data: RankingData
    valid: RankingData | None
    ranker: Ranker
    copies: Copies
    # groups of copies of which any may stand, the one that stands before labels are seen first: what a fold learns from
    # says which of them has the best scale for the ranker
    scales: tuple[tuple[int, ...], ...] = ()

    def seen(self, columns: NDArray[np.int64]) -> tuple[RankingData, RankingData | None]:
        """Filled, on no other scale, these columns alone; cut once, since all folds mostly see the same."""
        data, valid = self.complete
        if len(columns) == data.n_features:
            return data, valid
        key = columns.tobytes()
        if key not in self._cut:
            self._cut[key] = with_columns(data, columns), None if valid is None else with_columns(valid, columns)
        return self._cut[key]

    @cached_property
    def _cut(self) -> dict[bytes, tuple[RankingData, RankingData | None]]:
        return {}

    def standing(self, learned: RankingData) -> NDArray[np.int64]:
        """The columns that stand for themselves and their copies, by what may be `learned` from."""
        now = np.arange(self.data.n_features)
        if self.scales:
            now[[group[0] for group in self.scales]] = best_scales(learned, [list(group) for group in self.scales])
        return np.asarray(now[self.copies.staying])

    @cached_property
    def complete(self) -> tuple[RankingData, RankingData | None]:
        return filled(self.data), None if self.valid is None else filled(self.valid)

    @property
    def trained(self) -> tuple[RankingData, RankingData | None]:
        """What the ranker takes, yet to be `prepared` for it: fold by fold, so that there is no copy of the whole."""
        return (self.data, self.valid) if self.ranker.takes_missing else self.complete

    def take_queries(self, index: NDArray[np.int64]) -> Material:
        """Some of the queries, with the same held-out data."""
        return Material(Queries(self.data, index).seen(), self.valid, self.ranker, self.copies, self.scales)

    def __reduce__(self) -> tuple[Any, ...]:
        return Material, (self.data, self.valid, self.ranker, self.copies, self.scales)


class HeldOut:
    """Cross-validation over queries with selection inside; see `QueryFolds` for who is tested on what.

    Selection sees all but the queries that are tested; the ranker learns from those but the ones it stops on.

    Parameters
    ----------
    material : Material
    metrics : Metric or sequence of Metric
        What is measured; the first is the one that methods are chosen by.
    cv : int or str
        At least 3, or 2 with held-out data: one part to test, one to stop on, one to learn from. "time" for folds in
        the order of time.
    random_state : int
        Seed by which queries are dealt to parts.
    scope : str
        Part of every task, to tell the folds of a sample from those of all queries.
    """

    def __init__(
        self,
        material: Material,
        metrics: Metric | Sequence[Metric],
        *,
        cv: int | str,
        random_state: int,
        scope: str = "all",
    ) -> None:
        self.material = material
        self.metrics = (metrics,) if isinstance(metrics, Metric) else tuple(metrics)
        self.scope = scope
        cut = QueryFolds.cut(material.data, cv, random_state=random_state)
        self.roles = (cut.roles, cut.whole)
        self._nothing_shared()

    def _nothing_shared(self) -> None:
        """Nothing yet of what is computed once and kept."""
        self._lock = Lock()  # of graphs, which take long
        self._lock_of_columns = Lock()
        self._graphs: dict[_Key, list[FeatureGraph]] = {}
        self._own_graphs: dict[tuple[str, str, bytes, int | None], FeatureGraph] = {}
        self._shares: list[NDArray[np.float64]] = []
        self._columns: dict[int | None, NDArray[np.int64]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What a worker elsewhere needs: nothing that it can compute itself."""
        return {name: vars(self)[name] for name in ("material", "metrics", "scope", "roles")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._nothing_shared()

    def columns(self, i: int | None) -> NDArray[np.int64]:
        """The columns that selection sees in fold `i`, None: in all queries; in every fold as many.

        In each place stands one of the same copies; those that it learns from in this fold say which.
        """
        if not self.material.scales:
            return self.material.copies.staying
        with self._lock_of_columns:
            if i not in self._columns:
                data, _ = self.material.complete
                self._columns[i] = self.material.standing(QueryFolds(data, *self.roles).learned(i, view=True))
            return self._columns[i]

    def ranker(self, i: int | None) -> Ranker:
        """The ranker, for the features that selection sees in fold `i`."""
        return self.material.ranker.for_columns(self.columns(i).tolist(), self.material.data.n_features)

    @property
    def n_queries(self) -> int:
        return self.material.data.n_queries

    @property
    def parts(self) -> list[NDArray[np.int64]]:
        """The queries tested in each fold."""
        return [role.test for role in self.roles[0]]

    @property
    def n_folds(self) -> int:
        return len(self.roles[0])

    def folds(self, i: int | None) -> QueryFolds:
        """The folds with the features that selection sees in fold `i`."""
        data, valid = self.material.seen(self.columns(i))
        return QueryFolds(data, *self.roles, valid)

    def measure(
        self, tasks: Tasks, sets: Sequence[Sequence[Sequence[int]]], title: str = "fits", *, optional: bool = False
    ) -> Values:
        """Every metric of every query for every candidate; a candidate is a set of features for each fold.

        Features are numbered as selection sees them in the fold.

        Returns
        -------
        array of shape (metrics, candidates, queries)
            NaN where the metric skips a query or no fold tests it, and throughout where time was up before a candidate
            was measured.
        """
        fits = [
            fit_task(self.scope, i, self.columns(i)[list(own)]) for candidate in sets for i, own in enumerate(candidate)
        ]
        results = iter(tasks.run(_fit, self, fits, title=title, optional=optional))
        values = np.full((len(self.metrics), len(sets), self.n_queries), np.nan)
        for row, candidate in enumerate(sets):
            measured = [next(results) for _ in candidate]
            if None not in measured:
                for part, fit in zip(self.parts, measured, strict=True):
                    self._check(fit, part, tasks)
                    values[:, row, part] = _values(fit)
        return values

    def reference(self, tasks: Tasks) -> Values:
        """Every metric of every query with all features (metrics, queries); after it, `share` is known."""
        everything = range(self.material.data.n_features)
        fits = [fit_task(self.scope, i, everything) for i in range(self.n_folds)]
        results = tasks.run(_fit, self, fits, title="all features")
        for part, fit in zip(self.parts, results, strict=True):
            self._check(fit, part, tasks)
        self._shares = [np.array(fit["share"], dtype=np.float64) for fit in results]
        values = np.full((len(self.metrics), self.n_queries), np.nan)
        for part, fit in zip(self.parts, results, strict=True):
            values[:, part] = _values(fit)
        return values

    def _check(self, fit: Any, part: NDArray[np.int64], tasks: Tasks) -> None:
        n_features = self.material.data.n_features
        check_fit(fit, len(part), n_features, tasks.journal.path, n_metrics=len(self.metrics))

    def share(self, i: int | None) -> NDArray[np.float64]:
        """The share of each feature in what the ranker makes use of, trained on all of them in fold `i`.

        That of its copies is its own. None: the mean over the folds, which has seen all queries.
        """
        share = np.mean(self._shares, axis=0) if i is None else self._shares[i]
        copies = self.material.copies
        return np.asarray(np.round(np.bincount(copies.stands_in, share)[copies.staying], 12))

    def fit(self, i: int, columns: Sequence[int]) -> tuple[Values, NDArray[np.float64] | None]:
        """A ranker trained on these columns in fold `i`: each metric of every query tested there, and the shares.

        These are the shares of the features in what the ranker makes use of, where it was trained on all of them.
        """
        data, valid = self.material.trained
        ranker = self.material.ranker
        fold = QueryFolds(data, *self.roles, valid)[i].prepared(partial(prepared, ranker=ranker))
        trained = train(ranker, fold, columns)
        values = np.stack(trained.per_query(trained.fold.test, *self.metrics))
        if trained.ranker is None or len(columns) < data.n_features:
            return values, None
        return values, shares(importances(trained.ranker, "auto", trained.fold.valid))

    def graph(self, i: int | None, importance: Any, similarity: Any, engine: Any = None) -> FeatureGraph:
        """The feature graph of what selection may see in fold `i`, computed once.

        Where every part is in all folds but one, it is the sum of the parts' graphs. Which of the copies a fold sees
        makes no difference to what looks at orders alone: such graphs are the same but for the names.
        """
        seen = self.columns(i)
        by_order = Importance.named(importance).of_orders and Similarity.named(similarity).of_orders
        columns = self.material.copies.staying if by_order else seen
        key = (repr(importance), repr(similarity), columns.tobytes())
        folds = QueryFolds(self.material.seen(columns)[0], *self.roles)
        compute = partial(feature_graph, importance=importance, similarity=similarity, engine=engine)
        with self._lock:
            graph = self._sum(i, key, folds, compute) if folds.is_partition else self._own(i, key, folds, compute)
        return replace(graph, feature_names=tuple(self.material.data.feature_names[j] for j in seen))

    def _sum(self, i: int | None, key: _Key, folds: QueryFolds, compute: Callable[..., FeatureGraph]) -> FeatureGraph:
        if key not in self._graphs:
            first, *others = [compute(folds.data.take_queries(part)) for part in self.parts]
            if not is_part(folds.data):
                sum(others, first).require_weight()  # a part may weigh little, or nothing
            self._graphs[key] = [first, *others]
        first, *others = (graph for j, graph in enumerate(self._graphs[key]) if j != i)
        return sum(others, first)

    def _own(self, i: int | None, key: _Key, folds: QueryFolds, compute: Callable[..., FeatureGraph]) -> FeatureGraph:
        if (*key, i) not in self._own_graphs:
            graph = compute(folds.learned(i, view=True))
            whole = i is None and not is_part(folds.data)
            self._own_graphs[*key, i] = graph.require_weight() if whole else graph
        return self._own_graphs[*key, i]


def _fit(held_out: HeldOut, task: Task, _: Any) -> dict[str, Any]:
    values, share = held_out.fit(task["fold"], task["features"])
    first, *others = [[None if np.isnan(value) else float(value) for value in row] for row in values]
    record = {"values": first, "share": None if share is None else share.tolist()}
    return {**record, "others": others} if others else record


def _values(fit: dict[str, Any]) -> Values:
    """Every metric of the queries that a fit was tested on."""
    return np.array([fit["values"], *fit.get("others", ())], dtype=np.float64)
