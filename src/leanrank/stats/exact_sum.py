"""Sums whose bits do not depend on the order of the terms: fixed point in two whole numbers.

A term is rounded once, to a multiple of 2^-46 (1.4e-14), and from then on only integers are added. Blocks,
threads and the order of queries therefore give the same sum to the last bit, which no rounding of a
floating-point sum can promise. `high` counts units of 2^-16, `low` units of 2^-46.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError

#: Binary digits after the point.
FRACTION_BITS = 46
LOW_BITS = 30
_HIGH_UNIT = 2.0**-16
_LOW_UNIT = 2.0**-FRACTION_BITS
_LARGEST = 2.0**40


def exact_sum(values: NDArray[np.float64], what: str = "a statistic") -> NDArray[np.int64]:
    """Sum `values` over their first axis; the result has a leading axis of two (high, low).

    >>> one, other = exact_sum(np.array([0.1, 0.2, 0.3])), exact_sum(np.array([0.3, 0.2, 0.1]))
    >>> bool((one == other).all()), 0.1 + 0.2 + 0.3 == 0.3 + 0.2 + 0.1
    (True, False)
    """
    if values.size and float(np.abs(values).max()) > _LARGEST:
        raise DataError(f"A value of {what} is {np.abs(values).max():.3g}: scale the features first.")
    high = np.floor(values / _HIGH_UNIT)
    low = np.rint((values - high * _HIGH_UNIT) / _LOW_UNIT)
    return np.stack([high.astype(np.int64).sum(axis=0), low.astype(np.int64).sum(axis=0)])


def from_fixed(total: NDArray[np.int64]) -> NDArray[np.int64]:
    """A sum already in units of 2^-46 (as kernels add them up) in two parts, so that many may be added."""
    return np.stack([total >> LOW_BITS, total & ((1 << LOW_BITS) - 1)])


def as_float(parts: NDArray[np.int64]) -> Any:
    """The value of a sum."""
    return parts[0] * _HIGH_UNIT + parts[1] * _LOW_UNIT
