"""RReliefF: Relief for a numeric label."""

from __future__ import annotations

import numpy as np

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingSource
from leanrank.selectors._relief import Floats, ReliefSelector, Sums
from leanrank.stats.relief import Extent, TargetDifferences, Weighing


@declared
class RReliefF(ReliefSelector):
    r"""Weigh features by whether near documents that differ in the label differ in the feature.

    Over all documents and their k nearest, weighted d (summing to 1 for each document), with differences of the label
    divided by its range:

    .. math::
        W_j = \frac{N_{dC\,dA_j}}{N_{dC}} - \frac{N_{dA_j} - N_{dC\,dA_j}}{m - N_{dC}}

    where :math:`N_{dC} = \sum d |y - y'|`, :math:`N_{dA_j} = \sum d |x_j - x'_j|` and
    :math:`N_{dC\,dA_j} = \sum d |y - y'| |x_j - x'_j|`. All weights are 0 where labels never or always differ fully.

    Parameters
    ----------
    sigma : float or None
        d falls as exp(-(rank/sigma)^2) with the neighbour's rank 1, 2, ...; None weighs all neighbours alike.

    See Also
    --------
    ReliefF, RankWrapper

    Notes
    -----
    Cost and memory as `ReliefF`. Use it where labels are numbers rather than grades.

    Alone, with its defaults, it is behind random features on MQ2008 and FLUCCS (docs/methods_alone.md).

    References
    ----------
    M. Robnik-Sikonja, I. Kononenko. Theoretical and empirical analysis of ReliefF and RReliefF. Machine Learning, 2003.

    Examples
    --------
    >>> from leanrank import Neighbours, RankingData, RReliefF
    >>> X = [[0, 0.2], [0.1, 0.9], [0.5, 0.1], [0.6, 0.8], [1, 0.3], [0.9, 0.7]]
    >>> data = RankingData(X, [0, 0, 1, 1, 2, 2], [0, 6])
    >>> RReliefF(n_neighbors=2, neighbours=Neighbours(scale=False)).fit(data).scores_.round(6).tolist()
    [0.175, -0.2125]
    """

    sigma: float | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.sigma is not None:
            self._require_number("sigma", "a number > 0 or None", np.nextafter(0.0, 1.0))

    def _weighing(self, source: RankingSource, extent: Extent) -> Weighing:
        return TargetDifferences(float(extent.labels[-1] - extent.labels[0]), self.sigma)

    def _weights(self, sums: Sums) -> Floats:
        of_feature, of_both = sums.differences
        of_label, m = sums.plain
        if of_label == 0.0 or m - of_label <= 1e-12 * m:
            return np.zeros(len(of_feature))
        return np.asarray(np.round(of_both / of_label - (of_feature - of_both) / (m - of_label), 12))
