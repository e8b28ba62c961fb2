"""What a ranking is worth by clicks on other rankings: sums over clicks, each over its propensity, with their error."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from leanrank.data.propensities import Propensities
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights
from leanrank.errors import DataError, ParameterError
from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._base import Lists, Values, check_cutoff, mean
from leanrank.metrics._ranked import ranked

_DISCOUNTS = ("log2", "reciprocal", "none")


@dataclass(frozen=True)
class ClickEstimate:
    """What `click_value` returns.

    Attributes
    ----------
    value : float
        The mean over sessions.
    error : float
        Its standard error: sessions are a sample of those to come.
    n_sessions : int
    per_session : array of shape (sessions,)
        The sum of each.
    """

    value: float
    error: float
    n_sessions: int
    per_session: Values = field(repr=False, compare=False)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the value is with a confidence of 95%, by the normal distribution."""
        return self.value - 1.96 * self.error, self.value + 1.96 * self.error


def click_value(
    data: RankingData,
    scores: ArrayLike,
    propensities: Propensities | None,
    *,
    k: int | None = 10,
    discount: str = "log2",
) -> ClickEstimate:
    r"""The mean over sessions of a sum like DCG over the clicked documents, each over the propensity of its place.

    .. math:: \frac1N \sum_s \sum_{d \in s} \frac{c_d}{p_{k(d)}} \, \lambda(\mathrm{rank}(d))

    rank(d) is the place that `scores` give to a document, k(d) the one at which it was shown when it was or was not
    clicked. In expectation it is the sum over all documents of their probability to be clicked when looked at: that no
    place is favoured is what "unbiased" means (Joachims et al. 2017). Equal scores count the mean over their orders.

    Parameters
    ----------
    data : RankingData
        A query for each session: labels above 0 are clicks, `beside.position` the places. Sessions count their
        `query_weight` where they have one.
    scores : array of shape (n,)
        Higher ranks first.
    propensities : Propensities or None
        How likely each place is looked at; None takes clicks as they are, which favours what was shown first.
    k : int or None, default=10
        Documents further down count nothing; None counts all.
    discount : {"log2", "reciprocal", "none"}, default="log2"
        The lambda above: 1/log2(1 + r) as in DCG, 1/r, or 1.

    References
    ----------
    T. Joachims, A. Swaminathan, T. Schnabel. Unbiased learning-to-rank with biased feedback. WSDM 2017.

    Examples
    --------
    >>> from leanrank.data.side_columns import SideColumns
    >>> beside = SideColumns(position=[1, 2, 1, 2])
    >>> log = RankingData([[0.9], [0.5], [0.4], [0.3]], [1, 0, 0, 1], [0, 2, 4], beside=beside)
    >>> click_value(log, [2.0, 1.0, 2.0, 1.0], Propensities([1.0, 0.5]), discount="reciprocal")
    ClickEstimate(value=1.0, error=0.0, n_sessions=2)
    """
    check_cutoff("click_value", k)
    if discount not in _DISCOUNTS:
        raise ParameterError.of("click_value", "discount", "'log2', 'reciprocal' or 'none'", discount)
    weight = query_weights(data, "click_value")
    columns = np.asarray(scores, dtype=np.float64)
    if columns.shape != (data.n_rows,):
        raise DataError(f"Scores must be one number for each of {data.n_rows:,} rows. Got shape {columns.shape}.")
    if np.isnan(columns).any():
        raise DataError(f"The score of row {int(np.argmax(np.isnan(columns)))} is NaN: fill it first.")
    gain = (data.y > 0).astype(np.float64)
    if propensities is not None:
        if data.beside.position is None:
            raise DataError("Where documents were shown is not known: name the column position (--position).")
        gain = gain / propensities.at(data.beside.position)
    place = np.arange(1, int(data.query_sizes.max()) + 1)
    divisor = {"log2": np.log2(place + 1.0), "reciprocal": place * 1.0, "none": np.ones(len(place))}[discount]
    lists = Lists(gain, columns[:, None], data.query_ptr)
    sums = ranked(lists, kernels.DISCOUNTED_GAIN, gain, k=k, ties="expected", divisor=divisor)[:, 0]
    value, n = float(mean(sums, weight)), len(sums)
    share = np.ones(n) if weight is None else weight / weight.mean()
    error = float(np.std(share * (sums - value), ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return ClickEstimate(value, error, n, sums)
