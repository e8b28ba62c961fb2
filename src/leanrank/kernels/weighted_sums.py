"""Sums of queries times their weight, in parts that add up without rounding.

Arrays: total (K, K) sums in units of 2^-46, read above the diagonal and on it; parts (3, K, K) whole numbers, as
floating-point ones, in units of 2^-16, 2^-46 and 2^-76: added to.
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Floats, Ints, kernel

#: Binary digits from one part to the next, and how many times larger its unit is.
BITS = 30
STEP = 2.0**BITS


@kernel
def add_weighted(total: Ints, weight: float, parts: Floats) -> None:
    """Add ``weight * total`` to `parts`.

    The digits of `total` above 2^-16 and those below are multiplied apart, so that a weight of few digits loses
    nothing; any other product is rounded as it is multiplied, and to a multiple of 2^-76.
    """
    K = len(total)
    for a in range(K):
        for b in range(a, K):
            high, low = (total[a, b] >> BITS) * weight, (total[a, b] & ((1 << BITS) - 1)) * weight
            first = np.trunc(high)
            rest = (high - first) * STEP
            second = np.trunc(rest)
            carried = np.trunc(low / STEP)
            left = low - carried * STEP
            whole = np.trunc(left)
            parts[0, a, b] += first + carried
            parts[1, a, b] += second + whole
            parts[2, a, b] += np.rint((rest - second) * STEP) + np.rint((left - whole) * STEP)
