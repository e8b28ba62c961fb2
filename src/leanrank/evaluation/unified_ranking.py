"""One number per method from many columns of results: competition ranks, and the unified ranking made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.errors import DataError


def competition_ranks(values: ArrayLike, *, decimals: int | None = None) -> NDArray[np.int64]:
    """Ranks of `values`, the largest first; equals share the smallest rank and the next is left out: 1, 2, 2, 4.

    `decimals` rounds first, so that ranks are those of the printed figures.

    >>> competition_ranks([0.37, 0.41, 0.37, 0.30]).tolist()
    [2, 1, 2, 4]
    """
    figures = np.asarray(values, dtype=np.float64)
    if figures.ndim != 1 or np.isnan(figures).any():
        raise DataError("Only a list of numbers without NaN can be ranked.")
    if decimals is not None:
        figures = np.round(figures, decimals)
    better = (figures[None, :] > figures[:, None]).sum(axis=1)
    return np.asarray(1 + better, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class UnifiedRanking:
    """How often each method came first, second, ...; and what that adds up to."""

    methods: tuple[str, ...]
    counts: NDArray[np.int64]  # (M, M): ``counts[m, r - 1]`` is R_r: in how many columns method m has rank r
    scores: NDArray[np.float64]  # (M,): ``sum_r (M - r + 1) R_r / M``; at most the number of columns


def unified_ranking(columns: Sequence[Mapping[str, float]], *, decimals: int | None = None) -> UnifiedRanking:
    """Rank the methods in every column (a data set and a measure) and add up.

    ``Rank = sum_{r=1..M} (M - r + 1) R_r / M`` with M methods, R_r the number of columns with rank r.

    Parameters
    ----------
    columns : list of mappings
        The value of every method in each column, higher is better; all have the same methods.
    decimals : int, optional
        Round values first.

    References
    ----------
    J.-Y. Yeh, C.-J. Tsai. Graph-based feature selection method for learning to rank using spectral clustering for
    redundancy minimization and biased PageRank for relevance analysis. Computer Science and Information Systems, 2022.

    Examples
    --------
    >>> unified_ranking([{"a": 0.5, "b": 0.4}, {"a": 0.3, "b": 0.3}, {"a": 0.1, "b": 0.2}]).scores.tolist()
    [2.5, 2.5]
    """
    if not columns:
        raise DataError("A unified ranking needs at least one column of results.")
    methods = tuple(columns[0])
    counts = np.zeros((len(methods), len(methods)), dtype=np.int64)
    for column in columns:
        if set(column) != set(methods):
            odd = sorted(set(column) ^ set(methods))[0]
            raise DataError(f"The method {odd!r} is in some columns of results and not in others.")
        ranks = competition_ranks([column[name] for name in methods], decimals=decimals)
        counts[np.arange(len(methods)), ranks - 1] += 1
    worth = np.arange(len(methods), 0, -1)
    return UnifiedRanking(methods, counts, counts @ worth / len(methods))
