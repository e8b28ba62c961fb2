"""Curves: the race of the methods, and the path that its winners make, on held-out queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError, TimeIsUpError
from leanrank.evaluation.select.choice import Candidate, Rule
from leanrank.evaluation.select.effort import Plan
from leanrank.evaluation.select.held_out import HeldOut
from leanrank.evaluation.select.paths import Paths

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Race:
    """Methods at the sizes of the race, in the order of preference.

    A fold's winner is chosen without its queries, so what is then measured on these is not the luck of the winner:
    that is why the path that winners make pays nothing for the number of methods that raced.
    """

    candidates: list[Candidate]
    values: Values  # (candidates, queries): their metric, of all queries of the data; NaN for those that took no part
    rule: Rule  # how sure one must be to leave the first method
    whole: bool = True  # whether all queries took part
    others: Values | None = None  # (metrics - 1, candidates, queries): further metrics, which choose nothing

    @property
    def table(self) -> Values:
        """Every metric (metrics, candidates, queries)."""
        return self.values[None] if self.others is None else np.concatenate([self.values[None], self.others])

    def winner(self, without: Sequence[int] | NDArray[np.int64] = ()) -> str:
        """The first method that these queries do not show to be worse than another."""
        rows = self.rule.of_the_size(self.candidates)
        methods = list(dict.fromkeys(self.candidates[i].method for i in rows))
        if len(methods) == 1:
            return methods[0]
        seen = np.setdiff1d(np.arange(self.values.shape[1]), np.asarray(without, dtype=np.int64))
        means = [self.values[[i for i in rows if self.candidates[i].method == name]].mean(axis=0) for name in methods]
        return methods[self.rule.on(seen).first_not_worse(np.stack(means)[:, seen])]

    def winners(self, folds: Sequence[NDArray[np.int64]]) -> tuple[str, ...]:
        """The winner without each of the folds."""
        return tuple(self.winner(fold) for fold in folds)

    def most_often(self, winners: Sequence[str]) -> str:
        """The winner in most folds, of several the first: the method that the path of the winners is mostly about."""
        won = Counter(winners)
        return min(won, key=lambda name: (-won[name], [c.method for c in self.candidates].index(name)))


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured on all queries, in time."""

    # the path, from the largest set to the smallest: in each fold that of the method which wins the race without it.
    # They carry the name of the method that wins in most of them
    path: list[Candidate]
    # (metrics, path, queries): their metrics, the mean over all cross-validations; NaN for queries that no fold tests
    values: Values
    reference: Values  # (metrics, queries): those of all features
    race: Race | None  # None where there was one method alone, or no time
    # all features less their copies, which no path is about, and their metrics (metrics, queries): where nothing
    # smaller can be recommended
    unlike: tuple[Candidate, Values] | None = None


@dataclass(frozen=True, eq=False)
class Curves:
    """How curves are measured."""

    paths: Paths
    rule: Rule  # what is asked for, and what chooses the method
    plan: Plan
    held_out: HeldOut  # the cross-validation
    sample: HeldOut  # that of the race: the same one where queries are few
    drawn: NDArray[np.int64]  # the queries of `sample` among those of `held_out`
    # cross-validations with other folds. Trained on few queries, a ranker differs much from fold to fold; that noise
    # can be averaged away
    repeats: list[HeldOut]

    def measured(self) -> Measured:
        """Run the race, then walk down the path that its winners make."""
        tasks = self.paths.tasks
        tasks.plan(self.plan.total, lambda task: self.plan.units(task, self.sample.scope))
        reference = self.held_out.reference(tasks)
        race = self._race()
        walked = {} if race is None else self._walk(self.held_out, race)
        if not walked and not tasks.clock.time_is_up:
            raise DataError(
                f"None of the methods ({', '.join(self.paths.methods)}) selects a feature in every fold: name other "
                "methods, or loosen 'never', 'budget' and 'together'."
            )
        if not walked and self.rule.n_features is not None:
            raise TimeIsUpError.of(self.rule.n_features, tasks.clock.limit)
        rows = [row for _, row in walked.values()]
        values = np.stack(rows, axis=1) if rows else np.empty((len(reference), 0, reference.shape[1]))
        if race is not None and walked:
            values, reference = self._averaged(race, list(walked), values, reference)
        path = [candidate for candidate, _ in walked.values()]
        unlike = self._unlike(path[0].method, values, reference) if path else None
        return Measured(path, values, reference, race if self.plan.is_race else None, unlike)

    def _race(self) -> Race | None:
        """The methods beside each other, as far as there was time; None if there was none."""
        if not self.plan.is_race:
            [method] = self.paths.methods
            return Race([Candidate(method, 0, (), 0.0)], np.empty((1, 0)), self.rule)
        if self.sample is not self.held_out:
            self.sample.reference(self.paths.tasks)
        racing = replace(self.paths, largest=max(self.plan.race))  # losers need not go further
        candidates = racing.candidates(self.sample, list(self.paths.methods), self.plan.race)
        candidates, measured = self._in_time(self.sample, candidates, "race")
        values = np.full((*measured.shape[:2], self.held_out.n_queries), np.nan)
        values[..., self.drawn] = measured
        whole = self.sample is self.held_out
        return Race(candidates, values[0], self.rule, whole=whole, others=values[1:]) if candidates else None

    def _walk(self, held_out: HeldOut, race: Race) -> dict[int, tuple[Candidate, Values]]:
        """The path of the winners in these folds, by the sizes of the plan: what was measured in time.

        With each candidate every metric of every query (metrics, queries).
        """
        winners = race.winners(held_out.parts)
        orders = self.paths.of_winners(held_out, winners)
        candidates = self.paths.cut(race.most_often(winners), orders, self.plan.sizes)
        rows = held_out.measure(self.paths.tasks, [c.sets for c in candidates.values()], "curve", optional=True)
        measured = zip(candidates.items(), rows.swapaxes(0, 1), strict=True)
        return {size: (candidate, row) for (size, candidate), row in measured if not np.isnan(row).all()}

    def _averaged(self, race: Race, sizes: list[int], values: Values, reference: Values) -> tuple[Values, Values]:
        """The mean over this cross-validation and those with other folds; a size that one of them lacks stays."""
        tasks, total, every = self.paths.tasks, [[row] for row in values.swapaxes(0, 1)], [reference]
        for again in self.repeats:
            if tasks.clock.time_is_up:
                break
            once = again.reference(tasks)
            walked = self._walk(again, race)
            if walked:
                every.append(once)
            for own, size in zip(total, sizes, strict=True):
                own.extend([walked[size][1]] if size in walked else [])
        means = [np.mean(own if len(own) == len(every) else own[:1], axis=0) for own in total]
        return np.stack(means, axis=1), np.asarray(np.mean(every, axis=0))

    def _unlike(self, method: str, values: Values, reference: Values) -> tuple[Candidate, Values] | None:
        """All features less their copies, as the largest set of a path: where no smaller one can be recommended.

        That is asked at the loss that the queries can tell, whatever `max_loss` is, so that another one asked for after
        the run finds it too. Where nothing has copies there is none, nor where limits do not allow it.
        """
        plan, limits = self.plan, self.paths.limits
        every = np.arange(plan.n_features)
        if plan.asked is not None or plan.n_features == plan.n_all or not limits.keeps(every):
            return None
        if self.rule.shown(values, reference).recommended([0.0] * len(values)) is not None:
            return None
        sets = (tuple(every.tolist()),) * self.held_out.n_folds
        every_time = [
            held_out.measure(self.paths.tasks, [sets], "without copies", optional=True)[:, 0]
            for held_out in (self.held_out, *self.repeats)
        ]
        own = [row for row in every_time if not np.isnan(row).all()]
        candidate = Candidate(method, plan.n_features, sets, round(float(limits.total(every)), 9))
        return (candidate, np.asarray(np.mean(own, axis=0))) if own else None

    def _in_time(self, held_out: HeldOut, candidates: list[Candidate], title: str) -> tuple[list[Candidate], Values]:
        """The candidates that were measured before the time was up, and their values."""
        values = held_out.measure(self.paths.tasks, [c.sets for c in candidates], title, optional=True)
        there = [i for i, row in enumerate(values[0]) if not np.isnan(row).all()]
        return [candidates[i] for i in there], values[:, there]
