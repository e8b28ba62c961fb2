"""Sums whose bits do not depend on the order of the terms: fixed point in two whole numbers, or three.

A term is rounded once, to a multiple of 2^-46 (1.4e-14), and from then on only integers are added. Blocks,
threads and the order of queries therefore give the same sum to the last bit, which no rounding of a
floating-point sum can promise. `high` counts units of 2^-16, `low` units of 2^-46. Where terms may be small, as shares
are, a third number goes on to 2^-76 (2e-23).
Weights are counted in whole units (`WeightUnit`), so that counts of weighted documents stay whole numbers too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import WEIGHTS, row_weights, weights_of
from leanrank.engines.fold import fold
from leanrank.errors import DataError

#: Binary digits after the point.
FRACTION_BITS = 46
LOW_BITS = 30
#: What the numbers of a sum count.
UNITS = (2.0**-16, 2.0**-FRACTION_BITS, 2.0 ** -(FRACTION_BITS + LOW_BITS))
_LARGEST = 2.0**40


def exact_sum(values: NDArray[np.float64], what: str = "a statistic", *, fine: bool = False) -> NDArray[np.int64]:
    """Sum `values` over their first axis; the result has a leading axis of two (high, low), or three where it is fine.

    >>> one, other = exact_sum(np.array([0.1, 0.2, 0.3])), exact_sum(np.array([0.3, 0.2, 0.1]))
    >>> bool((one == other).all()), 0.1 + 0.2 + 0.3 == 0.3 + 0.2 + 0.1
    (True, False)
    """
    if values.size and float(np.abs(values).max()) > _LARGEST:
        raise DataError(f"A value of {what} is {np.abs(values).max():.3g}: scale the features first.")
    parts, left = [], values
    for unit in UNITS[: 1 + fine]:
        parts.append(np.floor(left / unit))
        left = left - parts[-1] * unit
    parts.append(np.rint(left / UNITS[1 + fine]))
    return np.stack([part.astype(np.int64).sum(axis=0) for part in parts])


def from_fixed(total: NDArray[np.int64]) -> NDArray[np.int64]:
    """A sum already in units of 2^-46 (as kernels add them up) in two parts, so that many may be added."""
    return np.stack([total >> LOW_BITS, total & ((1 << LOW_BITS) - 1)])


def as_float(parts: NDArray[np.int64]) -> Any:
    """The value of a sum."""
    return sum(part * unit for part, unit in zip(parts, UNITS, strict=False))


#: All documents together are less than 2 to this many units: sums of them are exact as floating-point numbers too.
_BITS = 50


def unit_of(total: float) -> float:
    """The unit in which weights that sum to `total` are counted: a power of two, at most 1 unless they are huge.

    Whole weights are whole numbers of units, exactly; others are rounded to a unit, 2^-50 of the total.

    >>> unit_of(1000.0) == 2.0**-40
    True
    """
    return float(2.0 ** (int(np.frexp(total)[1]) - _BITS))


@dataclass(frozen=True)
class WeightUnit:
    """Statistic: the unit in which the documents of a source are counted, by all weights that it has.

    Examples
    --------
    >>> from leanrank.data.side_columns import SideColumns
    >>> data = RankingData([[1.0], [2.0]], [1, 0], [0, 2], beside=SideColumns(query_weight=np.array([3.0])))
    >>> times(data, fold(WeightUnit(), data)) * fold(WeightUnit(), data)
    array([3., 3.])
    """

    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)

    def of(self, block: RankingData) -> NDArray[np.int64]:
        weight = row_weights(block)
        return exact_sum(np.ones(block.n_rows) if weight is None else weight, "a weight")

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b

    def finish(self, partial: NDArray[np.int64]) -> float:
        total = float(as_float(partial))
        if total < 1.0:
            raise DataError(
                f"All documents together weigh {total:.3g}, so they count as less than one document: multiply the "
                "weights, so that their mean is 1 for instance."
            )
        return unit_of(total)


class InUnits:
    """A statistic of documents that count so many of `unit`; without one it takes no weights."""

    unit: float | None

    @property
    def weights(self) -> tuple[str, ...]:
        """The weights it takes."""
        return () if self.unit is None else tuple(WEIGHTS)


def weight_unit(source: RankingSource, engine: Any = None) -> float | None:
    """The unit in which documents of a source are counted, after a pass over it; None where there are no weights."""
    return fold(WeightUnit(), source, engine) if weights_of(source) else None


def times(data: RankingData, unit: float | None) -> NDArray[np.int64]:
    """How many units each document counts: its weight times that of its query; 1 each where there is no unit."""
    return in_units(row_weights(data), data.n_rows, unit)


def in_units(weight: NDArray[np.float64] | None, n: int, unit: float | None) -> NDArray[np.int64]:
    """Weights of n documents in units; a whole number of them each."""
    if weight is None or unit is None:
        return np.ones(n, dtype=np.int64)
    return np.rint(weight / unit).astype(np.int64)
