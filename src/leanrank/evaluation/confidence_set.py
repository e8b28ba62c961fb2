"""Which of several methods may be the best one, for all that the queries show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.bootstrap import FEWEST_QUERIES, counted, deviations, weighed


def confidence_set(
    values: NDArray[np.float64],
    *,
    level: float = 0.75,
    n_resamples: int = 2_000,
    random_state: int = 0,
    weight: NDArray[np.float64] | None = None,
    group: NDArray[Any] | None = None,
) -> list[int]:
    """The rows that are not shown to be worse than another: with the given probability the truly best is among them.

    The model confidence set of Hansen, Lunde and Nason (2011) with their range statistic. As long as the largest
    difference of two rows (in standard errors) is more than chance would make it among rows that are equally good, the
    row on its losing side leaves. The bootstrap over queries looks at all pairs of rows, so it knows that the best
    looking row is mostly also the luckiest.

    Parameters
    ----------
    values : array of shape (rows, queries)
        The metric of every row on every query; queries where it is NaN are left out.
    level : float
        The model confidence set level. 0.75 and 0.9 are the levels that the authors report.
    n_resamples, random_state : int
        Resamples of the bootstrap, and their seed.
    weight : array of shape (queries,), optional
        How much each query counts.
    group : array of shape (queries,), optional
        What queries have in common: chance draws groups.

    Notes
    -----
    Cost: O(n_resamples * rows^2 * queries).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> best = rng.random(200)
    >>> confidence_set(np.stack([best - 0.1 * rng.random(200), best - 0.01 * rng.normal(size=200), best]))
    [1, 2]
    """
    judged, weight = counted(values, weight, group)
    n_rows, n = judged.shape
    if n_rows < 2 or n < FEWEST_QUERIES:  # so few tell nothing apart
        return list(range(n_rows))
    first, second = np.triu_indices(n_rows, 1)
    lead, error, centred = weighed(judged[first] - judged[second], weight)
    safe = np.where(error > 0, error, 1.0)
    standard = centred / (safe * np.sqrt(n))[:, None]
    by_chance = np.abs(deviations(standard, n_resamples=n_resamples, seed=random_state))
    # rows that differ by the same everywhere differ beyond doubt
    seen = np.round(np.where(error > 0, np.abs(lead) / safe, np.where(np.abs(lead) > 1e-12, np.inf, 0.0)), 9)
    left = np.ones(n_rows, dtype=bool)
    while left.sum() > 1:
        pairs = np.flatnonzero(left[first] & left[second])
        largest = pairs[np.argmax(seen[pairs])]
        if seen[largest] <= np.quantile(by_chance[:, pairs].max(axis=1), level):
            break
        left[second[largest] if lead[largest] > 0 else first[largest]] = False
    return [int(i) for i in np.flatnonzero(left)]
