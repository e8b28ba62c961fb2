"""Hybrids of a filter on the feature graph and a ranker's own importance: RelevanceMRMR and FilteredRFE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.rankers._base import Ranker
from leanrank.selectors._graph_selector import on_columns
from leanrank.selectors._ranker_selector import Bench, RankerSelector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.limits import Limits
from leanrank.selectors.mrmr import mrmr
from leanrank.selectors.path import Path, Step
from leanrank.selectors.rfe import STEPS, RankingRFE, is_step
from leanrank.stats.constant import varying
from leanrank.stats.feature_graph import FeatureGraph, feature_graph
from leanrank.stats.importance import Importance
from leanrank.stats.similarity import Similarity

#: The graph of the hybrids: a feature may be useful in either direction.
IMPORTANCE = Importance("map", direction="max")
SIMILARITY = Similarity("kendall")
#: How many times the features wanted a filter leaves to the elimination behind it.
FILTER_FACTOR = 3
#: Elimination trains on no more features than this; behind them the filter's order stands.
ELIMINATED = 30
#: Share of the features left that elimination drops at a step.
STEP = 1 / 3


class Known(Protocol):
    """What hybrids are made of; each asks for what it needs, so both may be computed when they are asked for.

    `graph` is that of `IMPORTANCE` and `SIMILARITY`; `share` the share of each feature in what the ranker makes use of.
    """

    @property
    def graph(self) -> FeatureGraph: ...

    @property
    def share(self) -> NDArray[np.float64]: ...


@dataclass(frozen=True, eq=False)
class _OfBench:
    """`Known` of the data that a selector alone is fitted to: one graph, one ranker trained on everything."""

    bench: Bench
    engine: Any

    @cached_property
    def graph(self) -> FeatureGraph:
        return feature_graph(self.bench.data, IMPORTANCE, SIMILARITY, engine=self.engine)

    @cached_property
    def share(self) -> NDArray[np.float64]:
        weight = self.bench.importances(np.arange(self.bench.n_features), "auto", "ndcg@10", 0)
        return np.asarray(np.round(shares(weight), 12))


@dataclass(frozen=True, eq=False)
class _Part:
    """`Known` of the features that a method begins with; what the ranker makes of copies is theirs."""

    known: Known
    kept: NDArray[np.int64]
    stands_for: Mapping[int, tuple[int, ...]]

    @property
    def graph(self) -> FeatureGraph:
        return self.known.graph.subset(self.kept)

    @property
    def share(self) -> NDArray[np.float64]:
        share = self.known.share.copy()
        for feature, copies in self.stands_for.items():
            share[feature] += share[list(copies)].sum()
        return np.asarray(share[self.kept])


def shares(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights as shares of their sum; what is below 0 or unknown has none.

    >>> shares(np.array([3.0, -1.0, 1.0, np.nan]))
    array([0.75, 0.  , 0.25, 0.  ])
    """
    useful = np.maximum(np.nan_to_num(weight, nan=0.0), 0.0)
    return np.asarray(useful / max(float(useful.sum()), 1e-300))


@declared
class RelevanceMRMR(RankerSelector):
    r"""MRMR whose relevance is, or takes in, what a ranker makes of each feature.

    `MRMR` with the quotient, on the similarity of the feature graph and the relevance, over its largest value,

    .. math:: r_i = s_i \qquad\text{or}\qquad r_i = \sqrt{w_i s_i}

    s being the share of a feature in what the ranker makes use of (of a booster the gain of its splits), and w its
    importance alone, the MAP of ranking by it in its better direction.

    Parameters
    ----------
    relevance : {"ranker", "blend"}
        s, or the geometric mean of w and s.

    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        The criterion of MRMR when each feature was taken.

    See Also
    --------
    MRMR : Relevance without a ranker.
    FilteredRFE : A filter, then elimination by the ranker.

    Notes
    -----
    One training and one graph. In the registry "importance+mrmr" and "blend+mrmr". `leanrank.select` runs both on
    shares that it averages over several rankers where queries are few.

    References
    ----------
    H. Peng, F. Long, C. Ding. Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy. IEEE TPAMI 27(8), 2005.

    Examples
    --------
    >>> from leanrank import RelevanceMRMR, make_ranking
    >>> data, truth = make_ranking(30, n_informative=3, n_redundant=3, n_noise=3, random_state=0)
    >>> blend = RelevanceMRMR("ranksvm", 2, relevance="blend").fit(data)
    >>> {truth[j].role for j in blend.selected_}
    {'informative'}
    """

    ranker: Any = field(default=None, kw_only=False)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    relevance: str = "ranker"
    limits: Limits | None = None
    engine: Any = None

    @property
    def _collapses(self) -> bool:
        return True

    def _check_parameters(self) -> None:
        self._require_one_of("relevance", ("ranker", "blend"))

    def fit_known(self, known: Known) -> Self:
        """Learn from a graph and shares computed before; `ranker` and `engine` are not looked at."""
        self._check_parameters()
        graph = known.graph
        self._set_input(graph.feature_names)
        self._check_sizes()
        kept = self._begin(graph.constant, graph.copies())
        part = _Part(known, kept, self.stands_for_)
        self._learn(self._relevant_first(part.graph, part.share).lift(kept, graph.n_features))
        return self

    def _search(self, bench: Bench) -> Path:
        known = _OfBench(bench, self.engine)
        return self._relevant_first(known.graph, known.share)

    def _relevant_first(self, graph: FeatureGraph, share: NDArray[np.float64]) -> Path:
        relevance = share if self.relevance == "ranker" else np.sqrt(np.maximum(graph.importance, 0.0) * share)
        relevant = replace(graph, importance=relevance / max(float(relevance.max()), 1e-300))
        return _mrmr(relevant, self._limits(graph.feature_names))


@declared
class FilteredRFE(RankerSelector):
    r"""Leave to a cheap filter what it puts last, and to elimination by the ranker the order of the rest.

    With k features wanted of K, `RankingRFE` orders the first

    .. math:: \min(3 k, 30, K)

    of the filter; behind them the order of the filter stands.

    Parameters
    ----------
    filter : {"importance", "mrmr"}
        The importance of each feature to one ranker trained on all of them, or `MRMR` on the feature graph.
    step : int or float
        Features to eliminate at a time: how many, or a share in (0, 1) of those left.

    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        The importance of each feature the last time it was trained on in elimination, as a share of the largest then;
        NaN for the features that the filter left out.
    n_trained_ : int
        Rankers trained in elimination.

    See Also
    --------
    RankingRFE : Elimination among all features.
    RelevanceMRMR : The ranker's importance against redundancy, without elimination.

    Notes
    -----
    Nine trainings at most, fewer where a size is asked for. In the registry "rfe" and "mrmr>rfe".

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik. Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 2002.

    Examples
    --------
    >>> from leanrank import FilteredRFE, make_ranking
    >>> data, truth = make_ranking(30, n_informative=2, n_redundant=0, n_noise=4, random_state=0)
    >>> eliminated = FilteredRFE("ranksvm", filter="mrmr").fit(data)
    >>> {truth[j].role for j in eliminated.select(2)}, eliminated.n_trained_
    ({'informative'}, 5)
    """

    ranker: Any = field(default=None, kw_only=False)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    filter: str = "importance"
    step: int | float = STEP
    limits: Limits | None = None
    engine: Any = None

    @property
    def _collapses(self) -> bool:
        return self.filter == "mrmr"

    def _check_parameters(self) -> None:
        self._require_one_of("filter", ("importance", "mrmr"))
        self._require("step", STEPS, is_step(self.step))

    def fit_known(
        self, known: Known, data: RankingData, *, eval_set: RankingData | None = None, largest: int | None = None
    ) -> Self:
        """Learn from a graph or shares computed before, and eliminate on `data`.

        Parameters
        ----------
        known : Known
            The graph is asked for with ``filter="mrmr"``, the shares with "importance".
        data : RankingData
            What rankers are trained on.
        eval_set : RankingData or None, default=None
            Held-out data with the same features, for rankers that stop early.
        largest : int or None, default=None
            The largest size that will be asked for; None is `n_features_to_select`.
        """
        self._check_parameters()
        self._set_input(data.feature_names)
        self._check_sizes()
        kept = self._begin(np.zeros(data.n_features, dtype=bool), data)
        part, ranker = _Part(known, kept, self.stands_for_), self._new_ranker()
        ranker = ranker.for_columns(kept.tolist(), data.n_features)
        valid = None if eval_set is None else eval_set.subset(kept)
        path = self._eliminated(self._filtered(part), ranker, data.subset(kept), valid, largest)
        self._learn(path.lift(kept, data.n_features))
        return self

    def _search(self, bench: Bench) -> Path:
        ranker = bench.ranker.for_columns(bench.kept.tolist(), bench.n_features_in)
        return self._eliminated(self._filtered(_OfBench(bench, self.engine)), ranker, bench.data, bench.valid, None)

    def _filtered(self, known: Known) -> Path:
        if self.filter == "importance":
            return Path.by_score(known.share, reason="share in the ranker")
        limits = replace(self._limits(known.graph.feature_names), budget=np.inf)  # spent in the order of elimination
        return _mrmr(known.graph, limits)

    def _eliminated(
        self, filtered: Path, ranker: Ranker, data: RankingData, valid: RankingData | None, largest: int | None
    ) -> Path:
        """The filter's path with its first features in the order of elimination, and the limits kept."""
        wanted = largest or self._wanted(self.n_features_in_) or data.n_features
        limits = self._limits(data.feature_names)
        payable = limits.payable()
        ordered = [step for step in filtered.trace if payable[step.feature]]
        if not ordered:
            self.n_trained_ = 0
            return replace(Path.of([], data.n_features), dropped=filtered.dropped)
        n_first = max(2, min(len(ordered), FILTER_FACTOR * wanted, ELIMINATED))
        first = np.sort(np.array([step.feature for step in ordered[:n_first]], dtype=np.int64))
        part = limits.only(first)
        last = max(wanted, int(part.must_keep.sum()))
        elimination: Any = RankingRFE(
            ranker.for_columns(first.tolist(), data.n_features),
            last if last < n_first and part.families.is_free else None,
            step=self.step,
            limits=Limits.of_columns(part),
        )
        elimination.fit(data.subset(first), eval_set=None if valid is None else valid.subset(first))
        self.n_trained_ = elimination.n_trained_
        scores = np.full(data.n_features, np.nan)
        scores[first] = elimination.scores_
        steps = {}
        for record in elimination.trace_:
            feature = int(first[record["feature"]])
            steps[feature] = Step(feature, record["score"], record["gain"], record["reason"])
        for step in ordered[n_first:]:
            steps[step.feature] = replace(step, reason=f"behind those eliminated, by the filter: {step.reason}")
        order = limits.obeyed(list(steps))
        path = [steps.get(j) or Step(j, np.nan, np.nan, "must be kept, or goes with others") for j in order.tolist()]
        dropped = np.setdiff1d(np.union1d(filtered.dropped, first[elimination.dropped_]), order)
        return replace(Path.of(path, data.n_features, scores), dropped=dropped)


def _mrmr(graph: FeatureGraph, limits: ColumnLimits) -> Path:
    """MRMR on the features of the graph that are not constant."""
    kept = varying(graph.constant, limits.staying(graph.constant))
    return on_columns(graph, kept, lambda part: mrmr(part, limits.only(kept)))
