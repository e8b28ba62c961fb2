"""QueryMoments: how features and labels vary together inside queries, as a fold over blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import dense_parts
from leanrank.data.weights import WEIGHTS, row_weights
from leanrank.errors import require_one_of
from leanrank.kernels.rcdr import centred_ranks
from leanrank.kernels.scaling import query_minmax

Floats = NDArray[np.float64]

SCALES = ("minmax", "rank")
#: Rows whose values are scaled at once.
_ROWS = 16_384


class Moments(NamedTuple):
    """Products of the features with each other (K, K) and with the labels (K,), and of the labels with themselves."""

    features: Floats
    labels: Floats
    spread: Floats
    n_rows: NDArray[np.int64]


@dataclass(frozen=True)
class QueryMoments:
    r"""Second moments inside queries: with z the scaled features and labels of a query less their means there,

    .. math:: M = \frac1n \sum_q \sum_{d \in q} z_{qd} z_{qd}^\top

    which is the mean over all documents of the products of differences to another of the query: every document counts
    the same, or as often as it and its query weigh, and what is constant in a query counts nothing.

    Parameters
    ----------
    scale : {"minmax", "rank"}
        Features on [0, 1] inside each query, or as mid-ranks over the number of documents. Labels are taken as they
        are.

    Notes
    -----
    O(n K^2) by a product of matrices. Entries are rounded to 10 decimals, so that the order of blocks never decides.

    Examples
    --------
    >>> from leanrank import RankingData, fold
    >>> data = RankingData([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]], [0, 0, 1], [0, 3])
    >>> fold(QueryMoments(), data).labels.round(4).tolist()
    [0.1667, 0.0]
    """

    scale: str = "minmax"
    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)

    def __post_init__(self) -> None:
        require_one_of(self, scale=SCALES)

    def of(self, block: RankingData) -> Moments:
        """Sums over the queries of a block."""
        block.require_complete("QueryMoments")
        parts = (piece for part in dense_parts(block) for piece in part.blocks(_ROWS))
        return reduce(self.merge, map(self._of_dense, parts))

    def merge(self, a: Moments, b: Moments) -> Moments:
        """The sums of two sets of queries together."""
        return Moments(
            a.features + b.features, a.labels + b.labels, a.spread + b.spread, np.asarray(a.n_rows + b.n_rows)
        )

    def finish(self, partial: Moments) -> Moments:
        """The means over documents."""
        n = float(partial.n_rows) or 1.0
        features, labels, spread = ((total / n).round(10) + 0.0 for total in partial[:3])
        return Moments(np.triu(features) + np.triu(features, k=1).T, labels, spread, partial.n_rows)

    def _of_dense(self, block: RankingData) -> Moments:
        own, n = block.beside.weight, float(block.n_rows)
        z, y = _centred(self._scaled(block), block.query_ptr, own), block.y.astype(np.float64)[:, None]
        y = _centred(y, block.query_ptr, own)
        weight = row_weights(block)
        if weight is not None:
            n, share = float(weight.sum()), np.sqrt(weight)[:, None]
            z *= share
            y *= share
        return Moments(z.T @ z, z.T @ y[:, 0], np.array(float(np.sum(y * y))), np.array(n))

    def _scaled(self, block: RankingData) -> Floats:
        ptr, sizes, own = block.query_ptr, block.query_sizes, block.beside.weight
        z = np.empty((block.n_rows, block.n_features))
        if self.scale == "minmax":
            query_minmax(block.X, ptr, 0, block.n_queries, 0.0, z)
        elif own is None:
            centred_ranks(block.X, ptr, 0, block.n_queries, z)
            z /= np.repeat(2.0 * sizes, sizes)[:, None]
        else:
            for a, b in pairwise(ptr.tolist()):
                z[a:b] = weighted_ranks(block.X[a:b], own[a:b]) / (2.0 * float(own[a:b].sum()) or 1.0)
        return z


def _centred(values: Floats, ptr: NDArray[np.int64], own: Floats | None) -> Floats:
    """Less their mean in each query, documents counting as much as they weigh."""
    sizes = np.diff(ptr)
    if own is None:
        means = np.add.reduceat(values, ptr[:-1], axis=0) / sizes[:, None]
    else:
        weight = np.add.reduceat(own, ptr[:-1])[:, None]
        means = np.add.reduceat(values * own[:, None], ptr[:-1], axis=0) / np.where(weight > 0, weight, 1.0)
    return np.asarray(values - np.repeat(means, sizes, axis=0))


def weighted_ranks(X: NDArray[Any], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """What weighs less in each column, minus what weighs more: twice the mid-ranks, about their mean.

    With weights of 1 it is what the kernel `centred_ranks` gives for one query.

    >>> weighted_ranks(np.array([[5.0], [3.0], [9.0]]), np.array([1.0, 2.0, 1.0])).ravel().tolist()
    [1.0, -2.0, 3.0]
    """
    ranks = np.empty(X.shape)
    for j in range(X.shape[1]):
        own = np.unique(X[:, j], return_inverse=True)[1]
        of_value = np.bincount(own, weights=weight)
        up_to = np.cumsum(of_value)
        ranks[:, j] = (2.0 * up_to - of_value - up_to[-1])[own]
    return ranks
