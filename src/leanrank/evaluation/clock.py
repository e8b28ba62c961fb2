"""Clock and Pace: how long a run may take, how long it will by the trainings so far, and how far it is."""

from __future__ import annotations

import re
import sys
import threading
import time
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from leanrank.errors import ParameterError

#: The share of a training on all features that does not depend on their number, before there is anything to learn it
#: from: decision 0013 has measured a sixth with many rows, and half with few.
FIXED_SHARE = 0.25
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
    0.25
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


#: A run that will take longer than this many seconds says so, ...
LONG = 600.0
#: ... at the latest after so many.
SOON = 50.0
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")


class Clock:
    """Planned work, of which each finished task is some.

    Parameters
    ----------
    limit : float or None
        Seconds after which no optional task begins.
    says : bool
        Whether a run that will take long says so on standard error.

    Examples
    --------
    >>> clock = Clock(limit=0.0)
    >>> clock.time_is_up
    True
    """

    def __init__(self, limit: float | None = None, *, says: bool = False) -> None:
        self.limit = limit
        self.left_out = 0  # optional tasks that did not begin
        self._begin = time.monotonic()
        self._planned = Trainings(0.0, 0.0)
        self._pace = Pace()
        self._first = self._begin  # when the planned work began
        self._at_once = 1
        self._silent = not says
        self._timer: threading.Timer | None = None

    @property
    def time_is_up(self) -> bool:
        return self.limit is not None and time.monotonic() - self._begin >= self.limit

    def plan(self, work: Trainings | float, at_once: int) -> None:
        """So much work is planned, so many tasks at a time."""
        self._planned, self._at_once = Trainings.of(work), at_once
        self._first = time.monotonic()
        if not self._silent and self.limit is None:
            self._timer = threading.Timer(SOON, self._warn_blindly)
            self._timer.daemon = True
            self._timer.start()

    def done(self, work: Trainings | float, seconds: float = 0.0) -> None:
        """So much of it is done, and took so long."""
        self._pace.done(Trainings.of(work), seconds)
        if self.left is not None and not self._silent and self.limit is None:
            self._warn(time.monotonic() - self._begin)

    def spare(self, work: Trainings | float) -> None:
        """So much of it was done before."""
        self._planned -= work

    @property
    def share(self) -> float:
        """How much of the time that the planned work takes is over."""
        left = self.left
        elapsed = time.monotonic() - self._first
        return 0.0 if left is None else elapsed / max(elapsed + left, 1e-9)

    @property
    def left(self) -> float | None:
        """Seconds that the planned work will still take, by the tasks so far; None where nothing is known.

        Tasks under way count as done by half.
        """
        done = self._pace.units(self._pace.finished)
        if not done or not self._planned.number:
            return None
        elapsed = time.monotonic() - self._first
        rest = max(0.0, self._pace.units(self._planned) - done)
        under_way = min(rest, (self._at_once - 1) / 2 * done / self._pace.finished.number)
        return elapsed * (rest - under_way) / (done + under_way)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _warn(self, elapsed: float) -> None:
        """Say once that it will take long, if it will."""
        if elapsed > SOON or self._pace.units(self._pace.finished) >= 1 - 1e-9:
            self._silent = True
            if (whole := elapsed + (self.left or 0.0)) > LONG:
                self._say(f"this will take about {spoken(whole)}")

    def _warn_blindly(self) -> None:
        if not self._silent and not self._pace.finished.number and self._planned.number:
            self._silent = True
            least = self._pace.units(self._planned) * SOON / self._at_once
            if least > LONG:
                self._say(f"one training takes more than {SOON:g} seconds, so this will take more than {spoken(least)}")

    @staticmethod
    def _say(sentence: str) -> None:
        hint = "an effort of 'quick' costs less, a time limit ends it earlier, and Ctrl-C keeps what is finished"
        print(f"leanrank: {sentence}; {hint}", file=sys.stderr, flush=True)


def seconds_of(given: Any, owner: str = "select") -> float | None:
    """A time in seconds: None, a number, or a text such as "90s", "10m" or "1h 30m".

    >>> seconds_of("1h 30m"), seconds_of(45), seconds_of("2.5m")
    (5400.0, 45.0, 150.0)
    """
    if given is None:
        return None
    seconds = -1.0
    if isinstance(given, str):
        parts = _PART.findall(given.lower())
        if parts and not _PART.sub("", given.lower()).strip():
            seconds = sum(float(amount) * _UNITS[unit or "s"] for amount, unit in parts)
    elif not isinstance(given, bool) and isinstance(given, Real):
        seconds = float(given)
    if not 0 < seconds < float("inf"):
        raise ParameterError.of(owner, "time_limit", "a number of seconds > 0, or a time such as '10m'", given)
    return seconds


def spoken(seconds: float) -> str:
    """A time as a person says it.

    >>> spoken(95), spoken(5400), spoken(200_000)
    ('2 minutes', '1.5 hours', '2.3 days')
    """
    if seconds < 90:
        return f"{seconds:.3g} seconds"
    if seconds < 3600:
        return f"{round(seconds / 60)} minutes"
    unit, name = (3600, "hours") if seconds < 86400 else (86400, "days")
    return f"{seconds / unit:.1f} {name}"
