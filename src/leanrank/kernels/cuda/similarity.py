"""Similarities of features on a device, as sums over queries."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray

from leanrank.kernels.cuda.ranked_lists import QUERIES_AT_ONCE, RankedLists
from leanrank.kernels.cuda.units import exact_sum, from_fixed, square_root

#: Numbers in the correlations of as many queries as are worked on together.
AT_ONCE = 1 << 25


def kendall_sums(pieces: Iterable[RankedLists], n_features: int, mode: int, device: torch.device) -> NDArray[np.int64]:
    """Exact sum (2, K, K) of the similarities of features a <= b over the queries of at least two documents."""
    shape = (n_features, n_features)
    parts = torch.zeros((2, *shape), dtype=torch.int64, device=device)
    total, added = torch.zeros(shape, dtype=torch.int64, device=device), 0
    for lists in pieces:
        if added + len(lists.queries) > QUERIES_AT_ONCE:
            parts, total, added = parts + from_fixed(total), torch.zeros_like(total), 0
        lists.backend.kendall(lists, mode, total)
        added += len(lists.queries)
    return np.asarray((parts + from_fixed(total)).cpu().numpy())


def spearman_sums(pieces: Iterable[RankedLists], n_features: int, device: torch.device) -> NDArray[np.int64]:
    """Exact sum (2, K, K) of the correlations of mid-ranks over the queries of at least two documents."""
    parts = torch.zeros((2, n_features, n_features), dtype=torch.int64, device=device)
    for lists in pieces:
        parts += _correlations(lists)
    return np.asarray(parts.cpu().numpy())


def _correlations(lists: RankedLists) -> torch.Tensor:
    """Products of whole numbers are exact, so no order of summation can change them."""
    K = lists.n_features
    parts = torch.zeros((2, K, K), dtype=torch.int64, device=lists.device)
    for first, last, padded, at in lists.runs():
        step = max(1, AT_ONCE // (K * (K + padded)))
        for begin in range(first, last, step):
            end = min(begin + step, last)
            run = (begin, end, padded, at + (begin - first) * padded * K)
            n = lists.length[begin:end, None, None].to(torch.int64)
            n = torch.where(n < 2, 0, n)
            exists = torch.arange(padded, device=lists.device) < n
            below = torch.where(exists, lists.as_cube(lists.below, run).to(torch.int64), 0)
            same = torch.zeros_like(below).scatter_add_(2, below, exists.expand_as(below).to(torch.int64))
            centred = torch.where(exists, 2 * below + same.gather(2, below) - n, 0).to(torch.float64)
            products = centred @ centred.transpose(1, 2)
            norm = square_root(torch.diagonal(products, dim1=1, dim2=2))
            norms = norm[:, :, None] * norm[:, None, :]
            correlation = torch.where(norms > 0.0, products / torch.where(norms > 0.0, norms, 1.0), 0.0)
            parts += exact_sum(correlation.clamp(-1.0, 1.0), "a correlation")
    return parts


def varies(pieces: Iterable[RankedLists], n_features: int, device: torch.device) -> NDArray[np.bool_]:
    """Which features tell two documents of some query apart."""
    some = torch.zeros(n_features, dtype=torch.bool, device=device)
    for lists in pieces:
        pairs = lists.on_device((lists.sizes * (lists.sizes - 1) // 2).astype(np.int32))
        some |= (lists.tied < pairs[:, None]).any(dim=0)
    return np.asarray(some.cpu().numpy(), dtype=np.bool_)
