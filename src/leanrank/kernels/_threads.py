"""Run a kernel over ranges of queries on a few threads (kernels release the interpreter lock)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

#: Values of a piece of queries: what is made of them is still in the cache when it is used.
_PIECE = 100_000


def default_threads() -> int:
    """`LEANRANK_THREADS` if set, else the cores this process may use; no more than `at_most` says."""
    return min(_limit.n, _threads_of_process())


@contextmanager
def at_most(n: int) -> Iterator[None]:
    """What this thread does inside starts at most `n` threads where nobody names a number.

    >>> with at_most(1):
    ...     default_threads()
    1
    """
    before, _limit.n = _limit.n, n
    try:
        yield
    finally:
        _limit.n = before


class _Limit(threading.local):
    n = 1 << 30


_limit = _Limit()


def _threads_of_process() -> int:
    value = os.environ.get("LEANRANK_THREADS", "")
    if value.isdigit() and int(value) > 0:
        return int(value)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, cores_of_container())


def cores_of_container(folder: str = "/sys/fs/cgroup") -> int:
    """Cores that the time given to this container is worth, rounded up; a very large number where it is not limited.

    >>> cores_of_container("no such folder") > 1000
    True
    """
    try:
        quota, period = Path(folder, "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:  # the first version of control groups
            quota, period = (
                Path(folder, "cpu", f"cpu.cfs_{name}_us").read_text().strip() for name in ("quota", "period")
            )
        except OSError:
            return _Limit.n
    limited = quota.isdecimal() and period.isdecimal() and int(quota) > 0 and int(period) > 0
    return -(-int(quota) // int(period)) if limited else _Limit.n


def split_queries(query_ptr: NDArray[np.int64], parts: int) -> list[tuple[int, int]]:
    """Cut the queries into at most `parts` contiguous ranges of about equal rows.

    >>> split_queries(np.array([0, 4, 5, 6, 8]), 2)
    [(0, 1), (1, 4)]
    """
    n_queries = len(query_ptr) - 1
    targets = query_ptr[0] + (query_ptr[-1] - query_ptr[0]) * np.arange(1, parts) / parts
    cuts = np.unique(np.concatenate(([0], np.searchsorted(query_ptr, targets), [n_queries])))
    return [(int(a), int(b)) for a, b in pairwise(cuts)]


def query_pieces(
    query_ptr: NDArray[np.int64], first: int, last: int, n_columns: int
) -> Iterator[tuple[slice, slice, NDArray[np.int64]]]:
    """Cut the queries `first`..`last - 1` into pieces of a few values: which queries, their rows, their own offsets.

    >>> for queries, rows, offsets in query_pieces(np.array([0, 40_000, 60_000, 70_000]), 0, 3, n_columns=2):
    ...     print(queries, rows, offsets.tolist())
    slice(0, 1, None) slice(0, 40000, None) [0, 40000]
    slice(1, 3, None) slice(40000, 70000, None) [0, 20000, 30000]
    """
    most = max(1, _PIECE // max(1, n_columns))
    while first < last:
        start = int(query_ptr[first])
        end = max(first + 1, int(np.searchsorted(query_ptr[: last + 1], start + most, side="right")) - 1)
        yield slice(first, end), slice(start, int(query_ptr[end])), query_ptr[first : end + 1] - start
        first = end


def over_queries(
    work: Callable[[int, int], T], query_ptr: NDArray[Any], n_threads: int | None = None, *, min_rows: int = 20_000
) -> list[T]:
    """Call `work(first, last)` for ranges of queries, on threads where the data are worth it; results in order."""
    threads = default_threads() if n_threads is None else n_threads
    rows = int(query_ptr[-1] - query_ptr[0])
    parts = max(1, min(threads, len(query_ptr) - 1, rows // min_rows))
    ranges = split_queries(query_ptr, parts)
    if len(ranges) <= 1:
        return [work(first, last) for first, last in ranges]
    with ThreadPoolExecutor(len(ranges)) as pool:
        return list(pool.map(lambda r: work(*r), ranges))
