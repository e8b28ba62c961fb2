"""Which relevant documents come first: precision, recall, average precision, and what these metrics share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._base import (
    Lists,
    Metric,
    Values,
    check_cutoff,
    check_threshold,
    divide,
    per_query_sum,
    relevant,
)
from leanrank.metrics._ranked import ranked
from leanrank.metrics.conventions import AP_CONVENTIONS, PRECISION_CONVENTIONS, RECALL_CONVENTIONS, Table, settle


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

    def _compute(self, lists: Lists) -> Values:
        is_relevant = relevant(lists.y, self.relevance_threshold)
        undiscounted = np.ones(int(lists.sizes.max()))
        total = ranked(lists, self._measure, is_relevant, k=self.k, ties=self.ties, divisor=undiscounted)
        return divide(total, self._attainable(per_query_sum(is_relevant, lists.query_ptr), lists.sizes), self.empty)


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

    def _compute(self, lists: Lists) -> Values:
        values = super()._compute(lists)
        if self.short == "zero":
            values[lists.sizes < self.k] = 0.0
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


@dataclass(frozen=True)
class AP(RelevanceMetric):
    r"""Average precision: the precision at each relevant document, averaged. Its mean over queries is MAP.

    .. math::  \mathrm{AP} = \frac{1}{R} \sum_{p:\, r_p \ge \theta} \mathrm{P@}p

    where R is the number of relevant documents of the query. With ``ties="expected"``, a group of n tied documents,
    :math:`R_g` of them relevant, preceded by p documents of which r are relevant, adds

    .. math::  \sum_{i=1}^{n} \frac{R_g}{n} \cdot \frac{r + 1 + (i-1)(R_g-1)/(n-1)}{p+i}

    Parameters
    ----------
    k : int, optional
        Cutoff; the whole list if not given.
    convention : str
        "standard", "letor3", "letor4", "mslr", "trec", "lightgbm", "xgboost" or "catboost".
        It sets every parameter below that is not given.
    relevance_threshold : float
        A document is relevant if its label is at least this.
    divisor : {"relevant", "attainable"}
        R, or min(R, k). They differ only with a cutoff.
    ties, empty
        As for `NDCG`; a query is empty if it has no relevant document.

    Notes
    -----
    Costs O(n log n) per query and column of scores. scikit-learn's `average_precision_score` agrees where scores
    do not tie; it treats a group of tied documents as one position, which no ranking does, so it is no convention here.

    References
    ----------
    McSherry and Najork, "Computing information retrieval performance measures efficiently in the presence of tied
    scores", ECIR 2008.

    Examples
    --------
    >>> round(AP()([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1], qid=[1] * 6), 6)
    0.722222
    >>> AP().per_query([1, 0], [1.0, 1.0], [0, 2])  # either order: 1 or 1/2
    array([0.75])
    """

    short_name: ClassVar[str] = "map"
    _measure: ClassVar[int] = kernels.PRECISION_SUM
    _conventions: ClassVar[Table] = AP_CONVENTIONS

    divisor: str = field(default=None, kw_only=True)  # type: ignore[assignment]

    def _attainable(self, n_relevant: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.minimum(n_relevant, self.k) if self.divisor == "attainable" and self.k is not None else n_relevant
