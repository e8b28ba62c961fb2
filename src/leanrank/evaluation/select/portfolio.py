"""The portfolio of `select`: ways to order features, each a function of what selection may see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.ranking_data import RankingData
from leanrank.errors import ParameterError
from leanrank.evaluation.held_out import HeldOut, scaled
from leanrank.rankers.adapters import Adapter
from leanrank.selectors import registry
from leanrank.selectors._base import Selector
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors._ranker_selector import RankerSelector
from leanrank.selectors.bestgain import BestGain
from leanrank.selectors.booster_importance import BoosterImportance
from leanrank.selectors.cegb import for_columns
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.gas import GAS
from leanrank.selectors.limits import Limits
from leanrank.selectors.mrmr import MRMR
from leanrank.selectors.rankfilter import RankFilter
from leanrank.selectors.rfe import RankingRFE
from leanrank.stats.feature_graph import FeatureGraph
from leanrank.stats.importance import Importance
from leanrank.stats.similarity import Similarity

Order = NDArray[np.int64]

#: What the graph methods of the portfolio live on: a feature may be useful in either direction, and equal values say
#: nothing about likeness.
IMPORTANCE = Importance("map", direction="max")
SIMILARITY = Similarity("kendall", ties="cosine")
#: How many times the features wanted a filter leaves to the elimination behind it.
FILTER_FACTOR = 3
#: Elimination trains on no more features than this; behind them the filter's order stands.
ELIMINATED = 30
#: Share of the features left that elimination drops at a step.
STEP = 0.15
#: Importances are averaged over several rankers where there are no more queries than this.
AVERAGED_QUERIES = 1_500
#: The smallest gain for which BestGain goes on; its path matters here, not its stop.
SMALLEST_GAIN = 1e-6


@dataclass(frozen=True, eq=False)
class Learner:
    """What a method of the portfolio has at hand in one fold (None: all data), and what it must respect."""

    held_out: HeldOut
    fold: int | None
    limits: ColumnLimits
    largest: int  # sizes beyond this are not asked for
    engine: Any = None

    @cached_property
    def data(self) -> RankingData:
        return self.held_out.learn(self.fold)

    @cached_property
    def graph(self) -> FeatureGraph:
        return self.held_out.graph(self.fold, IMPORTANCE, SIMILARITY, self.engine)

    @property
    def importance(self) -> NDArray[np.float64]:
        """The share of each feature in what the ranker makes use of; on few queries the mean over several rankers."""
        weight: NDArray[np.float64] = self.held_out.shared(("importance", self.fold), self._importance)
        return weight

    def _importance(self) -> NDArray[np.float64]:
        scale = self.held_out.scales
        total = np.zeros(self.held_out.data.n_features)
        for train, valid in self.held_out.resamples(self.fold):
            selector: Any = BoosterImportance(clone(self.held_out.ranker))
            parts = (scaled(train), scaled(valid)) if scale else (train, valid)
            weight = np.maximum(np.nan_to_num(selector.fit(parts[0], eval_set=parts[1]).scores_, nan=0.0), 0.0)
            total += weight / max(weight.sum(), 1e-300)
            if self.held_out.data.n_queries > AVERAGED_QUERIES:
                break
        share: NDArray[np.float64] = np.round(total / max(total.sum(), 1e-300), 12)
        return share

    def fit(self, selector: Selector, columns: Order | None = None, graph: FeatureGraph | None = None) -> Order:
        """The path of a selector on what may be seen, in column numbers.

        A selector that trains rankers may get some of the columns only, one on the graph another graph than its own.
        """
        ranking = np.asarray(self.fitted(selector, columns, graph).order_, dtype=np.int64)
        return ranking if columns is None else np.asarray(columns[ranking], dtype=np.int64)

    def fitted(self, selector: Selector, columns: Order | None = None, graph: FeatureGraph | None = None) -> Any:
        """A clone of the selector, fitted to what may be seen."""
        chosen: Any = clone(selector).set_params(**self._rules(selector, columns))
        if isinstance(selector, RankerSelector):
            train, valid = self._train_valid(scale=not isinstance(chosen._new_ranker(), Adapter))
            if columns is not None:
                train, valid = train.subset(columns), valid.subset(columns)
            return chosen.fit(train, eval_set=valid)
        if graph is not None:
            return chosen.fit_graph(graph)
        if isinstance(selector, GraphSelector) and _of_queries(chosen):
            own = self.held_out.graph(self.fold, chosen.importance, chosen.similarity, self.engine)
            return chosen.fit_graph(own)
        return chosen.fit(self.data)

    def _rules(self, selector: Selector, columns: Order | None) -> dict[str, Any]:
        """Costs, groups and what must be kept, for the selectors that know such rules.

        Others, and the budget, are seen to afterwards: see `ColumnLimits.arranged` and `affordable`.
        """
        rules = Limits.of_columns(self.limits if columns is None else self.limits.only(columns))
        return {"limits": rules} if rules is not None and "limits" in selector.get_params(deep=False) else {}

    def _train_valid(self, *, scale: bool) -> tuple[RankingData, RankingData]:
        train, valid = self.held_out.train_valid(self.fold)
        return (scaled(train), scaled(valid)) if scale else (train, valid)


Method = Callable[[Learner], Order]


def _by_importance(learner: Learner) -> Order:
    """What the ranker makes most use of, first."""
    return np.argsort(-learner.importance, kind="stable")


def _filter_then_rfe(filtered: Order, learner: Learner) -> Order:
    """Leave out what the filter puts last, then eliminate by the ranker."""
    first = np.sort(filtered[: max(2, min(len(filtered), FILTER_FACTOR * learner.largest, ELIMINATED))])
    ranker = for_columns(learner.held_out.ranker, first.tolist(), learner.data.n_features)
    return np.concatenate([learner.fit(RankingRFE(ranker, step=STEP), first), filtered[len(first) :]])


def _relevance_then_redundancy(relevance: NDArray[np.float64], learner: Learner) -> Order:
    """A relevance of another kind with the graph's similarity for redundancy."""
    relevant = replace(learner.graph, importance=relevance / max(relevance.max(), 1e-300))
    return learner.fit(MRMR(), graph=relevant)


def _blended(learner: Learner) -> NDArray[np.float64]:
    """The geometric mean of a feature's worth alone and its share in the ranker."""
    return np.sqrt(np.maximum(learner.graph.importance, 0.0) * learner.importance)


#: name -> how it orders the features; what `methods="auto"` runs. Of methods that held-out queries cannot tell apart,
#: the first is preferred: the filter in widest use, then the cheap ones that know redundancy, then those that train
#: rankers.
AUTO: dict[str, Method] = {
    "mrmr-f": lambda learner: learner.fit(MRMR(relevance="f", similarity=Similarity("pearson", scope="pooled"))),
    "mrmr": lambda learner: learner.fit(MRMR(), graph=learner.graph),
    "gas": lambda learner: learner.fit(GAS(c=0.5), graph=learner.graph),
    "bestgain": lambda learner: learner.fit(BestGain(delta=SMALLEST_GAIN, max_features=learner.largest)),
    "rank-filter": lambda learner: learner.fit(RankFilter()),
    "blend+mrmr": lambda learner: _relevance_then_redundancy(_blended(learner), learner),
    "importance+mrmr": lambda learner: _relevance_then_redundancy(learner.importance, learner),
    "importance": _by_importance,
    "rfe": lambda learner: _filter_then_rfe(_by_importance(learner), learner),
    "mrmr>rfe": lambda learner: _filter_then_rfe(learner.fit(MRMR(), graph=learner.graph), learner),
}


def portfolio(methods: str | Sequence[Any]) -> dict[str, Method]:
    """The methods asked for: "auto", or names (of the portfolio or of selectors) and selector objects."""
    if isinstance(methods, str):
        methods = list(AUTO) if methods == "auto" else [name.strip() for name in methods.split(",")]
    chosen: dict[str, Method] = {}
    for method in dict.fromkeys(methods):
        if isinstance(method, Selector):
            chosen[_unused(type(method).__name__.lower(), chosen)] = _of_selector(method)
        else:
            chosen[_unused(method, chosen)] = AUTO.get(method) or _of_selector(registry.get(method))
    if not chosen:
        raise ParameterError.of("select", "methods", "'auto' or at least one method", methods)
    return chosen


def _of_selector(selector: Selector) -> Method:
    """The path of a selector; where a size is asked for, the selector's own set of this size first."""

    def path(learner: Learner) -> Order:
        size, n_features = learner.largest, learner.data.n_features
        fitted = learner.fitted(selector)
        if size < n_features and len(fitted.order_) < size <= n_features - len(fitted.dropped_):
            # it stopped by itself; some can be told to go on
            fitted = learner.fitted(clone(selector).set_params(n_features_to_select=size))
        first = fitted._first(size) if size < n_features else fitted.order_
        rest = [j for j in fitted.order_.tolist() if j not in set(first.tolist())]
        return np.array([*first.tolist(), *rest], dtype=np.int64)

    return path


def _of_queries(selector: Any) -> bool:
    """Whether the selector's graph is a mean over queries, which that of a fold's parts can be put together from."""
    pooled = getattr(selector.similarity, "scope", "query") == "pooled"
    return getattr(selector, "relevance", "importance") == "importance" and not pooled


def _unused(name: str, taken: dict[str, Method]) -> str:
    number = 2
    unused = name
    while unused in taken:
        unused, number = f"{name}-{number}", number + 1
    return unused
