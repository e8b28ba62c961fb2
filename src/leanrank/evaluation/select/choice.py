"""What `select` is asked for, and the methods at sizes that it may take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.bootstrap import counted, weighed
from leanrank.evaluation.confidence_set import confidence_set
from leanrank.evaluation.select.certify import certified_losses, shown_losses
from leanrank.evaluation.select.resolution import resolution
from leanrank.evaluation.select.slice_losses import SliceLoss, SliceTable, certified_in_slice, slice_losses
from leanrank.evaluation.select.stop_rule import Difference, differences

#: Level of the model confidence set of the methods: one outside of it is called worse than the best. Hansen, Lunde and
#: Nason (2011) report theirs at 75% and at 90%: the first where cross-validations are repeated, ...
MCS_LEVEL = 0.75
#: ... the second where there is one, whose luck in training the queries do not show.
MCS_LEVEL_ONCE = 0.9

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
Slices = tuple[SliceLoss, ...]


@dataclass(frozen=True)
class Candidate:
    """A method at a size, with the set it chose in each fold and what those sets cost on average."""

    method: str
    k: int
    sets: tuple[tuple[int, ...], ...]
    cost: float


@dataclass(frozen=True)
class Rule:
    """What is asked for, and how sure one must be.

    `values` has a row for each set of the path, the largest first: the metric of every query, NaN where it skips one.
    `reference` is that of all features. `weight` says how much each query counts, None where all count alike; `group`
    what they have in common, None where each stands for itself.

    Several metrics are one more axis of both, the first: `max_losses` are the losses that each of them may have, that
    of the first is `max_loss` too. A set is certified where it is for every metric, and in every one of the `slices`
    (masks of queries). Each is tested at the whole level: a set that loses too much in any one of them passes only if
    that one test errs (intersection-union: Berger 1982).
    """

    n_features: int | None
    max_loss: float
    level: float
    budget: float
    priced: bool
    random_state: int
    mcs_level: float = MCS_LEVEL
    affords_all: bool = True
    max_losses: tuple[float, ...] = ()
    weight: Values | None = None
    group: NDArray[Any] | None = None
    slices: tuple[Mask, ...] = ()

    def on(self, queries: NDArray[np.int64]) -> Rule:
        """The same about some of the queries."""
        weight, group = (None if column is None else column[queries] for column in (self.weight, self.group))
        return replace(self, weight=weight, group=group, slices=tuple(mask[queries] for mask in self.slices))

    @property
    def _drawn(self) -> dict[str, Any]:
        """What is drawn by chance, for every bootstrap."""
        return {"random_state": self.random_state, "weight": self.weight, "group": self.group}

    def first_not_worse(self, values: Values) -> int:
        """The first row that is not shown to be worse than another."""
        return confidence_set(values, level=self.mcs_level, **self._drawn)[0]

    def of_the_size(self, candidates: Sequence[Candidate]) -> list[int]:
        """Those of the size asked for, smaller ones only where there are no others; all, where no size is asked for."""
        every = range(len(candidates))
        return [i for i in every if all(len(s) == self.n_features for s in candidates[i].sets)] or list(every)

    def compare(self, values: Values, reference: Values) -> list[Difference]:
        """Differences to all features, with intervals that hold for all rows at once."""
        return differences(values, reference, level=self.level, **self._drawn)

    def certified_losses(self, values: Values, reference: Values) -> Values:
        """The smallest loss of one metric at which each set of the path is certified."""
        return certified_losses(values, reference, level=self.level, **self._drawn)

    def shown_losses(self, values: Values, reference: Values) -> Values:
        """The loss of one metric that each set is shown to stay within, by itself."""
        return shown_losses(values, reference, level=self.level, **self._drawn)

    def resolution(self, values: Values, reference: Values) -> float:
        """The loss of one metric that the queries can tell."""
        return resolution(values - reference, level=self.level, weight=self.weight, group=self.group)

    def losses_in(self, mask: Mask, values: Values, reference: Values) -> Values:
        """The same in a slice; infinite where it has too few queries."""
        own = SliceTable.of(values - reference, mask, self.weight, self.group)
        return certified_in_slice(own, level=self.level, random_state=self.random_state)

    def in_slices(self, masks: Mapping[tuple[str, str], Mask], values: Values, reference: Values) -> list[Slices]:
        """What each set of the path does to one metric in each slice."""
        return slice_losses(values - reference, masks, level=self.level, **self._drawn)

    def certified(self, values: Values, reference: Values) -> int | None:
        """The smallest set that is certified to lose at most `max_loss`; None where none is."""
        claims = []
        for table, own, allowed in self._metrics(values, reference):
            claims.append(self.certified_losses(table, own) - allowed)
            claims += [self.losses_in(mask, table, own) - allowed for mask in self.slices]
        return smallest_within(np.max(claims, axis=0), 0.0)

    def _metrics(self, values: Values, reference: Values) -> list[tuple[Values, Values, float]]:
        """Values, reference and the loss allowed, of each metric."""
        tables, references = (values[None], reference[None]) if values.ndim == 2 else (values, reference)
        return list(zip(tables, references, self.max_losses or (self.max_loss,), strict=True))

    def recommended(self, values: Values, reference: Values) -> int | None:
        """The set to recommend; None where that is all features."""
        if self.n_features is not None:
            return 0
        return self.shown(values, reference).recommended(self.max_losses or (self.max_loss,))

    def shown(self, values: Values, reference: Values) -> Shown:
        """What the queries show of each set by itself."""
        metrics = self._metrics(values, reference)
        return Shown(
            losses=np.stack([self.shown_losses(table, own) for table, own, _ in metrics]),
            told=[self.resolution(table, own) for table, own, _ in metrics],
            values=metrics[0][0],
            weight=self.weight,
            group=self.group,
        )

    def nested(self, values: Values, reference: Values, folds: Sequence[NDArray[np.int64]], answer: str) -> Difference:
        """Choose without a fold, measure on that fold, for each fold: what an answer is worth to other queries.

        Where nothing is chosen that is all features, or what the budget allows of them.
        """
        table, own, _ = self._metrics(values, reference)[0]
        picked = own.copy()
        otherwise = own if self.affords_all else table[0]
        for test in folds:
            others = np.setdiff1d(np.arange(len(own)), test)
            rule = self.on(others)
            if (
                counted(own[None, others], rule.weight, rule.group)[0].shape[1] >= 2
            ):  # with fewer there is nothing to choose by
                choose = rule.certified if answer == "certified" else rule.recommended
                index = choose(values[..., others], reference[..., others])
                picked[test] = otherwise[test] if index is None else table[index, test]
        return self.compare(picked[None], own)[0]

    def estimate(
        self, index: int, values: Values, reference: Values, folds: Sequence[NDArray[np.int64]], answer: str
    ) -> dict[str, float]:
        """What a set of the path is worth to other queries, with an interval that covers it.

        The mean is nested. Choosing with fewer queries, it is a little too low, as that of the set itself, on the
        queries that chose its size, is a little too high: the interval takes in both of theirs.
        """
        nested = self.nested(values, reference, folds, answer)
        table, before, _ = self._metrics(values, reference)[0]
        own = self.compare(table[index][None], before)[0]
        low, high = min(nested.low, own.low), max(nested.high, own.high)
        rounded = {name: round(v, 6) for name, v in (("mean", nested.mean), ("low", low), ("high", high))}
        return {**rounded, "n_queries": nested.n_queries}


@dataclass(frozen=True, eq=False)
class Shown:
    """What the queries show of each set of a path, the largest first, by itself."""

    losses: Values  # (metrics, sets): the loss that each stays within
    told: list[float]  # of each metric the loss that the queries can tell
    values: Values  # (sets, queries): the first metric
    weight: Values | None = None
    group: NDArray[Any] | None = None

    def recommended(self, max_losses: Sequence[float]) -> int | None:
        """The set to recommend; None where that is all features.

        Of the sets that are shown, each by itself, to lose no more than the queries can tell, the smallest that is as
        good as the best. One unlucky set does not hide the smaller ones, as it must where something is certified.
        """
        beyond = np.max(self.losses - np.maximum(max_losses, self.told)[:, None], axis=0)
        if max_losses[0] >= self.told[0]:  # a loss that the queries can tell is the user's choice
            last = smallest_within(np.maximum.accumulate(beyond), 0.0)
            if last is not None:
                return last
        shown = np.flatnonzero(np.round(beyond, 9) <= 0)
        return int(shown[smallest_as_good(self.values[shown], self.weight, self.group)]) if len(shown) else None

    def by_loss(self) -> list[tuple[float, int | None]]:
        """From which loss on, allowed of every metric, which set is recommended; the first is from 0 on."""
        every = np.append(np.maximum.accumulate(self.losses, axis=1).ravel(), [*self.losses.ravel(), *self.told])
        steps: list[tuple[float, int | None]] = []
        for loss in [0.0, *np.unique(np.ceil(every[np.isfinite(every) & (every > 0)] * 1e9) / 1e9).tolist()]:
            index = self.recommended([loss] * len(self.told))
            if not steps or steps[-1][1] != index:
                steps.append((loss, index))
        return steps


def smallest_within(losses: Values, loss: float) -> int | None:
    """The last set of a path certified at this loss.

    >>> smallest_within(np.array([0.001, 0.004, 0.02]), 0.005), smallest_within(np.array([0.01]), 0.005)
    (1, None)
    """
    within = np.flatnonzero(np.round(losses, 9) <= loss)
    return int(within[-1]) if len(within) else None


def smallest_as_good(values: Values, weight: Values | None = None, group: NDArray[Any] | None = None) -> int:
    """The last row whose mean is within one standard error, of the difference, of the best mean (Breiman et al. 1984).

    >>> best, close, far = [0.5, 0.7, 0.3, 0.6], [0.4, 0.8, 0.3, 0.5], [0.1, 0.3, 0.0, 0.2]
    >>> smallest_as_good(np.array([best, close, far]))
    1
    """
    judged, weight = counted(values, weight, group)
    means = np.round(weighed(judged, weight)[0], 12)
    behind, error, _ = weighed(judged[int(np.argmax(means))] - judged, weight)
    return int(np.flatnonzero(np.round(behind - error, 12) <= 0)[-1])


def mean(values: Values, weight: Values | None = None) -> float:
    """Over the queries that the metric does not skip; rounded, so that the order of sums does not matter."""
    judged, weight = counted(values[None], weight)
    return round(float(np.average(judged[0], weights=weight)), 9) if judged.size else 0.0


def thousandths(loss: float) -> float:
    """Rounded up, so that what it bounds is within it.

    >>> thousandths(0.0053), thousandths(0.006)
    (0.006, 0.006)
    """
    return math.ceil(round(loss * 1000, 6)) / 1000
