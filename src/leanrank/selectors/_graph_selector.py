"""GraphSelector: base of the selectors that need nothing but a feature graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.category_means import without_categories
from leanrank.data.ranking_data import RankingSource
from leanrank.data.weights import QUERIES, without_weightless
from leanrank.errors import DataError
from leanrank.selectors._base import Selector
from leanrank.selectors.path import Path
from leanrank.stats.copies import kinds_of
from leanrank.stats.feature_graph import FeatureGraph, feature_graph
from leanrank.stats.similarity import Similarity


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
    collapse : bool or None
        Whether features that order every query alike become one before the method begins, the cheapest or the first;
        the others come last. None: where the graph shows them, as with the default similarity; papers' counts do not.
        True: with others they are looked for in the data.

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

    def fit_graph(self, graph: FeatureGraph, data: RankingSource | None = None) -> Self:
        """Learn from a graph computed before; `importance`, `similarity` and `engine` are not looked at.

        Parameters
        ----------
        graph : FeatureGraph
        data : RankingData or RankingSource, default=None
            What it was computed from: where copies are looked for if the graph does not show them.
        """
        self._check_parameters()
        self._set_input(graph.feature_names)
        self._check_sizes()
        if data is not None:
            data = self._of_graph(data, graph)
        self._learn(self._path_on(graph, data))
        return self

    def _of_graph(self, data: RankingSource, graph: FeatureGraph) -> RankingSource:
        """The data that a graph was computed from, as it saw them; refused where the features are others."""
        here, there = list(data.feature_names), list(graph.feature_names)
        if here != there:
            apart = next((j for j, pair in enumerate(zip(here, there, strict=False)) if pair[0] != pair[1]), None)
            where = f"{len(there)} and {len(here)} of them"
            if apart is not None:
                where = f"feature {apart + 1} is {there[apart]!r} there and {here[apart]!r} here"
            raise DataError(
                f"The feature graph and the data have other features: {where}. Name the data that the graph was "
                "computed from."
            )
        data = without_weightless(data)
        self._kinds = kinds_of(data)
        return without_categories(data)

    @property
    def _collapses(self) -> bool:
        return True  # a graph that does not show copies has none

    @property
    def is_of_queries(self) -> bool:
        """Whether its graph is a mean over queries, which parts of them make up and other methods may share."""
        return Similarity.named(self.similarity).scope == "query"

    def _fit(self, source: RankingSource) -> Path:
        return self._path_on(self._graph(source), source)

    def _path_on(self, graph: FeatureGraph, data: RankingSource | None) -> Path:
        """The path on a new graph, without constant features and copies."""
        if (self._kinds >= 0).any():
            graph = graph.with_kinds(self._kinds)
        else:
            self._kinds = graph.kinds
        known = graph.copies() if graph.shows_copies or data is None or not self.collapse else data
        self.graph_, self._kept = graph, self._begin(graph.constant, known)
        return self._path(self._wanted(self.n_features_in_))

    def _graph(self, source: RankingSource) -> FeatureGraph:
        return feature_graph(source, self.importance, self.similarity, engine=self.engine)

    def _select(self, graph: FeatureGraph) -> Path:
        """The whole path on a graph without constant features."""
        raise NotImplementedError(f"{type(self).__name__} must define _select.")

    def _select_size(self, graph: FeatureGraph, size: int | None) -> Path:
        """The path towards `size` features. Methods whose sets are not nested override this one."""
        return self._select(graph)

    def _path(self, size: int | None) -> Path:
        """Select among the features that the method began with, and count in the columns of the whole graph again."""
        most = None if size is None else min(size, len(self._kept))
        return on_columns(self.graph_, self._kept, lambda graph: self._select_size(graph, most))

    @property
    def _is_nested(self) -> bool:
        return type(self)._select_size is GraphSelector._select_size

    def _first(self, size: int) -> NDArray[np.int64]:
        if self._is_nested:
            return super()._first(size)
        return self._with_copies(self._path(size)).order[:size]


def on_columns(graph: FeatureGraph, kept: NDArray[np.int64], select: Callable[[FeatureGraph], Path]) -> Path:
    """The path on some of the features of a graph, counted in all of them."""
    if len(kept) == graph.n_features:
        return select(graph)
    return select(graph.subset(kept)).lift(kept, graph.n_features)
