"""The only importer of numba: compilation flags are set here, once.

Every kernel is compiled with `nogil` and cached on disk. Threads are plain Python threads over ranges of
queries (see `_threads.py`): one compiled variant serves one thread, many threads and every engine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import llvmlite.ir  # type: ignore[import-untyped]
import numba
import numba.core.caching
import numba.core.cgutils
import numba.extending
import numpy as np
from numpy.typing import NDArray

# For the few kernels that spell out vector instructions.
ir: Any = llvmlite.ir
types: Any = numba.types
cgutils: Any = numba.core.cgutils
_caching: Any = numba.core.caching

# The arrays that kernels take, by what is in them.
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
ShortInts = NDArray[np.int32]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Array = NDArray[Any]

F = TypeVar("F", bound=Callable[..., Any])

# All of LLVM's liberties except the two that assume NaN and infinity never occur.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}


def kernel(function: F) -> F:
    """Compile with strict IEEE arithmetic: same bits whatever the blocks, threads or machine."""
    return _compiled(function)


def fast_kernel(function: F) -> F:
    """Compile with reassociation, for sums whose last bits do not matter (distances, products)."""
    return _compiled(function, fastmath=FASTMATH)


def _compiled(function: F, **flags: Any) -> F:
    dispatcher: Any = numba.njit(nogil=True, boundscheck=False, **flags)(function)
    if dispatcher is not function:  # as it is where NUMBA_DISABLE_JIT is set
        try:
            dispatcher._cache = _Cache(function)
        except (RuntimeError, OSError):  # numba may write nowhere: a read-only installation without a home
            dispatcher._cache = _NoCache()
    return dispatcher  # type: ignore[no-any-return]


class _Cache(_caching.FunctionCache):  # type: ignore[misc]
    """numba's cache of one kernel on disk. What is wrong with the disk is never the caller's concern."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a file cut short may raise anything while it is unpickled: compile again, write it anew
            with suppress(OSError):  # `save_overload` will say so
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_uncached(error.strerror or str(error))


class _NoCache(_caching.NullCache):  # type: ignore[misc]
    def save_overload(self, sig: Any, cres: Any) -> None:
        _warn_uncached("no folder for them can be written")


_warned = False


def _warn_uncached(reason: str) -> None:
    """Say it once in a process, when the first kernel has been compiled in vain."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"Compiled kernels cannot be kept ({reason}) and are compiled again by every run: set NUMBA_CACHE_DIR to a "
            "folder that can be written.",
            RuntimeWarning,
            stacklevel=2,
        )


def intrinsic(function: Callable[..., Any]) -> Any:
    """Give LLVM's own instructions a name that kernels can call."""
    return numba.extending.intrinsic(function)


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Number of ones among the 64 bits of `word` (a uint64), one instruction where the machine has it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate
