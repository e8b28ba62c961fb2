"""Curves: every method at every size it is worth measuring at, on held-out queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError, TimeIsUpError
from leanrank.evaluation.journal import Task
from leanrank.evaluation.pace import Trainings
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.choice import Candidate, Rule, mean
from leanrank.evaluation.select.effort import CONTENDERS, Effort, cost_of, elimination_of
from leanrank.evaluation.select.held_out import HeldOut
from leanrank.evaluation.select.paths import Paths

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measured:
    """Candidates, all features last, and the metric of every query for each: in one cross-validation, and on average
    over all in which it was measured."""

    candidates: list[Candidate]
    once: Values
    values: Values


@dataclass(frozen=True, eq=False)
class Curves:
    """How curves are measured.

    Parameters
    ----------
    paths : Paths
    rule : Rule
        What will choose: it says which candidates are worth measuring better.
    effort : Effort
    held_out, sample : HeldOut
        The cross-validation, and that of the race (the same one where queries are few).
    repeats : list of HeldOut
        Cross-validations with other folds.
    """

    paths: Paths
    rule: Rule
    effort: Effort
    held_out: HeldOut
    sample: HeldOut
    repeats: list[HeldOut]

    def measured(self) -> Measured:
        """Everything that was measured on all queries, in time."""
        tasks = self.paths.tasks
        tasks.plan(self._planned(), self._units)
        reference = self.held_out.reference(tasks)
        candidates, smaller = self._in_time(self.held_out, self._candidates(), "curves")
        if not candidates and self.rule.n_features is not None:
            raise TimeIsUpError.of(self.rule.n_features, tasks.clock.limit)
        candidates.append(self.paths.everything(self.held_out.n_folds))
        once = np.vstack([smaller, reference])
        out = Measured(candidates, once, self._repeated(candidates, once))
        return self._refined(out) if self.rule.n_features is None else out

    @property
    def _least(self) -> int:
        """The smallest size that there can be."""
        return max(1, int(self.paths.limits.must_keep.sum()))

    @property
    def _curve(self) -> list[int]:
        """The sizes to measure at; the middle one is that of the race."""
        if self.rule.n_features is not None:
            return [self.rule.n_features]
        return self.effort.sizes(self._least, len(self.paths.limits.own))

    @property
    def _race(self) -> list[int]:
        return self._curve[len(self._curve) // 2 :][:1]

    @property
    def _is_race(self) -> bool:
        several = len(self.paths.methods) > self.effort.few
        return several and (self._curve != self._race or self.sample is not self.held_out)

    def _units(self, task: Task) -> Trainings | float:
        """What a task costs."""
        part = self.sample.n_queries / self.held_out.n_queries if task["scope"] == self.sample.scope else 1.0
        n_features = len(self.paths.limits.own)
        if "features" in task:
            return part * cost_of(len(task["features"]), n_features)
        return part * elimination_of(task["largest"], n_features) if "rfe" in task["method"] else 0.0

    def _planned(self) -> Trainings:
        """What the run will cost."""
        n_features, methods = len(self.paths.limits.own), list(self.paths.methods)
        cost = {k: cost_of(min(k, n_features), n_features) for k in self._curve}
        wanted = self._race[0] if self._is_race else self.paths.largest
        paths = elimination_of(wanted, n_features) * sum("rfe" in name for name in methods)
        every = sum(cost.values(), Trainings(0.0, 0.0))
        units = 1.0 + paths + len(methods) * every
        if self._is_race:
            part = self.sample.n_queries / self.held_out.n_queries
            race = paths + len(methods) * cost[self._race[0]] + (self.sample is not self.held_out)
            again = every - (cost[self._race[0]] if self.sample is self.held_out else 0.0)
            units = 1.0 + part * race + self.effort.finalists * again
        if self.rule.n_features is None:
            gaps = min(self.effort.n_adaptive, 4)  # halved more often, a gap is closed
            units += gaps * cost_of((self._curve[-1] + n_features) // 2, n_features)
        on_all = paths / len(methods)  # the path of the method that is chosen
        return self.held_out.n_folds * units * (1 + 0.6 * len(self.repeats)) + on_all

    def _candidates(self) -> list[Candidate]:
        """The candidates of the curves but for all features; methods that lose the race leave."""
        every = list(self.paths.methods)
        methods = every
        racing = replace(self.paths, largest=self._race[0])  # losers need not go further
        if self._is_race:
            if self.sample is not self.held_out:
                self.sample.reference(self.paths.tasks)
            first, values = self._in_time(self.sample, racing.candidates(self.sample, every, self._race), "race")
            best = finalists(first, values, self.effort.finalists)
            methods = [name for name in every if name in best]  # still in the order of preference
        candidates = self.paths.candidates(self.held_out, methods, self._curve)
        if self.sample is self.held_out and len(methods) < len(every):
            # what the race measured is evidence too, and counts among what was tried
            others = [name for name in every if name not in methods]
            candidates += racing.candidates(self.held_out, others, self._race)
        if not candidates and not self.paths.tasks.clock.time_is_up:
            raise DataError(
                f"None of the methods ({', '.join(every)}) selects a feature in every fold: name other methods, "
                "or loosen 'never' and 'budget'."
            )
        return candidates

    def _in_time(self, held_out: HeldOut, candidates: list[Candidate], title: str) -> tuple[list[Candidate], Values]:
        """The candidates that were measured before the time was up, and their values."""
        values = held_out.measure(self.paths.tasks, [c.sets for c in candidates], title, optional=True)
        there = [i for i, row in enumerate(values) if not np.isnan(row).all()]
        return [candidates[i] for i in there], values[there]

    def _repeated(self, candidates: list[Candidate], once: Values) -> Values:
        """The values, for contenders and all features averaged over cross-validations with other folds."""
        if not self.repeats or len(candidates) == 1 or self.paths.tasks.clock.time_is_up:
            return once
        values = once.copy()
        rows = [*self.rule.contenders(candidates, once, CONTENDERS), len(candidates) - 1]
        values[rows] = self._averaged([candidates[i] for i in rows], once[rows])
        return values

    def _averaged(self, candidates: list[Candidate], once: Values) -> Values:
        """The mean over the cross-validation that was measured and those with other folds.

        Trained on few queries, a ranker differs much from fold to fold; that noise can be averaged away.
        """
        sets: list[list[tuple[tuple[int, ...], ...]]] = [[] for _ in candidates]  # by candidate and repeat
        methods = list(dict.fromkeys(c.method for c in candidates if c.method != ALL_FEATURES))
        for held_out in self.repeats:
            held_out.reference(self.paths.tasks)
            paths = self.paths.in_folds(held_out, methods)
            if len(paths) < len(methods):  # time is up
                return once
            for own, c in zip(sets, candidates, strict=True):
                every = c.method == ALL_FEATURES
                own.append(c.sets if every else tuple(tuple(map(int, p[: c.k])) for p in paths[c.method]))
        # a method that selects nothing in some other fold stays as it was measured
        rows = [i for i, own in enumerate(sets) if all(all(folds) for folds in own)]
        values = once.copy()
        for r, held_out in enumerate(self.repeats):
            values[rows] += held_out.measure(self.paths.tasks, [sets[i][r] for i in rows], "repeats", optional=True)
        values[rows] /= 1 + len(self.repeats)
        late = np.flatnonzero(np.isnan(values).all(axis=1))
        values[late] = once[late]
        return values

    def _refined(self, curves: Measured) -> Measured:
        """With sizes between those of the curve: halving the gap below the set that the stop rule takes.

        Where that is all features, the gap is above the largest size of the method that could be proven.
        """
        candidates, once, values = curves.candidates, curves.once, curves.values
        for _ in range(self.effort.n_adaptive if len(candidates) > 1 else 0):
            choice = self.rule.choose(candidates, values, self.rule.compare(candidates, values))
            taken = candidates[choice.index]
            method = taken.method if choice.provable is None else choice.provable.method
            below = max((c.k for c in candidates if c.method == method and c.k < taken.k), default=self._least - 1)
            middle = (below + taken.k) // 2
            between = self.paths.candidates(self.held_out, [] if method == ALL_FEATURES else [method], [middle])
            if middle <= below or not between or between[0].k != middle:
                break
            between, row = self._in_time(self.held_out, [replace(between[0], adaptive=True)], "sizes between")
            if not between:
                break
            candidates = [*candidates[:-1], *between, candidates[-1]]
            once = np.insert(once, -1, row, axis=0)
            values = np.insert(values, -1, self._averaged(between, row), axis=0)
        return Measured(candidates, once, values)


def finalists(candidates: list[Candidate], values: Values, n: int) -> list[str]:
    """The methods with the best mean over all sizes measured.

    Where several methods chose the same sets throughout, one is enough.
    """
    scores: dict[str, list[float]] = {}
    sets: dict[str, list[Any]] = {}
    for candidate, row in zip(candidates, values, strict=True):
        scores.setdefault(candidate.method, []).append(mean(row))
        sets.setdefault(candidate.method, []).append([frozenset(s) for s in candidate.sets])
    best: list[str] = []
    for name in sorted(scores, key=lambda name: -round(float(np.mean(scores[name])), 12)):
        if len(best) < n and not any(sets[name] == sets[other] for other in best):
            best.append(name)
    return best
