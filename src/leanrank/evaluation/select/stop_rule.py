"""How sure a difference is, when many were tried: simultaneous bounds by a bootstrap over queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.bootstrap import FEWEST_QUERIES, deviations, standard_errors

#: At most so many candidates are adaptive, measured because of what others have shown, ...
ADAPTIVE = 16
#: ... and this share of the error allowed is kept for them.
_FOR_ADAPTIVE = 0.2


@dataclass(frozen=True)
class Difference:
    """A mean difference per query to a reference, its interval, and how sure it is that the loss is small.

    `low` and `high` hold for all differences computed together with this one (at the level asked for), so picking the
    best looking of them does not spoil them. `low_one_sided` is the bound of the stop rule, `p` its p-value, corrected
    in the same way: the chance to see this if the true loss were `max_loss`. `error` is the standard error of this
    mean, which knows nothing of the others.
    """

    mean: float
    low: float
    high: float
    low_one_sided: float
    p: float
    n_queries: int
    error: float

    def proves(self, max_loss: float) -> bool:
        """Whether the loss is at most this, for sure."""
        return self.n_queries >= FEWEST_QUERIES and round(self.low_one_sided, 9) >= -max_loss

    def to_dict(self) -> dict[str, float]:
        return {
            name: round(float(getattr(self, name)), 6) for name in ("mean", "low", "high", "low_one_sided", "p")
        } | {"n_queries": self.n_queries}


def differences(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    *,
    max_loss: float = 0.0,
    level: float = 0.95,
    adaptive: Sequence[bool] | None = None,
    n_resamples: int = 2_000,
    random_state: int = 0,
) -> list[Difference]:
    """Compare several candidates with one reference over the same queries.

    The queries are resampled with replacement, the same way for all candidates. With t* the studentised deviation of
    a resampled mean from the mean, the quantile of ``max over candidates of t*`` makes bounds that hold for all
    candidates at once (the max-t method: Westfall and Young 1993; Romano and Wolf 2005).

    Parameters
    ----------
    values : array of shape (candidates, queries)
        The metric of every candidate on every query; NaN where the metric skips a query.
    reference : array of shape (queries,)
    max_loss : float
        The loss that the p-values test against.
    level : float
        Level of the bounds, 0.95 by default.
    adaptive : sequence of bool, optional
        Candidates, at most `ADAPTIVE`, that were measured because of what the others had shown. A fifth of the error
        that `level` allows is kept for them, whether there are any or not, so that they do not move the bounds of the
        others. Their own bounds are at least as wide as those of Bonferroni with Student's t.
    n_resamples, random_state : int
        Resamples of the bootstrap, and their seed.

    Notes
    -----
    The bootstrap knows the queries that it sees: of rare large losses, which few of them or none show, it knows
    nothing. On fewer than ten queries the bounds are too narrow; `Difference.proves` needs as many.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> all_features = rng.random(400)
    >>> same, worse = all_features.copy(), all_features - 0.05 - 0.1 * rng.random(400)
    >>> for d in differences(np.stack([same, worse]), all_features, max_loss=0.002):
    ...     print(f"{d.mean:.3f} [{d.low:.3f}, {d.high:.3f}] {d.proves(0.002)}")
    0.000 [0.000, 0.000] True
    -0.100 [-0.103, -0.098] False
    """
    if not 0.5 < level < 1:
        raise ParameterError.of("differences", "level", "between 0.5 and 1", level)
    table = np.atleast_2d(np.asarray(values, dtype=np.float64)) - np.asarray(reference, dtype=np.float64)
    table = table[:, ~np.isnan(table).any(axis=0)]
    n = table.shape[1]
    if n < 2:
        raise DataError(f"A difference needs at least two judged queries. Got {n}.")
    mean, error = table.mean(axis=1), standard_errors(table)
    safe = np.where(error > 0, error, 1.0)
    added = np.zeros(len(table), dtype=bool) if adaptive is None else np.asarray(adaptive, dtype=bool)
    planned = ~added
    t = deviations(
        ((table - mean[:, None]) / (safe * np.sqrt(n))[:, None])[planned], n_resamples=n_resamples, seed=random_state
    )
    upper, both = t.max(axis=1), np.abs(t).max(axis=1)
    allowed = (1 - level) * (1 if adaptive is None else 1 - _FOR_ADAPTIVE)
    one_sided, two_sided = (np.full(len(table), np.quantile(t, 1 - allowed)) for t in (upper, both))
    standing = np.where(error > 0, (mean + max_loss) / safe, np.where(mean + max_loss >= 0, np.inf, -np.inf))
    p = (1 + (upper[:, None] >= standing).sum(axis=0)) / (1 + n_resamples)
    if adaptive is not None:
        p = np.minimum(1.0, p / (1 - _FOR_ADAPTIVE))
    if added.any():
        share = (1 - level) * _FOR_ADAPTIVE / ADAPTIVE
        one_sided[added] = np.maximum(one_sided[added], stats.t.isf(share, n - 1))
        two_sided[added] = np.maximum(two_sided[added], stats.t.isf(share / 2, n - 1))
        p[added] = np.maximum(p[added], np.minimum(1.0, stats.t.sf(standing[added], n - 1) * ADAPTIVE / _FOR_ADAPTIVE))
    return [
        Difference(
            mean=float(mean[c]),
            low=float(mean[c] - two_sided[c] * error[c]),
            high=float(mean[c] + two_sided[c] * error[c]),
            low_one_sided=float(mean[c] - one_sided[c] * error[c]),
            p=float(p[c]),
            n_queries=n,
            error=float(error[c]),
        )
        for c in range(len(table))
    ]


def surer_than_cheaper(points: Sequence[tuple[float, int, float]]) -> list[int]:
    """Indices of the points (cost, size, bound) bounded better than every cheaper or smaller one, the cheapest first.

    >>> surer_than_cheaper([(3.0, 3, -0.1), (1.0, 1, -0.3), (2.0, 2, -0.4)])
    [1, 0]
    """
    front: list[int] = []
    for i in sorted(range(len(points)), key=lambda i: (*points[i][:2], -points[i][2])):
        if not front or points[i][2] > points[front[-1]][2]:
            front.append(i)
    return front


def pareto_front(points: Sequence[tuple[float, float, float]]) -> list[int]:
    """Indices of the points (value, size, cost) that no other point beats: higher value, smaller size, lower cost.

    >>> pareto_front([(0.5, 3, 3.0), (0.4, 1, 9.0), (0.5, 4, 3.0), (0.6, 9, 20.0)])
    [0, 1, 3]
    """

    def beats(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
        return a[0] >= b[0] and a[1] <= b[1] and a[2] <= b[2] and a != b

    return [
        i
        for i, point in enumerate(points)
        if not any(beats(other, point) or (other == point and j < i) for j, other in enumerate(points))
    ]
