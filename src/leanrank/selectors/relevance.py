"""Relevance on [0, 1], as the diversification methods weigh it against similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit_relevance(importance: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Importance on [0, 1], and the factor it was multiplied by.

    A measure such as MAP or NDCG lies there already and is left alone; anything else (a loss, an F value) is stretched
    from its smallest to its largest value. All equal: all 0.

    >>> import numpy as np
    >>> unit_relevance(np.array([0.5, 0.75]))
    (array([0.5 , 0.75]), 1.0)
    >>> unit_relevance(np.array([-4.0, -2.0, -3.0]))
    (array([0. , 1. , 0.5]), 0.5)
    """
    low, high = float(importance.min()), float(importance.max())
    if low >= 0 and high <= 1:
        return importance, 1.0
    factor = 1 / (high - low) if high > low else 0.0
    return (importance - low) * factor, factor
