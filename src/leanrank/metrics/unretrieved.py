"""What relevant documents that were not retrieved cost: they count in what a ranking could have reached."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import ParameterError
from leanrank.kernels import ranking_metrics as kernels
from leanrank.metrics._base import Metric, Values, per_query_sum, relevant
from leanrank.metrics.average_precision import AP
from leanrank.metrics.ndcg import NDCG, divisors, gains
from leanrank.metrics.precision_recall import Precision, Recall
from leanrank.metrics.reciprocal_rank import ERR, MRR

Vector = NDArray[np.float64]


def per_query_of_run(
    metric: Metric, y: Vector, scores: Vector, query_ptr: NDArray[np.int64], unretrieved: Sequence[Vector]
) -> Values:
    """`metric.per_query` where `unretrieved` has, for each query, the labels of judged documents not in the list.

    They have no rank, so they add nothing to the sum over ranks, but the sum is divided by what all relevant documents
    together would give: the number of relevant documents (AP, recall), the ideal gain (NDCG).

    >>> AP().per_query([1, 0], [2.0, 1.0], [0, 2])
    array([1.])
    >>> per_query_of_run(AP(), np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.array([0, 2]), [np.array([1.0])])
    array([0.5])
    """
    if not isinstance(metric, (AP, ERR, MRR, NDCG, Precision, Recall)):
        raise ParameterError(f"{metric.name!r} is not defined for a run: it needs a score for every document.")
    values = metric.per_query(y, scores, query_ptr)
    labels = [np.concatenate((y[query_ptr[q] : query_ptr[q + 1]], more)) for q, more in enumerate(unretrieved)]
    sizes = [len(own) for own in labels]
    found = _attainable(metric, y, query_ptr)
    possible = _attainable(metric, np.concatenate(labels), np.concatenate(([0], np.cumsum(sizes))))
    share = found / np.where(possible > 0, possible, 1.0)
    # Where nothing was found but something was there, the query is not empty: it scores 0.
    return np.where(possible > 0, np.where(found > 0, values * share, 0.0), values)


def _attainable(metric: Metric, y: Vector, query_ptr: NDArray[np.int64]) -> Vector:
    """What the metric divides by; for one that does not divide, whether there is a relevant document."""
    if isinstance(metric, NDCG):
        gain, ideal = gains("NDCG", y, metric.gain, metric.discount), np.empty(len(query_ptr) - 1)
        divisor = divisors(int(np.diff(query_ptr).max()), metric.discount)
        depth = len(y) if metric.k is None else metric.k
        kernels.ideal_gain(gain, query_ptr, 0, len(query_ptr) - 1, depth, divisor, ideal)
        return ideal
    if isinstance(metric, ERR):
        return np.sign(per_query_sum(np.maximum(y, 0.0), query_ptr))
    count = per_query_sum(relevant(y, metric.relevance_threshold), query_ptr)  # type: ignore[attr-defined]
    if isinstance(metric, Recall):
        return count
    if isinstance(metric, AP):
        return np.minimum(count, metric.k) if metric.divisor == "attainable" and metric.k is not None else count
    return np.sign(count)
