"""How much larger than its file something may become in memory: a small file must not fill it.

Text and numbers of real data shrink to a tenth when they are compressed, seldom much further. A file that becomes many
hundred times its size is damaged, or made to do harm; where it is neither, the limit can be raised.
"""

from __future__ import annotations

import os

from leanrank.data.memory_size import shown
from leanrank.errors import DataError, ParameterError

#: So many times its size a file may become, unless the environment variable says otherwise.
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
