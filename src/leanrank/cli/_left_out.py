"""Columns of a table that are no features: which they are, and no warning of those that nobody asks for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from leanrank.errors import LeftOutWarning


@contextmanager
def left_out_beside(drop: Sequence[str], only: Sequence[str] = ()) -> Iterator[list[str]]:
    """Gather the columns that reading leaves out; its warnings follow, without those that nobody asks for anyway.

    These are what `drop` names, and, where `only` names the features, what it does not name.
    """
    from leanrank.data.same_features import called

    left_out: list[str] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield left_out
        for one in said:
            left_out += one.message.names if isinstance(one.message, LeftOutWarning) else ()
    for one in said:
        message = one.message
        if isinstance(message, LeftOutWarning):
            rest = [name for name in message.names if not any(called([name], pattern).any() for pattern in drop)]
            rest = [name for name in rest if not only or any(called([name], pattern).any() for pattern in only)]
            if not rest:
                continue
            message = LeftOutWarning(rest, message.reason)
        warnings.warn(message, stacklevel=2)
