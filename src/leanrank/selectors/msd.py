"""MSD: max-sum dispersion, pairs of features that are important and far apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.greedy import best
from leanrank.selectors.path import Path, Step
from leanrank.selectors.relevance import unit_relevance
from leanrank.stats.feature_graph import FeatureGraph


class MSD(GraphSelector):
    r"""Take two features at a time: the pair that is most important and least alike.

    Repeat: the pair of features left with the largest

    .. math:: (1 - \lambda)(r_i + r_j) + 2 \lambda (1 - s_{ij})

    the more important of the two first. An odd size ends with the most important feature left. r is the importance on
    [0, 1], s the absolute similarity. With `costs` it is the largest value per what the two cost together; where no
    pair may be taken (one is left of `must_keep`, or none fits the `budget`) but a feature may, it is taken alone.

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
    costs, groups, must_keep, never, budget : optional
        Gain per cost, and which features must or must not be taken; see `Limits`.

    Attributes
    ----------
    ranking_ : array
        The path towards the size asked for; even sizes are nested, odd ones differ in their last feature. With
        an odd number of features in `must_keep` it is the other way round.
    scores_ : array
        The value of the pair each feature came with; the relevance of one taken alone.
    trace_, support_, selected_, dropped_, cost_, graph_
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
        costs: Any = None,
        groups: Any = None,
        must_keep: Any = None,
        never: Any = None,
        budget: float | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.lam = lam
        self.importance = importance
        self.similarity = similarity
        self.engine = engine
        self.device = device
        self.costs = costs
        self.groups = groups
        self.must_keep = must_keep
        self.never = never
        self.budget = budget

    def _check_parameters(self) -> None:
        self._require_number("lam", "from 0 to 1", low=0, high=1)

    def _select_size(self, graph: FeatureGraph, size: int | None) -> Path:
        r, _ = unit_relevance(graph.importance)
        s = np.abs(graph.similarity)
        m, names = len(r), graph.feature_names
        wanted = m if size is None else size
        one, other = np.triu_indices(m, k=1)
        worth = np.round((1 - self.lam) * (r[one] + r[other]) + 2 * self.lam * (1 - s[one, other]), 12)
        limits, taken = self._limits(names), np.zeros(m, dtype=bool)
        steps: list[Step] = []
        while len(steps) < wanted and (left := limits.open(taken)).any():
            may, cost = limits.pairs(taken, one, other)
            if len(steps) + 2 <= wanted and may.any():
                place = best(worth, cost, may)
                i, j, gain = int(one[place]), int(other[place]), float(worth[place])
                pair = (j, i) if r[j] > r[i] else (i, j)
                for feature, partner in (pair, pair[::-1]):
                    why = f"relevance {r[feature]:.6g}, with {names[partner]!r} (likeness {s[i, j]:.6g})"
                    steps.append(Step(feature, float(graph.importance[feature]), gain, why))
                taken[[i, j]] = True
            else:
                alone = best(r, limits.marginal(taken), left)
                why = f"relevance {r[alone]:.6g}: best of those left, no pair of them can be taken"
                steps.append(Step(alone, float(graph.importance[alone]), float(r[alone]), why))
                taken[alone] = True
            apart = ~(taken[one] | taken[other])
            one, other, worth = one[apart], other[apart], worth[apart]
        return Path.of(steps, m)
