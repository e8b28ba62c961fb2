"""Whether a difference between two methods is more than luck: paired tests over queries, and Holm's correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.bootstrap import counted, weighed

#: Resamples held in memory at a time.
_CHUNK = 1_000


@dataclass(frozen=True)
class PairedTest:
    """A test of paired differences.

    Attributes
    ----------
    n : int
        Pairs compared; groups of pairs, where they have groups.
    difference : float
        Mean of the first less the second.
    statistic : float
        Student's t; NaN for the bootstrap, which has none.
    p : float
        Two-sided; NaN where there are fewer than two pairs.
    low, high : float
        Confidence interval of the difference.
    """

    n: int
    difference: float
    statistic: float = np.nan
    p: float = np.nan
    low: float = np.nan
    high: float = np.nan


def weighed_differences(
    first: ArrayLike, second: ArrayLike, weight: ArrayLike | None = None, group: NDArray[Any] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """First less second for each query that neither leaves out, and how much it counts (None: all alike).

    Queries without weight are left out. Where queries have groups, a value and a weight for each group.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise DataError(f"Paired values must be two lists of one length: got shapes {a.shape} and {b.shape}.")
    w = None if weight is None else np.asarray(weight, dtype=np.float64)
    if w is not None and w.shape != a.shape:
        raise DataError(f"A paired test takes a weight for each pair: got {w.size} weights for {a.size} pairs.")
    if group is not None and np.shape(group) != a.shape:
        raise DataError(f"A paired test takes a group for each pair: got {np.size(group)} groups for {a.size} pairs.")
    table, shares = counted((a - b)[None], w, None if group is None else np.asarray(group))
    return table[0], shares


def paired_t_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    confidence: float = 0.95,
    weight: ArrayLike | None = None,
    group: NDArray[Any] | None = None,
) -> PairedTest:
    """Student's paired t-test, two-sided: ``t = mean(d) / (sd(d) / sqrt(n))`` with n - 1 degrees of freedom.

    Where all differences are equal the deviation is 0: then p is 1 if they are 0, else 0. Fewer than two pairs: NaN.
    With `weight`, how much each query counts, the mean is weighted and its error that of a ratio of means; n counts the
    queries. With `group`, what queries have in common, n counts the groups, and the error is robust to any likeness
    inside them.

    >>> round(paired_t_test([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.8, 0.4]).p, 4)
    0.0917
    """
    _check_confidence(confidence)
    d, shares = weighed_differences(first, second, weight, group)
    n = len(d)
    if n < 2:
        return PairedTest(n, float(d.mean()) if n else np.nan)
    mean = float(d.mean() if shares is None else weighed(d[None], shares)[0][0])
    if (d == d[0]).all():
        mean = float(d[0])
        return PairedTest(n, mean, 0.0 if mean == 0 else float(np.copysign(np.inf, mean)), float(mean == 0), mean, mean)
    spread = d if shares is None else weighed(d[None], shares)[2][0]
    error = float(spread.std(ddof=1)) / np.sqrt(n)
    t = mean / error
    half = float(special.stdtrit(n - 1, 0.5 + confidence / 2)) * error
    return PairedTest(n, mean, t, float(2 * special.stdtr(n - 1, -abs(t))), mean - half, mean + half)


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    *,
    n_resamples: int = 9_999,
    confidence: float = 0.95,
    random_state: Any = 0,
    weight: ArrayLike | None = None,
    group: NDArray[Any] | None = None,
) -> PairedTest:
    """Bootstrap of the mean paired difference: queries are drawn with replacement, `n_resamples` times.

    ``p = (1 + #{|m* - m| >= |m|}) / (1 + n_resamples)``, m the mean difference, m* that of a resample: how often chance
    alone moves the mean as far as it is from 0. The interval is that of the resamples' percentiles. With `weight`, how
    much each query counts, means are weighted; a query is drawn with its weight. With `group`, what queries have in
    common, whole groups are drawn.

    References
    ----------
    B. Efron, R. Tibshirani. An Introduction to the Bootstrap. Chapman & Hall, 1993.

    >>> paired_bootstrap([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.8, 0.4]).p < 0.1
    True
    """
    difference, shares = weighed_differences(first, second, weight, group)
    return paired_bootstraps(
        [difference],
        n_resamples=n_resamples,
        confidence=confidence,
        random_state=random_state,
        weights=None if shares is None else [shares],
    )[0]


def paired_bootstraps(
    differences: list[NDArray[np.float64]],
    *,
    n_resamples: int = 9_999,
    confidence: float = 0.95,
    random_state: Any = 0,
    weights: list[NDArray[np.float64]] | None = None,
) -> list[PairedTest]:
    """`paired_bootstrap` of several lists of differences; those of one length share their resamples."""
    _check_confidence(confidence)
    if n_resamples < 1:
        raise ParameterError.of("paired_bootstrap", "n_resamples", ">= 1", n_resamples)
    tests: list[PairedTest | None] = [None] * len(differences)
    lengths = {len(d) for d in differences}
    for n in lengths:
        alike = [i for i, d in enumerate(differences) if len(d) == n]
        D = np.array([differences[i] for i in alike]).reshape(len(alike), n)
        if n < 2:
            for i in alike:
                tests[i] = PairedTest(n, float(differences[i].mean()) if n else np.nan)
            continue
        W = None if weights is None else np.array([weights[i] for i in alike])
        means = _resampled_means(D, W, n_resamples, np.random.default_rng(random_state))
        for row, i in enumerate(alike):
            mean = float(D[row].mean() if W is None else (W[row] * D[row]).sum() / W[row].sum())
            # A tolerance of rounding: resamples of equal differences have equal means.
            far = np.abs(means[row] - mean) >= abs(mean) * (1 - 1e-12)
            low, high = np.quantile(means[row], [0.5 - confidence / 2, 0.5 + confidence / 2])
            p = (1 + int(far.sum())) / (1 + n_resamples)
            tests[i] = PairedTest(n, mean, np.nan, p, float(low), float(high))
    return [test for test in tests if test is not None]


def _resampled_means(
    D: NDArray[np.float64], W: NDArray[np.float64] | None, n_resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of each row of D, weighted by that of W, over `n_resamples` draws of its columns: rows by resamples."""
    n = D.shape[1]
    means = np.empty((len(D), n_resamples))
    for start in range(0, n_resamples, _CHUNK):
        size = min(_CHUNK, n_resamples - start)
        drawn = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        if W is None:
            means[:, start : start + size] = D @ counts.T / n
        else:
            means[:, start : start + size] = (W * D) @ counts.T / (W @ counts.T)
    return means


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's step-down correction: p-values adjusted for being several. NaN stays NaN and is not counted.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]

    References
    ----------
    S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or bool(((p < 0) | (p > 1)).any()):
        raise DataError("Holm's correction takes a list of p-values in [0, 1].")
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps)) if len(order) else steps
    return adjusted


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ParameterError.of("a paired test", "confidence", "in (0, 1)", confidence)
