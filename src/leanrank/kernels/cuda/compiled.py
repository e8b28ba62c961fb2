"""Our own kernels: ranks by sorting in registers, concordance on one-bit tensor cores, metrics column by column.

docs/decisions/0006-gpu-concordance.md says what was measured and why these won. `plain.py` does the same with torch's
operations.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from leanrank.kernels.concordance import HALF, ORDINAL, STRICT, TAU_B
from leanrank.kernels.cuda.program import kernel
from leanrank.kernels.cuda.units import in_units

if TYPE_CHECKING:
    from leanrank.kernels.cuda.ranked_lists import RankedLists

_RANK = {torch.uint8: "unsigned char", torch.int16: "unsigned short"}
_COLUMNS = 128  # threads, in kernels that give each column of values a thread
_SORTED = (32, 64, 128)  # documents of a column that are sorted at once
_BY_SORTING = 1024  # documents of a column up to which sorting is faster than comparing everybody with everybody
_SIDE = 48  # features a warp multiplies with as many others
_WHOLE = 512  # documents of a query that one block of threads counts alone
_SPLIT = 1024  # documents compared with 128 others, a piece of a longer query
_COUNTS_BYTES = 256 << 20  # room for the counts of longer queries


def rank(values: torch.Tensor, start: torch.Tensor, lists: RankedLists) -> None:
    """Fill `below`, `place` and `tied` of the lists; query i begins at row `start[i]` of `values`."""
    K, ranks = lists.n_features, (lists.below, lists.place, lists.tied, lists.n_features)
    places = (values, start, lists.offset, lists.length)
    by_sorting = lists.sizes <= (_BY_SORTING if values.dtype == torch.float32 else 0)
    last = len(lists.sizes)
    for longest, at_once in [*zip(_SORTED, _SORTED, strict=True), (_BY_SORTING, _SORTED[-1])]:  # sizes descend
        first = int(np.searchsorted(-lists.sizes, -longest, side="left"))
        if first < last and by_sorting[first]:
            constants = {"RANK": _RANK[lists.below.dtype], "VALUE": "float", "LONGEST": at_once}
            run = kernel("ranks.cu", "ranks_by_sorting", **constants)
            blocks = -(-(last - first) * K // _COLUMNS)
            run((blocks, 1), _COLUMNS, *places, *ranks, first, last, shared=at_once * _COLUMNS * 5)
        last = first
    others = np.flatnonzero(~by_sorting)
    if not len(others):
        return
    tiles = -(-lists.sizes[others] // 32)
    items = np.empty((int(tiles.sum()), 2), dtype=np.int32)
    items[:, 0] = np.repeat(others, tiles)
    items[:, 1] = 32 * (np.arange(len(items)) - np.repeat(np.cumsum(tiles) - tiles, tiles))
    value = "float" if values.dtype == torch.float32 else "double"
    run = kernel("ranks.cu", "ranks_by_counting", RANK=_RANK[lists.below.dtype], VALUE=value, LONGEST=2)
    run((len(items), -(-K // 32)), 256, *places, lists.on_device(items), *ranks)


def kendall(lists: RankedLists, mode: int, total: torch.Tensor) -> None:
    """Add the similarity of features a <= b in every query of at least two documents to `total`, in units of 2^-46."""
    K = lists.n_features
    numbers = np.flatnonzero(lists.sizes >= 2)
    n = lists.sizes[numbers]
    whole, split = numbers[n <= _WHOLE], numbers[n > _WHOLE]
    if len(whole):
        items = np.zeros((len(whole), 6), dtype=np.int32)
        items[:, 0], items[:, 5] = whole, -1
        items[:, 2], items[:, 4] = -(-lists.sizes[whole] // 128), -(-lists.sizes[whole] // 16) * 16
        _count(lists, mode, items, int(lists.sizes[whole].max()), total, None)
    at_once = max(1, _COUNTS_BYTES // (8 * K * K))
    for first in range(0, len(split), at_once):
        chosen = split[first : first + at_once]
        counts = torch.zeros((len(chosen), K, K), dtype=torch.int64, device=lists.device)
        items = np.concatenate([_pieces(query, lists.sizes[query], slot) for slot, query in enumerate(chosen)])
        _count(lists, mode, items, int(lists.sizes[chosen].max()), total, counts)
        if mode in (HALF, TAU_B):
            counts.div_(-2, rounding_mode="floor")  # even numbers
        pairs = lists.sizes[chosen] * (lists.sizes[chosen] - 1) // 2
        total += in_units(counts, lists.tied[lists.on_device(chosen)], lists.on_device(pairs), mode).triu()


def _pieces(query: int, n: int, slot: int) -> NDArray[np.int32]:
    """A long query in pieces: 128 documents against some others."""
    blocks, firsts = np.arange(-(-n // 128)), np.arange(0, n, _SPLIT)
    block, first = (grid.ravel() for grid in np.meshgrid(blocks, firsts))
    last = np.minimum(first + _SPLIT, -(-n // 16) * 16)
    same = np.ones_like(block)
    return np.column_stack([same * query, block, block + 1, first, last, same * slot]).astype(np.int32)


@dataclass(frozen=True)
class _Shape:
    """How a block of threads works: tiles of 48 * `blocks` features, with themselves or with others."""

    blocks: int
    diagonal: bool
    buffers: int
    resident: int

    @property
    def features(self) -> int:
        return _SIDE * self.blocks * (1 if self.diagonal else 2)

    @property
    def threads(self) -> int:
        return 32 * (self.blocks * (self.blocks + 1) // 2 if self.diagonal else self.blocks**2)

    def shared(self, n_planes: int) -> int:
        """Bytes of shared memory: chunks of bits and the planes they are made from."""
        return self.features * (self.buffers * 272 + n_planes * 16)


# Fastest first; the next one where shared memory is too small.
_DIAGONAL = {
    1: [_Shape(1, True, 1, 12)],
    2: [_Shape(2, True, 2, 3), _Shape(2, True, 1, 3)],
    3: [_Shape(3, True, 2, 2), _Shape(3, True, 1, 2)],
}
_OTHERS = {2: [_Shape(2, False, 1, 2)], 3: [_Shape(3, False, 1, 1)]}


def _shapes(K: int, n_planes: int, limit: int) -> Iterator[_Shape]:
    """The shapes that cover all pairs of K features."""

    def fitting(shapes: list[_Shape]) -> _Shape | None:
        return next((shape for shape in shapes if shape.shared(n_planes) <= limit), None)

    blocks = min(3, -(-K // _SIDE))
    if _SIDE * blocks < K and (fitting(_OTHERS[3]) is None or fitting(_DIAGONAL[3]) is None):
        blocks = 2
    for shapes in (_DIAGONAL[blocks], _OTHERS[blocks]) if _SIDE * blocks < K else (_DIAGONAL[blocks],):
        shape = fitting(shapes)
        assert shape is not None  # 64 KB are enough
        yield shape


def _count(
    lists: RankedLists,
    mode: int,
    items: NDArray[np.int32],
    longest: int,
    total: torch.Tensor,
    counts: torch.Tensor | None,
) -> None:
    K = lists.n_features
    properties: Any = torch.cuda.get_device_properties(lists.device)
    ties = mode if mode in (HALF, TAU_B) else STRICT
    ranks = lists.place if mode == ORDINAL else lists.below
    n_planes = max(1, (longest - 1).bit_length()) + (ties != STRICT)
    n_items, items_there = len(items), lists.on_device(items)
    for shape in _shapes(K, n_planes, properties.shared_memory_per_block_optin):
        tiles = -(-K // (_SIDE * shape.blocks))
        pairs = tiles if shape.diagonal else tiles * (tiles - 1) // 2
        at_once = properties.multi_processor_count * shape.resident
        per_pair = min(n_items, at_once if pairs == 1 else -(-4 * at_once // pairs))
        slab = torch.zeros(pairs * per_pair * 72 * shape.threads, dtype=torch.int64, device=lists.device)
        queue = torch.zeros(pairs, dtype=torch.int32, device=lists.device)
        constants = {"BLOCKS": shape.blocks, "DIAGONAL": int(shape.diagonal), "MODE": ties}
        constants |= {"BUFFERS": shape.buffers, "RESIDENT": shape.resident}
        run = kernel("concordance.cu", "concordance", RANK=_RANK[ranks.dtype], **constants)
        places = (ranks, lists.offset, lists.length, lists.tied, items_there)
        run((per_pair, pairs), shape.threads, *places, slab, total, counts, queue, K, n_items, tiles,
            shared=shape.shared(n_planes))  # fmt: skip


def ranked_metric(
    lists: RankedLists,
    measure: int,
    gain: torch.Tensor,
    divisor: torch.Tensor,
    *,
    cutoff: int,
    expected: bool,
    ascending: bool,
) -> torch.Tensor:
    """The metric of every query (in the order of the lists) and feature, before division by what the query allows."""
    K, n_queries = lists.n_features, len(lists.sizes)
    out = torch.empty((n_queries, K), dtype=torch.float64, device=lists.device)
    short = lists.below.dtype == torch.uint8
    scratch = None if short else torch.empty((2, *lists.below.shape), dtype=lists.below.dtype, device=lists.device)
    run = kernel("metrics.cu", "ranked_metric", RANK=_RANK[lists.below.dtype], SHORT=128 if short else 0)
    places = (lists.below, lists.place, lists.offset, lists.length, lists.first_row, gain, divisor, scratch, out)
    numbers = (ctypes.c_longlong(len(lists.below)), K, n_queries, measure, min(cutoff, 1 << 30))
    run((-(-n_queries * K // _COLUMNS), 1), _COLUMNS, *places, *numbers, int(expected), int(ascending))
    return out
