"""Prepare, fit, score: how a ranker is trained on some features of a fold, wherever one is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.data.scaling import QueryMinMaxScaler
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker

Values = NDArray[np.float64]

#: Rows filled at a time, so that what is computed on the way stays small.
_FILLED_ROWS = 10_000


def prepared(data: RankingData, ranker: Ranker) -> RankingData:
    """The data as this ranker takes them.

    Missing values are filled where it takes none. Features are scaled to [0, 1] within each query where it wants that;
    this uses no label and no other query.
    """
    complete = data if ranker.takes_missing else filled(data)
    if not ranker.wants_scaling:
        return complete
    return scaled(QueryMinMaxScaler(), complete.subset(range(complete.n_features)))[0]  # a view is copied once, here


def filled(data: RankingData) -> RankingData:
    """Missing values replaced by the least value of the feature in the query, 0 where all of a query are missing.

    Categories have no least one: a missing one stays missing.
    """
    if not data.missing:
        return data
    kinds = data.category_columns
    X, end = np.empty((data.n_rows, data.n_features), dtype=next(data.blocks(1)).X.dtype), 0
    for block in data.blocks(_FILLED_ROWS):
        begin, end = end, end + block.n_rows
        values = block.dense()
        absent = np.isnan(values)
        absent[:, kinds] = False
        least = np.minimum.reduceat(np.where(absent, np.inf, values), block.query_ptr[:-1], axis=0)
        least = np.where(np.isinf(least), 0.0, least).astype(X.dtype)
        X[begin:end] = np.where(absent, np.repeat(least, block.query_sizes, axis=0), values)
    return replace(data, X=X, missing=bool(kinds))


def scaled(scaler: Any, train: RankingData, *others: RankingData) -> list[RankingData]:
    """Training data, and others, scaled by a scaler fitted to the training data."""
    fitted = clone(scaler).fit(train)
    return [fitted.transform(data) for data in (train, *others)]


class Trained(NamedTuple):
    """A ranker trained on the features of a fold that has no others; None where there are no features at all."""

    ranker: Ranker | None
    fold: Fold
    seconds: float

    def per_query(self, data: RankingData, *metrics: Metric) -> list[Values]:
        """Each metric of every query of a part of the fold, NaN where it skips one; without features all tie."""
        scores = np.zeros(data.n_rows) if self.ranker is None else self.ranker.predict(data)
        return [metric.per_query(data.y, scores, data.query_ptr) for metric in metrics]


def train(ranker: Ranker, fold: Fold, features: Sequence[int]) -> Trained:
    """Train a clone of the ranker on these features of a fold, in this order; it may stop on the validation part."""
    if not len(features):
        return Trained(None, fold, 0.0)
    cut = fold.only(features)
    learned, held_out = cut.learned()
    start = time.perf_counter()
    fitted = ranker.for_columns(features, fold.n_features).fit(learned, eval_set=held_out)
    return Trained(fitted, cut, time.perf_counter() - start)
