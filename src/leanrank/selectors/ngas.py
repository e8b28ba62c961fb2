"""NGAS: walk to the feature least like the last one, or to its better neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.column_limits import per_cost
from leanrank.selectors.greedy import best
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


@declared
class NGAS(GraphSelector):
    r"""From the last feature taken, go to the one least like it, unless that one's nearest neighbour is better.

    Start at ``cur = argmax r``. Among the rest,

    .. math:: f_{\min} = \arg\min_j |s_{cur,j}|, \qquad f_{\max} = \arg\max_{j \ne f_{\min}} |s_{f_{\min},j}|

    Take ``f_min`` if ``r[f_min] >= r[f_max]``, else ``f_max``; repeat. r is the importance, s the similarity. With
    `costs`, importance per cost decides, at the start too; the rest are the features that may be taken.

    Attributes
    ----------
    scores_ : array
        The importance: the method has no other weight.

    See Also
    --------
    XGAS, HCAS, GAS

    Notes
    -----
    O(K^2) after the graph, no parameter to tune. It looks back one step only, so for larger sizes it may come back to
    a family it has visited; `GAS` does not.

    Alone it is behind the plain ranking on the mean of twelve data sets (docs/methods_alone.md).

    References
    ----------
    A. Gigli, C. Lucchese, F. M. Nardini, R. Perego. Fast feature selection for learning to rank. ICTIR 2016.

    Examples
    --------
    >>> from leanrank import NGAS, FeatureGraph
    >>> similarity = [[1, 0.9, 0.1, 0.3], [0.9, 1, 0.2, 0.4], [0.1, 0.2, 1, 0.8], [0.3, 0.4, 0.8, 1]]
    >>> NGAS().fit_graph(FeatureGraph([0.5, 0.45, 0.3, 0.4], similarity)).order_
    array([0, 3, 1, 2])
    """

    importance: Any = "ndcg@10"
    limits: Limits | None = None

    def _select(self, graph: FeatureGraph) -> Path:
        relevance, likeness, names = graph.importance, np.abs(graph.similarity), graph.feature_names
        limits, taken = self._limits(names), np.zeros(len(relevance), dtype=bool)
        steps: list[Step] = []
        while (left := limits.open(taken)).any():
            cost = limits.marginal(taken)
            if not steps:
                current = best(relevance, cost, left)
                is_top = relevance[current] == relevance.max()
                why = "most important of all" if is_top else "best of those it may start with"
            else:
                f_min = int(np.argmin(np.where(left, likeness[current], np.inf)))
                why = f"least like {names[current]!r} ({likeness[current, f_min]:.6g})"
                current = f_min
                left[f_min] = False
                if left.any():
                    f_max = int(np.argmax(np.where(left, likeness[f_min], -np.inf)))
                    if _is_better(f_max, f_min, relevance, cost):
                        why = f"nearest to {names[f_min]!r}, which is {why}, and better"
                        current = f_max
            taken[current] = True
            worth = float(relevance[current])
            steps.append(Step(current, worth, worth, f"importance {worth:.6g}: {why}"))
        return Path.of(steps, len(relevance), relevance)


def _is_better(one: int, other: int, relevance: NDArray[np.float64], cost: NDArray[np.float64]) -> bool:
    """Whether `one` is more important per cost than `other`, or as much and more important."""
    pair = [one, other]
    worth = per_cost(relevance[pair], cost[pair])
    return bool((worth[0], relevance[one]) > (worth[1], relevance[other]))
