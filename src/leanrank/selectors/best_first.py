"""Best-first search for a feature set, forward, with a short list of sets to expand, as WEKA's BestFirst."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

#: By how much a merit must exceed the best to count as better.
IMPROVEMENT = 1e-5

Merits = Callable[[tuple[int, ...]], NDArray[np.float64]]


def best_first(
    merits_with: Merits, n_features: int, merit_of_none: float, *, max_stale: int = 5
) -> tuple[tuple[int, ...], float]:
    """The best set found and its merit; features in the order they were added.

    Parameters
    ----------
    merits_with : callable
        Given a set, the merit of the set with each feature added: an array (n_features,), members not looked at.
    n_features : int
    merit_of_none : float
        Merit of the empty set, where the search begins.
    max_stale : int
        Stop after so many expansions in a row without improvement; also how many sets may wait.

    Notes
    -----
    The waiting list is in descending order of merit, a new set after equal ones; when it is full, a set no better
    than the last is dropped, otherwise the last is. A merit improves if it exceeds the best by more than 1e-5.
    """
    best: tuple[int, ...] = ()
    best_merit = merit_of_none
    waiting: list[tuple[float, tuple[int, ...]]] = [(merit_of_none, ())]
    known: dict[frozenset[int], NDArray[np.float64]] = {}
    stale = 0
    while waiting and stale < max_stale:
        group = waiting.pop(0)[1]
        members = frozenset(group)
        if members not in known:
            known[members] = merits_with(group)
        improved = False
        for i in range(n_features):
            if i in members:
                continue
            merit = float(known[members][i])
            _insert(waiting, merit, (*group, i), max_stale)
            if merit - best_merit > IMPROVEMENT:
                best, best_merit, improved, stale = (*group, i), merit, True, 0
        stale += not improved
    return best, best_merit


def _insert(waiting: list[tuple[float, tuple[int, ...]]], merit: float, group: tuple[int, ...], size: int) -> None:
    if len(waiting) == size:
        if merit <= waiting[-1][0]:
            return
        waiting.pop()
    place = next((i for i, (other, _) in enumerate(waiting) if merit > other), len(waiting))
    waiting.insert(place, (merit, group))
