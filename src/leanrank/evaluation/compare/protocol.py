"""Which queries to learn from, to tune on and to report: the folds of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from leanrank.data.folds import Fold, letor_folds
from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.errors import DataError, ParameterError


def folds_of(data_or_folds: Any, n_splits: int = 5, *, random_state: int | None = 0) -> Sequence[Fold]:
    """The folds of an evaluation.

    Parameters
    ----------
    data_or_folds : RankingData, folder of a LETOR data set, or folds
        Folds (`letor_folds`, or a list of `Fold`) are taken as they are, a folder by its official folds. RankingData
        are cut into `n_splits` parts of whole queries: each part is tested on once, the part before it is for tuning,
        the others are learned from.
    n_splits : int
        Parts of RankingData, at least 3.
    random_state : int or None
        Seed by which queries are dealt to parts; None takes them in the order of the data.

    Returns
    -------
    sequence of Fold
        Built when asked for.
    """
    if isinstance(data_or_folds, RankingData):
        return QueryFolds(data_or_folds, n_splits, random_state=random_state)
    if isinstance(data_or_folds, (str, Path)):
        return letor_folds(data_or_folds)
    if not isinstance(data_or_folds, Iterable):
        raise ParameterError.of(
            "cross_validate", "data_or_folds", "RankingData, a folder, or folds", type(data_or_folds).__name__
        )
    folds = data_or_folds if isinstance(data_or_folds, Sequence) else list(data_or_folds)
    if not len(folds):
        raise DataError("There are no folds to evaluate on.")
    return folds


class QueryFolds(Sequence[Fold]):
    """Folds of whole queries: part i is the test part of fold i, part i - 1 its validation part."""

    def __init__(self, data: RankingData, n_splits: int = 5, *, random_state: int | None = 0) -> None:
        if not isinstance(n_splits, (int, np.integer)) or n_splits < 3:
            raise ParameterError.of(
                "cross_validate", "n_splits", ">= 3: a part to learn from, one to tune on, one to test on", n_splits
            )
        splitter = QueryKFold(n_splits, shuffle=random_state is not None, random_state=random_state)
        self._data = data
        self._parts = [test for _, test in splitter.split_queries(data)]

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        before = (i - 1) % len(self)
        learned = np.sort(np.concatenate([part for j, part in enumerate(self._parts) if j not in (i, before)]))
        take = self._data.take_queries
        return Fold(f"Fold{i + 1}", take(learned), take(self._parts[before]), take(self._parts[i]))

    def __iter__(self) -> Iterator[Fold]:
        return (self[i] for i in range(len(self)))
