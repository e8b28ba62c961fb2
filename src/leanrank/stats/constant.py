"""Constant: which features never tell two documents of a query apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import dense_parts
from leanrank.data.weights import WEIGHTS
from leanrank.engines.fold import Arithmetic
from leanrank.errors import DataError


class ConstantPartial(NamedTuple):
    varies: NDArray[np.bool_]
    n_queries: NDArray[np.int64]  # those that weigh something
    n_lists: NDArray[np.int64]  # of two documents or more


@dataclass(frozen=True)
class Constant:
    """Whether a feature is constant inside every query of at least two documents.

    Such a feature cannot rank, even if it differs from query to query. Where no query has two documents
    nothing can be said, and no feature is called constant. Cost O(n K).

    Examples
    --------
    >>> from leanrank import RankingData, fold
    >>> data = RankingData([[1.0, 4.0], [2.0, 4.0], [0.0, 5.0]], [1, 0, 0], [0, 2, 3])
    >>> fold(Constant(), data)
    array([False,  True])
    """

    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)  # none of them matters

    def of(self, block: RankingData) -> ConstantPartial:
        varies = np.zeros(block.n_features, dtype=bool)
        for part in dense_parts(block):
            X, starts = part.X, part.query_ptr[:-1]
            varies |= (np.maximum.reduceat(X, starts, axis=0) > np.minimum.reduceat(X, starts, axis=0)).any(axis=0)
        return _partial(varies, block)

    def of_on(self, block: RankingData, arithmetic: Arithmetic) -> ConstantPartial:
        return _partial(arithmetic.varies(block), block)

    def merge(self, a: ConstantPartial, b: ConstantPartial) -> ConstantPartial:
        return ConstantPartial(a.varies | b.varies, a.n_queries + b.n_queries, a.n_lists + b.n_lists)

    def finish(self, partial: ConstantPartial) -> NDArray[np.bool_]:
        return ~partial.varies if partial.n_lists else np.zeros_like(partial.varies)


def _partial(varies: NDArray[np.bool_], block: RankingData) -> ConstantPartial:
    weight = block.beside.query_weight
    n_queries = block.n_queries if weight is None else int(np.count_nonzero(weight))
    return ConstantPartial(varies, np.array(n_queries), np.array(int((block.query_sizes >= 2).sum())))


def varying(constant: NDArray[np.bool_], must_keep: NDArray[np.bool_] | bool = False) -> NDArray[np.int64]:
    """The features that are not constant, and those that must be kept; it is an error if there are none."""
    kept = np.flatnonzero(~constant | must_keep)
    if not len(kept):
        raise DataError(f"All {len(constant)} features are constant inside every query: nothing to select.")
    return kept
