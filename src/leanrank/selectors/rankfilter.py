"""RankFilter: ReliefF in which a miss counts the more, the farther apart the grades are."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.selectors._relief import Floats
from leanrank.selectors.relieff import ReliefF


class RankFilter(ReliefF):
    r"""Weigh features as ReliefF does, misses counting :math:`\log_2(1 + |C - c|)`: grades have an order.

    .. math::
        w_j \leftarrow w_j + \frac1m \left[ \sum_{C \ne c} \frac{P(C)}{1 - P(c)} \log_2(1 + |C - c|)
        \operatorname{mean}_{z \in \text{misses}_C} |x_j - z_j|
        - \operatorname{mean}_{z \in \text{hits}} |x_j - z_j| \right]

    With two neighbouring grades it is ReliefF.

    Parameters
    ----------
    n_features_to_select, scope, scale, metric, skip_single_level, n_samples, random_state, engine
        As in `ReliefF`.
    n_neighbors : int
        Neighbours of each grade.
    level_index : bool
        Count grades 0, 1, 2, ... by rank instead of taking the labels' values, where labels have gaps.

    Attributes
    ----------
    order_, scores_, trace_, support_, selected_, dropped_
        See `Selector`; the score is the weight.

    Notes
    -----
    Cost and memory as `ReliefF`. Priors P come from all data, neighbours from the document's own query, as values are
    comparable only there.

    References
    ----------
    H. Yu, J. Oh, W.-S. Han. Efficient feature weighting methods for ranking. CIKM 2009.

    Examples
    --------
    >>> from leanrank import RankFilter, RankingData
    >>> X = [[0, 0.2], [0.1, 0.9], [0.5, 0.1], [0.6, 0.8], [1, 0.3], [0.9, 0.7]]
    >>> data = RankingData(X, [0, 0, 1, 1, 2, 2], [0, 6])
    >>> RankFilter(n_neighbors=1, scale=False).fit(data).scores_.round(6).tolist()
    [0.675489, -0.437419]
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_neighbors: int = 5,
        scope: str = "query",
        scale: bool = True,
        metric: str = "manhattan",
        level_index: bool = False,
        skip_single_level: bool = True,
        n_samples: int | None = None,
        random_state: int = 0,
        engine: Any = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            n_neighbors=n_neighbors,
            scope=scope,
            scale=scale,
            metric=metric,
            skip_single_level=skip_single_level,
            n_samples=n_samples,
            random_state=random_state,
            engine=engine,
        )
        self.level_index = level_index

    def _factor(self, labels: Floats) -> Floats:
        level = np.arange(len(labels)) if self.level_index else labels
        return np.asarray(np.log2(1.0 + np.abs(level[:, None] - level[None, :])))
