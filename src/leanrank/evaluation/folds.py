"""Folds of whole queries: the one rotation by which select, compare and cross_validate cut data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.folds import Fold, Part, Queries, letor_folds, rotation
from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.errors import DataError, ParameterError


class QueryFolds(Sequence[Fold]):
    """Data cut into parts of whole queries. In fold i, part i is tested, part i - 1 (cyclically) is for stopping and
    tuning, and the others are learned from.

    The folds are views of the data, which are copied part by part as they are asked for.

    Parameters
    ----------
    data : RankingData
    parts : sequence of arrays
        Indices of queries, each in one part.
    valid : RankingData, optional
        For stopping and tuning in every fold; all but part i is learned from then.
    """

    def __init__(self, data: RankingData, parts: Sequence[NDArray[np.int64]], valid: RankingData | None = None) -> None:
        self.data = data
        self.parts = list(parts)
        self.valid = valid

    @classmethod
    def cut(
        cls, data: RankingData, n_parts: int, *, random_state: int | None = 0, valid: RankingData | None = None
    ) -> QueryFolds:
        """Deal the queries to parts by this seed; None leaves them in their order, where parts are slices."""
        splitter = QueryKFold(n_parts, shuffle=random_state is not None, random_state=random_state)
        return cls(data, [part for _, part in splitter.split_queries(data)], valid)

    def over(self, data: RankingData, valid: RankingData | None) -> QueryFolds:
        """The same folds of data that were prepared in another way."""
        return QueryFolds(data, self.parts, valid)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        train, valid = self._train_valid(i)
        return Fold(f"Fold{i + 1}", train, valid, Queries(self.data, self.parts[i]))

    def __iter__(self) -> Iterator[Fold]:
        return (self[i] for i in range(len(self)))

    def learned(self, i: int | None, *, view: bool = False) -> RankingData:
        """All queries but those tested in fold `i`; all of them for None. A `view` is for what reads them in blocks."""
        part = self._without(i)
        return part.seen() if view else part.taken()

    def train_valid(self, i: int | None) -> tuple[RankingData, RankingData]:
        """What is learned from and what is for stopping in fold `i`. None tests nothing, and stops on part 0."""
        train, valid = self._train_valid(i)
        return train.seen(), valid.seen() if isinstance(valid, Queries) else valid

    def _train_valid(self, i: int | None) -> tuple[Queries, Part]:
        if self.valid is not None:
            return self._without(i), self.valid
        stop = 0 if i is None else rotation(len(self), i)[1]
        return self._without(i, stop), Queries(self.data, self.parts[stop])

    def _without(self, *left_out: int | None) -> Queries:
        """The queries of the other parts, in the order of the data."""
        return Queries(
            self.data, np.sort(np.concatenate([part for j, part in enumerate(self.parts) if j not in left_out]))
        )


def folds_of(data_or_folds: Any, n_splits: int = 5, *, random_state: int | None = 0) -> Sequence[Fold]:
    """The folds of an evaluation.

    Parameters
    ----------
    data_or_folds : RankingData, folder of a LETOR data set, or folds
        Folds (`letor_folds`, or a list of `Fold`) are taken as they are, a folder by its official folds. RankingData
        are cut into `n_splits` parts of whole queries: see `QueryFolds`.
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
        if not isinstance(n_splits, (int, np.integer)) or n_splits < 3:
            rule = ">= 3: a part to learn from, one to tune on, one to test on"
            raise ParameterError.of("cross_validate", "n_splits", rule, n_splits)
        return QueryFolds.cut(data_or_folds, n_splits, random_state=random_state)
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
