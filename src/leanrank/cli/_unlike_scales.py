"""A warning where features of unlike scales are given to a ranker that wants one scale."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leanrank.rankers.rankboost import RankBoost

if TYPE_CHECKING:
    from leanrank.data.ranking_data import RankingData
    from leanrank.rankers._base import Ranker

#: Features differ in scale where the largest value of one is more than so many times that of another.
_TIMES = 1000


def warn_of_unlike_scales(ranker: Ranker, data: RankingData) -> None:
    """Say so where a ranker learns less from features of small numbers, which `select` had scaled for it."""
    if not ranker.wants_scaling or ranker.takes_constants_in:
        return
    if isinstance(ranker, RankBoost):  # whose thresholds are of each feature's own scale
        return
    largest = _largest(data)
    known = np.setdiff1d(np.flatnonzero(largest > 0), data.category_columns)
    if not len(known):
        return
    high, low = known[np.argmax(largest[known])], known[np.argmin(largest[known])]
    if largest[high] > _TIMES * largest[low]:
        warnings.warn(
            f"The features differ in scale: {data.feature_names[high]!r} goes up to {_short(largest[high])}, "
            f"{data.feature_names[low]!r} to {_short(largest[low])}. {ranker._name} learns less from small numbers; "
            "`leanrank select` scales features to [0, 1] within each query before it trains, train cannot for this "
            "ranker, and its model may rank worse than select said. Divide every column by a constant first, or train "
            "RankSVM, for which train does it, or trees, which need no scaling.",
            UserWarning,
            stacklevel=2,
        )


def _largest(data: RankingData) -> NDArray[np.float64]:
    """The largest absolute value of each feature, missing ones aside; NaN where all are missing."""
    X = data.X
    if not data.is_sparse:
        return np.asarray(np.fmax(np.fmax.reduce(X, axis=0), -np.fmin.reduce(X, axis=0)), dtype=np.float64)
    largest = np.zeros(data.n_features)
    np.fmax.at(largest, X.indices, np.abs(X.data))
    return largest


def _short(number: float) -> str:
    """Two digits of it.

    >>> _short(4987.3), _short(0.0000712)
    ('5000', '7.1e-05')
    """
    return f"{float(f'{number:.2g}'):g}"
