"""The greedy loop that GAS, MMR, MPT, MRMR and the plain ranking share: take the best, look again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

#: What every feature would add now; called with the feature just taken, None at the start.
Marginal = Callable[[int | None], NDArray[np.float64]]


def greedy(marginal: Marginal, n_features: int, *, min_gain: float | None = None) -> list[tuple[int, float]]:
    """Take the feature of largest marginal gain until none is left or the largest is below `min_gain`.

    Gains are compared to 12 decimals, so that the order of summation never decides; the lowest index wins a tie.

    Returns
    -------
    list of (feature, gain at its step), in order of selection

    Examples
    --------
    >>> import numpy as np
    >>> worth = np.array([1.0, 3.0, 2.0])
    >>> greedy(lambda newest: worth, 3)
    [(1, 3.0), (2, 2.0), (0, 1.0)]
    """
    alive = np.ones(n_features, dtype=bool)
    taken: list[tuple[int, float]] = []
    newest: int | None = None
    while len(taken) < n_features:
        gain = np.where(alive, np.round(marginal(newest), 12), -np.inf)
        newest = int(np.argmax(gain))
        if min_gain is not None and gain[newest] < min_gain:
            break
        taken.append((newest, float(gain[newest])))
        alive[newest] = False
    return taken
