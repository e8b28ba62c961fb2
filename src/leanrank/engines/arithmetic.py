"""Arithmetic: what an accelerator does for a statistic that has a form for it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData


class Arithmetic(Protocol):
    """What an accelerator computes from a block of whole queries: the same integers as the processor.

    A statistic with a form for it has `of_on(block, arithmetic)` beside `of(block)`. Its attribute `accelerated`
    says whether that form does for its parameters; a statistic without the attribute goes along where another one of
    the same pass is accelerated, and is not worth an accelerator alone.
    """

    def kendall_sums(self, block: RankingData, mode: int) -> NDArray[np.int64]:
        """Exact sum (2, K, K) of Kendall's similarity over queries; `mode` as in `kernels.concordance`."""
        ...

    def spearman_sums(self, block: RankingData) -> NDArray[np.int64]:
        """Exact sum (2, K, K) of the correlations of mid-ranks over queries."""
        ...

    def metric_sums(
        self, block: RankingData, measure: Any, low_first: tuple[bool, ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Exact sums of a metric of each feature and of its square (2, directions, K), and the queries counted (K,)."""
        ...

    def varies(self, block: RankingData) -> NDArray[np.bool_]:
        """Which features tell two documents of some query apart."""
        ...
