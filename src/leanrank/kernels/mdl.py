"""Fayyad and Irani's cuts of one feature: recursive minimal-entropy splits, accepted by description length."""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Floats, Ints, kernel

# Splits whose entropies differ by less are the same split up to rounding: the first one wins.
_TIE = 1e-12


@kernel
def _entropy(counts: Ints) -> tuple[float, int, int]:
    """Entropy in bits, total, and number of classes present."""
    total = counts.sum()
    bits, present = 0.0, 0
    for count in counts:
        if count > 0:
            present += 1
            bits -= count * np.log2(count / total)
    return (bits / total if present > 1 else 0.0), total, present


@kernel
def _log2_of_3k_minus_2(k: int) -> float:
    """log2(3^k - 2) without overflow for many classes."""
    return k * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0 ** (-k))  # type: ignore[no-any-return]


@kernel
def _best_cut(counts: Ints, unit: float, first: int, last: int, better_encoding: bool) -> int:
    """Number of the value in first..last-1 after which to cut, or -1 where no cut pays for its description."""
    n_classes = counts.shape[1]
    right = np.zeros(n_classes, dtype=np.int64)
    for v in range(first, last):
        for c in range(n_classes):
            right[c] += counts[v, c]
    whole, n, k = _entropy(right)
    left = np.zeros(n_classes, dtype=np.int64)
    best, best_cut = whole - _TIE, -1
    k1, k2, h1, h2 = 0, 0, 0.0, 0.0
    for v in range(first, last - 1):
        for c in range(n_classes):
            left[c] += counts[v, c]
            right[c] -= counts[v, c]
        h_left, n_left, k_left = _entropy(left)
        h_right, n_right, k_right = _entropy(right)
        split = (n_left * h_left + n_right * h_right) / n
        if split < best - (_TIE if best_cut >= 0 else 0.0):
            best, best_cut = split, v
            k1, k2, h1, h2 = k_left, k_right, h_left, h_right
    if best_cut < 0:
        return -1
    rows = n * unit
    candidates = float(last - first - 1) if better_encoding else max(rows - 1.0, 1.0)
    delta = _log2_of_3k_minus_2(k) - (k * whole - k1 * h1 - k2 * h2)
    return best_cut if whole - best > (np.log2(candidates) + delta) / rows else -1


@kernel
def mdl_cuts(values: Floats, highest: Floats, counts: Ints, unit: float, better_encoding: bool) -> Floats:
    """Ascending cut points of a feature with these distinct `values` (ascending) and class `counts` (values, classes).

    An entry may stand for all values from values[v] to highest[v]; a cut lies between two entries. A count of 1 is
    `unit` documents: 1.0, or a power of two.

    A split in two parts is accepted where H - e > (log2 Nc + log2(3^k - 2) - (k H - k1 H1 - k2 H2)) / n,
    e = (n1 H1 + n2 H2) / n, with Nc = n - 1, or the number of candidate cuts with `better_encoding`.
    """
    is_cut = np.zeros(len(values), dtype=np.bool_)
    stack = np.empty((len(values) + 1, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, len(values)
    top = 1
    while top > 0:
        top -= 1
        first, last = stack[top, 0], stack[top, 1]
        if last - first < 2:
            continue
        cut = _best_cut(counts, unit, first, last, better_encoding)
        if cut >= 0:
            is_cut[cut] = True
            stack[top, 0], stack[top, 1] = first, cut + 1
            stack[top + 1, 0], stack[top + 1, 1] = cut + 1, last
            top += 2
    cuts = np.empty(is_cut.sum(), dtype=np.float64)
    n_cuts = 0
    for v in range(len(values)):
        if is_cut[v]:
            cuts[n_cuts] = highest[v] + (values[v + 1] - highest[v]) / 2.0
            n_cuts += 1
    return cuts
