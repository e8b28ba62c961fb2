"""Sizes of memory: as users write them, as they are shown, how much is free, and how much a file may take."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from numbers import Integral
from typing import Any

from leanrank.errors import DataError, ParameterError

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_WRITTEN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?\s*", re.IGNORECASE)
_RULE = "a size such as '2GB' or '500MB', or a number of bytes >= 1"


def bytes_of(size: Any, *, owner: str, parameter: str = "memory") -> int:
    """A size as a number of bytes: "2GB", "1.5 GiB", "500M", or the number itself.

    >>> bytes_of("2GB", owner="select"), bytes_of("1 KiB", owner="select"), bytes_of(500, owner="select")
    (2000000000, 1024, 500)
    """
    if not isinstance(size, bool) and isinstance(size, Integral) and int(size) >= 1:
        return int(size)
    written = _WRITTEN.fullmatch(size) if isinstance(size, str) else None
    if written is None or (written[3] and not written[2]):
        raise ParameterError.of(owner, parameter, _RULE, size)
    unit = _UNITS[written[2].upper()]
    if written[3]:
        unit = 1024 ** list(_UNITS.values()).index(unit)
    n_bytes = int(float(written[1]) * unit)
    if n_bytes < 1:
        raise ParameterError.of(owner, parameter, _RULE, size)
    return n_bytes


def shown(n_bytes: int) -> str:
    """So many bytes in words.

    >>> shown(2_000_000_000), shown(1_536_000), shown(12)
    ('2 GB', '1.54 MB', '12 bytes')
    """
    for unit in "TGMK":
        if n_bytes >= _UNITS[unit]:
            return f"{n_bytes / _UNITS[unit]:.3g} {unit}B"
    return f"{n_bytes} bytes"


def default_limit() -> int:
    """What data may take where nobody says: half of the memory that is free, rounded down to a power of two.

    Rounded, so that it is the same the next time on the same machine, most of the time.
    """
    return 1 << (free_memory() // 2).bit_length() - 1


def free_memory() -> int:
    """Bytes that programs may still take on this machine: an estimate, where the system gives none half of all."""
    with suppress(OSError, StopIteration), open("/proc/meminfo", encoding="ascii") as lines:
        return int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]) * 1024
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return 4 * 10**9


#: So many times its size a file may become, unless the environment variable says otherwise. Text and numbers of real
#: data shrink to a tenth when they are compressed, seldom much further: a file that becomes many hundred times its size
#: is damaged, or made to do harm.
LARGEST = 100
VARIABLE = "LEANRANK_MAX_EXPANSION"
#: Up to so many bytes nobody asks.
FREE_BYTES = 1 << 26


def check_expansion(n_bytes: int, file_bytes: int, name: str) -> None:
    """Refuse what would be so many bytes in memory and comes from a file of so few.

    >>> check_expansion(10**9, 10**8, "judged.parquet")
    >>> check_expansion(10**10, 6_000, "judged.parquet")
    Traceback (most recent call last):
    ...
    leanrank.errors.DataError: judged.parquet: 6 KB that become 10 GB, over 100 times as much: damaged, or made to ...
    """
    if n_bytes > FREE_BYTES and n_bytes > allowed() * file_bytes:
        raise DataError(
            f"{name}: {shown(file_bytes)} that become {shown(n_bytes)}, over {allowed():g} times as much: damaged, or "
            f"made to fill the memory. If it is good, set the environment variable {VARIABLE} to a larger number."
        )


def allowed() -> float:
    """The limit that holds now."""
    given = os.environ.get(VARIABLE)
    if given is None:
        return LARGEST
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not value >= 1:
        raise ParameterError(f"The environment variable {VARIABLE} must be a number >= 1. Got {given!r} instead.")
    return value
