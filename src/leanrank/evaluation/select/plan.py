"""Plan: which sizes are measured, of which methods, and what that costs in trainings on all features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leanrank.evaluation.journal import Task
from leanrank.evaluation.pace import Trainings
from leanrank.evaluation.select.effort import Effort, cost_of, elimination_of


@dataclass(frozen=True)
class Plan:
    """What will be measured; nothing of it depends on what is measured."""

    effort: Effort
    methods: Sequence[str]
    asked: int | None  # the number of features, if asked for
    # the smallest size that there can be, and the number of features
    least: int
    n_features: int
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
        return cost_of(min(k, self.n_features), self.n_features)

    def units(self, task: Task, sample: str) -> Trainings | float:
        """What a task costs; those of the race carry the scope `sample`."""
        part = self.sampled if self.sampled is not None and task["scope"] == sample else 1.0
        if "features" in task:
            return part * self.cost(len(task["features"]))
        return part * elimination_of(task["largest"], self.n_features) if "rfe" in task["method"] else 0.0

    @property
    def total(self) -> Trainings:
        """What the run will cost; the path of the winner is learned once more from all queries."""
        wanted = max(self.race) if self.is_race else self.sizes[0]
        eliminations = elimination_of(wanted, self.n_features) * sum("rfe" in name for name in self.methods)
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
