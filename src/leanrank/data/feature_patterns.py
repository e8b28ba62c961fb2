"""Features by name or by pattern: which to keep, which to leave out."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError, UnknownNameError


def kept_by(
    names: Sequence[str], only: Sequence[str] = (), drop: Sequence[str] = (), left_out: Sequence[str] = ()
) -> NDArray[np.bool_]:
    """Which features to keep: those of `only` (all where it is empty) that are not of `drop`.

    Each is a list of names or patterns, where ``*`` stands for any characters, ``?`` for one and ``[ab]`` for either;
    a feature that is called exactly like a pattern is meant itself. One that no feature is called like is an error;
    to `drop` one may also name what was `left_out` already, columns that are no features.

    >>> kept_by(["bm25_title", "bm25_body", "age"], only=["bm25*"], drop=["bm25_body"]).tolist()
    [True, False, False]
    """
    keep = np.ones(len(names), dtype=bool) if not only else _matching(names, only, "only")
    if drop:
        keep &= ~_matching([*names, *left_out], drop, "drop")[: len(names)]
    if not keep.any():
        raise DataError(f"No feature is left of {len(names)}: all of them are dropped.", parameter="drop")
    return keep


def _matching(names: Sequence[str], patterns: Sequence[str], parameter: str) -> NDArray[np.bool_]:
    matched = np.zeros(len(names), dtype=bool)
    for pattern in patterns:
        one = called(names, pattern)
        if not one.any():
            raise UnknownNameError.of("feature", pattern, names, parameter=parameter)
        matched |= one
    return matched


def called(names: Sequence[str], pattern: str) -> NDArray[np.bool_]:
    """Which of the names a name or a pattern means.

    >>> called(["a*", "ab", "c"], "a*").tolist(), called(["ab", "c"], "a*").tolist()
    ([True, False, False], [True, False])
    """
    itself = pattern in set(names)
    return np.array([name == pattern if itself else fnmatchcase(name, pattern) for name in names], dtype=bool)
