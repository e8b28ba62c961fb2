"""What `select` takes of what it measured: at a size, or by the stop rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.confidence_set import confidence_set
from leanrank.evaluation.stop_rule import Difference, differences

#: A method is called worse than the best when this sure: the smaller of the two levels at which Hansen, Lunde and
#: Nason (2011) report model confidence sets.
TOLD_APART = 0.75
#: The candidate that keeps every feature: the reference, and the answer where nothing smaller will do.
ALL = "all features"

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """A method at a size, with the set it chose in each fold and what those sets cost on average."""

    method: str
    k: int
    sets: tuple[tuple[int, ...], ...]
    cost: float


class Provable(NamedTuple):
    """The smallest loss at which something smaller than all features is proven, and what that would be."""

    max_loss: float
    n_features: int
    method: str
    mean: float


class Choice(NamedTuple):
    """The number of the chosen candidate, whether its loss is proven small, and why it was chosen.

    Where the stop rule keeps all features, `provable` is what it would take with a larger `max_loss`.
    """

    number: int
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

    def compare(self, values: Values, baseline: Values) -> list[Difference]:
        """Differences to all features, with bounds that hold for all candidates at once."""
        return differences(values, baseline, max_loss=self.max_loss, level=self.level, random_state=self.random_state)

    def choose(self, candidates: Sequence[Candidate], values: Values, found: Sequence[Difference]) -> Choice:
        """The choice; `found` is what `compare` says of these values."""
        if self.n_features is not None:
            smaller = range(len(candidates) - 1)
            whole = [i for i in smaller if all(len(s) == self.n_features for s in candidates[i].sets)]
            rows = whole or list(smaller)  # sets that are smaller than asked for only where there are no others
            best = rows[confidence_set(values[rows], level=TOLD_APART, random_state=self.random_state)[0]]
            size = (
                f"at {self.n_features} features" if whole else f"which all choose fewer than {self.n_features} features"
            )
            how = (
                f"of {len(rows)} methods {size} on held-out queries, the first in the portfolio that {TOLD_APART:.0%} "
                "confidence does not show to be worse than the best"
            )
            return Choice(best, found[best].low_one_sided >= -self.max_loss, how)
        return self._stop(candidates, [mean(v) for v in values], found)

    def nested(self, candidates: Sequence[Candidate], values: Values, folds: Sequence[NDArray[np.int64]]) -> Difference:
        """Choose without a fold, measure on that fold, for each fold: what the choosing itself is worth."""
        baseline = values[-1]
        picked = np.full(len(baseline), np.nan)
        for test in folds:
            others = np.setdiff1d(np.arange(len(baseline)), test)
            found = self.compare(values[:, others], baseline[others])
            picked[test] = values[self.choose(candidates, values[:, others], found).number][test]
        return self.compare(picked[None], baseline)[0]

    def contenders(self, candidates: Sequence[Candidate], values: Values, n: int) -> list[int]:
        """Up to `n` candidates that may still be chosen, and are worth measuring better.

        At a fixed size, those whose mean is within one standard error of the best. For the stop rule, those whose loss
        is bounded better than that of any smaller set.
        """
        bounds = [d.low_one_sided for d in self.compare(values, values[-1])]
        smaller = range(len(candidates) - 1)
        if self.n_features is not None:
            among = within_one_error(values[:-1])
        else:
            among, best = [], -np.inf
            for i in sorted(smaller, key=lambda i: (candidates[i].cost, candidates[i].k, -bounds[i])):
                if bounds[i] > best:
                    among.append(i)
                    best = bounds[i]
        return sorted(sorted(among, key=lambda i: (-bounds[i], i))[:n])

    def _stop(self, candidates: Sequence[Candidate], means: list[float], found: Sequence[Difference]) -> Choice:
        """The smallest set proven to lose little. That is all features where no other is: they lose nothing."""

        def smallest(loss: float) -> int | None:
            proven = [i for i in range(len(candidates) - 1) if round(found[i].low_one_sided, 9) >= -loss]
            return min(proven, key=lambda i: (candidates[i].cost, candidates[i].k, -means[i], i), default=None)

        size = "cheapest" if self.priced else "smallest"
        best = smallest(self.max_loss)
        if best is not None:
            how = f"the {size} set that loses at most {self.max_loss:g} with {self.level:.0%} confidence"
            return Choice(best, True, how)
        loss = _thousandths(-max(d.low_one_sided for d in found[:-1]))
        likely = smallest(loss)
        assert likely is not None
        n = f"{found[likely].n_queries:,} queries"
        if candidates[-1].cost > self.budget:
            how = f"the {size} of the surest sets; {n} prove only that it loses at most {loss:g}"
            return Choice(likely, False, how)
        method, k, estimate = candidates[likely].method, candidates[likely].k, round(found[likely].mean, 6)
        how = (
            f"{n} prove of no smaller set that it loses at most {self.max_loss:g}; with a max_loss of {loss:g} it "
            f"would be {k} features ({method}, estimated at {estimate:+.4f})"
        )
        return Choice(len(candidates) - 1, True, how, Provable(loss, k, method, estimate))


def within_one_error(values: Values) -> list[int]:
    """Rows whose mean is within one standard error (of the difference per query) of the best one's."""
    behind = values[int(np.argmax([mean(v) for v in values]))] - values
    judged = behind[:, ~np.isnan(behind).any(axis=0)]
    error = judged.std(axis=1, ddof=1) / np.sqrt(judged.shape[1])
    return [int(i) for i in np.flatnonzero(judged.mean(axis=1) <= error + 1e-12)]


def mean(values: Values) -> float:
    """Over the queries that the metric does not skip; rounded, so that the order of sums does not matter."""
    judged = values[~np.isnan(values)]
    return round(float(judged.mean()), 9) if judged.size else 0.0


def _thousandths(loss: float) -> float:
    """Rounded up, so that what it bounds is within it.

    >>> _thousandths(0.0053), _thousandths(0.006)
    (0.006, 0.006)
    """
    return math.ceil(round(loss * 1000, 6)) / 1000
