"""Exact sums on a device: whole units of 2^-46, the same integers as `exact_sum` and the processor's kernels."""

from __future__ import annotations

import numpy as np
import torch

from leanrank.kernels.concordance import HALF, ORDINAL, STRICT, UNIT

_HIGH_UNIT, _LOW_BITS, _LARGEST = 2.0**-16, 30, 2.0**40


def in_units(counts: torch.Tensor, tied: torch.Tensor, pairs: torch.Tensor, mode: int) -> torch.Tensor:
    """Similarities of queries from their counts (queries, K, K), summed over queries, as `add_similarity` does it."""
    of_all = pairs.to(torch.float64)[:, None, None]
    counted = counts.to(torch.float64)
    if mode in (STRICT, ORDINAL):
        value = counted * (1.0 / (of_all * UNIT))
    elif mode == HALF:
        value = (of_all + counted) * (0.5 / (of_all * UNIT))
    else:
        untied = of_all[:, :, 0] - tied
        spread = square_root(untied[:, :, None] * untied[:, None, :])
        tau = torch.where(spread > 0.0, counted / torch.where(spread > 0.0, spread, 1.0), 0.0)
        value = (0.5 + 0.5 * tau) / UNIT
    return (value + 0.5).to(torch.int64).sum(dim=0)


def square_root(x: torch.Tensor) -> torch.Tensor:
    """Rounded correctly: torch's own root of CPU tensors (MKL's) is one unit in the last place off now and then."""
    return torch.sqrt(x) if x.device.type == "cuda" else torch.from_numpy(np.sqrt(x.numpy()))


def exact_sum(values: torch.Tensor, what: str) -> torch.Tensor:
    """Sum over the first axis in two whole numbers (high, low)."""
    if values.numel() and float(values.abs().max()) > _LARGEST:
        raise OverflowError(f"A value of {what} is {float(values.abs().max()):.3g}: scale the features first.")
    high = torch.floor(values / _HIGH_UNIT)
    low = torch.round((values - high * _HIGH_UNIT) / UNIT)
    return torch.stack([high.to(torch.int64).sum(dim=0), low.to(torch.int64).sum(dim=0)])


def from_fixed(total: torch.Tensor) -> torch.Tensor:
    """A sum in units of 2^-46 in two whole numbers (high, low)."""
    return torch.stack([total >> _LOW_BITS, total & ((1 << _LOW_BITS) - 1)])
