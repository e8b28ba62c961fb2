"""Resolution: the loss that so many queries can tell from none, and how many queries another loss needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from leanrank.data.json_record import LATER, JsonRecord
from leanrank.evaluation.bootstrap import counted, weighed

#: How often a set that loses nothing should be certified at the loss that queries can tell: found on made data, see
#: decision 0015.
POWER = 0.75
#: Standard deviation of differences per query that a forecast before any training goes by.
TYPICAL_DEVIATION = 0.05


def in_errors(level: float = 0.95) -> float:
    """The loss, in standard errors, at which a set that loses nothing is certified with probability `POWER`.

    >>> round(in_errors(), 2)
    2.32
    """
    return float(stats.norm.ppf(level) + stats.norm.ppf(POWER))


def resolution(
    table: NDArray[np.float64],
    *,
    level: float = 0.95,
    weight: NDArray[np.float64] | None = None,
    group: NDArray[Any] | None = None,
) -> float:
    """What the queries can tell: `in_errors` times the median standard error over the sets of a path.

    Parameters
    ----------
    table : array of shape (sets, queries)
        Differences to all features; NaN where the metric skips a query.
    weight : array of shape (queries,), optional
        How much each query counts.
    group : array of shape (queries,), optional
        What queries have in common: chance draws groups.
    """
    judged, weight = counted(table, weight, group)
    if not len(judged) or judged.shape[1] < 2:
        return math.inf
    return in_errors(level) * float(np.median(weighed(judged, weight)[1]))


@dataclass(frozen=True)
class Forecast(JsonRecord):
    """What the queries can tell, as expected before the run and as measured in it.

    Attributes
    ----------
    n_queries : int
        Judged queries.
    expected : float
        The loss that so many can certify at best, if differences per query deviate by `TYPICAL_DEVIATION`.
    resolved : float or None
        The same with the deviation that was measured; None where no smaller set was.
    max_loss : float
        The loss asked for.
    queries_needed : int or None
        How many queries it needs, about; None where it is 0, or nothing was measured.
    n_groups : int or None
        Groups that the queries are in, where they have something in common: chance draws groups, not queries.
    n_untested : int
        Judged queries beside these that no fold tests: the earliest, where folds are cut by time.
    """

    n_queries: int
    expected: float
    resolved: float | None
    max_loss: float
    queries_needed: int | None
    n_groups: int | None = field(default=None, metadata=LATER)
    n_untested: int = field(default=0, metadata=LATER)

    @classmethod
    def before(
        cls, n_queries: int, max_loss: float, *, level: float = 0.95, n_groups: int | None = None, n_untested: int = 0
    ) -> Forecast:
        """What can be said before any training.

        >>> Forecast.before(146, 0.002).sentence()
        '146 judged queries can prove losses of about 0.01 at best; 0.002 needs about 3,400'
        """
        units = n_queries if n_groups is None else n_groups
        expected = in_errors(level) * TYPICAL_DEVIATION / math.sqrt(max(units, 1))
        return cls(n_queries, expected, None, max_loss, None, n_groups, n_untested)

    def measured(self, resolved: float) -> Forecast:
        """With what the run has shown."""
        if not math.isfinite(resolved):
            return self
        needed = _needed(self.n_queries, resolved, self.max_loss)
        return replace(self, resolved=resolved, queries_needed=needed)

    def asked(self, max_loss: float) -> Forecast:
        """The same for another loss."""
        needed = None if self.resolved is None else _needed(self.n_queries, self.resolved, max_loss)
        return replace(self, max_loss=max_loss, queries_needed=needed)

    def sentence(self) -> str:
        """Both in words."""
        queries = f"{self.n_queries:,} judged queries"
        if self.n_groups is not None:
            queries += f" in {self.n_groups:,} group{'s' * (self.n_groups != 1)}"
        if self.n_untested:
            queries += f" (the {self.n_untested:,} earliest are never tested)"
        if self.resolved is None:
            needed = _needed(self.n_queries, self.expected, self.max_loss)
            more = f"; {self.max_loss:g} needs about {needed:,}" if needed and needed > self.n_queries else ""
            return f"{queries} can prove losses of about {self.expected:.1g} at best{more}"
        told = f"{queries} can tell losses above {self.resolved:.2g}"
        if self.queries_needed is None or self.queries_needed <= self.n_queries:
            return told
        return f"{told}; {self.max_loss:g} needs about {self.queries_needed:,}"

    def to_dict(self) -> dict[str, Any]:
        rounded = {k: round(v, 6) if isinstance(v, float) else v for k, v in super().to_dict().items()}
        return {**rounded, "sentence": self.sentence()}


def _needed(n_queries: int, resolved: float, max_loss: float) -> int | None:
    """Queries for a loss, to two digits: errors shrink with their square root."""
    if max_loss <= 0:
        return None
    exact = n_queries * (resolved / max_loss) ** 2
    step = 10.0 ** max(0, math.floor(math.log10(max(exact, 1))) - 1)
    return max(1, round(math.ceil(exact / step) * step))
