"""MSD: max-sum dispersion, pairs of features that are important and far apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.path import Path, Step
from leanrank.selectors.relevance import unit_relevance
from leanrank.stats.feature_graph import FeatureGraph


class MSD(GraphSelector):
    r"""Take two features at a time: the pair that is most important and least alike.

    Repeat: the pair of features left with the largest

    .. math:: (1 - \lambda)(r_i + r_j) + 2 \lambda (1 - s_{ij})

    the more important of the two first. An odd size ends with the most important feature left. r is the importance on
    [0, 1], s the absolute similarity.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all; None keeps all.
    lam : float
        From 0 (importance alone, as `TopK`) to 1 (distance alone).
    importance, similarity : str or object
        What `feature_graph` takes. Importance outside [0, 1] is stretched to it.
    engine : optional
        Where the graph is computed.
    device : {"cpu", "cuda", "auto"}
        What the graph is computed on; the result is the same.

    Attributes
    ----------
    ranking_ : array
        The path towards the size asked for; even sizes are nested, odd ones differ in their last feature.
    scores_ : array
        The value of the pair each feature came with; the relevance of an odd last one.
    trace_, support_, selected_, dropped_, graph_
        See `Selector` and `GraphSelector`.

    Notes
    -----
    O(K^3) after the graph. Pairs are far apart inside, but two pairs may be alike: `MMR` looks at all taken so far.

    References
    ----------
    S. Gollapudi, A. Sharma. An axiomatic approach for result diversification. WWW 2009.
    K. D. Naini, I. S. Altingovde. Exploiting result diversification methods for feature selection in learning to rank.
    ECIR 2014.

    Examples
    --------
    >>> from leanrank import MSD, FeatureGraph
    >>> graph = FeatureGraph([0.5, 0.4, 0.3], [[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]], ["bm25", "tf", "age"])
    >>> MSD(2).fit_graph(graph).get_feature_names_out().tolist()
    ['bm25', 'age']
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        lam: float = 0.5,
        importance: Any = "map",
        similarity: Any = "kendall",
        engine: Any = None,
        device: str = "cpu",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.lam = lam
        self.importance = importance
        self.similarity = similarity
        self.engine = engine
        self.device = device

    def _check_parameters(self) -> None:
        self._require_number("lam", "from 0 to 1", low=0, high=1)

    def _select_size(self, graph: FeatureGraph, size: int | None) -> Path:
        r, _ = unit_relevance(graph.importance)
        s = np.abs(graph.similarity)
        m, names = len(r), graph.feature_names
        wanted = m if size is None else size
        worth = (1 - self.lam) * (r[:, None] + r) + 2 * self.lam * (1 - s)
        worth = np.where(np.triu(np.ones((m, m), dtype=bool), k=1), np.round(worth, 12), -np.inf)
        left = np.ones(m, dtype=bool)
        steps: list[Step] = []
        while len(steps) + 2 <= wanted:
            i, j = (int(f) for f in np.unravel_index(np.argmax(worth), worth.shape))
            pair = (j, i) if r[j] > r[i] else (i, j)
            gain, likeness = float(worth[i, j]), s[i, j]
            for feature, partner in (pair, pair[::-1]):
                why = f"relevance {r[feature]:.6g}, with {names[partner]!r} (likeness {likeness:.6g})"
                steps.append(Step(feature, float(graph.importance[feature]), gain, why))
                left[feature] = False
                worth[feature, :] = worth[:, feature] = -np.inf
        if len(steps) < wanted:
            last = int(np.argmax(np.where(left, r, -np.inf)))
            why = f"relevance {r[last]:.6g}: most important of those left, no pair is left to take"
            steps.append(Step(last, float(graph.importance[last]), float(r[last]), why))
        return Path.of(steps, m)
