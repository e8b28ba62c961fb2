"""Path: features in the order a selector takes them, with the reason for each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.selectors.column_limits import ColumnLimits


@dataclass(frozen=True)
class Step:
    """One step of a selection: the index of the feature, its own worth, what it adds to those before it, and why."""

    feature: int
    score: float
    gain: float
    reason: str


@dataclass(frozen=True, eq=False)
class Path:
    """What a selector learns: an order of features. Where the method is nested any size is a prefix of it.

    Parameters
    ----------
    order : array of int64
        Indices of the features in order of selection; it may stop before the last feature.
    scores : array of shape (K,)
        The method's weight of every feature, NaN for features it never weighed.
    trace : tuple of Step
        One step for each entry of `order`.
    dropped : array of int64
        Features taken out before the method began (constant inside every query, or copies of others).
    stop : int, optional
        Where the method itself would stop, if that is before the end of `order`.

    Examples
    --------
    >>> Path.by_score([0.2, 0.7, 0.2], reason="weight").order
    array([1, 0, 2])
    """

    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    trace: tuple[Step, ...]
    dropped: NDArray[np.int64]
    stop: int | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, steps: Sequence[Step], n_features: int, scores: ArrayLike | None = None) -> Path:
        """The path of these steps; a feature's score is its gain at its step unless `scores` gives one for each."""
        order = np.array([step.feature for step in steps], dtype=np.int64)
        if scores is None:
            weights = np.full(n_features, np.nan)
            weights[order] = [step.gain for step in steps]
        else:
            weights = np.array(scores, dtype=np.float64)
        return cls(order, weights, tuple(steps), np.empty(0, np.int64))

    @classmethod
    def by_score(cls, scores: ArrayLike, *, reason: str) -> Path:
        """All features by descending score, the lower index first where equal."""
        weights = np.asarray(scores, dtype=np.float64)
        order = np.argsort(-weights, kind="stable")
        steps = [Step(int(j), float(weights[j]), float(weights[j]), f"{reason} {weights[j]:.6g}") for j in order]
        return cls.of(steps, len(weights), weights)

    def within(self, limits: ColumnLimits, names: Sequence[str]) -> Path:
        """This path within the limits, which not every method knows of while it works."""
        order = limits.obeyed(self.order)
        stop = None if self.stop is None else len(limits.obeyed(self.order[: self.stop]))
        if np.array_equal(order, self.order) and stop == self.stop:
            return self
        known = {step.feature: step for step in self.trace}
        steps = [known.get(j) or Step(j, np.nan, np.nan, _why(j, limits, names)) for j in order.tolist()]
        return replace(self, order=order, trace=tuple(steps), stop=stop, dropped=np.setdiff1d(self.dropped, order))

    def lift(self, kept: NDArray[np.int64], n_features: int) -> Path:
        """This path over the columns `kept` of a wider table, as a path over all `n_features` of them.

        The columns that are not kept are dropped, with those that this path dropped already.
        """
        scores = np.full(n_features, np.nan)
        scores[kept] = self.scores
        return Path(
            order=kept[self.order],
            scores=scores,
            trace=tuple(replace(step, feature=int(kept[step.feature])) for step in self.trace),
            dropped=np.setdiff1d(np.arange(n_features), np.delete(kept, self.dropped)),
            stop=self.stop,
        )


def _why(feature: int, limits: ColumnLimits, names: Sequence[str]) -> str:
    others = [names[j] for j in limits.families.members(feature) if j != feature]
    return "must be kept" if not others else f"goes together with {others[0]!r}"
