"""GraphSelector: base of the selectors that need nothing but a feature graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingSource
from leanrank.data.weights import QUERIES
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.path import Path, Step
from leanrank.stats.constant import varying
from leanrank.stats.copies import Copies, Groups
from leanrank.stats.feature_graph import COPIES_SHOW, FeatureGraph, feature_graph
from leanrank.stats.similarity import Similarity

#: The path on a part of a graph, the columns of which are given.
Select = Callable[[FeatureGraph, NDArray[np.int64]], Path]


@declared
class GraphSelector(Selector):
    """Base of selectors on the feature graph. A subclass declares its parameters and writes `_select`.

    Parameters
    ----------
    importance : str or Importance
        How good a feature is alone, as `feature_graph` takes it: "map", "ndcg@10", "error", an `Importance`.
    similarity : str or Similarity
        How alike two features are, as `feature_graph` takes it: "kendall", "spearman", a `Similarity`; "strict" counts
        as the papers do.
    engine : Engine or None
        Where the graph is computed.
    collapse : bool
        Whether features that order every query alike become one before the method begins, the cheapest or the first;
        the others come last. Only a graph with signed ties, the default, can tell.

    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        The criterion when each feature was taken.
    graph_ : FeatureGraph
        The graph the selection was made on, constant features included.
    """

    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    importance: Any = "map"
    similarity: Any = "kendall"
    engine: Any = None
    collapse: bool = True

    def fit_graph(self, graph: FeatureGraph) -> Self:
        """Learn from a graph computed before; `importance`, `similarity` and `engine` are not looked at."""
        self._check_parameters()
        self._set_input(graph.feature_names)
        self._check_sizes()
        self.graph_ = graph
        self._learn(self._path(graph, self._wanted(self.n_features_in_)))
        return self

    @property
    def is_of_queries(self) -> bool:
        """Whether its graph is a mean over queries, which parts of them make up and other methods may share."""
        return Similarity.named(self.similarity).scope == "query"

    @property
    def sees_copies(self) -> bool:
        """Whether its graph shows which features order every query alike; see `FeatureGraph.copies`."""
        return Similarity.named(self.similarity) == COPIES_SHOW

    def _fit(self, source: RankingSource) -> Path:
        self.graph_ = self._graph(source)
        return self._path(self.graph_, self._wanted(self.n_features_in_))

    def _graph(self, source: RankingSource) -> FeatureGraph:
        return feature_graph(source, self.importance, self.similarity, engine=self.engine)

    def _select(self, graph: FeatureGraph) -> Path:
        """The whole path on a graph without constant features."""
        raise NotImplementedError(f"{type(self).__name__} must define _select.")

    def _select_size(self, graph: FeatureGraph, size: int | None) -> Path:
        """The path towards `size` features. Methods whose sets are not nested override this one."""
        return self._select(graph)

    def _path(self, graph: FeatureGraph, size: int | None) -> Path:
        """Drop constant features and copies, select, and count in the columns of the whole graph again."""
        limits = self._limits()
        copies = limited_copies(limits, graph.copies()) if self.collapse else Copies.none(graph.n_features)
        path = on_varying(
            graph,
            limits,
            lambda varying, kept: self._select_size(varying, None if size is None else min(size, len(kept))),
            copies,
        )
        return with_copies(path, copies, graph, limits)

    @property
    def _is_nested(self) -> bool:
        return type(self)._select_size is GraphSelector._select_size

    def _first(self, size: int) -> NDArray[np.int64]:
        if self._is_nested:
            return super()._first(size)
        return self._path(self.graph_, size).order[:size]


def with_copies(path: Path, copies: Copies, graph: FeatureGraph, limits: ColumnLimits) -> Path:
    """The path with the copies behind all others, where it goes through those and nothing is in short supply."""
    left_out = np.flatnonzero(copies.left_out)
    if not len(left_out):
        return path
    stands_in, names = copies.stands_in, graph.feature_names
    standing = copies.stood_for
    n_open = graph.n_features - int((graph.constant | copies.left_out | limits.never).sum())
    if len(path.order) < n_open or limits.is_scarce:
        return replace(path, stands_for=standing)
    more = [Step(int(j), np.nan, np.nan, f"copy of {names[stands_in[j]]!r}") for j in left_out]
    return replace(
        path,
        order=np.concatenate([path.order, left_out]),
        trace=(*path.trace, *more),
        dropped=np.setdiff1d(path.dropped, left_out),
        stop=len(path.order) if path.stop is None else path.stop,
        stands_for=standing,
    )


def on_varying(graph: FeatureGraph, limits: ColumnLimits, select: Select, copies: Copies | None = None) -> Path:
    """The path on a graph without its constant features and copies, but with those that stay by `limits`."""
    left_out = graph.constant if copies is None else graph.constant | copies.left_out
    kept = varying(left_out, limits.staying(left_out))
    if len(kept) == len(graph.constant):
        return select(graph, kept)
    return select(graph.subset(kept), kept).lift(kept, len(graph.constant))


def limited_copies(limits: ColumnLimits, groups: Groups) -> Copies:
    """Which of the features that say the same stands for the others: the cheapest, then that of fewest families.

    What goes together stands for nothing, and nothing for it: the group would lose a feature, or a feature that may go
    alone would bring the group.
    """
    families = limits.families
    alone = [[j for j in group if not families.grouped[j]] for group in groups]
    cost = limits.marginal(np.zeros(len(limits.own), dtype=bool))
    if len(families.at_most):
        keys = np.stack([cost, families.limited.sum(axis=0)])
        cost = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1).astype(np.float64)
    return Copies.of([g for g in alone if len(g) > 1], cost=cost, must_keep=limits.must_keep, never=limits.never)


def exchangeable(limits: ColumnLimits, copies: Copies) -> Groups:
    """Of each group of copies those that limits treat as they do the one that stands, which is the first of them.

    They cost the same, share the same groups and families, and are as free; groups of one are not among them.
    """
    bound = (
        limits.own,
        limits.member,
        limits.must_keep,
        limits.never,
        limits.families.limited,
        limits.families.grouped,
    )
    rules = np.vstack([np.asarray(rule, dtype=np.float64) for rule in bound])
    groups = []
    for stands in np.unique(copies.stands_in[copies.left_out]).tolist():
        members = np.flatnonzero(copies.stands_in == stands)
        alike = members[(rules[:, members] == rules[:, [stands]]).all(axis=0)]
        groups.append([stands, *(j for j in alike.tolist() if j != stands)])
    return [group for group in groups if len(group) > 1]
