"""Features by name: which to keep, by pattern, and whether data have those that something was made from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError, UnknownNameError


class OtherFeaturesWarning(UserWarning):
    """Features have no names, so that only their count can be checked, and it leaves a doubt."""


def are_numbers(names: Sequence[str]) -> bool:
    """Whether these are the numbers 1, 2, 3, ..., the names that LETOR files and bare arrays give.

    >>> are_numbers(["1", "2"]), are_numbers(["2", "3"]), are_numbers(["bm25"])
    (True, False, False)
    """
    return all(name == str(j) for j, name in enumerate(names, start=1))


def columns_of(data: RankingData, wanted: Sequence[str], owner: str, n_among: int | None = None) -> NDArray[np.int64]:
    """The columns of `data` that are the features `wanted`, in that order.

    Parameters
    ----------
    data : RankingData
    wanted : sequence of str
        Names of features; one that the data lack is refused, and the nearest name of theirs is given.
    owner : str
        Whose features they are, for messages: "the selection".
    n_among : int, default=None
        How many features there were where the owner was made. A file of LETOR's format calls its features by number,
        so that the count alone can tell one table from another: a warning says where it differs.

    Examples
    --------
    >>> data = RankingData([[1.0, 2.0]], [1], [0, 1], feature_names=("bm25", "age"))
    >>> columns_of(data, ["age"], "the selection").tolist()
    [1]
    """
    known = data.feature_names
    refuse_lacking(known, wanted, owner)
    place = {name: j for j, name in enumerate(known)}
    columns = np.array([place[name] for name in wanted], dtype=np.int64)
    if columns.size and are_numbers(known):
        _doubt(data, int(columns.max()), owner, n_among)
    return columns


def check_count(n_columns: int, names: Sequence[str], owner: str) -> None:
    """Refuse a table without names that has not as many columns as `names`; warn where it has, but these are names."""
    if n_columns != len(names):
        raise DataError(f"X has {n_columns} columns; {owner} was made among {len(names)}.")
    if not are_numbers(names):
        warnings.warn(
            f"X has no names of features, and {owner} was made by name ({names[0]}, ...): only their count could be "
            "checked. The columns must be in the order of then.",
            OtherFeaturesWarning,
            stacklevel=3,
        )


def refuse_lacking(known: Sequence[str], wanted: Sequence[str], owner: str) -> None:
    """Refuse data with the features `known` unless these are all there; see `columns_of`."""
    there = set(known)
    absent = [name for name in wanted if name not in there]
    if not absent:
        return
    if are_numbers(known) and not all(name.isdecimal() for name in absent):
        raise DataError(
            f"The data call their features by number, 1 to {len(known)}, {owner} by name: {absent[0]!r} is not there. "
            "Give data with names (CSV, Parquet, a frame)."
        )
    near = get_close_matches(absent[0], known, n=1)
    hint = f" The nearest that they have is {near[0]!r}." if near else ""
    also = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
    raise UnknownNameError(
        f"The data have no feature {absent[0]!r}{also}, which {owner} needs.{hint} Give data with the same features."
    )


def _doubt(data: RankingData, last: int, owner: str, n_among: int | None) -> None:
    """Warn where numbers may mean other features; data that end with the last one wanted have been cut down to it."""
    n = data.n_features
    if n == n_among:
        return
    if n == last + 1:
        if (data.X[:, [last]] != 0).sum():
            return
        doubt = f"The data end before feature {n}, which {owner} needs: it counts as 0 everywhere"
    elif n_among is None:
        return
    else:
        doubt = f"The data have {n} features, {owner} was made among {n_among}"
    warnings.warn(
        f"{doubt}. Without names only the count of features can be checked: see to it that a number means the same "
        "feature in both.",
        OtherFeaturesWarning,
        stacklevel=4,
    )


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
