"""GraphSelector: base of the selectors that need nothing but a feature graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingSource
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import Mask
from leanrank.selectors.path import Path
from leanrank.stats.constant import varying
from leanrank.stats.feature_graph import FeatureGraph, feature_graph

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

    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        The criterion when each feature was taken.
    graph_ : FeatureGraph
        The graph the selection was made on, constant features included.
    """

    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    importance: Any = "map"
    similarity: Any = "kendall"
    engine: Any = None

    def fit_graph(self, graph: FeatureGraph) -> Self:
        """Learn from a graph computed before; `importance`, `similarity` and `engine` are not looked at."""
        self._check_parameters()
        self._set_input(graph.feature_names)
        self._check_sizes()
        self.graph_ = graph
        self._learn(self._path(graph, self._wanted(self.n_features_in_)))
        return self

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
        """Drop constant features, select, and count in the columns of the whole graph again."""

        return on_varying(
            graph,
            self._limits().must_keep,
            lambda varying, kept: self._select_size(varying, None if size is None else min(size, len(kept))),
        )

    @property
    def _is_nested(self) -> bool:
        return type(self)._select_size is GraphSelector._select_size

    def _first(self, size: int) -> NDArray[np.int64]:
        if self._is_nested:
            return super()._first(size)
        return self._path(self.graph_, size).order[:size]


def on_varying(graph: FeatureGraph, must_keep: Mask, select: Select) -> Path:
    """The path on a graph without its constant features, but with those of `must_keep`, over all of its features."""
    kept = varying(graph.constant, must_keep)
    if len(kept) == len(graph.constant):
        return select(graph, kept)
    return select(graph.subset(kept), kept).lift(kept, len(graph.constant))
