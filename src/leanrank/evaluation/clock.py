"""Clock: how long a run may take, how long it will, and how far it is."""

from __future__ import annotations

import re
import sys
import threading
import time
from numbers import Real
from typing import Any

from leanrank.errors import ParameterError

#: A run that will take longer than this many seconds says so, ...
LONG = 600.0
#: ... at the latest after so many.
SOON = 50.0
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")


class Clock:
    """Planned work in units, of which each finished task is some.

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
        self._planned = self._done = 0.0
        self._at_once = 1
        self._silent = not says
        self._timer: threading.Timer | None = None

    @property
    def time_is_up(self) -> bool:
        return self.limit is not None and time.monotonic() - self._begin >= self.limit

    def plan(self, units: float, at_once: int) -> None:
        """So many units are planned, so many tasks at a time."""
        self._planned, self._at_once = units, at_once
        if not self._silent and self.limit is None:
            self._timer = threading.Timer(SOON, self._warn_blindly)
            self._timer.daemon = True
            self._timer.start()

    def done(self, units: float) -> None:
        """So many units more are done."""
        self._done += units
        if self._planned and not self._silent and self.limit is None:
            self._warn(time.monotonic() - self._begin)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _warn(self, elapsed: float) -> None:
        """What the tasks so far say of the whole; those under way count as done by half."""
        speed = (self._done + (self._at_once - 1) / 2) / max(elapsed, 1e-9)
        if elapsed > SOON or self._done >= 1:
            self._silent = True
            if self._planned / speed > LONG:
                self._say(f"this will take about {spoken(self._planned / speed)}")

    def _warn_blindly(self) -> None:
        if not self._silent and not self._done and self._planned:
            self._silent = True
            least = self._planned * SOON / self._at_once
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
