"""RankFilter: ReliefF in which a miss counts the more, the farther apart the grades are."""

from __future__ import annotations

import numpy as np

from leanrank._declared import declared
from leanrank.selectors._relief import Floats
from leanrank.selectors.relieff import ReliefF


@declared
class RankFilter(ReliefF):
    r"""Weigh features as ReliefF does, misses counting :math:`\log_2(1 + |C - c|)`: grades have an order.

    .. math::
        w_j \leftarrow w_j + \frac1m \left[ \sum_{C \ne c} \frac{P(C)}{1 - P(c)} \log_2(1 + |C - c|)
        \operatorname{mean}_{z \in \text{misses}_C} |x_j - z_j|
        - \operatorname{mean}_{z \in \text{hits}} |x_j - z_j| \right]

    With two neighbouring grades it is ReliefF.

    Parameters
    ----------
    n_neighbors : int
        Neighbours of each grade.
    level_index : bool
        Count grades 0, 1, 2, ... by rank instead of taking the labels' values, where labels have gaps.

    See Also
    --------
    ReliefF, RankWrapper

    Notes
    -----
    Cost and memory as `ReliefF`. Priors P come from all data, neighbours from the document's own query, as values are
    comparable only there.

    Alone, with its defaults, it is behind the plain ranking on the mean of twelve data sets, and behind random features
    on FLUCCS, on made data of many weak features and on made text-like data (docs/methods_alone.md): it is for features
    that matter together.

    References
    ----------
    H. Yu, J. Oh, W.-S. Han. Efficient feature weighting methods for ranking. CIKM 2009.

    Examples
    --------
    >>> from leanrank import Neighbours, RankFilter, RankingData
    >>> X = [[0, 0.2], [0.1, 0.9], [0.5, 0.1], [0.6, 0.8], [1, 0.3], [0.9, 0.7]]
    >>> data = RankingData(X, [0, 0, 1, 1, 2, 2], [0, 6])
    >>> RankFilter(n_neighbors=1, neighbours=Neighbours(scale=False)).fit(data).scores_.round(6).tolist()
    [0.675489, -0.437419]
    """

    n_neighbors: int = 5
    level_index: bool = False

    def _factor(self, labels: Floats) -> Floats:
        level = np.arange(len(labels)) if self.level_index else labels
        return np.asarray(np.log2(1.0 + np.abs(level[:, None] - level[None, :])))
