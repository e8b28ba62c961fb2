"""Precision and recall of the first k documents."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._base import (
    Metric,
    Values,
    check_cutoff,
    check_threshold,
    divide,
    per_query_sum,
    ranked,
    relevant,
)
from leanrank.metrics.conventions import PRECISION_CONVENTIONS, RECALL_CONVENTIONS, settle


@dataclass(frozen=True)
class Precision(Metric):
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

    k: int
    _: KW_ONLY
    convention: str = field(default="standard", compare=False)
    relevance_threshold: float = None  # type: ignore[assignment]
    ties: str = None  # type: ignore[assignment]
    empty: str = None  # type: ignore[assignment]
    short: str = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_cutoff("Precision", self.k, optional=False)
        settle(self, PRECISION_CONVENTIONS)
        check_threshold("Precision", self.relevance_threshold)

    def _compute(
        self, y: NDArray[np.float64], scores: NDArray[Any], query_ptr: NDArray[np.int64], n_threads: int | None
    ) -> Values:
        is_relevant = relevant(y, self.relevance_threshold)
        sizes = np.diff(query_ptr)
        found = _found(is_relevant, scores, query_ptr, self.k, self.ties, n_threads)
        positions = np.minimum(sizes, self.k) if self.short == "shrink" else np.full(len(sizes), self.k)
        has_relevant = per_query_sum(is_relevant, query_ptr) > 0
        values = divide(found, np.where(has_relevant, positions, 0).astype(np.float64), self.empty)
        if self.short == "zero":
            values[sizes < self.k] = 0.0
        return values


@dataclass(frozen=True)
class Recall(Metric):
    r"""The share of the relevant documents that is among the first k.

    .. math::  \mathrm{R@}k = \frac{1}{R} \, |\{p \le k : r_p \ge \theta\}|

    Parameters
    ----------
    k : int
        Cutoff.
    convention : str
        "standard", "trec" or "catboost". It sets every parameter below that is not given.
    relevance_threshold : float
        A document is relevant if its label is at least this.
    ties, empty
        As for `NDCG`; a query is empty if it has no relevant document.

    References
    ----------
    Manning, Raghavan and Schütze, "Introduction to information retrieval", section 8.4, 2008. Ties: McSherry and
    Najork, ECIR 2008.

    Examples
    --------
    >>> Recall(1)([1, 0, 1], [3, 2, 1], qid=["a"] * 3)
    0.5
    """

    short_name: ClassVar[str] = "recall"

    k: int
    _: KW_ONLY
    convention: str = field(default="standard", compare=False)
    relevance_threshold: float = None  # type: ignore[assignment]
    ties: str = None  # type: ignore[assignment]
    empty: str = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_cutoff("Recall", self.k, optional=False)
        settle(self, RECALL_CONVENTIONS)
        check_threshold("Recall", self.relevance_threshold)

    def _compute(
        self, y: NDArray[np.float64], scores: NDArray[Any], query_ptr: NDArray[np.int64], n_threads: int | None
    ) -> Values:
        is_relevant = relevant(y, self.relevance_threshold)
        found = _found(is_relevant, scores, query_ptr, self.k, self.ties, n_threads)
        return divide(found, per_query_sum(is_relevant, query_ptr), self.empty)


def _found(
    is_relevant: NDArray[np.float64],
    scores: NDArray[Any],
    query_ptr: NDArray[np.int64],
    k: int,
    ties: str,
    n_threads: int | None,
) -> Values:
    """Relevant documents among the first k: a discounted gain without discount."""
    every = np.ones(int(np.diff(query_ptr).max()))
    return ranked(
        kernels.DISCOUNTED_GAIN, is_relevant, scores, query_ptr, k=k, ties=ties, divisor=every, n_threads=n_threads
    )
