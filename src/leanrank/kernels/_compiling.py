"""What happens while kernels are compiled: somebody may be told, and nothing is collected. Imports nothing heavy."""

from __future__ import annotations

import gc
from collections.abc import Callable


class Compiling:
    """Counts compilations. numba compiles one function at a time, whatever the threads, and others inside it.

    >>> watch = Compiling()
    >>> watch.say = lambda: print("compiling")
    >>> watch.begin(), watch.begin(), watch.end(), watch.end(), watch.begin(), watch.end()
    compiling
    (None, None, None, None, None, None)
    >>> watch.count
    3
    """

    def __init__(self) -> None:
        self.count = 0
        self.say: Callable[[], None] | None = None  # called before the first compilation
        self._depth = 0
        self._collects = False

    def begin(self) -> None:
        """A function is going to be compiled. Its many small objects are not collected meanwhile: a tenth is saved."""
        self.count += 1
        if self._depth == 0:
            self._collects = gc.isenabled()
            gc.disable()
            say, self.say = self.say, None
            if say is not None:
                say()
        self._depth += 1

    def end(self) -> None:
        """A function has been compiled."""
        self._depth -= 1
        if self._depth == 0 and self._collects:
            gc.enable()


#: What this process compiles; kernels that come from the cache do not count.
compiling = Compiling()
