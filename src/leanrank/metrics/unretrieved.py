"""What relevant documents that were not retrieved cost: they count in what a ranking could have reached."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import ParameterError
from leanrank.metrics._base import Metric, Values, per_query_sum, relevant
from leanrank.metrics._ranked import ideal_gain
from leanrank.metrics.ndcg import NDCG, divisors, gains
from leanrank.metrics.precision_recall import Precision, RelevanceMetric
from leanrank.metrics.reciprocal_rank import ERR

Vector = NDArray[np.float64]


def per_query_of_run(
    metric: Metric, y: Vector, scores: Vector, query_ptr: NDArray[np.int64], unretrieved: Sequence[Vector]
) -> Values:
    """`metric.per_query` where `unretrieved` has, for each query, the labels of judged documents not in the list.

    They have no rank, so they add nothing to the sum over ranks, but the sum is divided by what all relevant documents
    together would give: the number of relevant documents (AP, recall), the ideal gain (NDCG).

    >>> from leanrank.metrics import AP
    >>> AP().per_query([1, 0], [2.0, 1.0], [0, 2])
    array([1.])
    >>> per_query_of_run(AP(), np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.array([0, 2]), [np.array([1.0])])
    array([0.5])
    """
    if not isinstance(metric, (ERR, NDCG, RelevanceMetric)):
        raise ParameterError(f"{metric.name!r} is not defined for a run: it needs a score for every document.")
    values = metric.per_query(y, scores, query_ptr)
    labels = [np.concatenate((y[query_ptr[q] : query_ptr[q + 1]], more)) for q, more in enumerate(unretrieved)]
    sizes = [len(own) for own in labels]
    attainable = _attainable(metric, y, query_ptr)
    possible = _attainable(metric, np.concatenate(labels), np.concatenate(([0], np.cumsum(sizes))))
    share = attainable / np.where(possible > 0, possible, 1.0)
    # Where nothing was retrieved but something was there, the query is not empty: it scores 0.
    return np.where(possible > 0, np.where(attainable > 0, values * share, 0.0), values)


def _attainable(metric: Metric, y: Vector, query_ptr: NDArray[np.int64]) -> Vector:
    """What the metric divides by; for one that does not divide, whether there is a relevant document."""
    if isinstance(metric, NDCG):
        gain = gains("NDCG", y, metric.gain, metric.discount)
        divisor = divisors(int(np.diff(query_ptr).max()), metric.discount)
        return ideal_gain(gain, query_ptr, metric.k, divisor)
    if isinstance(metric, ERR):
        return np.sign(per_query_sum(np.maximum(y, 0.0), query_ptr))
    assert isinstance(metric, RelevanceMetric)
    n_relevant = per_query_sum(relevant(y, metric.relevance_threshold), query_ptr)
    if isinstance(metric, Precision):
        return np.sign(n_relevant)
    return metric._attainable(n_relevant, np.diff(query_ptr))
