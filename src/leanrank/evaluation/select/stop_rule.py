"""How sure a difference is, when many were tried: simultaneous bounds by a bootstrap over queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.bootstrap import counted, deviations, weighed


@dataclass(frozen=True)
class Difference:
    """A mean difference per query to a reference, its interval, and how sure it is that the loss is small.

    `low` and `high` hold for all differences computed together with this one (at the level asked for), so picking the
    best looking of them does not spoil them. `low_one_sided` is the bound below, `p` its p-value, corrected in the
    same way: the chance to see this if the true loss were `max_loss`. `error` is the standard error of this mean,
    which knows nothing of the others.
    """

    mean: float
    low: float
    high: float
    low_one_sided: float
    p: float
    n_queries: int
    error: float

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
    n_resamples: int = 2_000,
    random_state: int = 0,
    weight: NDArray[np.float64] | None = None,
    group: NDArray[Any] | None = None,
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
    n_resamples, random_state : int
        Resamples of the bootstrap, and their seed.
    weight : array of shape (queries,), optional
        How much each query counts in the means.
    group : array of shape (queries,), optional
        What queries have in common: chance draws groups.

    Notes
    -----
    The bootstrap knows the queries that it sees: of rare large losses, which few of them or none show, it knows
    nothing. On fewer than ten queries the bounds are too narrow.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> all_features = rng.random(400)
    >>> same, worse = all_features.copy(), all_features - 0.05 - 0.1 * rng.random(400)
    >>> for d in differences(np.stack([same, worse]), all_features):
    ...     print(f"{d.mean:.3f} [{d.low:.3f}, {d.high:.3f}]")
    0.000 [0.000, 0.000]
    -0.100 [-0.103, -0.098]
    """
    if not 0.5 < level < 1:
        raise ParameterError.of("differences", "level", "between 0.5 and 1", level)
    table = np.atleast_2d(np.asarray(values, dtype=np.float64)) - np.asarray(reference, dtype=np.float64)
    n_queries = counted(table, weight)[0].shape[1]
    table, weight = counted(table, weight, group)
    n = table.shape[1]
    if n < 2:
        raise DataError(f"A difference needs at least two judged queries. Got {n}.")
    mean, error, centred = weighed(table, weight)
    safe = np.where(error > 0, error, 1.0)
    t = deviations(centred / (safe * np.sqrt(n))[:, None], n_resamples=n_resamples, seed=random_state)
    upper = t.max(axis=1)
    one_sided, two_sided = (float(np.quantile(most, level)) for most in (upper, np.abs(t).max(axis=1)))
    standing = np.where(error > 0, (mean + max_loss) / safe, np.where(mean + max_loss >= 0, np.inf, -np.inf))
    p = (1 + (upper[:, None] >= standing).sum(axis=0)) / (1 + n_resamples)
    return [
        Difference(
            mean=float(mean[c]),
            low=float(mean[c] - two_sided * error[c]),
            high=float(mean[c] + two_sided * error[c]),
            low_one_sided=float(mean[c] - one_sided * error[c]),
            p=float(p[c]),
            n_queries=n_queries,
            error=float(error[c]),
        )
        for c in range(len(table))
    ]


def pareto_front(points: Sequence[tuple[float, ...]]) -> list[int]:
    """Indices of the points (values, size, cost) that no other point beats: higher values, smaller size, lower cost.

    >>> pareto_front([(0.5, 3, 3.0), (0.4, 1, 9.0), (0.5, 4, 3.0), (0.6, 9, 20.0)])
    [0, 1, 3]
    >>> pareto_front([(0.5, 0.2, 3, 3.0), (0.4, 0.3, 3, 3.0), (0.4, 0.1, 3, 3.0)])  # two metrics
    [0, 1]
    """

    def beats(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
        higher = all(x >= y for x, y in zip(a[:-2], b[:-2], strict=True))
        return higher and a[-2] <= b[-2] and a[-1] <= b[-1] and a != b

    return [
        i
        for i, point in enumerate(points)
        if not any(beats(other, point) or (other == point and j < i) for j, other in enumerate(points))
    ]
