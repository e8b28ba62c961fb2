"""Gpu: statistics of whole blocks on a GPU, by the arithmetic of `kernels.cuda`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import ref

import numpy as np
import torch
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import dense_parts
from leanrank.engines.fold import merge_in_order
from leanrank.errors import DataError, LeanRankError
from leanrank.kernels.cuda import importance, similarity
from leanrank.kernels.cuda.program import GpuError
from leanrank.kernels.cuda.ranked_lists import LONGEST, RankedLists, bytes_of_ranks, ranked_lists
from leanrank.kernels.ranking_metrics import DISCOUNTED_GAIN, PRECISION_SUM
from leanrank.metrics._base import per_query_sum, relevant
from leanrank.metrics._ranked import ideal_gain
from leanrank.metrics.ndcg import NDCG, divisors, gains
from leanrank.metrics.precision_recall import AP

#: Bytes of ranks kept for the next statistic of the same block.
KEPT_BYTES = 4 << 30


class Gpu:
    """The arithmetic of one fold on a GPU, for one thread: a block is ranked once for all its statistics.

    Parameters
    ----------
    device : torch.device
        The tests run the same code on torch's CPU tensors.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._block: ref[RankingData] | None = None
        self._kept: list[RankedLists] = []

    def partials_of(self, statistics: Sequence[Any], block: RankingData) -> list[Any]:
        """The partial of each statistic; queries too long for a GPU go to the processor and are merged in."""
        if not statistics:
            return []
        block.require_complete(type(statistics[0]).__name__)
        fits = block.query_sizes <= LONGEST
        merged: list[Any] | None = None
        if fits.any():
            for part in dense_parts(block if fits.all() else block.take_queries(fits)):
                with _explained():
                    new = [statistic.of_on(part, self) for statistic in statistics]
                merged = merge_in_order(statistics, merged, new)
        if not fits.all():
            too_long = block.take_queries(np.flatnonzero(~fits))
            merged = merge_in_order(statistics, merged, [statistic.of(too_long) for statistic in statistics])
        assert merged is not None  # a block is never empty
        return merged

    def kendall_sums(self, block: RankingData, mode: int) -> NDArray[np.int64]:
        return similarity.kendall_sums(self.ranked(block), block.n_features, mode, self.device)

    def spearman_sums(self, block: RankingData) -> NDArray[np.int64]:
        return similarity.spearman_sums(self.ranked(block), block.n_features, self.device)

    def varies(self, block: RankingData) -> NDArray[np.bool_]:
        return similarity.varies(self.ranked(block), block.n_features, self.device)

    def metric_sums(
        self, block: RankingData, measure: AP | NDCG, low_first: tuple[bool, ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        metric, counted = _as_numbers(block, measure)
        sums = importance.metric_sums(self.ranked(block), block.n_features, metric, low_first, self.device)
        return *sums, np.full(block.n_features, counted, dtype=np.int64)

    def ranked(self, block: RankingData) -> Iterator[RankedLists]:
        """The ranks of all queries of a block, in pieces; kept on the GPU until another block comes."""
        if self._block is not None and self._block() is block:
            yield from self._kept
            return
        self._block, self._kept = None, []
        keep = bytes_of_ranks(block.query_sizes, block.n_features) <= KEPT_BYTES
        pieces: list[RankedLists] = []
        for lists in ranked_lists(block.X, block.query_ptr, self.device):
            if keep:
                pieces.append(lists)
            yield lists
        if keep:
            self._block, self._kept = ref(block), pieces


def _as_numbers(block: RankingData, measure: AP | NDCG) -> tuple[importance.QueryMetric, int]:
    """What `AP` and `NDCG` compute before they look at scores, and the number of queries that count."""
    y, ptr, sizes = block.y.astype(np.float64), block.query_ptr, block.query_sizes
    cutoff = block.n_rows if measure.k is None else measure.k
    if isinstance(measure, AP):
        kind, gain, divisor = PRECISION_SUM, relevant(y, measure.relevance_threshold), np.ones(1)
        by = per_query_sum(gain, ptr)
        if measure.divisor == "attainable" and measure.k is not None:
            by = np.minimum(by, measure.k)
    else:
        kind, gain = DISCOUNTED_GAIN, gains("NDCG", y, measure.gain, measure.discount)
        divisor = divisors(int(sizes.max()), measure.discount)
        by = ideal_gain(gain, ptr, measure.k, divisor)
    empty = by == 0
    counted = ~empty if measure.empty == "skip" else np.ones(block.n_queries, dtype=bool)
    fixed = np.where(empty, 1.0 if measure.empty == "one" else 0.0, np.nan)
    if isinstance(measure, NDCG) and measure.short == "zero" and measure.k is not None:
        fixed[sizes < measure.k] = 0.0
        counted[sizes < measure.k] = True
    expected = measure.ties == "expected"
    return importance.QueryMetric(kind, gain, divisor, by, fixed, cutoff, expected), int(counted.sum())


@contextmanager
def _explained() -> Iterator[None]:
    """What the kernels refuse, as errors of ours."""
    try:
        yield
    except GpuError as error:
        raise LeanRankError(f"{error} Leave out engine='cuda' to compute on the processor.") from error
    except OverflowError as error:
        raise DataError(str(error)) from error
