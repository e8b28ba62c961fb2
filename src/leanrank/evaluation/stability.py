"""How alike the feature sets are that a method selects on different data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import special

from leanrank.errors import DataError, ParameterError


@dataclass(frozen=True)
class Stability:
    """Three measures of how alike feature sets are; 1 means identical.

    Attributes
    ----------
    nogueira : float
        0 for sets drawn at random, corrected for chance whatever the sizes; NaN where undefined.
    low, high : float
        Its confidence interval.
    kuncheva : float
        0 for sets drawn at random; defined only for sets of one size, NaN otherwise.
    jaccard : float
        Mean share of common features of two sets; not corrected for chance.
    """

    nogueira: float
    low: float
    high: float
    kuncheva: float
    jaccard: float


def stability(sets: Sequence[Iterable[int]], n_features: int, *, confidence: float = 0.95) -> Stability:
    """All measures of the feature sets (numbers from 0) selected of `n_features`.

    >>> stability([[0, 1], [0, 1], [0, 2]], 5)
    Stability(nogueira=0.44..., low=0.14..., high=0.74..., kuncheva=0.44..., jaccard=0.55...)
    """
    value, low, high = nogueira(sets, n_features, confidence=confidence)
    return Stability(value, low, high, kuncheva(sets, n_features), jaccard(sets))


def nogueira(sets: Sequence[Iterable[int]], n_features: int, *, confidence: float = 0.95) -> tuple[float, float, float]:
    r"""The measure of Nogueira, Sechidis and Brown, and its confidence interval (low, high).

    .. math:: \Phi = 1 - \frac{\frac1d \sum_f s_f^2}{\frac{\bar k}{d} (1 - \frac{\bar k}{d})},
              \qquad s_f^2 = \frac{M}{M-1} p_f (1 - p_f)

    M sets of d features, p_f the share of sets with feature f, k the mean size. NaN where every set is empty or
    every set has all features. The interval is the asymptotic one of the paper.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown. On the stability of feature selection algorithms. JMLR 18, 2018.
    """
    if not 0 < confidence < 1:
        raise ParameterError.of("nogueira", "confidence", "in (0, 1)", confidence)
    Z = _indicators(sets, n_features)
    M, d = Z.shape
    share = Z.mean(axis=0)
    sizes = Z.sum(axis=1)
    mean_size = float(sizes.mean())
    chance = (mean_size / d) * (1 - mean_size / d)
    if chance == 0:
        return np.nan, np.nan, np.nan
    value = 1 - (M / (M - 1)) * float((share * (1 - share)).mean()) / chance
    parts = (
        Z @ share / d
        - sizes * mean_size / d**2
        + value / 2 * (2 * sizes * mean_size / d**2 - sizes / d - mean_size / d + 1)
    ) / chance
    variance = 4 / M**2 * float(((parts - parts.mean()) ** 2).sum())
    half = float(special.ndtri(0.5 + confidence / 2)) * float(np.sqrt(variance))
    return value, value - half, value + half


def kuncheva(sets: Sequence[Iterable[int]], n_features: int) -> float:
    """Mean over pairs of sets of ``(r d - k^2) / (k (d - k))``: r common features of two sets of k out of d.

    NaN where sizes differ, where sets are empty, and where they have all features.

    References
    ----------
    L. Kuncheva. A stability index for feature selection. Artificial Intelligence and Applications, 2007.

    >>> kuncheva([[0, 1], [0, 2]], 4)
    0.0
    """
    Z = _indicators(sets, n_features)
    sizes = set(Z.sum(axis=1).tolist())
    k = sizes.pop()
    if sizes or k in (0, n_features):
        return float("nan")
    common = [float(Z[i] @ Z[j]) for i, j in combinations(range(len(Z)), 2)]
    return float(np.mean([(r * n_features - k**2) / (k * (n_features - k)) for r in common]))


def jaccard(sets: Sequence[Iterable[int]]) -> float:
    """Mean over pairs of sets of |common| / |either|; two empty sets are alike.

    >>> jaccard([[0, 1], [0, 2]])
    0.333...
    """
    chosen = [frozenset(members) for members in sets]
    _at_least_two(len(chosen))
    shares = [len(a & b) / len(a | b) if a or b else 1.0 for a, b in combinations(chosen, 2)]
    return float(np.mean(shares))


def _indicators(sets: Sequence[Iterable[int]], n_features: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    _at_least_two(len(sets))
    Z = np.zeros((len(sets), n_features))
    for row, members in zip(Z, sets, strict=True):
        for feature in members:
            if not 0 <= feature < n_features:
                raise DataError(f"Feature number {feature} is outside 0..{n_features - 1}.")
            row[feature] = 1.0
    return Z


def _at_least_two(n: int) -> None:
    if n < 2:
        raise DataError(f"Stability compares sets with each other: at least two are needed, got {n}.")


@dataclass(frozen=True)
class Repetition:
    """Feature sets of F folds, counted."""

    sizes: tuple[int, ...]  # features in each set
    # ``counts[r - 1]``: features that are in exactly r sets. ``sum_r r counts[r - 1]`` is the sum of the sizes
    counts: tuple[int, ...]
    most: tuple[tuple[Any, int], ...]  # all features, the most repeated first; of equals in the order given


def repetition(sets: Sequence[Iterable[Hashable]]) -> Repetition:
    """Count how often features repeat. Sets of several data sets may be counted together: their union is meant.

    References
    ----------
    M. Costa, M. J. Silva. A fast filter feature selection algorithm for ranking. Technical report, 2010: Tables 3 to 6.

    >>> repeated = repetition([["bm25"], ["tf", "bm25"], ["bm25"]])
    >>> repeated.sizes, repeated.counts, repeated.most
    ((1, 2, 1), (1, 0, 1), (('bm25', 3), ('tf', 1)))
    """
    if not sets:
        raise DataError("There are no feature sets to count.")
    chosen = [list(dict.fromkeys(members)) for members in sets]
    times = Counter(feature for members in chosen for feature in members)
    counts = tuple(sum(1 for n in times.values() if n == r) for r in range(1, len(chosen) + 1))
    most = tuple(sorted(times.items(), key=lambda item: -item[1]))
    return Repetition(tuple(len(members) for members in chosen), counts, most)
