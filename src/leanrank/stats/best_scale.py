"""best_scales: of features that order queries alike, the one whose values go best with the labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.engines.fold import fold
from leanrank.stats.copies import Groups
from leanrank.stats.query_moments import QueryMoments


def best_scales(data: RankingData, groups: Groups) -> NDArray[np.int64]:
    """The member of each group that correlates most with the labels inside queries, up or down; of several the first.

    Copies order every query alike, so no measure of order tells them apart; a linear score does: a count and its
    logarithm, both on [0, 1] inside each query, are two columns to it. Correlations are rounded, so that the order of
    queries decides nothing.

    Parameters
    ----------
    data : RankingData
        Complete: nothing is missing.
    groups : list of lists of int
        Columns that order every query alike, in the order of preference.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(6.0)
    >>> data = RankingData(np.column_stack([np.exp(x), x, x**2]), [0, 1, 2, 3, 4, 5], [0, 6])
    >>> best_scales(data, [[0, 1], [0, 2]])
    array([1, 2])
    """
    columns = np.unique(np.concatenate(groups))
    moments = fold(QueryMoments("minmax"), data.subset(columns))
    spread = np.diag(moments.features) * moments.spread
    squared = np.divide(moments.labels**2, spread, out=np.zeros_like(spread), where=spread > 0).round(9)
    fit = dict(zip(columns.tolist(), squared.tolist(), strict=True))
    return np.array([max(group, key=fit.__getitem__) for group in groups], dtype=np.int64)
