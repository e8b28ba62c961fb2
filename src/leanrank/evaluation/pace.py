"""Pace: what trainings take, learned from those that are done, and how long the others will."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: The share of a training on all features that does not depend on their number, before there is anything to learn it
#: from: decision 0013 has measured a sixth with many rows, and half with few.
FIXED_SHARE = 0.3
_LEAST, _MOST = 0.02, 0.95


@dataclass(frozen=True)
class Trainings:
    """Some trainings: how many, and how many it would take on all features for as many columns.

    A number stands for so many trainings on all features.

    >>> Trainings(1.0, 0.25) + 2, 2 * Trainings(1.0, 0.25)
    (Trainings(number=3.0, columns=2.25), Trainings(number=2.0, columns=0.5))
    """

    number: float
    columns: float

    @staticmethod
    def of(given: Trainings | float) -> Trainings:
        return given if isinstance(given, Trainings) else Trainings(given, given)

    def units(self, fixed_share: float) -> float:
        """The same in trainings on all features, of which so much does not depend on the columns."""
        return fixed_share * self.number + (1 - fixed_share) * self.columns

    def __add__(self, other: Trainings | float) -> Trainings:
        other = Trainings.of(other)
        return Trainings(self.number + other.number, self.columns + other.columns)

    __radd__ = __add__

    def __sub__(self, other: Trainings | float) -> Trainings:
        return self + -1.0 * Trainings.of(other)

    def __mul__(self, times: float) -> Trainings:
        return Trainings(times * self.number, times * self.columns)

    __rmul__ = __mul__

    def __truediv__(self, by: float) -> Trainings:
        return self * (1 / by)


class Pace:
    """Seconds of trainings by their number and their columns: ``t = a number + b columns``, by least squares.

    Examples
    --------
    >>> pace = Pace()
    >>> pace.done(Trainings(1, 1), 10.0)
    >>> pace.fixed_share  # nothing to tell them apart by
    0.3
    >>> pace.done(Trainings(1, 0.2), 6.0)
    >>> round(pace.fixed_share, 3), round(pace.units(Trainings(10, 2.0)), 3)
    (0.5, 6.0)
    """

    def __init__(self) -> None:
        self.finished = Trainings(0.0, 0.0)
        self._squares = np.zeros((2, 2))
        self._products = np.zeros(2)

    def done(self, work: Trainings, seconds: float) -> None:
        """This work took so long."""
        row = np.array([work.number, work.columns])
        self.finished += work
        self._squares += np.outer(row, row)
        self._products += row * seconds

    @property
    def fixed_share(self) -> float:
        """How much of a training on all features does not depend on their number."""
        if np.linalg.det(self._squares) <= 1e-6 * self._squares[0, 0] * self._squares[1, 1]:
            return FIXED_SHARE
        fixed, by_column = np.linalg.solve(self._squares, self._products)
        return float(np.clip(fixed / max(fixed + by_column, 1e-12), _LEAST, _MOST))

    def units(self, work: Trainings) -> float:
        """Trainings in trainings on all features, by what is known now."""
        return work.units(self.fixed_share)
