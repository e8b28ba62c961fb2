"""Folds of whole queries: the one rotation by which select, compare and cross_validate cut data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.folds import Fold, Part, Queries, letor_folds
from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.fold_roles import Roles, roles_in_time, rotated, windows_of


@dataclass(frozen=True, eq=False)
class QueryFolds(Sequence[Fold]):
    """Data cut by whole queries, as `Roles` say: what is learned from, stopped on and tested in each fold.

    The folds are views of the data, which are copied part by part as they are asked for.
    """

    data: RankingData
    roles: Sequence[Roles]  # those of each fold; no query is tested twice
    whole: Roles  # where nothing is tested: all queries, and which of them are for stopping
    valid: RankingData | None = None  # for stopping and tuning in every fold; what roles keep for that is learned from

    @classmethod
    def cut(
        cls, data: RankingData, cv: int | str, *, random_state: int | None = 0, valid: RankingData | None = None
    ) -> QueryFolds:
        """Deal the queries to so many parts by this seed; None leaves them in their order, where parts are slices.

        Queries of one group are in one part. "time" cuts in the order of time instead: see `roles_in_time`.
        """
        windows = windows_of(cv)
        if windows is not None:
            return cls(data, *roles_in_time(data, windows), valid)
        splitter = QueryKFold(int(cv), shuffle=random_state is not None, random_state=random_state)
        return cls(data, *rotated([part for _, part in splitter.split_queries(data)]), valid)

    @property
    def parts(self) -> list[NDArray[np.int64]]:
        """The queries that are tested in each fold."""
        return [role.test for role in self.roles]

    @property
    def is_partition(self) -> bool:
        """Whether every query is tested, and learned from in all other folds."""
        return all(len(role.learned) + len(role.test) == self.data.n_queries for role in self.roles)

    def __len__(self) -> int:
        return len(self.roles)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        train, valid = self._train_valid(i)
        return Fold(f"Fold{i + 1}", train, valid, Queries(self.data, self.roles[i].test))

    def __iter__(self) -> Iterator[Fold]:
        return (self[i] for i in range(len(self)))

    def learned(self, i: int | None, *, view: bool = False) -> RankingData:
        """All that selection may see in fold `i`; all queries for None. A `view` is for what reads them in blocks."""
        part = Queries(self.data, self._role(i).learned)
        return part.seen() if view else part.taken()

    def train_valid(self, i: int | None) -> tuple[RankingData, RankingData]:
        """What is learned from and what is for stopping in fold `i`. None tests nothing."""
        train, valid = self._train_valid(i)
        return train.seen(), valid.seen() if isinstance(valid, Queries) else valid

    def _train_valid(self, i: int | None) -> tuple[Queries, Part]:
        role = self._role(i)
        if self.valid is not None:
            return Queries(self.data, role.learned), self.valid
        return Queries(self.data, role.train), Queries(self.data, role.valid)

    def _role(self, i: int | None) -> Roles:
        return self.whole if i is None else self.roles[i]


def folds_of(data_or_folds: Any, n_splits: int | str = 5, *, random_state: int | None = 0) -> Sequence[Fold]:
    """The folds of an evaluation.

    Parameters
    ----------
    data_or_folds : RankingData, folder of a LETOR data set, or folds
        Folds (`letor_folds`, or a list of `Fold`) are taken as they are, a folder by its official folds. RankingData
        are cut into `n_splits` parts of whole queries: see `QueryFolds`.
    n_splits : int or str
        Parts of RankingData, at least 3; or "time" ("time:4"), to test what is later than what was learned from.
    random_state : int or None
        Seed by which queries are dealt to parts; None takes them in the order of the data.

    Returns
    -------
    sequence of Fold
        Built when asked for.
    """
    if isinstance(data_or_folds, RankingData):
        if windows_of(n_splits) is None and (not isinstance(n_splits, (int, np.integer)) or n_splits < 3):
            rule = ">= 3: a part to learn from, one to tune on, one to test on; or 'time'"
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
