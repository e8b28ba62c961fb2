"""Constant: which features never tell two documents of a query apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.engines.cuda.device import LONGEST, check_device, torch_device
from leanrank.stats.dense_parts import dense_parts


class ConstantPartial(NamedTuple):
    varies: NDArray[np.bool_]
    n_queries: NDArray[np.int64]
    n_lists: NDArray[np.int64]


@dataclass(frozen=True)
class Constant:
    """Whether a feature is constant inside every query of at least two documents.

    Such a feature cannot rank, even if it differs from query to query. Where no query has two documents
    nothing can be said, and no feature is called constant. Cost O(n K).

    Parameters
    ----------
    device : {"cpu", "cuda", "auto"}
        Where to compute; worth it where other statistics of the same pass are on a GPU.

    Examples
    --------
    >>> from leanrank import RankingData, fold
    >>> data = RankingData([[1.0, 4.0], [2.0, 4.0], [0.0, 5.0]], [1, 0, 0], [0, 2, 3])
    >>> fold(Constant(), data)
    array([False,  True])
    """

    device: str = "cpu"

    def __post_init__(self) -> None:
        check_device("Constant", self.device)

    def of(self, block: RankingData) -> ConstantPartial:
        n_lists = int((block.query_sizes >= 2).sum())
        varies = np.zeros(block.n_features, dtype=bool)
        device = None if block.query_sizes.max() > LONGEST else torch_device(self.device)
        for part in dense_parts(block):
            if device is not None:
                from leanrank.engines.cuda import similarity

                varies |= similarity.varies(part, device)
                continue
            X, starts = part.X, part.query_ptr[:-1]
            varies |= (np.maximum.reduceat(X, starts, axis=0) > np.minimum.reduceat(X, starts, axis=0)).any(axis=0)
        return ConstantPartial(varies, np.array(block.n_queries), np.array(n_lists))

    def merge(self, a: ConstantPartial, b: ConstantPartial) -> ConstantPartial:
        return ConstantPartial(a.varies | b.varies, a.n_queries + b.n_queries, a.n_lists + b.n_lists)

    def finish(self, partial: ConstantPartial) -> NDArray[np.bool_]:
        return ~partial.varies if partial.n_lists else np.zeros_like(partial.varies)
