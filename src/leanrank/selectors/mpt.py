"""MPT: modern portfolio theory, importance against the risk of taking features that fail together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.greedy import greedy, unit_relevance
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


@declared
class MPT(GraphSelector):
    r"""Take features as shares of a portfolio: high importance, steady over queries, not moving together.

    .. math:: \arg\max_i\; r_i - b\, p_n \sigma_i^2 - 2 b\, \sigma_i \sum_{j \in S} p_j \sigma_j s_{ij}

    with ``n = |S| + 1`` and position weights ``p_j = 1 / log2(1 + j)``. r is the importance on [0, 1], sigma_i its
    standard deviation over queries, s the similarity.

    Parameters
    ----------
    b : float
        Aversion to risk, >= 0. With 0 this is `TopK`.

    See Also
    --------
    MMR, MSD, GAS

    Notes
    -----
    O(K^2) after the graph. Use it where a feature that is good on average but useless for some queries should wait.

    References
    ----------
    J. Wang, J. Zhu. Portfolio theory of information retrieval. SIGIR 2009.
    K. D. Naini, I. S. Altingovde. Exploiting result diversification methods for feature selection in learning to rank.
    ECIR 2014.

    Examples
    --------
    >>> from leanrank import MPT, FeatureGraph
    >>> similarity = [[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]]
    >>> graph = FeatureGraph([0.5, 0.4, 0.3], similarity, ["bm25", "tf", "age"], importance_std=[0.2, 0.4, 0.1])
    >>> MPT(2).fit_graph(graph).get_feature_names_out().tolist()
    ['bm25', 'age']
    """

    b: float = 1.0
    importance: Any = "ndcg@10"
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        self._require_number("b", ">= 0", low=0)

    def _select(self, graph: FeatureGraph) -> Path:
        r, factor = unit_relevance(graph.importance)
        sigma = graph.importance_std * factor
        held = np.zeros(len(r))  # sum over features taken of p_j sigma_j s_ij
        n = 0

        def criterion(newest: int | None) -> NDArray[np.float64]:
            nonlocal n
            if newest is not None:
                np.add(held, _position_weight(n) * sigma[newest] * graph.similarity[newest], out=held)
            n += 1
            return np.asarray(r - self.b * _position_weight(n) * sigma**2 - 2 * self.b * sigma * held)

        steps = []
        for j, gain in greedy(criterion, len(r), limits=self._limits(graph.feature_names)):
            why = f"relevance {r[j]:.6g}, less {r[j] - gain:.6g} for risk (deviation {sigma[j]:.6g})"
            steps.append(Step(j, float(graph.importance[j]), gain, why))
        return Path.of(steps, len(r))


def _position_weight(position: int) -> float:
    return float(1 / np.log2(1 + position))
