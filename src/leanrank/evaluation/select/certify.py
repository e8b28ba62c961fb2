"""How small a loss is certified along a path of ever smaller sets: a fixed sequence of one-sided bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.bootstrap import FEWEST_QUERIES, counted, deviations, weighed

Values = NDArray[np.float64]


def loss_bounds(
    table: Values,
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    random_state: int = 0,
    weight: Values | None = None,
) -> Values:
    r"""The loss that each row exceeds only with probability 1 - `level`, each row by itself.

    With mean difference m, standard error s and n queries,

    .. math:: -m + s \left(1 + \frac{1}{\sqrt n}\right) \max(q^*, t)

    where q* is the quantile of the bootstrap-t over queries (Efron and Tibshirani 1993, chapter 12) and t that of
    Student. The bootstrap knows that losses are skewed, but on few queries not enough of it: hence the factor, which
    the page on certified sets measures.

    Parameters
    ----------
    table : array of shape (rows, queries)
        Differences to the reference.
    weight : array of shape (queries,), optional
        How much each query counts in the mean.
    """
    n = table.shape[1]
    mean, error, centred = weighed(table, weight)
    safe = np.where(error > 0, error, 1.0)
    standard = centred / (safe * np.sqrt(n))[:, None]
    t = deviations(standard, n_resamples=n_resamples, seed=random_state)
    critical = np.maximum(np.quantile(t, level, axis=0), stats.t.isf(1 - level, n - 1)) * (1 + 1 / np.sqrt(n))
    return np.asarray(error * critical - mean)


def shown_losses(
    values: Values,
    reference: Values,
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    random_state: int = 0,
    weight: Values | None = None,
    group: NDArray[Any] | None = None,
) -> Values:
    """For each set, the loss that it exceeds only with probability 1 - `level`, each by itself.

    Parameters
    ----------
    values : array of shape (sets, queries)
        The metric of every query; NaN where the metric skips a query.
    reference : array of shape (queries,)
        That of all features.
    level : float
        0.95 by default.
    n_resamples, random_state : int
        Resamples of the bootstrap, and their seed.
    weight : array of shape (queries,), optional
        How much each query counts: the loss is that of the weighted mean.
    group : array of shape (queries,), optional
        What queries have in common: chance draws groups.

    Returns
    -------
    array of shape (sets,)
        Never below 0; infinite where the queries are too few to show anything.
    """
    if not 0.5 < level < 1:
        raise ParameterError.of("certified_losses", "level", "between 0.5 and 1", level)
    table = np.atleast_2d(np.asarray(values, dtype=np.float64)) - np.asarray(reference, dtype=np.float64)
    table, weight = counted(table, weight, group)
    n = table.shape[1]
    if n < 2:
        raise DataError(f"A difference needs at least two judged queries. Got {n}.")
    if n < FEWEST_QUERIES:
        return np.full(len(table), np.inf)
    bounds = loss_bounds(table, level=level, n_resamples=n_resamples, random_state=random_state, weight=weight)
    return np.maximum(bounds, 0.0)


def certified_losses(values: Values, reference: Values, **options: Any) -> Values:
    """For each set of a path, from the largest to the smallest, the smallest `max_loss` at which it is certified.

    The sets are tested from the largest down, each at the whole level, and the first that fails ends it: whatever the
    loss asked for, the first set that truly loses more is tested at most once, so a false certificate is given with
    probability 1 - `level` at most, however many sets there are (fixed sequence; Maurer, Hothorn and Lehmacher 1995).
    A set is certified at a loss where it and all larger ones are shown to lose no more: the running maximum of
    `shown_losses`, which has the same parameters.

    Sizes must not have been chosen by looking at these values, and neither must the path (`select` chooses it without
    each fold). The guarantee is for one loss, named beforehand.

    Notes
    -----
    Of losses so rare that none of the queries shows one, nothing is known: what one query in 50 loses, 50 queries do
    not show in a third of all cases.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> everything = rng.random(400)
    >>> path = np.stack([everything, everything - 0.01 * rng.random(400), everything - 0.1 * rng.random(400)])
    >>> certified_losses(path, everything).round(3).tolist()
    [0.0, 0.005, 0.053]
    """
    return np.maximum.accumulate(shown_losses(values, reference, **options))
