"""The same arithmetic with torch's own operations: on any device, for machines without a compiler, and for tests.

Queries of the same padded length are worked on together, a bounded number at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch

from leanrank.kernels.concordance import HALF, ORDINAL, TAU_B
from leanrank.kernels.cuda.units import in_units
from leanrank.kernels.ranking_metrics import DISCOUNTED_GAIN

if TYPE_CHECKING:
    from leanrank.kernels.cuda.ranked_lists import RankedLists

#: Numbers in the largest intermediate result; sums of so many ones are exact in float32.
AT_ONCE = 1 << 24


def rank(values: torch.Tensor, start: torch.Tensor, lists: RankedLists) -> None:
    """Fill `below`, `place` and `tied` of the lists; query i begins at row `start[i]` of `values`."""
    K, device = lists.n_features, lists.device
    for run in _cut(lists, K):
        first, last, padded, _ = run
        documents, n = torch.arange(padded, device=device), lists.length[first:last, None].to(torch.int64)
        rows = start[first:last, None] + torch.minimum(documents, n - 1)
        exists = (documents < n)[:, None, :].expand(-1, K, -1)
        x = (values[rows] + 0.0).transpose(1, 2).contiguous()  # -0.0 is 0.0
        x[~exists] = torch.inf
        ordered, order = torch.sort(x.flip(2), dim=2, stable=True)  # later documents first
        below = torch.searchsorted(ordered, x)
        place = torch.empty_like(order).scatter_(2, padded - 1 - order, documents.expand_as(order))
        lists.tied[first:last] = ((place - below) * exists).sum(dim=2).to(torch.int32)
        for ranks, numbers in ((lists.below, below), (lists.place, place)):
            numbers[~exists] = -1
            lists.as_cube(ranks, run)[:] = numbers.to(ranks.dtype)


def kendall(lists: RankedLists, mode: int, total: torch.Tensor) -> None:
    """Add the similarity of features a <= b in every query of at least two documents to `total`, in units of 2^-46."""
    K, ranks = lists.n_features, lists.place if mode == ORDINAL else lists.below
    for run in _cut(lists, K * 16):
        first, last, padded, _ = run
        n = lists.length[first:last].to(torch.int64)
        rank = lists.as_cube(ranks, run).to(torch.int32)
        exists = (torch.arange(padded, device=lists.device) < n[:, None])[:, None, :].expand(-1, K, -1)
        counts = torch.zeros((last - first, K, K), dtype=torch.int64, device=lists.device)
        step = max(1, AT_ONCE // ((last - first) * K * padded))
        for s in range(0, padded, step):
            one, other = rank[:, :, s : s + step, None], rank[:, :, None, :]
            real = exists[:, :, s : s + step, None] & exists[:, :, None, :]
            above = ((one > other) & real).flatten(2).to(torch.float32)
            concordant = (above @ above.transpose(1, 2)).to(torch.int64)
            if mode in (HALF, TAU_B):
                untied = ((one != other) & real).flatten(2).to(torch.float32)
                counts += 4 * concordant - (untied @ untied.transpose(1, 2)).to(torch.int64)  # every pair twice
            else:
                counts += concordant
        if mode in (HALF, TAU_B):
            counts //= 2
        lists_of_two = n >= 2
        pairs = (n * (n - 1) // 2)[lists_of_two]
        total += in_units(counts[lists_of_two], lists.tied[first:last][lists_of_two], pairs, mode).triu()


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
    K, device = lists.n_features, lists.device
    out = torch.empty((len(lists.sizes), K), dtype=torch.float64, device=device)
    for run in _cut(lists, K):
        first, last, padded, _ = run
        documents, n = torch.arange(padded, device=device), lists.length[first:last, None, None].to(torch.int64)
        exists = documents < n
        below, place = (lists.as_cube(ranks, run).to(torch.int64) for ranks in (lists.below, lists.place))
        below, place = torch.where(exists, below, documents), torch.where(exists, place, documents)
        size = torch.zeros_like(below).scatter_add_(2, below, torch.ones_like(below)).gather(2, below)
        at = torch.where(exists, 2 * below + size - 1 - place if ascending else n - 1 - place, documents)
        begin = torch.where(exists, below if ascending else n - below - size, documents)
        rows = torch.minimum(lists.first_row[first:last, None, None] + documents, torch.tensor(len(gain) - 1))
        gains = (gain[rows] * exists).expand_as(below)
        if not expected:
            begin, size = at, torch.ones_like(size)
        gains, begin, size = (torch.empty_like(v).scatter_(2, at, v) for v in (gains, begin, size))
        out[first:last] = _walk(measure, gains, begin, size, torch.clamp(n[:, :, 0], max=cutoff), divisor)
    return out


def _walk(
    measure: int, gain: torch.Tensor, begin: torch.Tensor, size: torch.Tensor, k: torch.Tensor, divisor: torch.Tensor
) -> torch.Tensor:
    """Position after position, in the order and with the operations of the processor's kernels."""
    n = gain.shape[2]
    position = torch.arange(1, n + 1, dtype=torch.float64, device=gain.device)  # a GPU divides by numbers less exactly
    zero = torch.zeros_like(gain[:, :, 0])
    sums, running = torch.empty_like(gain), zero
    for i in range(n):
        running = torch.where(begin[:, :, i] == i, 0.0, running) + gain[:, :, i]
        sums[:, :, i] = running
    sums = sums.gather(2, begin + size - 1)  # of the whole group
    total, hits, discounts = zero, zero, zero
    for i in range(min(n, int(k.max()))):
        g, group, many = gain[:, :, i], sums[:, :, i], size[:, :, i] > 1
        n_group, counts = size[:, :, i].to(torch.float64), (i < k) & (sums[:, :, i] > 0.0)
        ends = (begin[:, :, i] + size[:, :, i] - 1 == i) | (i == k - 1)
        if measure == DISCOUNTED_GAIN:
            discounts = torch.where(begin[:, :, i] == i, 0.0, discounts) + 1.0 / divisor[i]
            term = torch.where(many, torch.where(ends, discounts * (group / n_group), 0.0), g / divisor[i])
        else:
            slope = (group - 1.0) / torch.clamp(n_group - 1.0, min=1.0)
            tied = group / n_group * (hits + 1.0 + (i - begin[:, :, i]) * slope) / position[i]
            term = torch.where(many, tied, g * (hits + g) / position[i])
            hits = torch.where(ends, hits + group, hits)
        total = torch.where(counts, total + term, total)
    return total


def _cut(lists: RankedLists, per_document: int) -> Iterator[tuple[int, int, int, int]]:
    """Runs of the lists, cut so that intermediate results stay bounded."""
    for first, last, padded, at in lists.runs():
        step = max(1, AT_ONCE // (padded * per_document))
        for begin in range(first, last, step):
            yield begin, min(begin + step, last), padded, at + (begin - first) * padded * lists.n_features
