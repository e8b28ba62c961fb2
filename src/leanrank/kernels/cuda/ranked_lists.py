"""Queries on a device as ranks: uploaded once, in pieces, for every statistic to use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from leanrank.kernels.cuda import compiled, plain, program
from leanrank.kernels.cuda.upload import uploaded

#: Documents of a query whose ranks fit in a byte and whose columns are sorted in registers.
SHORT = 128
#: Bytes of feature values that travel at once.
PIECE_BYTES = 128 << 20
#: Queries whose sums of similarities fit 64 bits.
QUERIES_AT_ONCE = 1 << 16
#: Documents of the longest query that can be ranked: ranks have 16 bits, one of them to spare.
LONGEST = 32_767


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Queries with the ranks of all their features, longest first.

    `below` and `place` (see `ranks.cu`) hold a query's ranks feature by feature from `offset` on, each feature padded
    to a multiple of 16 documents with all bits set. `tied` counts pairs of equal values by query and feature.
    """

    queries: NDArray[np.int64]  # numbers in the block, counted from 0
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


def ranked_lists(X: NDArray[Any], query_ptr: NDArray[np.int64], device: torch.device) -> Iterator[RankedLists]:
    """The ranks of all queries of `X` (rows, features), in pieces."""
    ranges = list(_ranges(X, query_ptr))
    rows = [(int(query_ptr[first]), int(query_ptr[last])) for first, last in ranges]
    for (first, last), values in zip(ranges, uploaded(X, rows, device), strict=True):
        yield from rank(values, query_ptr, first, last)


def bytes_of_ranks(sizes: NDArray[np.int64], n_features: int) -> int:
    """Bytes that the ranks of queries of these sizes take on the device."""
    width = 1 if sizes.max() <= SHORT else 2
    return 2 * width * n_features * int(padded_sizes(sizes).sum())


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


def _ranges(X: NDArray[Any], query_ptr: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of queries that travel together."""
    first, n_queries = 0, len(query_ptr) - 1
    n_rows = max(1, PIECE_BYTES // (X.shape[1] * X.itemsize))
    while first < n_queries:
        fits = int(np.searchsorted(query_ptr, query_ptr[first] + n_rows, side="right")) - 1
        last = min(max(first + 1, fits), first + QUERIES_AT_ONCE)
        yield first, last
        first = last
