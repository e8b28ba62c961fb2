"""A bootstrap over queries: what chance makes of means, the same resamples for all rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.grouping import numbered

#: On fewer judged queries nothing is called proven.
FEWEST_QUERIES = 10
#: Resampling weights held in memory at once.
_CHUNK_CELLS = 4_000_000
#: Those of a seed that are kept: 8 MB each.
_KEPT_CELLS = 2_000_000
#: The least standard error of a resample, in units of that of the data.
_LEAST_ERROR = 0.5
#: Standard errors below this are those of equal values.
_ROUNDING = 1e-12


def weighed(
    table: NDArray[np.float64], weight: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    r"""The mean of each row, its standard error, and what each query adds to its deviation.

    With weights the mean is ``m = sum(w_q d_q) / sum(w_q)``, and what a query adds is ``w_q (d_q - m) / mean(w)``: the
    queries are a sample of those to come, each with its weight, and m is a ratio of two means of them (the linearised
    variance of a ratio: Cochran 1977, chapter 6). A weight says how much a query matters, not how often it was seen.

    Returns
    -------
    mean, error : arrays of shape (rows,)
    centred : array of shape (rows, queries)
    """
    if weight is None:
        mean: NDArray[np.float64] = table.mean(axis=1)
        return mean, standard_errors(table), table - mean[:, None]
    share = weight / weight.mean()
    mean = (table * share).mean(axis=1)
    centred = (table - mean[:, None]) * share
    return mean, standard_errors(centred), centred


def counted(
    table: NDArray[np.float64], weight: NDArray[np.float64] | None, group: NDArray[Any] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Without the queries that the metric skips in some row (NaN) or that weigh nothing; equal weights are none.

    Where queries have groups, a column for each group: the mean of its queries, which weighs as much as they together.
    Chance then draws groups, and the error of the mean is the one that is robust to any likeness inside them.

    >>> counted(np.array([[0.1, 0.3, 0.2, np.nan]]), None, np.array(["tea", "cup", "tea", "pot"]))
    (array([[0.15, 0.3 ]]), array([2., 1.]))
    """
    known = ~np.isnan(table).any(axis=0)
    if weight is not None:
        known &= weight > 0
    table, kept = table[:, known], None if weight is None else weight[known]
    if group is not None and known.any():
        number, own = numbered(group[known]), np.ones(table.shape[1]) if kept is None else kept
        total: NDArray[np.float64] = np.bincount(number, own).astype(np.float64)
        table = np.array([np.bincount(number, own * row) / total for row in table]).reshape(len(table), len(total))
        kept = total
    return table, None if kept is None or (kept == kept[:1]).all() else kept


def standard_errors(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard error of the mean of each row; 0 where all values of a row are the same but for rounding."""
    error: NDArray[np.float64] = table.std(axis=1, ddof=1) / np.sqrt(table.shape[1])
    return np.where(error > _ROUNDING, error, 0.0)


def deviations(standard: NDArray[np.float64], *, n_resamples: int, seed: int) -> NDArray[np.float64]:
    """How far the mean of each row is from 0 in each resample of the columns, in standard errors.

    The rows have mean 0 and variance 1. Each resample is studentised by its own standard error (the bootstrap-t: Efron
    and Tibshirani 1993, chapter 12), which keeps the level on few queries too. Where few queries differ at all,
    resamples may miss them and have no error of their own: it counts as `_LEAST_ERROR` times that of the data.

    Returns
    -------
    array of shape (resamples, rows)
    """
    n_rows, n = standard.shape
    rng = np.random.default_rng(seed)
    t = np.empty((n_resamples, n_rows))
    squares = standard**2
    least = _LEAST_ERROR / np.sqrt(n - 1)
    step = max(1, _CHUNK_CELLS // n)
    for first in range(0, n_resamples, step):
        last = min(first + step, n_resamples)
        few = last - first == n_resamples and n * n_resamples <= _KEPT_CELLS
        drawn = _kept_resamples(n, n_resamples, seed) if few else _resamples(rng, n, last - first)
        counts = drawn.astype(np.float64)
        mean = counts @ standard.T / n
        error = np.sqrt(np.maximum(counts @ squares.T / n - mean**2, 0.0) / (n - 1))
        t[first:last] = np.round(mean / np.maximum(error, least), 9)  # products differ in last bits by shape
    return t


def _resamples(rng: np.random.Generator, n: int, n_resamples: int) -> NDArray[np.int32]:
    """How often each of n queries is in each resample (resamples, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).astype(np.int32)


@lru_cache(maxsize=8)
def _kept_resamples(n: int, n_resamples: int, seed: int) -> NDArray[np.int32]:
    """The resamples of a seed: one choice asks for the same ones many times, and to draw them takes the longest."""
    drawn = _resamples(np.random.default_rng(seed), n, n_resamples)
    drawn.setflags(write=False)
    return drawn
