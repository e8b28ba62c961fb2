"""The only importer of numba: compilation flags are set here, once.

Every kernel is compiled with `nogil` and cached on disk. Threads are plain Python threads over ranges of
queries (see `_threads.py`): one compiled variant serves one thread, many threads and every engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import llvmlite.ir  # type: ignore[import-untyped]
import numba
import numba.core.cgutils
import numba.extending

# For the few kernels that spell out vector instructions.
ir: Any = llvmlite.ir
types: Any = numba.types
cgutils: Any = numba.core.cgutils

F = TypeVar("F", bound=Callable[..., Any])

# All of LLVM's liberties except the two that assume NaN and infinity never occur.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}


def kernel(function: F) -> F:
    """Compile with strict IEEE arithmetic: same bits whatever the blocks, threads or machine."""
    return numba.njit(cache=True, nogil=True, boundscheck=False)(function)  # type: ignore[return-value]


def fast_kernel(function: F) -> F:
    """Compile with reassociation, for sums whose last bits do not matter (distances, products)."""
    return numba.njit(cache=True, nogil=True, boundscheck=False, fastmath=FASTMATH)(function)  # type: ignore[return-value]


def intrinsic(function: Callable[..., Any]) -> Any:
    """Give LLVM's own instructions a name that kernels can call."""
    return numba.extending.intrinsic(function)


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Number of ones among the 64 bits of `word` (a uint64), one instruction where the machine has it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate
