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
import numba.core.event
import numba.extending
import numpy as np
from numpy.typing import NDArray

from leanrank.kernels._compiling import compiling

# For the few kernels that spell out vector instructions.
ir: Any = llvmlite.ir
types: Any = numba.types
cgutils: Any = numba.core.cgutils
_caching: Any = numba.core.caching
_event: Any = numba.core.event
_config: Any = numba.config

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


def part(function: F) -> F:
    """Compile a piece of other kernels of the same file, strictly; it has no way in from Python."""
    return _compiled(function, no_cpython_wrapper=True)


def _compiled(function: F, **flags: Any) -> F:
    options: dict[str, Any] = {"nogil": True, "boundscheck": False, "no_cfunc_wrapper": True, **flags}
    dispatcher: Any = numba.njit(**options)(function)
    if dispatcher is not function:  # as it is where NUMBA_DISABLE_JIT is set
        dispatcher._cache = _Cache(function)
    return dispatcher  # type: ignore[no-any-return]


class _Installed(getattr(_caching, "InTreeCacheLocator", None) or _caching._InTreeCacheLocator):  # type: ignore[misc]
    """The kernels beside the code, to be read where they cannot be written: `leanrank warm` left them there."""

    def ensure_cache_path(self) -> None:
        """Do nothing: whether it can be written shows when it is."""


class _Places(_caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (*_caching.CompileResultCacheImpl._locator_classes, _Installed)


class _Cache(_caching.FunctionCache):  # type: ignore[misc]
    """numba's cache of one kernel on disk. What is wrong with the disk is never the caller's concern."""

    _impl_class = _Places
    _cache_file: Any

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._installed: Any = None  # a second place to look, where whoever installed this wrote kernels and we cannot
        beside = _Installed(function, function.__code__.co_filename)
        if not _config.CACHE_DIR and beside.get_cache_path() != self._cache_path:
            stamp = beside.get_source_stamp()
            self._installed = _caching.IndexDataCacheFile(beside.get_cache_path(), self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        known = self._loaded(sig, target_context)
        if known is None and self._installed is not None:
            own, self._cache_file = self._cache_file, self._installed
            try:
                known = self._loaded(sig, target_context)
            finally:
                self._cache_file = own
        return known

    def _loaded(self, sig: Any, target_context: Any) -> Any:
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


class _Listener(_event.Listener):  # type: ignore[misc]
    def on_start(self, event: Any) -> None:
        compiling.begin()

    def on_end(self, event: Any) -> None:
        compiling.end()


_event.register("numba:compile", _Listener())


def cache_folder() -> str:
    """Where compiled kernels are kept."""
    return str(_Cache(cache_folder).cache_path)


def intrinsic(function: Callable[..., Any]) -> Any:
    """Give LLVM's own instructions a name that kernels can call."""
    return numba.extending.intrinsic(function)


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Number of ones among the 64 bits of `word` (a uint64), one instruction where the machine has it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate
