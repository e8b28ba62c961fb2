"""Documents ranked by their scores, and what a measure makes of them: pieces of queries, on threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels import ranking_metrics as kernels
from leanrank.kernels._threads import over_queries, query_pieces
from leanrank.kernels.document_order import ranked_documents
from leanrank.metrics._base import Lists, Values

Offsets = NDArray[np.int64]

_KERNELS: dict[int, Any] = {
    kernels.PRECISION_SUM: kernels.precision_sum,
    kernels.RECIPROCAL_RANK: kernels.reciprocal_rank,
    kernels.CASCADE: kernels.cascade,
}


def ranked(
    lists: Lists,
    measure: int,
    gain: Values,
    *,
    k: int | None,
    ties: str,
    divisor: Values | None = None,
    by_row: bool = False,
) -> Values:
    """The measure of each query and column of scores, before it is divided by what the query allows."""
    scores, query_ptr = lists.scores, lists.query_ptr
    out = np.empty((len(query_ptr) - 1, scores.shape[1]))
    cutoff = len(gain) if k is None else k
    if ties in ("best", "worst"):  # the sort keeps the order of what ties: let it find the best or the worst first
        query = np.repeat(np.arange(len(query_ptr) - 1), np.diff(query_ptr))
        order = np.lexsort((-gain if ties == "best" else gain, query))
        gain, scores = gain[order], scores[order]

    def work(first: int, last: int) -> None:
        for queries, rows, ptr in query_pieces(query_ptr, first, last, scores.shape[1]):
            lists = ranked_documents(scores[rows], ptr, cutoff)
            known = (gain[rows], *lists, ptr, cutoff, ties == "expected")
            if measure != kernels.DISCOUNTED_GAIN:
                _KERNELS[measure](*known, out[queries])
            elif divisor is not None:
                kernels.discounted_gain(*known, divisor[rows] if by_row else divisor, by_row, out[queries])

    over_queries(work, query_ptr, lists.n_threads, min_rows=_least_rows(scores))
    return out


def ideal_gain(
    gain: Values, query_ptr: Offsets, k: int | None, divisor: Values, n_threads: int | None = None
) -> Values:
    """The discounted gain of the best order of each query, cut at k."""
    own = Lists(gain, gain[:, None], query_ptr, n_threads)
    best = ranked(own, kernels.DISCOUNTED_GAIN, gain, k=k, ties="input", divisor=divisor)
    return np.ascontiguousarray(best[:, 0])


def mean_ndcg_divisors(gain: Values, query_ptr: Offsets, by_position: Values) -> Values:
    """Divisors by row that make a discounted gain the mean of NDCG at every cutoff."""
    by_row = np.empty(len(gain))
    best, _, _ = ranked_documents(gain[:, None], query_ptr, len(gain))
    kernels.mean_ndcg_divisor(best[0], query_ptr, by_position, by_row)
    return by_row


def correlated(lists: Lists, measure: int) -> Values:
    """The rank correlation of the labels and each column of scores, query by query."""
    y, scores, query_ptr = lists.y, lists.scores, lists.query_ptr
    out = np.empty((len(query_ptr) - 1, scores.shape[1]))

    def work(first: int, last: int) -> None:
        for queries, rows, ptr in query_pieces(query_ptr, first, last, scores.shape[1]):
            label_keys, label_orders, _ = ranked_documents(y[rows, None], ptr, len(y))
            keys, orders, _ = ranked_documents(scores[rows], ptr, len(y))
            kernels.rank_correlation(measure, label_keys, label_orders, keys, orders, ptr, out[queries])

    over_queries(work, query_ptr, lists.n_threads, min_rows=_least_rows(scores))
    return out


def _least_rows(scores: NDArray[Any]) -> int:
    return max(1, 20_000 // max(1, int(scores.shape[1])))
