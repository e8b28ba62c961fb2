"""Distinct values of a feature with their label counts: counted, merged, and made coarser where there are too many.

A table is `low`, `high` (values,) and `counts` (values, labels): entry v stands for all values seen from low[v] to
high[v], which share the leading bits of their binary form; with shift 0 it stands for one value. Two values share an
entry at shift r where their ordered bit patterns differ in the last r bits only. Dropping bits merges neighbours, and
a part of the data never needs more bits dropped than the whole, so the table of the whole does not depend on the parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels._jit import kernel

Values = NDArray[np.float64]
Counts = NDArray[np.int64]

_SIGN = np.uint64(1 << 63)
_ONES = np.uint64((1 << 64) - 1)
_ZERO = np.uint64(0)
_STEPS = np.array([32, 16, 8, 4, 2, 1], dtype=np.uint64)


@kernel
def _apart(a: Any, b: Any) -> int:
    """How many trailing bits two values differ in: 0 for equal ones, 64 for different signs; from their raw bits."""
    a = a ^ _ONES if a & _SIGN else a | _SIGN  # so that patterns are ordered as the values are
    b = b ^ _ONES if b & _SIGN else b | _SIGN
    left = a ^ b
    if left == _ZERO:
        return 0
    length = 1
    for step in _STEPS:
        if left >> step != _ZERO:
            left >>= step
            length += int(step)
    return length


@kernel
def count_sorted(column: Values, order: Counts, classes: Counts, times: Counts, low: Values, counts: Counts) -> int:
    """Fill `low` with the distinct values of `column`, which `order` sorts; add times[row] to counts[value, class]."""
    n_values = 0
    for row in order:
        if n_values == 0 or column[row] != low[n_values - 1]:
            low[n_values] = column[row]
            n_values += 1
        counts[n_values - 1, classes[row]] += times[row]
    return n_values


@kernel
def merge_sorted(
    low_a: Values,
    high_a: Values,
    counts_a: Counts,
    low_b: Values,
    high_b: Values,
    counts_b: Counts,
    shift: int,
    low: Values,
    high: Values,
    counts: Counts,
) -> int:
    """Two tables of the same labels as one with this shift; returns its length."""
    bits_a, bits_b, bits = low_a.view(np.uint64), low_b.view(np.uint64), low.view(np.uint64)
    a, b, n_values = 0, 0, 0
    while a < len(low_a) or b < len(low_b):
        first = b >= len(low_b) or (a < len(low_a) and low_a[a] <= low_b[b])
        next_bits = bits_a[a] if first else bits_b[b]
        if n_values == 0 or _apart(bits[n_values - 1], next_bits) > shift:
            low[n_values] = low_a[a] if first else low_b[b]
            high[n_values] = low[n_values]
            counts[n_values] = 0
            n_values += 1
        if first:
            high[n_values - 1] = max(high[n_values - 1], high_a[a])
            counts[n_values - 1] += counts_a[a]
            a += 1
        else:
            high[n_values - 1] = max(high[n_values - 1], high_b[b])
            counts[n_values - 1] += counts_b[b]
            b += 1
    return n_values


@kernel
def least_shift(low: Values, shift: int, most: int) -> int:
    """The least shift, from `shift` on, at which the sorted values have at most `most` entries."""
    bits = low.view(np.uint64)
    gaps = np.zeros(66, dtype=np.int64)  # neighbours that are so many bits apart
    for v in range(1, len(low)):
        gaps[_apart(bits[v - 1], bits[v])] += 1
    entries = 1
    for r in range(shift + 1, 66):
        entries += gaps[r]
    while entries > most:
        shift += 1
        entries -= gaps[shift]
    return shift


@kernel
def coarsen(low: Values, high: Values, counts: Counts, shift: int) -> int:
    """Merge neighbours of the table in place, up to this shift; returns its new length."""
    bits = low.view(np.uint64)
    n_values = 0
    for v in range(len(low)):
        if n_values > 0 and _apart(bits[n_values - 1], bits[v]) <= shift:
            high[n_values - 1] = high[v]
            counts[n_values - 1] += counts[v]
        else:
            low[n_values], high[n_values] = low[v], high[v]
            counts[n_values] = counts[v]
            n_values += 1
    return n_values
