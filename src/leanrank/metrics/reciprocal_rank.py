"""How far a reader goes: reciprocal rank of the first relevant document, and expected reciprocal rank."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import ParameterError
from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._base import Lists, Metric, Values, check_cutoff, check_labels, divide, is_number, per_query_sum
from leanrank.metrics._ranked import ranked
from leanrank.metrics.conventions import ERR_CONVENTIONS, MRR_CONVENTIONS, Table, settle
from leanrank.metrics.precision_recall import RelevanceMetric


@dataclass(frozen=True)
class MRR(RelevanceMetric):
    r"""Reciprocal rank: one over the position of the first relevant document.

    .. math::  \mathrm{RR} = 1 / \min\{p : r_p \ge \theta\}

    With ``ties="expected"``, the first of R relevant documents among n tied ones stands at place i with probability
    :math:`\binom{n-i}{R-1} / \binom{n}{R}`.

    Parameters
    ----------
    k : int, optional
        Cutoff: a first relevant document further down scores 0. The whole list if not given.
    convention : str
        "standard", "trec" or "catboost". It sets every parameter below that is not given.
    relevance_threshold : float
        A document is relevant if its label is at least this.
    ties, empty
        As for `NDCG`; a query is empty if it has no relevant document.

    References
    ----------
    Voorhees, "The TREC-8 question answering track report", 1999. Ties: McSherry and Najork, ECIR 2008.

    Examples
    --------
    >>> MRR()([0, 1, 1], [3, 2, 1], qid=[1] * 3)
    0.5
    >>> MRR().per_query([0, 1], [1.0, 1.0], [0, 2])  # first or second
    array([0.75])
    """

    short_name: ClassVar[str] = "mrr"
    _measure: ClassVar[int] = kernels.RECIPROCAL_RANK
    _conventions: ClassVar[Table] = MRR_CONVENTIONS

    def _attainable(self, n_relevant: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.sign(n_relevant)


@dataclass(frozen=True)
class ERR(Metric):
    r"""Expected reciprocal rank: a reader goes down the list and stops at a document that satisfies.

    .. math::  \mathrm{ERR} = \sum_{p} \frac{1}{p} R_p \prod_{i<p} (1 - R_i), \qquad R_p = \frac{2^{r_p}-1}{2^{g}}

    where g is the highest label of the scale. With ``ties="expected"`` the mean over all orders of tied documents
    is exact: the mean chance to pass t of n documents in random order is
    :math:`e_t(1 - R_1, .., 1 - R_n) / \binom{n}{t}`, with :math:`e_t` the elementary symmetric polynomial.

    Parameters
    ----------
    k : int, optional
        Cutoff; the whole list if not given.
    max_label : float
        The highest label of the scale, g: 4 for five levels. It belongs to the scale, not to the data at hand, so
        that a part of the data scores as the whole does. Not used if the label itself is the probability.
    convention : str
        "standard" or "catboost". It sets every parameter below that is not given.
    gain : {"exp2", "probability"}
        (2^r - 1) / 2^g, or the label itself, from 0 to 1.
    ties, empty
        As for `NDCG`; a query is empty if all its labels are 0.

    Notes
    -----
    Costs O(n log n) per query and column of scores, and O(n min(n, k)) for n documents that tie.

    References
    ----------
    Chapelle, Metlzer, Zhang and Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009.

    Examples
    --------
    >>> ERR(max_label=1)([1, 1], [2, 1], qid=[1, 1])  # 1/2 + 1/2 * 1/2 * 1/2
    0.625
    >>> ERR(10)
    ERR(k=10, max_label=4, convention='standard', gain='exp2', ties='expected', empty='skip')
    """

    short_name: ClassVar[str] = "err"

    k: int | None = None
    _: KW_ONLY
    max_label: float = 4
    convention: str = field(default="standard", compare=False)
    gain: str = None  # type: ignore[assignment]
    ties: str = None  # type: ignore[assignment]
    empty: str = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_cutoff("ERR", self.k)
        settle(self, ERR_CONVENTIONS, {"gain": ("exp2", "probability")})
        g = self.max_label
        if not is_number(g) or not 0 < g <= 1000:
            raise ParameterError.of("ERR", "max_label", "a number above 0 and at most 1000", g)

    def _compute(self, lists: Lists) -> Values:
        y = lists.y
        if self.gain == "probability":
            check_labels("ERR(gain='probability')", y, 1.0, "Divide the labels, or use gain='exp2'.")
            stop = y
        else:
            check_labels("ERR", y, self.max_label, "Set max_label to the highest label of the scale.")
            stop = (np.exp2(y) - 1.0) / np.exp2(self.max_label)
        total = ranked(lists, kernels.CASCADE, stop, k=self.k, ties=self.ties)
        return divide(total, np.sign(per_query_sum(stop, lists.query_ptr)), self.empty)
