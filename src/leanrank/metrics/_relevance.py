"""RelevanceMetric: what the metrics share to which a document is relevant or not."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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
from leanrank.metrics.conventions import Table, settle


@dataclass(frozen=True)
class RelevanceMetric(Metric):
    """Base of AP, Precision, Recall and MRR: a sum over the relevant documents, divided by what is attainable.

    A subclass names the kernel's measure and its conventions, and writes `_attainable`.

    Parameters
    ----------
    k : int, optional
        Cutoff; the whole list if not given.
    convention : str, default="standard"
        Whose metric. It sets every parameter below that is not given.
    relevance_threshold : float
        A document is relevant if its label is at least this.
    ties, empty
        As for `NDCG`; a query is empty if it has no relevant document.
    """

    _measure: ClassVar[int]
    _conventions: ClassVar[Table]
    _needs_cutoff: ClassVar[bool] = False

    k: int | None = None
    _: KW_ONLY
    convention: str = field(default="standard", compare=False)
    relevance_threshold: float = None  # type: ignore[assignment]
    ties: str = None  # type: ignore[assignment]
    empty: str = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        owner = type(self).__name__
        check_cutoff(owner, self.k, optional=not self._needs_cutoff)
        settle(self, self._conventions)
        check_threshold(owner, self.relevance_threshold)

    @abstractmethod
    def _attainable(self, n_relevant: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """What divides the sum of a query with so many relevant documents among so many; 0 for an empty one."""

    def _compute(
        self, y: NDArray[np.float64], scores: NDArray[Any], query_ptr: NDArray[np.int64], n_threads: int | None
    ) -> Values:
        is_relevant = relevant(y, self.relevance_threshold)
        sizes = np.diff(query_ptr)
        undiscounted = np.ones(int(sizes.max()))
        total = ranked(
            self._measure,
            is_relevant,
            scores,
            query_ptr,
            k=self.k,
            ties=self.ties,
            divisor=undiscounted,
            n_threads=n_threads,
        )
        return divide(total, self._attainable(per_query_sum(is_relevant, query_ptr), sizes), self.empty)
