"""TopK: the most important features, whatever they share; the baseline every other selector has to beat."""

from __future__ import annotations

from typing import Any

from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.greedy import greedy
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


class TopK(GraphSelector):
    r"""Rank features by their importance alone.

    The order of falling importance, by default the MAP of ranking by the feature alone,

    .. math:: w_j = \frac1{|Q|} \sum_q M(y_q, x_{qj})

    and the lower index goes first where equal.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all; None keeps all.
    importance, similarity : str or object
        What `feature_graph` takes; similarity is computed for `graph_` but not used.
    engine : optional
        Where the graph is computed.
    limits : Limits or None, default=None
        Gain per cost, and which features must or must not be taken.

    Attributes
    ----------
    order_ : array
        The path; sizes are nested.
    scores_ : array
        The importance.
    trace_, support_, selected_, dropped_, graph_
        See `Selector` and `GraphSelector`.

    Notes
    -----
    O(K log K) after the graph. Blind to redundancy: of a family of near copies it takes all before anything else. Use
    it to see what a selector gains, or where features are known to be unlike each other.

    References
    ----------
    X. Geng, T.-Y. Liu, T. Qin, H. Li. Feature selection for ranking. SIGIR 2007 (GAS without its price of similarity).

    Examples
    --------
    >>> from leanrank import FeatureGraph, TopK
    >>> graph = FeatureGraph([0.5, 0.4, 0.3], [[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]], ["bm25", "tf", "age"])
    >>> TopK(2).fit_graph(graph).get_feature_names_out().tolist()
    ['bm25', 'tf']
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        importance: Any = "map",
        similarity: Any = "kendall",
        engine: Any = None,
        limits: Limits | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.importance = importance
        self.similarity = similarity
        self.engine = engine
        self.limits = limits

    def _select(self, graph: FeatureGraph) -> Path:
        worth = graph.importance
        taken = greedy(lambda _: worth, len(worth), limits=self._limits(graph.feature_names))
        return Path.of([Step(j, gain, gain, f"importance {gain:.6g}") for j, gain in taken], len(worth), worth)
