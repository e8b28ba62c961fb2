"""Ranks among documents with weights: those of the same documents, each so often."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def weighted_ranks(X: NDArray[Any], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """What weighs less in each column, minus what weighs more: twice the mid-ranks, about their mean.

    With weights of 1 it is what the kernel `centred_ranks` gives for one query.

    >>> weighted_ranks(np.array([[5.0], [3.0], [9.0]]), np.array([1.0, 2.0, 1.0])).ravel().tolist()
    [1.0, -2.0, 3.0]
    """
    ranks = np.empty(X.shape)
    for j in range(X.shape[1]):
        own = np.unique(X[:, j], return_inverse=True)[1]
        of_value = np.bincount(own, weights=weight)
        up_to = np.cumsum(of_value)
        ranks[:, j] = (2.0 * up_to - of_value - up_to[-1])[own]
    return ranks
