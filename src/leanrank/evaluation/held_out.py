"""HeldOut: what a set of features is worth on queries that neither chose nor trained with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.data.scaling import QueryMinMaxScaler
from leanrank.data.splits import QueryKFold
from leanrank.evaluation.journal_schema import fit_task
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker
from leanrank.rankers.adapters import Adapter
from leanrank.selectors.cegb import for_columns
from leanrank.stats.feature_graph import FeatureGraph, feature_graph

FeatureSet = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """One fold: what selection may see, and what the ranker learns from, stops on and is measured on."""

    learn: RankingData
    train: RankingData
    valid: RankingData
    test: RankingData
    test_queries: NDArray[np.int64]


class HeldOut:
    """Cross-validation over queries with selection inside.

    The queries are cut into `cv` parts. In fold f the ranker is measured on part f, stops early (or picks its C) on
    part f + 1, and learns from the rest; selection sees all but part f. With `valid` given, that is what the ranker
    stops on in every fold, and it learns from all but part f.

    Parameters
    ----------
    data : RankingData
        Where values are missing, selection sees the least value of the feature in the query (0 where it has none), and
        so does a ranker that cannot take missing values.
    ranker : Ranker
        Cloned for every fit. Learners that are not tree ensembles get features scaled to [0, 1] within each query,
        which uses no label and no other query.
    metric : Metric
    cv : int
        At least 3, or 2 with `valid`: one part to measure on, one to stop on, one to learn from.
    tasks : Tasks
        Where rankers are trained; every fit is a task: the fold and the set of features.
    valid : RankingData, optional
    random_state : int
        Of the cut into parts.
    scope : str
        Part of every task, to tell the folds of a sample from those of all queries.
    """

    def __init__(
        self,
        data: RankingData,
        ranker: Ranker,
        metric: Metric,
        *,
        cv: int,
        tasks: Tasks,
        valid: RankingData | None = None,
        random_state: int = 0,
        scope: str = "all",
    ) -> None:
        self.data = filled(data)
        self.ranker = ranker
        self.metric = metric
        self.tasks = tasks
        self.scope = scope
        self._valid = None if valid is None else filled(valid)
        self._as_given = (data, valid)
        splitter = QueryKFold(cv, shuffle=True, random_state=random_state)
        self._parts = [test for _, test in splitter.split_queries(data)]
        self._prepared()

    def _prepared(self) -> None:
        """Nothing yet of what is prepared once and kept."""
        self._lock = Lock()
        self._folds: dict[int, Part] = {}
        self._unscaled: dict[int | None, tuple[RankingData, RankingData]] = {}
        self._graphs: dict[tuple[str, str], list[FeatureGraph]] = {}
        self._shared: dict[Hashable, Future[Any]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What a worker on another machine needs: neither the tasks nor anything that it can prepare itself."""
        left = ("tasks", "_lock", "_folds", "_unscaled", "_graphs", "_shared", "_scaled")
        return {name: value for name, value in vars(self).items() if name not in left}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, tasks=None)
        self._prepared()

    @property
    def n_folds(self) -> int:
        return len(self._parts)

    @cached_property
    def scales(self) -> bool:
        """Whether the ranker gets features scaled within queries."""
        return not isinstance(self.ranker, Adapter)

    @cached_property
    def _scaled(self) -> tuple[RankingData, RankingData | None]:
        if self.ranker._takes_missing:
            return self._as_given
        if not self.scales:
            return self.data, self._valid
        return scaled(self.data), None if self._valid is None else scaled(self._valid)

    def fold(self, f: int) -> Part:
        """The data of fold `f`."""
        with self._lock:
            if f not in self._folds:
                self._folds[f] = self._make_fold(f)
            return self._folds[f]

    def _make_fold(self, f: int) -> Part:
        test = self._parts[f]
        learn = np.sort(np.concatenate([part for g, part in enumerate(self._parts) if g != f]))
        data, given = self._scaled
        if given is not None:
            train, valid = data.take_queries(learn), given
        else:
            stop = self._parts[(f + 1) % self.n_folds]
            train, valid = data.take_queries(np.setdiff1d(learn, stop)), data.take_queries(stop)
        return Part(self.data.take_queries(learn), train, valid, data.take_queries(test), test)

    def learn(self, f: int | None) -> RankingData:
        """What selection may see in fold `f`; everything for None."""
        return self.data if f is None else self.fold(f).learn

    def train_valid(self, f: int | None) -> tuple[RankingData, RankingData]:
        """What a selector that trains rankers may see in fold `f`, unscaled: to learn from, and to stop on."""
        with self._lock:
            if f not in self._unscaled:
                stop = self._parts[0 if f is None else (f + 1) % self.n_folds]
                learn = np.sort(np.concatenate([part for g, part in enumerate(self._parts) if g != f]))
                if self._valid is not None:
                    self._unscaled[f] = (self.data.take_queries(learn), self._valid)
                else:
                    rest = np.setdiff1d(learn, stop)
                    self._unscaled[f] = (self.data.take_queries(rest), self.data.take_queries(stop))
            return self._unscaled[f]

    def resamples(self, f: int | None) -> Iterator[tuple[RankingData, RankingData]]:
        """What rankers may learn from in fold `f`, unscaled, each time without one more part, and what they stop on."""
        for g, stop in enumerate(self._parts):
            if g == f:
                continue
            # of two folds nothing else is left; held-out data were given then
            rest = np.concatenate([part for h, part in enumerate(self._parts) if h not in (f, g)] or [stop])
            valid = self.data.take_queries(stop) if self._valid is None else self._valid
            yield self.data.take_queries(np.sort(rest)), valid

    def shared(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """What several methods need in common, computed by the first that asks; the others wait for it."""
        with self._lock:
            first = key not in self._shared
            future: Future[Any] = self._shared.setdefault(key, Future())
        if first:
            try:
                future.set_result(compute())
            except BaseException as error:
                future.set_exception(error)
        return future.result()

    def graph(self, f: int | None, importance: Any, similarity: Any, engine: Any = None) -> FeatureGraph:
        """The feature graph of what selection may see in fold `f`: the sum of the parts' graphs, each computed once."""
        key = (repr(importance), repr(similarity))
        with self._lock:
            if key not in self._graphs:
                self._graphs[key] = [
                    feature_graph(self.data.take_queries(part), importance, similarity, engine=engine)
                    for part in self._parts
                ]
            graphs = [graph for g, graph in enumerate(self._graphs[key]) if g != f]
        total = graphs[0]
        for graph in graphs[1:]:
            total = total + graph
        return total

    def measure(self, sets: Sequence[Sequence[FeatureSet]], title: str = "fits") -> NDArray[np.float64]:
        """The metric on every query of every candidate; a candidate is a set of features for each fold.

        Returns
        -------
        array of shape (candidates, queries), NaN where the metric skips a query
        """
        fits = [fit_task(self.scope, f, features) for candidate in sets for f, features in enumerate(candidate)]
        results = iter(self.tasks.run(_fit, self, fits, title=title))
        values = np.full((len(sets), self.data.n_queries), np.nan)
        for row, candidate in enumerate(sets):
            for f, _ in enumerate(candidate):
                values[row, self._parts[f]] = np.array(next(results), dtype=np.float64)
        return values

    def _fit(self, task: Any) -> list[float | None]:
        fold = self.fold(task["fold"])
        columns = np.array(task["features"], dtype=np.int64)
        ranker = for_columns(self.ranker, task["features"], self.data.n_features)
        ranker.fit(fold.train.subset(columns), eval_set=fold.valid.subset(columns))
        test = fold.test.subset(columns)
        values = self.metric.per_query(test.y, ranker.predict(test), test.query_ptr)
        return [None if np.isnan(value) else float(value) for value in values]


def _fit(held_out: HeldOut, task: Any, _: Any) -> list[float | None]:
    return held_out._fit(task)


def filled(data: RankingData) -> RankingData:
    """Missing values replaced by the least value of the feature in the query, 0 where all of a query are missing."""
    if not data.missing:
        return data
    X = data.dense()
    absent = np.isnan(X)
    least = np.minimum.reduceat(np.where(absent, np.inf, X), data.query_ptr[:-1], axis=0)
    least = np.where(np.isinf(least), 0.0, least).astype(X.dtype)
    return replace(data, X=np.where(absent, np.repeat(least, data.query_sizes, axis=0), X), missing=False)


def scaled(data: RankingData) -> RankingData:
    """Features scaled to [0, 1] within each query."""
    result: RankingData = QueryMinMaxScaler().fit(data).transform(data)
    return result


def joined(data: RankingData, valid: RankingData | None) -> RankingData:
    """Both together, where there are two."""
    return data if valid is None else concatenate([data, valid])
