"""What judged documents say that a query loses: DCG exactly, NDCG between bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

METRICS = ("dcg", "ndcg")


def names() -> tuple[str, ...]:
    """The losses that are known, for the shell to complete."""
    return METRICS


@dataclass(frozen=True)
class MovedDocuments:
    """Documents whose place among the first k changed, query after query."""

    query: Ints  # the number of the query of each document
    document: NDArray[np.int32]  # its place among the rows of its query, from 1
    # its places by the two rankers
    before: NDArray[np.int32]
    after: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.query)

    def of(self, queries: Ints) -> MovedDocuments:
        """Those of these queries, in the order given."""
        starts = np.searchsorted(self.query, queries, side="left")
        sizes = np.searchsorted(self.query, queries, side="right") - starts
        ends = np.cumsum(sizes)
        rows = np.repeat(starts - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)
        return MovedDocuments(self.query[rows], self.document[rows], self.before[rows], self.after[rows])


def gains(labels: Floats) -> Floats:
    """2^label - 1, what a document is worth at the first place."""
    worth: Floats = np.exp2(labels) - 1
    return worth


def discounts(places: NDArray[np.integer], k: int) -> Floats:
    """1 / log2(1 + place), 0 after place k."""
    return np.where(places <= k, 1 / np.log2(1.0 + places), 0.0)


def dcg_losses(moved: MovedDocuments, labels: Floats, k: int, queries: Ints) -> Floats:
    """DCG@k before less DCG@k after, of each of `queries`; exact, as no other document has another discount.

    >>> moved = MovedDocuments(np.array([4, 4]), *np.array([[1, 2], [1, 2], [2, 1]], dtype=np.int32))
    >>> dcg_losses(moved, np.array([1.0, 0.0]), 10, np.array([4])).round(4).tolist()
    [0.3691]
    """
    change = discounts(moved.before, k) - discounts(moved.after, k)
    return _by_query(gains(labels) * change, moved.query, queries)


def ndcg_losses(
    moved: MovedDocuments, labels: Floats, k: int, queries: Ints, n_documents: Ints, max_label: float
) -> tuple[Floats, Floats]:
    """The least and the most NDCG@k that each of `queries` can lose, whatever the labels that were not judged.

    The ideal DCG is at least that of the judged documents alone, and at most that with every other document of the
    query at `max_label`. A query without a relevant document among those that moved loses nothing.
    """
    lost = dcg_losses(moved, labels, k, queries)
    number = np.searchsorted(queries, moved.query)
    order = np.lexsort((-labels, number))
    of_query, worth = number[order], gains(labels)[order]
    sizes = np.bincount(number, minlength=len(queries))
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    least = np.bincount(of_query, worth * discounts(place, k), len(queries))
    unjudged = np.minimum(n_documents - sizes, k)
    best = gains(np.array([max_label]))[0]
    behind = np.bincount(of_query, worth * discounts(place + unjudged[of_query], k), len(queries))
    ideal = np.concatenate(([0.0], np.cumsum(discounts(np.arange(1, k + 1), k))))
    most = best * ideal[unjudged] + behind
    by_least = np.divide(lost, least, out=np.zeros(len(queries)), where=lost != 0)
    by_most = np.divide(lost, most, out=np.zeros(len(queries)), where=lost != 0)
    return np.minimum(by_least, by_most), np.maximum(by_least, by_most)


def _by_query(values: Floats, query: Ints, queries: Ints) -> Floats:
    """Sums by query; `queries` ascend."""
    sums: Floats = np.bincount(np.searchsorted(queries, query), values, len(queries)).astype(np.float64)
    return sums
