"""Average precision; its mean over queries is MAP."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._relevance import RelevanceMetric
from leanrank.metrics.conventions import AP_CONVENTIONS, Table


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
