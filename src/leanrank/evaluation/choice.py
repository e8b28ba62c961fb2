"""What `select` takes of what it measured: at a size, or by the stop rule."""

from __future__ import annotations

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


class Choice(NamedTuple):
    """The number of the chosen candidate, whether its loss is proven small, and why it was chosen."""

    number: int
    proven: bool
    reason: str


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

    def _stop(self, candidates: Sequence[Candidate], means: list[float], found: Sequence[Difference]) -> Choice:
        """The smallest set proven to lose little; failing that, of those whose loss is bounded best."""
        smaller = range(len(candidates) - 1)
        size = "cheapest" if self.priced else "smallest"
        bounds = [round(found[i].low_one_sided, 9) for i in smaller]
        proven = max(bounds) >= -self.max_loss
        # where nothing is proven, the bound may still be worse than the best one by as much as nobody minds
        enough = -self.max_loss if proven else max(bounds) - self.max_loss
        among = [i for i in smaller if bounds[i] >= enough]
        likely = [i for i in among if found[i].mean >= -self.max_loss]
        if not likely and candidates[-1].cost <= self.budget:
            how = f"even the surest of the smaller sets is estimated to lose more than {self.max_loss:g}"
            return Choice(len(candidates) - 1, True, how)
        best = min(likely or among, key=lambda i: (candidates[i].cost, candidates[i].k, -means[i], i))
        if proven:
            how = f"the {size} set that loses at most {self.max_loss:g} with {self.level:.0%} confidence"
        else:
            how = f"the {size} of the surest sets; {_bound(found[best])}"
        return Choice(best, proven, how)


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


def _bound(found: Difference) -> str:
    return f"{found.n_queries:,} queries prove only that it loses at most {max(0.0, -found.low_one_sided):.4f}"
