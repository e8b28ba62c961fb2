"""Plan: which sizes are measured, of which methods, and what that costs in trainings on all features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leanrank.evaluation.journal import Task
from leanrank.evaluation.select.effort import ELIMINATION, Effort, cost_of


@dataclass(frozen=True)
class Plan:
    """What will be measured; nothing of it depends on what is measured.

    Parameters
    ----------
    effort : Effort
    methods : sequence of str
    asked : int or None
        The number of features, if asked for.
    least, n_features : int
        The smallest size that there can be, and the number of features.
    n_folds, n_repeats : int
        Folds, and cross-validations with other folds.
    sampled : float or None
        The share of the queries that the race sees, if not all.
    """

    effort: Effort
    methods: Sequence[str]
    asked: int | None
    least: int
    n_features: int
    n_folds: int
    n_repeats: int
    sampled: float | None

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

    def cost(self, k: int) -> float:
        """What a training on so many features costs."""
        return cost_of(min(k, self.n_features), self.n_features)

    def units(self, task: Task, sample: str) -> float:
        """What a task costs; those of the race carry the scope `sample`."""
        if "features" not in task:
            return ELIMINATION if "rfe" in task["method"] else 0.0
        part = self.sampled if self.sampled is not None and task["scope"] == sample else 1.0
        return part * self.cost(len(task["features"]))

    @property
    def total(self) -> float:
        """What the run will cost."""
        eliminations = ELIMINATION * sum("rfe" in name for name in self.methods)
        path = sum(map(self.cost, self.sizes))
        if not self.is_race:
            return self.n_folds * (1 + eliminations + path) * (1 + self.n_repeats)
        race = eliminations + len(self.methods) * sum(map(self.cost, self.race))
        if self.sampled is not None:
            race = self.sampled * (race + 1)
        else:
            path -= sum(self.cost(k) for k in self.race)  # mostly of the winner, which is there already
        return self.n_folds * (1 + race + path + self.n_repeats * (1 + sum(map(self.cost, self.sizes))))
