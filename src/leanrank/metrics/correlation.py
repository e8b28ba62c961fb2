"""Rank correlation of labels and scores, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leanrank.errors import ParameterError
from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._base import Lists, Metric, Values
from leanrank.metrics._ranked import correlated


@dataclass(frozen=True)
class KendallTau(Metric):
    r"""Kendall's tau of labels and scores: pairs in the same order less pairs in opposite order, as a share.

    .. math::  \tau_a = \frac{C - D}{n(n-1)/2}, \qquad \tau_b = \frac{C - D}{\sqrt{U_y U_s}}

    C and D count concordant and discordant pairs, :math:`U_y` and :math:`U_s` the pairs that do not tie in the labels
    and in the scores. :math:`\tau_a` is also its own mean over all orders of tied documents.
    A query with all labels or all scores equal scores 0; a query of one document is left out (NaN).

    Parameters
    ----------
    variant : {"b", "a"}
        Which tau.

    Notes
    -----
    Costs O(n log n) per query and column of scores.

    References
    ----------
    Kendall, "The treatment of ties in ranking problems", Biometrika 1945.

    Examples
    --------
    >>> round(KendallTau()([4, 3, 2, 1], [3, 4, 1, 2], qid=[1] * 4), 4)
    0.3333
    """

    short_name: ClassVar[str] = "kendall"

    variant: str = "b"

    def __post_init__(self) -> None:
        if self.variant not in ("a", "b"):
            raise ParameterError.of("KendallTau", "variant", "'a' or 'b'", self.variant)

    @property
    def name(self) -> str:
        return "kendall" if self.variant == "b" else "kendall_a"

    def _compute(self, lists: Lists) -> Values:
        return correlated(lists, kernels.KENDALL_A if self.variant == "a" else kernels.KENDALL_B)


@dataclass(frozen=True)
class SpearmanRho(Metric):
    r"""Spearman's rho of labels and scores: Pearson's correlation of their mid-ranks.

    .. math::  \rho = 1 - \frac{6 \sum_i (a_i - b_i)^2}{n^3 - n} \quad \text{where nothing ties}

    A query with all labels or all scores equal scores 0; a query of one document is left out (NaN).

    Notes
    -----
    Costs O(n log n) per query and column of scores.

    References
    ----------
    Spearman, "The proof and measurement of association between two things", 1904.

    Examples
    --------
    >>> round(SpearmanRho()([4, 3, 2, 1], [3, 4, 1, 2], qid=[1] * 4), 4)
    0.6
    """

    short_name: ClassVar[str] = "spearman"

    def _compute(self, lists: Lists) -> Values:
        return correlated(lists, kernels.SPEARMAN)
