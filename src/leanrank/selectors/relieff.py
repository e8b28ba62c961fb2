"""ReliefF: a good feature differs between near documents of different grades, and not between those of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingSource
from leanrank.selectors._relief import Floats, ReliefSelector, Sums
from leanrank.stats.relief import ClassDifferences, Extent, Weighing


def miss_weights(extent: Extent, factor: Floats) -> Floats:
    """P(C) / (1 - P(c)) times `factor`, for a document of class c and its misses of class C; 0 for a single class."""
    share = extent.counts / extent.counts.sum()
    others = 1.0 - share
    return np.asarray(share[None, :] / np.where(others > 0.0, others, 1.0)[:, None] * factor)


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
    n_features_to_select : int, float or None
        How many, or which share of all; None keeps all.
    n_neighbors : int
        k; where there are fewer, as many as there are.
    scope : {"query", "global"}
        Neighbours in the same query, or anywhere (the classic method; needs all rows in memory).
    scale : bool
        Divide differences by the feature's range over all rows.
    metric : {"manhattan", "euclidean"}
        Distance between documents.
    skip_single_level : bool
        With scope "query": skip queries whose documents are all of one grade; they would only lower weights.
    n_samples : int, optional
        Visit a random sample of so many documents; all if not given.
    random_state : int
        Seed of the sample.
    engine : optional
        Where the sums are computed (scope "query").

    Attributes
    ----------
    order_, scores_, trace_, support_, selected_, dropped_
        See `Selector`; the score is the weight, in [-1, 1] or so. Below 0 a feature separates nothing.

    Notes
    -----
    Cost O(K sum of n_q^2) within queries, O(K n^2) globally; sparse data cost by their stored values. Ties in distance
    go to the lower row.

    References
    ----------
    M. Robnik-Sikonja, I. Kononenko. Theoretical and empirical analysis of ReliefF and RReliefF. Machine Learning, 2003.

    Examples
    --------
    >>> from leanrank import RankingData, ReliefF
    >>> X = [[0, 0.2], [0.1, 0.9], [0.5, 0.1], [0.6, 0.8], [1, 0.3], [0.9, 0.7]]
    >>> data = RankingData(X, [0, 0, 1, 1, 2, 2], [0, 6])
    >>> ReliefF(n_neighbors=1, scale=False).fit(data).scores_.round(6).tolist()
    [0.5, -0.466667]
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_neighbors: int = 10,
        scope: str = "query",
        scale: bool = True,
        metric: str = "manhattan",
        skip_single_level: bool = True,
        n_samples: int | None = None,
        random_state: int = 0,
        engine: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.scope = scope
        self.scale = scale
        self.metric = metric
        self.skip_single_level = skip_single_level
        self.n_samples = n_samples
        self.random_state = random_state
        self.engine = engine

    def _weighing(self, source: RankingSource, extent: Extent) -> Weighing:
        skip = bool(self.skip_single_level) and self.scope == "query"
        return ClassDifferences(extent.labels, miss_weights(extent, self._factor(extent.labels)), skip)

    def _factor(self, labels: Floats) -> Floats:
        """What a miss of one class counts for a document of another."""
        return np.ones((len(labels), len(labels)))

    def _weights(self, sums: Sums) -> Floats:
        return np.asarray(np.round(sums.differences[0] / max(sums.n_visited, 1), 12))
