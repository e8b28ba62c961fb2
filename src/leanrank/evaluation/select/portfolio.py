"""The portfolio of `select`: selectors by their names in the registry, each fitted to what it may see of a fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.ranking_data import RankingData
from leanrank.errors import ParameterError
from leanrank.evaluation.select.effort import EVERY
from leanrank.evaluation.select.held_out import HeldOut
from leanrank.evaluation.training import prepared
from leanrank.selectors import registry
from leanrank.selectors._base import Selector
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors._ranker_selector import RankerSelector
from leanrank.selectors.bestgain import BestGain
from leanrank.selectors.booster_importance import BoosterImportance
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.for_columns import for_columns
from leanrank.selectors.forward_regression import ForwardRegression
from leanrank.selectors.hybrids import IMPORTANCE, SIMILARITY, FilteredRFE, RelevanceMRMR
from leanrank.selectors.limits import Limits
from leanrank.stats.feature_graph import FeatureGraph

Order = NDArray[np.int64]

#: A gain that is none.
SMALLEST_GAIN = 1e-6


def portfolio(methods: str | Sequence[Any], auto: Sequence[str] = EVERY, seed: int = 0) -> dict[str, Selector]:
    """The selectors asked for, by name: "auto", or names of the registry and selector objects.

    Those given by name draw from `seed`, objects from their own. Those given by name do not look for copies: whether
    there are any left is for the run to say.
    """
    if isinstance(methods, str):
        methods = auto if methods == "auto" else [name.strip() for name in methods.split(",")]
    chosen: dict[str, Selector] = {}
    for method in dict.fromkeys(methods):
        if isinstance(method, Selector):
            chosen[_unused(type(method).__name__.lower(), chosen)] = method
        else:
            chosen[_unused(method, chosen)] = registry.get(method, collapse=False).change_seeds(lambda _: seed)
    if not chosen:
        raise ParameterError.of("select", "methods", "'auto' or at least one method", methods)
    return chosen


def _unused(name: str, taken: dict[str, Selector]) -> str:
    unused, times = name, 1
    while unused in taken:
        times += 1
        unused = f"{name}-{times}"
    return unused


@dataclass(frozen=True, eq=False)
class Sight:
    """What a selector has at hand in one fold (None: all queries), and the limits that it must respect.

    What selectors have in common, graphs and shares, is computed once for all of them.
    """

    held_out: HeldOut
    fold: int | None
    limits: ColumnLimits
    largest: int  # sizes beyond this are not asked for
    share: NDArray[np.float64]  # of each feature in what the ranker makes use of
    engine: Any = None

    def order(self, selector: Selector) -> Order:
        """The features in the order of a selector, with the limits kept."""
        return self.limits.obeyed(self._path(selector))

    def _path(self, selector: Selector) -> Order:
        """The path of a selector; where a size is asked for, the selector's own set of this size first."""
        n_features, largest = len(self.limits.own), self.limits.largest_size(self.largest)
        if type(selector) is BoosterImportance and selector.ranker is None and selector.kind == "auto":
            return np.argsort(-self.share, kind="stable")
        fitted = self._fitted(selector)
        if largest >= n_features:
            return np.asarray(fitted.order_, dtype=np.int64)
        wanted = fitted._reach(largest)  # its own limits may allow it fewer, or keep more
        n_never = int(fitted._limits().never.sum())
        short = len(fitted.order_) < wanted and largest <= n_features - len(fitted.dropped_) + n_never
        if short and not _gains_all_the_way(selector):  # it stopped by itself; some can be told to go on
            fitted = self._fitted(clone(selector).set_params(n_features_to_select=wanted))
        first = fitted._first(largest)
        return np.concatenate([first, fitted.order_[~np.isin(fitted.order_, first)]])

    def _fitted(self, selector: Selector) -> Any:
        """A clone of the selector, fitted to what may be seen, within the limits it knows of.

        Limits that it does not know, as one that has its own, and the budget are seen to afterwards.
        """
        material = self.held_out.material
        columns = self.held_out.columns(self.fold)
        chosen: Any = for_columns(selector, material.data.feature_names, columns)
        limits = Limits.of_columns(self.limits)
        if limits is not None and "limits" in selector.get_params(deep=False) and chosen.limits is None:
            chosen.set_params(limits=limits)
        if _gains_all_the_way(selector):
            names = [material.data.feature_names[j] for j in columns]
            n_kept = 0 if chosen.limits is None else int(chosen.limits.bound("select", names).must_keep.sum())
            chosen.set_params(max_features=max(self.largest, n_kept))
        if isinstance(selector, ForwardRegression) and selector.scale == "auto":
            chosen.set_params(scale="minmax" if material.ranker.wants_scaling else "rank")
        if isinstance(selector, RankerSelector):
            return self._fitted_ranker(chosen)
        if isinstance(selector, GraphSelector) and chosen.is_of_queries:
            graph = self._graph(chosen.importance, chosen.similarity)
            return chosen.fit_graph(graph, self._learned(view=True) if chosen.collapse else None)
        return chosen.fit(self._learned(view=isinstance(selector, GraphSelector)))

    def _learned(self, *, view: bool) -> RankingData:
        """What the fold learns from."""
        return self.held_out.folds(self.fold).learned(self.fold, view=view)

    def _fitted_ranker(self, chosen: Any) -> Any:
        """A selector that trains rankers: those of the run where it names none itself."""
        own = getattr(chosen, "ranker", None) is not None
        if not own and isinstance(chosen, RelevanceMRMR):
            return chosen.fit_known(self)
        if not own and isinstance(chosen, FilteredRFE | RelevanceMRMR | BoosterImportance):
            chosen.set_params(ranker=self.held_out.ranker(self.fold))
        ranker = chosen._new_ranker()
        train, valid = (prepared(part, ranker) for part in self.held_out.folds(self.fold).train_valid(self.fold))
        if not own and isinstance(chosen, FilteredRFE):
            return chosen.fit_known(self, train, eval_set=valid, largest=self.largest)
        return chosen.fit(train, eval_set=valid)

    @property
    def graph(self) -> FeatureGraph:
        """The graph that the hybrids live on."""
        return self._graph(IMPORTANCE, SIMILARITY)

    def _graph(self, importance: Any, similarity: Any) -> FeatureGraph:
        return self.held_out.graph(self.fold, importance, similarity, self.engine)


def _gains_all_the_way(selector: Any) -> bool:
    """Whether this is BestGain that stops only where no feature gains anything: further there is no path."""
    return isinstance(selector, BestGain) and selector.delta != "auto" and float(selector.delta) <= SMALLEST_GAIN
