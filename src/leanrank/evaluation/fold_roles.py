"""Who is learned from, stopped on and tested in each fold: the one rotation, and windows in the order of time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.data.folds import rotation
from leanrank.data.ranking_data import RankingData
from leanrank.data.time_split import runs_in_time, without_groups
from leanrank.errors import DataError

Numbers = NDArray[np.int64]

#: Windows that are tested one after another, where no number is named.
WINDOWS = 5
_IN_TIME = re.compile(r"time(?::([1-9]\d{0,3}))?")


@dataclass(frozen=True, eq=False)
class Roles:
    """Query numbers of a fold, each in the order of the data."""

    # what a ranker learns from, what it stops on, and what it is tested on
    train: Numbers
    valid: Numbers
    test: Numbers

    @property
    def learned(self) -> Numbers:
        """What selection may see."""
        return np.sort(np.concatenate([self.train, self.valid]))


def windows_of(cv: object) -> int | None:
    """How many windows of time are tested; None where folds are not cut by time.

    >>> windows_of("time"), windows_of("time:3"), windows_of(5)
    (5, 3, None)
    """
    named = _IN_TIME.fullmatch(cv) if isinstance(cv, str) else None
    return None if named is None else int(named.group(1) or WINDOWS)


def rotated(parts: Sequence[Numbers]) -> tuple[list[Roles], Roles]:
    """In fold i, part i is tested, part i - 1 (cyclically) is for stopping, the others are learned from.

    Where nothing is tested, part 0 is for stopping.
    """
    nothing = np.array([], dtype=np.int64)
    roles = []
    for i in range(len(parts)):
        _, stop = rotation(len(parts), i)
        roles.append(Roles(_others(parts, {i, stop}), parts[stop] if stop != i else nothing, parts[i]))
    return roles, Roles(_others(parts, {0}), parts[0], nothing)


def roles_in_time(data: RankingData, windows: int, owner: str = "cv='time'") -> tuple[list[Roles], Roles]:
    """The times in ``windows + 2`` runs: in fold i run i + 2 is tested, run i + 1 is for stopping, the earlier ones are
    learned from.

    What is tested is later than what rankers stop on, and that is later than what they learn from. The first two runs
    are never tested. Groups of queries that are tested are not learned from. Where nothing is tested, the last run is
    for stopping.
    """
    time, group = data.beside.time, data.beside.query_group
    if time is None:
        raise DataError(
            f"{owner} needs the time of every query, and these data have no such column: name it "
            "(from_frame(..., time=NAME), --time NAME), or ask for a number of folds.",
            parameter="cv",
        )
    runs = runs_in_time(time, windows + 2, owner)
    roles = []
    for i in range(windows):
        tested = runs[i + 2]
        train = without_groups(np.sort(np.concatenate(runs[: i + 1])), tested, group)
        roles.append(Roles(train, without_groups(runs[i + 1], tested, group), tested))
    return roles, Roles(np.sort(np.concatenate(runs[:-1])), runs[-1], np.array([], dtype=np.int64))


def _others(parts: Sequence[Numbers], left_out: set[int]) -> Numbers:
    """The queries of the other parts, in the order of the data."""
    others = [part for j, part in enumerate(parts) if j not in left_out]
    return np.sort(np.concatenate(others)) if others else np.array([], dtype=np.int64)
