"""Sources that can be cut into parts, each read where it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingSource


@runtime_checkable
class PartitionedSource(RankingSource, Protocol):
    """A source that a cluster can read without its driver."""

    def partitions(self, n: int) -> Sequence[Part] | None:
        """At most `n` parts that together have each query once, in order; None if the source cannot be cut.

        A part is small and can be sent to another machine: it says where its data are. It may turn out empty.
        """
        ...


@runtime_checkable
class Part(RankingSource, Protocol):
    """A piece of a source: whole queries, read by whoever asks for its blocks."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files it reads, absolute."""
        ...


def even_cuts(sizes: NDArray[np.int64], n: int) -> list[int]:
    """Cut items of these sizes into at most `n` runs of about equal size: places from 0 to the number of items.

    >>> even_cuts(np.array([5, 1, 1, 1, 4]), 3)
    [0, 1, 4, 5]
    """
    ends = np.cumsum(sizes)
    targets = ends[-1] * np.arange(1, n) / n
    inside = np.searchsorted(ends, targets, side="left") + 1
    return np.unique(np.concatenate(([0], inside, [len(sizes)]))).tolist()  # type: ignore[no-any-return]
