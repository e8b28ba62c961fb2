"""Effort: how much `select` measures. The unit of cost is one training on all features."""

from __future__ import annotations

from dataclasses import dataclass

from leanrank.errors import UnknownNameError

#: The race of methods looks at no more queries than this.
SAMPLE_QUERIES = 1_500
#: With repeats, the cross-validation is repeated with other folds so often that this many queries are measured, ...
REPEATED_QUERIES = 400
#: ... but not more often than this.
REPEATS = 6
#: What part of a training's cost does not depend on the number of features: measured with LightGBM, see decision 0013.
FIXED_COST = 0.17
#: What an elimination by the ranker costs in a fold, about, in trainings on all features.
ELIMINATION = 1.5
#: A curve is measured from this share of the features down to ...
LARGEST_SHARE = 0.6
#: ... this one.
SMALLEST_SHARE = 0.04


@dataclass(frozen=True)
class Effort:
    """How much is measured, by name.

    First the ranker is trained on all features in every fold, which also tells what it makes of each of them. Then
    methods race, and the path of the winner is measured at more sizes. All sizes are known beforehand.

    Parameters
    ----------
    name : str
    methods, at_a_size : tuple of str
        What `methods="auto"` means where the stop rule finds the size, and at a size asked for. Of methods that
        held-out queries cannot tell apart, the first is preferred: the filter in widest use, then the cheap ones that
        know redundancy, then those that train rankers.
    n_sizes : int
        Sizes of the path.
    race_sizes : int
        Sizes at which methods race.
    repeats : bool
        Whether, on few queries, the cross-validation is repeated with other folds.
    """

    name: str
    methods: tuple[str, ...]
    at_a_size: tuple[str, ...]
    n_sizes: int
    race_sizes: int = 1
    repeats: bool = False

    def sizes(self, least: int, n_features: int) -> list[int]:
        """The sizes of the path, in geometric steps; if one is that of the race, it is one in the middle.

        >>> EFFORTS["normal"].sizes(1, 136), EFFORTS["normal"].sizes(1, 12)
        ([5, 9, 15, 27, 47, 82], [1, 2, 3, 5, 7])
        """
        top, bottom = (max(least, round(share * n_features)) for share in (LARGEST_SHARE, SMALLEST_SHARE))
        if top - bottom < self.n_sizes:
            return list(range(bottom, top + 1))
        steps = [(top / bottom) ** (i / (self.n_sizes - 1)) for i in range(self.n_sizes)]
        return sorted({round(bottom * step) for step in steps})

    def n_repeats(self, n_queries: int) -> int:
        """How often the cross-validation of so many queries is done, with other folds each time."""
        return min(REPEATS, max(1, REPEATED_QUERIES // n_queries)) if self.repeats else 1


#: Nothing but the graph and the reference is needed for these; BestGain costs more the further it goes.
_FREE = ("mrmr-f", "mrmr-cosine", "blend+mrmr", "importance")
_SMALL = ("mrmr-f", "mrmr-cosine", "best-gain-path", "importance")
#: Every method of a portfolio, in the order of preference.
EVERY = (
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
        Effort("quick", ("mrmr-f", "mrmr-cosine", "importance"), _SMALL, n_sizes=4),
        Effort("normal", _FREE, (*_SMALL, "rfe"), n_sizes=6),
        Effort("thorough", EVERY, EVERY, n_sizes=24, race_sizes=3, repeats=True),
    )
}


def effort_of(name: object) -> Effort:
    """The effort of this name."""
    if name not in EFFORTS:
        raise UnknownNameError.of("effort", name, EFFORTS, owner="select", parameter="effort")
    return EFFORTS[str(name)]


def cost_of(n_chosen: int, n_features: int) -> float:
    """What a training on so many of the features costs, in trainings on all of them.

    >>> round(cost_of(10, 100), 3), cost_of(100, 100)
    (0.253, 1.0)
    """
    return FIXED_COST + (1 - FIXED_COST) * n_chosen / n_features
