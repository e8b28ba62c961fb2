"""QueryTimeSplit: train on the queries of before, test on those of after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.grouping import numbered
from leanrank.data.splits import Pair, _QuerySplitter
from leanrank.errors import DataError


@declared
class QueryTimeSplit(_QuerySplitter):
    """Splits of whole queries in the order of time: what is tested is later than all that is trained on.

    The times are cut into ``n_splits + 1`` runs of about as many queries each. Run i + 1 is tested in split i, and all
    runs before it are trained on. Queries of one time are in one run, so that runs may differ in size. Where queries
    have groups, training leaves out the groups that are tested.

    Parameters
    ----------
    n_splits : int
        Number of splits; there must be more distinct times.

    Examples
    --------
    >>> qid, day = ["a", "b", "b", "c", "d"], [3, 1, 1, 2, 2]
    >>> for train, test in QueryTimeSplit(n_splits=2).split(qid, qid=qid, time=day):
    ...     print(train, test)
    [1 2] [3 4]
    [1 2 3 4] [0]
    """

    __metadata_request__split: ClassVar[dict[str, bool]] = {
        "groups": True,
        "qid": True,
        "query_group": True,
        "time": True,
    }

    n_splits: int = field(default=5, kw_only=False)

    def split(
        self,
        X: Any,
        y: Any = None,
        groups: Any = None,
        *,
        qid: Any = None,
        query_group: Any = None,
        time: Any = None,
    ) -> Iterator[Pair]:
        """Yield the row numbers of the training and of the test part of every split.

        Parameters
        ----------
        X, y, groups, qid, query_group
            As in `QueryKFold`.
        time : array of shape (n,)
            When the query of a row was asked, numbers or dates; the same in all rows of a query. RankingData bring
            their own.

        Yields
        ------
        train, test : arrays of int64
            Row numbers in increasing order.
        """
        yield from self._split(X, groups, qid, query_group=query_group, time=time)

    def _numbers(
        self, n_queries: int, query_group: NDArray[Any] | None = None, time: NDArray[Any] | None = None
    ) -> Iterator[Pair]:
        self._check_n_splits()
        if time is None:
            raise DataError(
                "QueryTimeSplit needs the time of every query: pass time, or data with a time column "
                "(from_frame(..., time=NAME), --time NAME)."
            )
        runs = runs_in_time(time, self.n_splits + 1, "QueryTimeSplit")
        for i in range(1, len(runs)):
            yield without_groups(np.sort(np.concatenate(runs[:i])), runs[i], query_group), runs[i]


def runs_in_time(time: NDArray[Any], n_runs: int, owner: str) -> list[NDArray[np.int64]]:
    """Query numbers in runs of about as many queries, the earliest first; queries of one time are in one run.

    >>> runs_in_time(np.array([5, 1, 1, 1, 9]), 3, "select")
    [array([1, 2, 3]), array([0]), array([4])]
    """
    times, place = np.unique(time, return_inverse=True)
    if len(times) < n_runs:
        raise DataError(
            f"{owner} needs at least {n_runs} different times for so many folds, and there are {len(times)}: "
            "ask for fewer folds, or give finer times.",
            parameter="time",
        )
    ends = np.cumsum(np.bincount(place.ravel()))
    middle = ends - np.bincount(place.ravel()) / 2
    run = np.minimum((middle * n_runs / ends[-1]).astype(np.int64), n_runs - 1)
    # no run is empty: each begins at least one time after the one before, and leaves one to each that follows
    for i in range(len(run)):
        run[i] = min(run[i], i) if i == 0 else min(run[i], run[i - 1] + 1)
    for i in range(len(run) - 1, -1, -1):
        run[i] = max(run[i], n_runs - (len(run) - i))
    return [np.flatnonzero(run[place.ravel()] == r) for r in range(n_runs)]


def without_groups(
    queries: NDArray[np.int64], tested: NDArray[np.int64], group: NDArray[Any] | None
) -> NDArray[np.int64]:
    """The queries of groups that are not tested."""
    if group is None:
        return queries
    number = numbered(group)
    left = queries[~np.isin(number[queries], number[tested])]
    if not len(left):
        raise DataError(
            "Every query before a time is of a group that is tested after it: nothing is left to learn from. Name "
            "finer groups, or leave the groups out."
        )
    return np.asarray(left)
