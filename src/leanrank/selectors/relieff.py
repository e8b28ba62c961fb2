"""ReliefF: a good feature differs between near documents of different grades, and not between those of one."""

from __future__ import annotations

import numpy as np

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingSource
from leanrank.selectors._relief import Floats, ReliefSelector, Sums
from leanrank.stats.relief import ClassDifferences, Extent, Weighing


def miss_weights(extent: Extent, factor: Floats) -> Floats:
    """P(C) / (1 - P(c)) times `factor`, for a document of class c and its misses of class C; 0 for a single class."""
    share = extent.counts / extent.counts.sum()
    others = 1.0 - share
    return np.asarray(share[None, :] / np.where(others > 0.0, others, 1.0)[:, None] * factor)


@declared
class ReliefF(ReliefSelector):
    r"""Weigh features by how near documents of other grades differ, less how near ones of the same grade do.

    For each document x of grade c, its k nearest documents of each grade (Manhattan distance of differences, each
    divided by the feature's range) give

    .. math::
        w_j \leftarrow w_j + \frac1m \left[ \sum_{C \ne c} \frac{P(C)}{1 - P(c)}
        \operatorname{mean}_{z \in \text{misses}_C} |x_j - z_j|
        - \operatorname{mean}_{z \in \text{hits}} |x_j - z_j| \right]

    with the shares P of the grades in all data. Unlike single-feature scores it sees features that matter together.

    Parameters
    ----------
    skip_single_level : bool
        Among neighbours of a query: skip queries whose documents are all of one grade; they would only lower weights.

    Attributes
    ----------
    scores_ : array
        The weight, in [-1, 1] or so. Below 0 a feature separates nothing.

    See Also
    --------
    RankFilter, RReliefF, RankWrapper

    Notes
    -----
    Cost O(K sum of n_q^2) within queries, O(K n^2) globally; sparse data cost by their stored values. Ties in distance
    go to the lower row.

    Alone, with its defaults, it is behind the plain ranking on the mean of twelve data sets, and behind random features
    on the MSLR sample and FLUCCS (docs/methods_alone.md).

    References
    ----------
    M. Robnik-Sikonja, I. Kononenko. Theoretical and empirical analysis of ReliefF and RReliefF. Machine Learning, 2003.

    Examples
    --------
    >>> from leanrank import Neighbours, RankingData, ReliefF
    >>> X = [[0, 0.2], [0.1, 0.9], [0.5, 0.1], [0.6, 0.8], [1, 0.3], [0.9, 0.7]]
    >>> data = RankingData(X, [0, 0, 1, 1, 2, 2], [0, 6])
    >>> ReliefF(n_neighbors=1, neighbours=Neighbours(scale=False)).fit(data).scores_.round(6).tolist()
    [0.5, -0.466667]
    """

    skip_single_level: bool = True

    def _weighing(self, source: RankingSource, extent: Extent) -> Weighing:
        skip = bool(self.skip_single_level) and self._near.scope == "query"
        return ClassDifferences(extent.labels, miss_weights(extent, self._factor(extent.labels)), skip)

    def _factor(self, labels: Floats) -> Floats:
        """What a miss of one class counts for a document of another."""
        return np.ones((len(labels), len(labels)))

    def _weights(self, sums: Sums) -> Floats:
        return np.asarray(np.round(sums.differences[0] / (sums.n_visited or 1.0), 12))
