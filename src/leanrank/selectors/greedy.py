"""The greedy loop that GAS, MMR, MPT, MRMR and the plain ranking share: take the best, look again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from leanrank.selectors.column_limits import ColumnLimits, per_cost

#: What every feature would add now; called with the feature just taken, None at the start.
Marginal = Callable[[int | None], NDArray[np.float64]]


def greedy(
    marginal: Marginal, n_features: int, *, min_gain: float | None = None, limits: ColumnLimits | None = None
) -> list[tuple[int, float]]:
    """Take the feature of largest marginal gain until none is left or the largest is below `min_gain`.

    Gains are compared to 12 decimals, so that the order of summation never decides; the lowest index wins a tie. With
    `limits` it is the largest gain per cost of the features that may be taken; `min_gain` is about the gain itself,
    and does not hold for features that must be kept or go together with those taken.

    Returns
    -------
    list of (feature, gain at its step), in order of selection

    Examples
    --------
    >>> import numpy as np
    >>> worth = np.array([1.0, 3.0, 2.0])
    >>> greedy(lambda newest: worth, 3)
    [(1, 3.0), (2, 2.0), (0, 1.0)]
    >>> from leanrank import Limits
    >>> limits = Limits(costs=[1, 6, 2], budget=7).bound("GAS", ["a", "b", "c"])
    >>> greedy(lambda newest: worth, 3, limits=limits)
    [(2, 2.0), (0, 1.0)]
    """
    rules = ColumnLimits.none(n_features) if limits is None else limits
    taken: list[tuple[int, float]] = []
    mask = np.zeros(n_features, dtype=bool)
    newest: int | None = None
    while (candidates := rules.open(mask)).any():
        gain = np.round(marginal(newest), 12)
        if min_gain is not None:
            candidates &= (gain >= min_gain) | rules.due(mask)
            if not candidates.any():
                break
        newest = best(gain, rules.marginal(mask), candidates)
        taken.append((newest, float(gain[newest])))
        mask[newest] = True
    return taken


def best(gain: NDArray[np.float64], cost: NDArray[np.float64], candidates: NDArray[np.bool_]) -> int:
    """The candidate of largest gain per cost; of equals the one of largest gain, then of lowest index."""
    places = np.flatnonzero(candidates)
    gains, worth = gain[places], per_cost(gain[places], cost[places])
    return int(places[np.argmax(np.where(worth == worth.max(), gains, -np.inf))])


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
