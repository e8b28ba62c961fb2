"""Effort and Plan: how much `select` measures. The unit of cost is one training on all features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leanrank.errors import UnknownNameError
from leanrank.evaluation.clock import Trainings
from leanrank.evaluation.journal import Task
from leanrank.selectors.hybrids import ELIMINATED, FILTER_FACTOR, STEP

#: The race of methods looks at no more queries than this.
SAMPLE_QUERIES = 1_500
#: With repeats, the cross-validation is repeated with other folds so often that this many queries are measured, ...
REPEATED_QUERIES = 400
#: ... but not more often than this.
REPEATS = 6
#: A curve is measured from this share of the features down to ...
LARGEST_SHARE = 0.6
#: ... this one.
SMALLEST_SHARE = 0.04


@dataclass(frozen=True)
class Effort:
    """How much is measured, by name.

    First the ranker is trained on all features in every fold, which also tells what it makes of each of them. Then
    methods race, and the path of the winner is measured at more sizes. All sizes are known beforehand.
    """

    name: str
    # what `methods="auto"` means where the stop rule finds the size, and at a size asked for. Of methods that held-out
    # queries cannot tell apart, the first is preferred: forward regression, then other filters, then those that train
    # rankers (decision 16)
    methods: tuple[str, ...]
    at_a_size: tuple[str, ...]
    n_sizes: int  # sizes of the path
    race_sizes: int = 1  # sizes at which methods race
    repeats: bool = False  # whether, on few queries, the cross-validation is repeated with other folds

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


#: Nothing but the data and the reference is needed for these.
_FREE = ("forward-regression", "mrmr-f", "importance")
#: Every method of a portfolio, in the order of preference.
EVERY: tuple[str, ...] = (
    "forward-regression",
    "mrmr-f",
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
        Effort("quick", _FREE, _FREE, n_sizes=4),
        Effort(
            "normal",
            ("forward-regression", "mrmr-f", "blend+mrmr", "importance"),
            (*_FREE, "rfe"),
            n_sizes=6,
            race_sizes=2,
        ),
        Effort("thorough", EVERY, EVERY, n_sizes=24, race_sizes=3, repeats=True),
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


@dataclass(frozen=True)
class Plan:
    """What will be measured; nothing of it depends on what is measured."""

    effort: Effort
    methods: Sequence[str]
    asked: int | None  # the number of features, if asked for
    # the smallest size that there can be, the number of features to choose from, and of all with their copies
    least: int
    n_features: int
    n_all: int
    # folds, and cross-validations with other folds
    n_folds: int
    n_repeats: int
    sampled: float | None  # the share of the queries that the race sees, if not all

    @property
    def sizes(self) -> list[int]:
        """The sizes of the path, the largest first."""
        return [self.asked] if self.asked is not None else self.effort.sizes(self.least, self.n_features)[::-1]

    @property
    def race(self) -> list[int]:
        """The sizes of the race."""
        sizes, n = self.sizes, self.effort.race_sizes
        return list(dict.fromkeys(sizes[(i + 1) * len(sizes) // (n + 1)] for i in range(n)))

    @property
    def is_race(self) -> bool:
        return len(self.methods) > 1

    def cost(self, k: int) -> Trainings:
        """What a training on so many features costs."""
        return cost_of(min(k, self.n_all), self.n_all)

    def units(self, task: Task, sample: str) -> Trainings | float:
        """What a task costs; those of the race carry the scope `sample`."""
        part = self.sampled if self.sampled is not None and task["scope"] == sample else 1.0
        if "features" in task:
            return part * self.cost(len(task["features"]))
        return part * elimination_of(task["largest"], self.n_all) if "rfe" in task["method"] else 0.0

    @property
    def total(self) -> Trainings:
        """What the run will cost; the path of the winner is learned once more from all queries."""
        wanted = max(self.race) if self.is_race else self.sizes[0]
        eliminations = elimination_of(wanted, self.n_all) * sum("rfe" in name for name in self.methods)
        path = self._costs(self.sizes)
        again = self.n_repeats * (1 + path)
        on_all = eliminations / len(self.methods)
        if not self.is_race:
            return self.n_folds * (1 + eliminations + path + again) + on_all
        race = eliminations + len(self.methods) * self._costs(self.race)
        if self.sampled is not None:
            race = self.sampled * (race + 1)
        else:
            path = path - self._costs(self.race)  # mostly of the winner, which is there already
        return self.n_folds * (1 + race + path + again) + on_all

    def _costs(self, sizes: Sequence[int]) -> Trainings:
        return sum(map(self.cost, sizes), Trainings(0.0, 0.0))
