"""TopK: the most important features, whatever they share; the baseline every other selector has to beat."""

from __future__ import annotations

from leanrank._declared import declared
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.greedy import greedy
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


@declared
class TopK(GraphSelector):
    r"""Rank features by their importance alone.

    The order of falling importance, by default the MAP of ranking by the feature alone,

    .. math:: w_j = \frac1{|Q|} \sum_q M(y_q, x_{qj})

    and the lower index goes first where equal.

    Attributes
    ----------
    scores_ : array
        The importance.

    See Also
    --------
    GAS, BoosterImportance

    Notes
    -----
    O(K log K) after the graph. Blind to redundancy: of a family of near copies it takes all before anything else. Use
    it to see what a selector gains, or where features are known to be unlike each other.

    Alone it is behind random features on the MSLR sample, FLUCCS and the LightGBM example (docs/methods_alone.md).

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

    limits: Limits | None = None

    def _select(self, graph: FeatureGraph) -> Path:
        worth = graph.importance
        taken = greedy(lambda _: worth, len(worth), limits=self._limits(graph.feature_names))
        return Path.of([Step(j, gain, gain, f"importance {gain:.6g}") for j, gain in taken], len(worth), worth)
