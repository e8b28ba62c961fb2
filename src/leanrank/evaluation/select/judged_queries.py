"""Which queries tell features apart, and whether they are enough for the folds asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import separable
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.fold_roles import roles_in_time, windows_of
from leanrank.metrics._base import Metric


def check_judged(data: RankingData, metric: Metric, cv: int | str, owner: str = "select") -> None:
    """Refuse data on which features cannot be told apart, or too few queries for so many folds."""
    windows = windows_of(cv)
    if windows is not None:
        roles_in_time(data, windows)
    n_folds = int(cv) if windows is None else windows
    if separable(data) < n_folds:
        what = "queries" if data.beside.query_group is None else "groups of queries"
        raise ParameterError.of(owner, "cv", f"at most the number of {what}, {separable(data)}", cv)
    if not _differ(data).any():
        raise DataError(
            f"No query of {data.n_queries:,} has two documents with different labels, so nothing can be told about any "
            "feature. Pass data with judged documents of more than one grade to a query."
        )
    judged = judged_queries(data, metric)
    if judged < n_folds:
        raise DataError(
            f"{judged} of {data.n_queries:,} queries are judged (two documents with different labels, and counted by "
            f"{metric.name}), but {n_folds} folds need at least {n_folds}: judge more queries, or ask for fewer folds.",
            owner=owner,
            parameter="cv",
        )


def judged_queries(data: RankingData, metric: Metric) -> int:
    """How many queries have documents with different labels, are counted by the metric and weigh anything."""
    return int(judged_mask(data, metric).sum())


def judged_mask(data: RankingData, metric: Metric) -> NDArray[np.bool_]:
    """Which queries these are."""
    counted = ~np.isnan(metric.per_query(data.y, np.zeros(data.n_rows), data.query_ptr))
    if data.beside.query_weight is not None:
        counted &= data.beside.query_weight > 0
    return np.asarray(_differ(data) & counted)


def _differ(data: RankingData) -> NDArray[np.bool_]:
    first = data.query_ptr[:-1]
    return np.asarray(np.minimum.reduceat(data.y, first) < np.maximum.reduceat(data.y, first))
