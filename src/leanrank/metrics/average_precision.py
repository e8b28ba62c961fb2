"""Average precision; its mean over queries is MAP."""

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
from leanrank.metrics.conventions import AP_CONVENTIONS, settle


@dataclass(frozen=True)
class AP(Metric):
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

    k: int | None = None
    _: KW_ONLY
    convention: str = field(default="standard", compare=False)
    relevance_threshold: float = None  # type: ignore[assignment]
    divisor: str = None  # type: ignore[assignment]
    ties: str = None  # type: ignore[assignment]
    empty: str = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_cutoff("AP", self.k)
        settle(self, AP_CONVENTIONS)
        check_threshold("AP", self.relevance_threshold)

    def _compute(
        self, y: NDArray[np.float64], scores: NDArray[Any], query_ptr: NDArray[np.int64], n_threads: int | None
    ) -> Values:
        is_relevant = relevant(y, self.relevance_threshold)
        divisor = per_query_sum(is_relevant, query_ptr)
        if self.divisor == "attainable" and self.k is not None:
            divisor = np.minimum(divisor, self.k)
        total = ranked(
            kernels.PRECISION_SUM, is_relevant, scores, query_ptr, k=self.k, ties=self.ties, n_threads=n_threads
        )
        return divide(total, divisor, self.empty)
