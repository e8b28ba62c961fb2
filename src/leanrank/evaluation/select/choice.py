"""What `select` takes of what it measured: at a size, or by the stop rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.confidence_set import confidence_set
from leanrank.evaluation.select.stop_rule import Difference, differences, surer_than_cheaper

#: Level of the model confidence set of the methods: the smaller of the two at which Hansen, Lunde and Nason (2011)
#: report theirs. A method outside of it is called worse than the best.
MCS_LEVEL = 0.75

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """A method at a size, with the set it chose in each fold and what those sets cost on average.

    `adaptive`: it was measured because of what others had shown.
    """

    method: str
    k: int
    sets: tuple[tuple[int, ...], ...]
    cost: float
    adaptive: bool = False


class Provable(NamedTuple):
    """The smallest loss at which something smaller than all features is proven, and what that would be."""

    max_loss: float
    n_features: int
    method: str
    mean: float


@dataclass(frozen=True)
class Choice:
    """The index of the chosen candidate, whether its loss is proven small, and why it was chosen.

    Where the stop rule keeps all features, `provable` is what it would take with a larger `max_loss`.
    """

    index: int
    proven: bool
    reason: str
    provable: Provable | None = None


@dataclass(frozen=True)
class Rule:
    """What is asked for: a number of features, or the smallest (with prices: cheapest) set that loses little.

    Candidates come in the order of preference, all features last; `values` has a row for each: the metric of every
    query, NaN where it skips one.
    """

    n_features: int | None
    max_loss: float
    level: float
    budget: float
    priced: bool
    random_state: int

    def compare(self, candidates: Sequence[Candidate], values: Values) -> list[Difference]:
        """Differences to all features, with bounds that hold for all candidates at once."""
        return differences(
            values,
            values[-1],
            max_loss=self.max_loss,
            level=self.level,
            adaptive=None if self.n_features is not None else [c.adaptive for c in candidates],
            random_state=self.random_state,
        )

    def choose(self, candidates: Sequence[Candidate], values: Values, losses: Sequence[Difference]) -> Choice:
        """The choice; `losses` is what `compare` says of these values."""
        if self.n_features is None:
            return self._stop(candidates, [mean(v) for v in values], losses)
        rows = self._of_the_size(candidates)
        best = rows[self._confidence_set(values[rows])[0]]
        asked = f"{self.n_features} feature{'s' * (self.n_features > 1)}"
        short = any(len(s) != self.n_features for s in candidates[best].sets)
        if len(rows) == 1:
            how = "no other method was measured" + f", and it chooses fewer than {asked}" * short
        else:
            size = f"which all choose fewer than {asked}" if short else f"at {asked}"
            how = (
                f"of {len(rows)} methods {size} on held-out queries, the first in the portfolio that {MCS_LEVEL:.0%} "
                "confidence does not show to be worse than the best"
            )
        return Choice(best, losses[best].proves(self.max_loss), how)

    def nested(self, candidates: Sequence[Candidate], values: Values, folds: Sequence[NDArray[np.int64]]) -> Difference:
        """Choose without a fold, measure on that fold, for each fold: what the choosing itself is worth."""
        baseline = values[-1]
        picked = baseline.copy()
        for test in folds:
            others = np.setdiff1d(np.arange(len(baseline)), test)
            if (~np.isnan(baseline[others])).sum() >= 2:  # with fewer there is nothing to choose by
                losses = self.compare(candidates, values[:, others])
                picked[test] = values[self.choose(candidates, values[:, others], losses).index][test]
        return differences(
            picked[None], baseline, max_loss=self.max_loss, level=self.level, random_state=self.random_state
        )[0]

    def contenders(self, candidates: Sequence[Candidate], values: Values, n: int) -> list[int]:
        """Up to `n` candidates that may still be chosen, and are worth measuring better.

        At a fixed size, the first of those that are not shown to be worse than another. For the stop rule, those whose
        loss is bounded better than that of any smaller set, the surest of them.
        """
        if self.n_features is not None:
            rows = self._of_the_size(candidates)
            return [rows[i] for i in self._confidence_set(values[rows])[:n]]
        bounds = [d.low_one_sided for d in self.compare(candidates, values)]
        front = surer_than_cheaper([(c.cost, c.k, b) for c, b in zip(candidates[:-1], bounds[:-1], strict=True)])
        return sorted(front[-n:])

    def _of_the_size(self, candidates: Sequence[Candidate]) -> list[int]:
        """Sets of the size asked for; smaller ones only where there are no others."""
        smaller = range(len(candidates) - 1)
        return [i for i in smaller if all(len(s) == self.n_features for s in candidates[i].sets)] or list(smaller)

    def _confidence_set(self, values: Values) -> list[int]:
        return confidence_set(values, level=MCS_LEVEL, random_state=self.random_state)

    def _stop(self, candidates: Sequence[Candidate], means: list[float], losses: Sequence[Difference]) -> Choice:
        """The smallest set proven to lose little. That is all features where no other is: they lose nothing."""

        def smallest(loss: float) -> int | None:
            proven = [i for i in range(len(candidates) - 1) if losses[i].proves(loss)]
            return min(proven, key=lambda i: (candidates[i].cost, candidates[i].k, -means[i], i), default=None)

        if len(candidates) == 1:
            return Choice(0, True, "time was up before any smaller set was measured")
        size, sure = "cheapest" if self.priced else "smallest", f"{100 * self.level:g}% confidence"
        best = smallest(self.max_loss)
        if best is not None:
            bound = f"one-sided bound {losses[best].low_one_sided:+.4f}"
            return Choice(best, True, f"the {size} set that loses at most {self.max_loss:g} with {sure} ({bound})")
        surest = max(range(len(candidates) - 1), key=lambda i: (round(losses[i].low_one_sided, 9), -i))
        loss = thousandths(-losses[surest].low_one_sided)
        likely = smallest(loss)
        n = f"{losses[surest].n_queries:,} queries"
        if candidates[-1].cost > self.budget:
            best = surest if likely is None else likely
            most = max(0.0, -losses[best].low_one_sided)
            bound = (
                "are too few to prove anything" if likely is None else f"prove only that it loses at most {most:.4f}"
            )
            how = f"the {size} of the surest sets in the budget; {n} {bound}"
            return Choice(best, False, how)
        if likely is None:
            return Choice(len(candidates) - 1, True, f"{n} are too few to prove anything of smaller sets")
        k, method, estimate = candidates[likely].k, candidates[likely].method, round(losses[likely].mean, 6)
        if all(d.high < -self.max_loss for d in losses[:-1]):
            how = f"every smaller set that was measured loses more than {self.max_loss:g}"
        else:
            how = f"{n} prove of no smaller set that it loses at most {self.max_loss:g}"
        how += f"; a max_loss of {loss:g} would leave {_at_most(k)} ({method}, estimated at {estimate:+.4f})"
        return Choice(len(candidates) - 1, True, how, Provable(loss, k, method, estimate))


def mean(values: Values) -> float:
    """Over the queries that the metric does not skip; rounded, so that the order of sums does not matter."""
    counted = values[~np.isnan(values)]
    return round(float(counted.mean()), 9) if counted.size else 0.0


def thousandths(loss: float) -> float:
    """Rounded up, so that what it bounds is within it.

    >>> thousandths(0.0053), thousandths(0.006)
    (0.006, 0.006)
    """
    return math.ceil(round(loss * 1000, 6)) / 1000


def _at_most(k: int) -> str:
    return "1 feature" if k == 1 else f"{k} features or fewer"
