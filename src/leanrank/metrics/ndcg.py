"""Normalised discounted cumulative gain."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._base import Lists, Metric, Values, check_cutoff, check_labels, divide
from leanrank.metrics._ranked import ideal_gain, mean_ndcg_divisors, ranked
from leanrank.metrics.conventions import MEAN_NDCG_CONVENTIONS, NDCG_CONVENTIONS, settle


@dataclass(frozen=True)
class NDCG(Metric):
    r"""Normalised discounted cumulative gain: graded relevance, worth less further down.

    .. math::  \mathrm{NDCG@}k = \frac{1}{I_k} \sum_{p=1}^{k} (2^{r_p} - 1)\, d(p), \qquad d(p) = \frac{1}{\log_2(1+p)}

    where :math:`r_p` is the label at position p and :math:`I_k` the same sum for the best order of the whole list.
    With ``ties="expected"`` every document gains the mean gain of the documents it ties with, which is the mean
    over all orders of tied documents.

    Parameters
    ----------
    k : int, optional
        Cutoff; the whole list if not given.
    convention : str
        Whose NDCG: "standard", "letor3", "letor4", "mslr", "trec", "lightgbm", "xgboost", "catboost" or "sklearn".
        It sets every parameter below that is not given.
    gain : {"exp2", "linear"}
        2^r - 1, or r.
    discount : {"log2", "letor"}
        1/log2(1+p); or LETOR's 1 for p = 1, 2 and 1/log2(p) from 3 on.
    ties : {"expected", "input", "best", "worst"}
        Tied documents: mean over all their orders, order of the rows, best first, worst first.
    empty : {"skip", "zero", "one"}
        What a query whose ideal gain is 0 scores; "skip" leaves it out of the mean (NaN per query).
    short : {"pad", "zero"}
        A list shorter than k: missing positions gain nothing, or the query scores 0 (LETOR's averages).

    Notes
    -----
    Costs O(n log n) per query and column of scores, O(n) for a small k.

    References
    ----------
    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002. Burges et al., "Learning
    to rank using gradient descent", ICML 2005 (2^r - 1). McSherry and Najork, "Computing information retrieval
    performance measures efficiently in the presence of tied scores", ECIR 2008.

    Examples
    --------
    >>> labels, scores, qid = [1, 2, 0, 0, 1], [5.0, 4.0, 3.0, 2.0, 1.0], [7] * 5
    >>> round(NDCG(3)(labels, scores, qid=qid), 6)
    0.700276
    >>> NDCG(3, convention="letor3")
    NDCG(k=3, convention='letor3', gain='exp2', discount='letor', ties='input', empty='zero', short='zero')
    >>> round(NDCG(3, convention="letor3")(labels, scores, qid=qid), 6)
    0.863757
    """

    short_name: ClassVar[str] = "ndcg"

    k: int | None = None
    _: KW_ONLY
    convention: str = field(default="standard", compare=False)
    gain: str = None  # type: ignore[assignment]
    discount: str = None  # type: ignore[assignment]
    ties: str = None  # type: ignore[assignment]
    empty: str = None  # type: ignore[assignment]
    short: str = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_cutoff("NDCG", self.k)
        settle(self, NDCG_CONVENTIONS, {"short": ("pad", "zero")})

    def _compute(self, lists: Lists) -> Values:
        gain = gains("NDCG", lists.y, self.gain, self.discount)
        divisor = divisors(int(lists.sizes.max()), self.discount)
        ideal = ideal_gain(gain, lists.query_ptr, self.k, divisor, lists.n_threads)
        total = ranked(lists, kernels.DISCOUNTED_GAIN, gain, k=self.k, ties=self.ties, divisor=divisor)
        values = divide(total, ideal, self.empty)
        if self.short == "zero" and self.k is not None:
            values[lists.sizes < self.k] = 0.0
        return values


@dataclass(frozen=True)
class MeanNDCG(Metric):
    r"""The mean of NDCG@1 .. NDCG@n of a list of n documents, as the LETOR 4.0 and MSLR scripts print it.

    Parameters as for `NDCG`; conventions "standard", "letor4" and "mslr".

    References
    ----------
    Qin and Liu, "Introducing LETOR 4.0 datasets", 2013.

    Examples
    --------
    >>> m = MeanNDCG(convention="letor4")
    >>> round(m([0, 1], [2.0, 1.0], qid=[1, 1]), 6)  # NDCG@1 = 0, NDCG@2 = 1 by LETOR's discount
    0.5
    """

    short_name: ClassVar[str] = "mean_ndcg"

    _: KW_ONLY
    convention: str = field(default="standard", compare=False)
    gain: str = None  # type: ignore[assignment]
    discount: str = None  # type: ignore[assignment]
    ties: str = None  # type: ignore[assignment]
    empty: str = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        settle(self, MEAN_NDCG_CONVENTIONS)

    def _compute(self, lists: Lists) -> Values:
        gain = gains("MeanNDCG", lists.y, self.gain, self.discount)
        by_position = divisors(int(lists.sizes.max()), self.discount)
        by_row = mean_ndcg_divisors(gain, lists.query_ptr, by_position)
        total = ranked(lists, kernels.DISCOUNTED_GAIN, gain, k=None, ties=self.ties, divisor=by_row, by_row=True)
        return divide(total, np.maximum.reduceat(np.sign(gain), lists.query_ptr[:-1]), self.empty)


def gains(owner: str, y: NDArray[np.float64], gain: str, discount: str) -> NDArray[np.float64]:
    """What a label is worth; times ln 2 where the divisors are natural logarithms."""
    if gain == "linear":
        check_labels(owner, y, np.inf, "Clip or shift the labels first.")
        worth = y
    else:
        check_labels(owner, y, 1000.0, "Clip or shift the labels, or use gain='linear'.")
        worth = np.exp2(y) - 1.0
    return worth * math.log(2.0) if discount == "letor" else worth


def divisors(n: int, discount: str) -> NDArray[np.float64]:
    """What divides the gains at positions 1..n: log2(1+p), or for LETOR ln p (its scripts: gain * ln 2 / ln p).

    >>> divisors(4, "log2").round(4)
    array([1.    , 1.585 , 2.    , 2.3219])
    """
    if discount == "log2":
        return np.asarray(np.log2(np.arange(2.0, n + 2.0)))
    # the C library's logarithm, as the scripts take it: NumPy's differs in the last digit on some machines
    return np.array([math.log(max(position, 2)) for position in range(1, n + 1)])
