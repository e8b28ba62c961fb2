"""Blocks of queries on a device as ranks: uploaded once, in pieces, and shared by all statistics of the block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.engines.cuda import compiled, plain, program
from leanrank.engines.cuda.upload import uploaded

#: Documents of a query whose ranks fit in a byte and whose columns are sorted in registers.
SHORT = 128
#: Bytes of feature values that travel at once.
PIECE_BYTES = 128 << 20
#: Queries whose sums of similarities fit 64 bits.
QUERIES_AT_ONCE = 1 << 16
#: Bytes of ranks kept for the next statistic of the same block.
KEPT_BYTES = 4 << 30

_recent = threading.local()


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Queries with the ranks of all their features, longest first.

    `below` and `place` (see `ranks.cu`) hold a query's ranks feature by feature from `offset` on, each feature padded
    to a multiple of 16 documents with all bits set. `tied` counts pairs of equal values by query and feature.
    """

    queries: NDArray[np.int64]  # numbers in the block
    sizes: NDArray[np.int64]
    n_features: int
    first_row: torch.Tensor  # in the block
    offset: torch.Tensor
    length: torch.Tensor
    below: torch.Tensor
    place: torch.Tensor
    tied: torch.Tensor

    @property
    def device(self) -> torch.device:
        return self.below.device

    @property
    def backend(self) -> Any:
        """Who does the arithmetic: our kernels where they can be compiled, torch's operations elsewhere."""
        return compiled if program.available(self.device) else plain

    def on_device(self, values: NDArray[Any]) -> torch.Tensor:
        """A small array beside the ranks."""
        return torch.from_numpy(np.ascontiguousarray(values)).to(self.device)

    def runs(self) -> Iterator[tuple[int, int, int, int]]:
        """Queries first..last-1 of the same padded length, and where their ranks begin: (first, last, padded, at)."""
        padded = padded_sizes(self.sizes)
        cuts = np.flatnonzero(np.diff(padded, prepend=0, append=0))
        at = 0
        for first, last in pairwise(cuts.tolist()):
            yield first, last, int(padded[first]), at
            at += int(padded[first]) * (last - first) * self.n_features

    def as_cube(self, ranks: torch.Tensor, run: tuple[int, int, int, int]) -> torch.Tensor:
        """Ranks of a run as (queries, features, documents), without copying."""
        first, last, padded, at = run
        shape = (last - first, self.n_features, padded)
        return ranks[at : at + shape[0] * shape[1] * shape[2]].view(shape)


def padded_sizes(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Documents stored for each query."""
    return (sizes + 15) // 16 * 16


def ranked_lists(block: RankingData, device: torch.device) -> Iterator[RankedLists]:
    """The ranks of all queries of a block, in pieces; kept on the device until this thread takes another block."""
    kept: WeakKeyDictionary[RankingData, list[RankedLists]] = _recent.__dict__.setdefault("lists", WeakKeyDictionary())
    found = kept.get(block)
    if found is not None and found[0].device == torch.empty(0, device=device).device:  # "cuda" is "cuda:0"
        yield from found
        return
    kept.clear()
    width = 1 if block.query_sizes.max() <= SHORT else 2
    keep = 2 * width * block.n_features * int(padded_sizes(block.query_sizes).sum()) <= KEPT_BYTES
    pieces: list[RankedLists] = []
    ranges = list(_ranges(block))
    for (first, last), values in zip(ranges, uploaded(block, ranges, device), strict=True):
        for lists in rank(values, block.query_ptr, first, last):
            if keep:
                pieces.append(lists)
            yield lists
    if keep:
        kept[block] = pieces


def rank(values: torch.Tensor, query_ptr: NDArray[np.int64], first: int, last: int) -> Iterator[RankedLists]:
    """Rank queries first..last-1, whose rows are `values` (rows, features): short ones together, then long ones."""
    sizes = np.diff(query_ptr[first : last + 1])
    for chosen in (sizes <= SHORT, sizes > SHORT):
        if not chosen.any():
            continue
        numbers = np.flatnonzero(chosen)
        numbers = numbers[np.argsort(-sizes[numbers], kind="stable")]
        n, K, device = sizes[numbers], values.shape[1], values.device
        stored = padded_sizes(n) * K
        total, kind = int(stored.sum()), torch.uint8 if n[0] <= SHORT else torch.int16
        lists = RankedLists(
            queries=numbers + first,
            sizes=n,
            n_features=K,
            first_row=torch.from_numpy(query_ptr[numbers + first]).to(device),
            offset=torch.from_numpy(np.cumsum(stored) - stored).to(device),
            length=torch.from_numpy(n.astype(np.int32)).to(device),
            below=torch.empty(total, dtype=kind, device=device),
            place=torch.empty(total, dtype=kind, device=device),
            tied=torch.zeros((len(n), K), dtype=torch.int32, device=device),
        )
        start = torch.from_numpy(query_ptr[numbers + first] - query_ptr[first]).to(device)
        lists.backend.rank(values, start, lists)
        yield lists


def _ranges(block: RankingData) -> Iterator[tuple[int, int]]:
    """Ranges of queries that travel together."""
    ptr, first = block.query_ptr, 0
    n_rows = max(1, PIECE_BYTES // (block.n_features * block.X.itemsize))
    while first < block.n_queries:
        fits = int(np.searchsorted(ptr, ptr[first] + n_rows, side="right")) - 1
        last = min(max(first + 1, fits), first + QUERIES_AT_ONCE)
        yield first, last
        first = last
