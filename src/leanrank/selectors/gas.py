"""GAS: greedy search for features that are important and unlike each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.greedy import greedy
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


@declared
class GAS(GraphSelector):
    r"""Take the most important feature, lower the weight of all that resemble it, and look again.

    The greedy maximum of

    .. math:: \sum_{i \in S} w_i - c \sum_{i \in S} \sum_{j \in S, j \ne i} e_{ij}

    Repeat ``k = argmax w``, then ``w_j -= 2 c e_kj`` for the rest. w is the importance of the features, e their
    absolute similarity: a reversed order is no news.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all; None keeps all, or stops at `min_weight`.
    c : float
        Price of similarity, >= 0. With 0 this is `TopK`.
    min_weight : float, optional
        Stop before the first feature whose lowered weight is below this.

    Attributes
    ----------
    scores_ : array
        The lowered weight of each feature when it was taken.

    See Also
    --------
    MMR, MRMR, MSD, MPT, NGAS, XGAS, TopK

    Notes
    -----
    O(K^2) after the graph. Constant features are dropped first: similar to nothing, they would never be penalised.
    A good first choice where features come in families of near copies; tune `c` and the size on validation queries.

    Alone, with its defaults, it is behind random features on the LightGBM example, of 300 features
    (docs/methods_alone.md).

    References
    ----------
    X. Geng, T.-Y. Liu, T. Qin, H. Li. Feature selection for ranking. SIGIR 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from leanrank import GAS
    >>> y = np.array([2, 1, 0, 0, 0, 1, 0])
    >>> qid = np.array([1, 1, 1, 1, 2, 2, 2])
    >>> X = np.array([[0.9, 0.8, 0.1], [0.5, 0.6, 0.9], [0.4, 0.2, 0.5], [0.1, 0.2, 0.3],
    ...               [0.3, 0.4, 0.9], [0.7, 0.6, 0.2], [0.1, 0.2, 0.4]])
    >>> GAS(2, c=1.0).fit(X, y, qid=qid).selected_
    array([0, 2])
    """

    c: float = 0.1
    min_weight: float | None = None
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        self._require_number("c", ">= 0", low=0)
        if self.min_weight is not None:
            self._require_number("min_weight", "a number or None")

    def _select(self, graph: FeatureGraph) -> Path:
        weight, likeness = graph.importance.copy(), np.abs(graph.similarity)

        def lowered(newest: int | None) -> NDArray[np.float64]:
            if newest is not None:
                np.subtract(weight, 2 * self.c * likeness[newest], out=weight)
            return weight

        taken = greedy(lowered, len(weight), min_gain=self.min_weight, limits=self._limits(graph.feature_names))
        return Path.of([self._step(graph, j, gain) for j, gain in taken], len(weight))

    def _step(self, graph: FeatureGraph, feature: int, gain: float) -> Step:
        worth = float(graph.importance[feature])
        reason = f"importance {worth:.6g}, less {worth - gain:.6g} for its likeness to those before"
        return Step(feature, worth, gain, reason)
