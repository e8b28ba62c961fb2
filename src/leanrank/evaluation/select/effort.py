"""Effort: how much `select` measures. The unit of cost is one training on all features."""

from __future__ import annotations

from dataclasses import dataclass

from leanrank.errors import UnknownNameError
from leanrank.evaluation.pace import Trainings
from leanrank.selectors.hybrids import ELIMINATED, FILTER_FACTOR, STEP

#: The race of methods looks at no more queries than this.
SAMPLE_QUERIES = 1_500
#: With repeats, the cross-validation is repeated with other folds so often that this many queries are measured, ...
REPEATED_QUERIES = 400
#: ... but not more often than this, ...
REPEATS = 6
#: ... and only for so many candidates, of those that may still be chosen.
CONTENDERS = 8
#: A curve is measured from this share of the features down to ...
LARGEST_SHARE = 0.6
#: ... this one.
SMALLEST_SHARE = 0.04


@dataclass(frozen=True)
class Effort:
    """How much is measured, by name.

    First the ranker is trained on all features in every fold, which also tells what it makes of each of them. Then
    methods race at one size, and the curve of those that win is measured at more sizes.

    Parameters
    ----------
    name : str
    methods, at_a_size : tuple of str
        What `methods="auto"` means where the stop rule finds the size, and at a size asked for. Of methods that
        held-out queries cannot tell apart, the first is preferred: the filter in widest use, then the cheap ones that
        know redundancy, then those that train rankers.
    n_sizes : int
        Sizes of a curve.
    few : int
        So few methods do not race: all are measured at every size.
    finalists : int
        Methods whose curve is measured after a race.
    n_adaptive : int
        Sizes between those of the curve, at most.
    repeats : bool
        Whether, on few queries, the cross-validation is repeated with other folds.
    """

    name: str
    methods: tuple[str, ...]
    at_a_size: tuple[str, ...]
    n_sizes: int
    few: int
    finalists: int
    n_adaptive: int
    repeats: bool = False

    def sizes(self, least: int, n_features: int) -> list[int]:
        """The sizes of a curve, in geometric steps; the middle one is that of the race.

        >>> EFFORTS["normal"].sizes(1, 136), EFFORTS["normal"].sizes(1, 12)
        ([5, 10, 20, 41, 82], [1, 2, 3, 4, 7])
        """
        top, bottom = (max(least, round(share * n_features)) for share in (LARGEST_SHARE, SMALLEST_SHARE))
        steps = [(top / bottom) ** (i / (self.n_sizes - 1)) for i in range(self.n_sizes)]
        return sorted({round(bottom * step) for step in steps})

    def n_repeats(self, n_queries: int) -> int:
        """How often the cross-validation of so many queries is done, with other folds each time."""
        return min(REPEATS, max(1, REPEATED_QUERIES // n_queries)) if self.repeats else 1


#: Nothing but the graph and the reference is needed for these; BestGain costs more the further it goes.
_FREE = ("mrmr-f", "mrmr-cosine", "blend+mrmr", "importance")
_SMALL = ("mrmr-f", "mrmr-cosine", "best-gain-path", "importance")
#: Every method of a portfolio, in the order of preference.
EVERY: tuple[str, ...] = (
    "mrmr-f",
    "mrmr-cosine",
    "gas-cosine",
    "best-gain-path",
    "rank-filter",
    "blend+mrmr",
    "importance+mrmr",
    "importance",
    "rfe",
    "mrmr>rfe",
)
EFFORTS = {
    each.name: each
    for each in (
        Effort("quick", ("mrmr-f", "mrmr-cosine", "importance"), _SMALL, n_sizes=4, few=1, finalists=1, n_adaptive=0),
        Effort("normal", _FREE, (*_SMALL, "rfe"), n_sizes=5, few=3, finalists=1, n_adaptive=1),
        Effort("thorough", EVERY, EVERY, n_sizes=12, few=3, finalists=3, n_adaptive=16, repeats=True),
    )
}


def effort_of(name: object) -> Effort:
    """The effort of this name."""
    if name not in EFFORTS:
        raise UnknownNameError.of("effort", name, EFFORTS, owner="select", parameter="effort")
    return EFFORTS[str(name)]


def cost_of(n_chosen: int, n_features: int) -> Trainings:
    """What a training on so many of the features costs.

    >>> cost_of(10, 100)
    Trainings(number=1.0, columns=0.1)
    """
    return Trainings(1.0, n_chosen / n_features)


def elimination_of(n_wanted: int, n_features: int) -> Trainings:
    """What an elimination by the ranker (`FilteredRFE`) down to so many of the features costs.

    >>> elimination_of(6, 40)  # on 18, 12 and 8
    Trainings(number=3.0, columns=0.95)
    """
    n_left, cost = min(FILTER_FACTOR * n_wanted, ELIMINATED, n_features), Trainings(0.0, 0.0)
    n_last = n_wanted if n_wanted < n_left else 1
    while n_left > n_last:
        cost += cost_of(n_left, n_features)
        n_left -= max(1, int(STEP * n_left))
    return cost
