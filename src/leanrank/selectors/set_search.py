"""Search over sets of features: greedy, forward or backward, plain or floating; and best-first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from leanrank.selectors.column_limits import ColumnLimits, per_cost
from leanrank.selectors.greedy import best

#: By how much a merit must exceed the best of a best-first search to count as better.
IMPROVEMENT = 1e-5

Quality = Callable[[frozenset[int]], float]
Merits = Callable[[tuple[int, ...]], NDArray[np.float64]]


@dataclass(frozen=True)
class Taken:
    """A feature on the path: what its step gained, and the quality of the set it was added to or kept in."""

    feature: int
    gain: float
    quality: float


@dataclass
class SearchResult:
    """What a search found."""

    order: list[Taken] = field(default_factory=list)  # the path
    stop: int = 0  # features of the path that the search keeps
    # size -> (quality, the best set met of this size in order); what a floating search is for
    best_of_size: dict[int, tuple[float, list[Taken]]] = field(default_factory=dict)

    def meet(self, quality: float, members: list[Taken]) -> None:
        """Remember this set if it is the best of its size."""
        known = self.best_of_size.get(len(members))
        if known is None or quality > known[0]:
            self.best_of_size[len(members)] = (quality, list(members))

    def beats(self, quality: float, size: int) -> bool:
        """Whether a set of this size and quality is better than all met."""
        return size not in self.best_of_size or quality > self.best_of_size[size][0]


def forward(quality: Quality, limits: ColumnLimits, *, size: int, delta: float | None, floating: bool) -> SearchResult:
    """Add the feature of the largest gain (per cost) until `size` are in or the gain is below `delta`.

    The first feature is taken whatever it gains. Floating (Pudil et al. 1994): after each step leave out features as
    long as what remains is the best set of its size so far.
    """
    result, members = SearchResult(), list[Taken]()
    while not limits.makes_up([taken.feature for taken in members], size):
        candidates = limits.open(mask := _mask(limits, members))
        if not candidates.any():
            break
        here = quality(_set(members))
        gain = _changes(quality, members, here, np.flatnonzero(candidates), len(mask))
        if members and delta is not None:
            candidates &= (gain >= delta) | limits.due(mask)
            if not candidates.any():
                break
        newest = best(gain, limits.marginal(mask), candidates)
        members.append(Taken(newest, float(gain[newest]), quality(_set(members) | {newest})))
        result.meet(members[-1].quality, members)
        while floating and len(members) > 2:
            out = _least_missed(quality, limits, members, spare={newest})
            if out is None or not result.beats(quality(_set(members) - {out}), len(members) - 1):
                break
            members = [taken for taken in members if taken.feature != out]
            result.meet(quality(_set(members)), members)
    result.order = result.best_of_size[len(members)][1] if members else []
    result.stop = len(result.order)
    return result


def backward(
    quality: Quality, limits: ColumnLimits, *, size: int | None, delta: float | None, floating: bool
) -> SearchResult:
    """Leave out the feature of the smallest loss (per cost saved) until `size` are left or the loss is above `delta`.

    A bill above the budget is brought below it first, see `_paid`; what goes then is not on the path. Without `size`
    and `delta` that is all. The features left come first on the path, by what the loss of each would be, then those
    left out, the last of them first. Floating: after each step take features back as long as what results is the best
    set of its size so far.
    """
    result = SearchResult()
    members = _paid(quality, limits, size)
    out: list[Taken] = []
    while len(members) > limits.must_keep.sum():
        here = quality(_set(members))
        result.meet(here, members)
        if len(members) <= (size or 1) or (size is None and delta is None):
            break
        worst = _least_missed(quality, limits, members, most=delta)
        if worst is None:
            break
        rest = _set(members) - {worst}
        out.append(Taken(worst, round(here - quality(rest), 12), here))
        members = [taken for taken in members if taken.feature != worst]
        result.meet(quality(rest), members)
        while floating and len(out) > 1:
            mask = _mask(limits, members)
            cost = limits.marginal(mask)
            back = [taken.feature for taken in out[:-1] if limits.fits(mask, cost[taken.feature])]
            if not back:
                break
            gain = _changes(quality, members, quality(_set(members)), np.array(back), len(mask))
            again = back[int(np.argmax(gain[back]))]
            if not result.beats(quality(_set(members) | {again}), len(members) + 1):
                break
            members.append(Taken(again, 0.0, 0.0))
            out = [taken for taken in out if taken.feature != again]
            result.meet(quality(_set(members)), members)
    result.meet(quality(_set(members)), members)
    kept = result.best_of_size[len(members)][1]
    out += [taken for taken in members if taken.feature not in _set(kept)]
    result.order = _by_loss(quality, limits, kept) + [t for t in out[::-1] if t.feature not in _set(kept)]
    result.stop = len(kept)
    return result


def _paid(quality: Quality, limits: ColumnLimits, size: int | None) -> list[Taken]:
    """What a search backward begins with: all features, or as many as the budget pays.

    Features that cannot be paid at all go first, then the least missed, whatever that loses, until the bill fits. Those
    that fit in what is then left come back, the largest gain per cost first: up to `size`, or while they gain.
    """
    members = [Taken(int(j), 0.0, 0.0) for j in np.flatnonzero(limits.payable())]
    while not limits.fits(_mask(limits, members), 0.0):
        worst = _least_missed(quality, limits, members)
        members = [taken for taken in members if taken.feature != worst]
    while size is None or len(members) < size:
        mask = _mask(limits, members)
        candidates = limits.open(mask)
        gain = _changes(quality, members, quality(_set(members)), np.flatnonzero(candidates), len(mask))
        if size is None:
            candidates &= gain > 0
        if not candidates.any():
            break
        members.append(Taken(best(gain, limits.marginal(mask), candidates), 0.0, 0.0))
    return members


def _set(members: list[Taken]) -> frozenset[int]:
    return frozenset(taken.feature for taken in members)


def _mask(limits: ColumnLimits, members: list[Taken]) -> NDArray[np.bool_]:
    mask = np.zeros(len(limits.own), dtype=bool)
    mask[[taken.feature for taken in members]] = True
    return mask


def _changes(
    quality: Quality, members: list[Taken], here: float, candidates: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    """What each candidate adds, or loses where it is a member and taken out."""
    now = _set(members)
    change = np.full(n, -np.inf)
    for j in candidates.tolist():
        change[j] = round(quality(now ^ {j}) - here, 12)
    return change


def _least_missed(
    quality: Quality,
    limits: ColumnLimits,
    members: list[Taken],
    spare: set[int] = frozenset(),  # type: ignore[assignment]
    most: float | None = None,
) -> int | None:
    """The member whose loss is smallest per cost saved (of equals the highest index), if it is not above `most`."""
    may = [t.feature for t in members if t.feature not in spare and not limits.must_keep[t.feature]]
    change = _changes(quality, members, quality(_set(members)), np.array(may, dtype=np.int64), len(limits.own))
    places = np.array(sorted((j for j in may if most is None or change[j] >= -most), reverse=True), dtype=np.int64)
    if not len(places):
        return None
    # A loss counts per cost saved, an improvement times it: the mirror image of a step forward.
    worth = -per_cost(-change[places], limits.saved(_mask(limits, members))[places])
    return int(places[np.argmax(np.where(worth == worth.max(), change[places], -np.inf))])


def _by_loss(quality: Quality, limits: ColumnLimits, members: list[Taken]) -> list[Taken]:
    """The members by what the loss of each would be, those that must be kept first."""
    here = quality(_set(members))
    features = np.array(sorted(_set(members)), dtype=np.int64)
    loss = -_changes(quality, members, here, features, len(limits.own))[features]
    order = np.lexsort((features, -loss, ~limits.must_keep[features]))
    return [Taken(int(features[i]), float(loss[i]), here) for i in order]


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
