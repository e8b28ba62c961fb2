"""Sources in parts that others read, sources seen through a function of blocks, and blocks made dense."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import BLOCK_ROWS, RankingData, RankingSource


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


@dataclass(frozen=True, eq=False)
class MappedSource:
    """Blocks of `source`, each changed by `function` when it is read; nothing is kept.

    Examples
    --------
    >>> data = RankingData([[2.0], [4.0], [7.0]], [1, 0, 2], [0, 2, 3], feature_names=["bm25"])
    >>> halved = MappedSource(data, lambda block: replace(block, X=block.X / 2), ("bm25",))
    >>> [block.X.ravel().tolist() for block in halved.blocks(n_rows=2)]
    [[1.0, 2.0], [3.5]]
    """

    source: RankingSource
    function: Callable[[RankingData], RankingData]  # each query's result may depend on that query only
    feature_names: tuple[str, ...]  # the features of what `function` returns

    @property
    def n_rows(self) -> int:
        return self.source.n_rows  # type: ignore[attr-defined, no-any-return] # where the source knows

    @property
    def paths(self) -> tuple[str, ...]:
        return self.source.paths  # type: ignore[attr-defined, no-any-return] # where the source is a part

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[RankingData]:
        """Yield the changed blocks."""
        for block in self.source.blocks(n_rows):
            yield self.function(block)

    def partitions(self, n: int) -> list[MappedSource] | None:
        """Parts of the source, changed where they are read; None if it cannot be cut."""
        parts = self.source.partitions(n) if isinstance(self.source, PartitionedSource) else None
        return None if parts is None else [replace(self, source=part) for part in parts]


@dataclass(frozen=True, eq=False)
class _Kept:
    """A block's features of this mask: all that reading a source elsewhere needs."""

    mask: NDArray[np.bool_]

    def __call__(self, block: RankingData) -> RankingData:
        return block.subset(self.mask)


def with_features(source: RankingSource, mask: NDArray[np.bool_]) -> Any:
    """The source with the features of this mask: RankingData of RankingData; of Parquet, other columns are not read."""
    if hasattr(source, "subset"):
        return source.subset(mask)
    return MappedSource(source, _Kept(mask), tuple(source.feature_names[j] for j in np.flatnonzero(mask)))


#: Values of a sparse block made dense at once.
_DENSE_VALUES = 4_000_000


def dense_parts(block: RankingData) -> Iterator[RankingData]:
    """The block itself or, where it is sparse, pieces of whole queries made dense one after the other."""
    if not block.is_sparse:
        yield block
        return
    for part in block.blocks(max(1, _DENSE_VALUES // block.n_features)):
        yield replace(part, X=part.dense())
