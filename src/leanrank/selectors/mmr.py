"""MMR: maximal marginal relevance, between importance and novelty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.greedy import greedy, unit_relevance
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


@declared
class MMR(GraphSelector):
    r"""Take the feature that is most important and least like those already taken.

    First ``argmax r``, then again and again

    .. math:: \arg\max_i\; (1 - \lambda)\, r_i - \lambda \operatorname{agg}_{j \in S} s_{ij}

    where agg is the largest or the mean similarity to the features taken. r is the importance on [0, 1], s the absolute
    similarity.

    Parameters
    ----------
    lam : float
        From 0 (importance alone, as `TopK`) to 1 (novelty alone).
    aggregate : {"max", "mean"}
        Whether the nearest feature taken counts, or the average of them.

    See Also
    --------
    GAS, MSD, MPT, MRMR

    Notes
    -----
    O(K^2) after the graph. Unlike `GAS`, whose penalty grows with every feature taken, only the nearest one counts:
    a good choice for large sizes.

    References
    ----------
    J. Carbonell, J. Goldstein. The use of MMR, diversity-based reranking. SIGIR 1998.
    K. D. Naini, I. S. Altingovde. Exploiting result diversification methods for feature selection in learning to rank.
    ECIR 2014.

    Examples
    --------
    >>> from leanrank import MMR, FeatureGraph
    >>> graph = FeatureGraph([0.5, 0.4, 0.3], [[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]], ["bm25", "tf", "age"])
    >>> MMR(2).fit_graph(graph).get_feature_names_out().tolist()
    ['bm25', 'age']
    """

    lam: float = 0.5
    aggregate: str = "max"
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        self._require_number("lam", "from 0 to 1", low=0, high=1)
        self._require_one_of("aggregate", ("max", "mean"))

    def _select(self, graph: FeatureGraph) -> Path:
        r, _ = unit_relevance(graph.importance)
        s = np.abs(graph.similarity)
        m = len(r)
        nearest, total, n_taken = np.full(m, -np.inf), np.zeros(m), 0
        likeness_at_step: list[NDArray[np.float64]] = []

        def criterion(newest: int | None) -> NDArray[np.float64]:
            nonlocal n_taken
            if newest is None:
                likeness_at_step.append(np.zeros(m))
                return r
            n_taken += 1
            np.maximum(nearest, s[newest], out=nearest)
            np.add(total, s[newest], out=total)
            likeness_at_step.append(nearest.copy() if self.aggregate == "max" else total / n_taken)
            return np.asarray((1 - self.lam) * r - self.lam * likeness_at_step[-1])

        steps = []
        taken = greedy(criterion, m, limits=self._limits(graph.feature_names))
        for (j, gain), likeness in zip(taken, likeness_at_step, strict=True):
            why = f"relevance {r[j]:.6g}, {self.aggregate} likeness {likeness[j]:.6g} to those before"
            steps.append(Step(j, float(graph.importance[j]), gain, why))
        return Path.of(steps, m)
