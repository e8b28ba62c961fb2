"""XGAS: the best among the features least like the last one taken."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank._declared import declared
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.greedy import best
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


@declared
class XGAS(GraphSelector):
    r"""From the last feature taken, look at the share `p` of features least like it and take the most important.

    Start at ``argmax r``; then take

    .. math:: \arg\max_{j \in N_p(cur)} r_j

    where N_p(cur) are the ``max(1, round(p n))`` of the n features left that have the smallest ``|s|`` to the one just
    taken (halves round up). r is the importance, s the similarity. With `costs`, importance per cost decides; the
    features left are those that may be taken.

    Parameters
    ----------
    p : float
        Share of the features left to look at, in (0, 1]. With 1 this is `TopK`. The paper has 0.05, which is worse on
        the data of docs/method_defaults.md.

    Attributes
    ----------
    scores_ : array
        The importance: the method has no other weight.

    See Also
    --------
    NGAS, HCAS, GAS

    Notes
    -----
    O(K^2 log K) after the graph. A wider `p` trusts importance more; like `NGAS` it looks back one step only.

    References
    ----------
    A. Gigli, C. Lucchese, F. M. Nardini, R. Perego. Fast feature selection for learning to rank. ICTIR 2016.

    Examples
    --------
    >>> from leanrank import XGAS, FeatureGraph
    >>> similarity = [[1, 0.9, 0.1, 0.3], [0.9, 1, 0.2, 0.4], [0.1, 0.2, 1, 0.8], [0.3, 0.4, 0.8, 1]]
    >>> XGAS(p=0.05).fit_graph(FeatureGraph([0.5, 0.45, 0.3, 0.4], similarity)).order_
    array([0, 2, 1, 3])
    """

    p: float = 0.5
    importance: Any = "ndcg@10"
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        self._require_number("p", "> 0 and <= 1", high=1)
        self._require("p", "> 0 and <= 1", self.p > 0)

    def _select(self, graph: FeatureGraph) -> Path:
        relevance, likeness, names = graph.importance, np.abs(graph.similarity), graph.feature_names
        limits, taken = self._limits(names), np.zeros(len(relevance), dtype=bool)
        steps: list[Step] = []
        while (candidates := limits.open(taken)).any():
            why = "most important of all"
            if steps:
                current = steps[-1].feature
                left = np.flatnonzero(candidates)  # ascending, so ties fall to the lowest index
                n_candidates = max(1, int(np.floor(self.p * len(left) + 0.5)))
                why = f"best of the {n_candidates} least like {names[current]!r}"
                candidates[:] = False
                candidates[left[np.argsort(likeness[current, left], kind="stable")[:n_candidates]]] = True
            newest = best(relevance, limits.marginal(taken), candidates)
            if not steps and relevance[newest] < relevance.max():
                why = "best of those it may start with"
            taken[newest] = True
            worth = float(relevance[newest])
            steps.append(Step(newest, worth, worth, f"importance {worth:.6g}: {why}"))
        return Path.of(steps, len(relevance), relevance)
