"""Precision and recall of the first k documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._base import Values
from leanrank.metrics._relevance import RelevanceMetric
from leanrank.metrics.conventions import PRECISION_CONVENTIONS, RECALL_CONVENTIONS, Table


@dataclass(frozen=True)
class Precision(RelevanceMetric):
    r"""The share of the first k documents that is relevant.

    .. math::  \mathrm{P@}k = \frac{1}{k} \, |\{p \le k : r_p \ge \theta\}|

    Parameters
    ----------
    k : int
        Cutoff.
    convention : str
        "standard", "letor3", "letor4", "mslr", "trec", "xgboost" or "catboost".
        It sets every parameter below that is not given.
    relevance_threshold : float
        A document is relevant if its label is at least this.
    short : {"pad", "zero", "shrink"}
        A list of n < k documents: missing positions count as not relevant, the query scores 0, or k becomes n.
    ties, empty
        As for `NDCG`; a query is empty if it has no relevant document.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to information retrieval", section 8.4, 2008. Ties: McSherry and
    Najork, ECIR 2008.

    Examples
    --------
    >>> Precision(2)([1, 0, 1], [3, 2, 1], qid=["a"] * 3)
    0.5
    >>> Precision(1).per_query([1, 0, 0, 0], [1.0, 1.0, 1.0, 1.0], [0, 4])  # one of four tied documents is first
    array([0.25])
    """

    short_name: ClassVar[str] = "p"
    _measure: ClassVar[int] = kernels.DISCOUNTED_GAIN
    _conventions: ClassVar[Table] = PRECISION_CONVENTIONS
    _needs_cutoff: ClassVar[bool] = True

    k: int
    short: str = field(default=None, kw_only=True)  # type: ignore[assignment]

    def _attainable(self, n_relevant: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        positions = np.minimum(sizes, self.k) if self.short == "shrink" else np.full(len(sizes), self.k)
        return np.where(n_relevant > 0, positions, 0).astype(np.float64)

    def _compute(
        self, y: NDArray[np.float64], scores: NDArray[Any], query_ptr: NDArray[np.int64], n_threads: int | None
    ) -> Values:
        values = super()._compute(y, scores, query_ptr, n_threads)
        if self.short == "zero":
            values[np.diff(query_ptr) < self.k] = 0.0
        return values


@dataclass(frozen=True)
class Recall(RelevanceMetric):
    r"""The share of the relevant documents that is among the first k.

    .. math::  \mathrm{R@}k = \frac{1}{R} \, |\{p \le k : r_p \ge \theta\}|

    Parameters as for `Precision` but for `short`; conventions "standard", "trec" and "catboost".

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to information retrieval", section 8.4, 2008.

    Examples
    --------
    >>> Recall(1)([1, 0, 1], [3, 2, 1], qid=["a"] * 3)
    0.5
    """

    short_name: ClassVar[str] = "recall"
    _measure: ClassVar[int] = kernels.DISCOUNTED_GAIN
    _conventions: ClassVar[Table] = RECALL_CONVENTIONS
    _needs_cutoff: ClassVar[bool] = True

    k: int

    def _attainable(self, n_relevant: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        return n_relevant
