"""SetQuality: how well a ranker trained on a set of features ranks; every set is trained once."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.errors import ParameterError
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric
from leanrank.selectors._ranker_selector import Bench

_FOLDS = 5


class SetQuality:
    """Mean over queries of a metric for the ranker trained on a set of features.

    Parameters
    ----------
    bench : Bench
    metric : str or metric
    validation : None, "train", int or splitter
        Which queries are judged. "train": those learned from. A number of folds, or a splitter over queries: each query
        by a ranker that has not seen it. None: the held-out data if there are any, `_FOLDS` folds otherwise.

    Attributes
    ----------
    known : dict from frozenset to float
        The sets trained so far.
    """

    def __init__(self, bench: Bench, metric: Any, validation: Any) -> None:
        self.bench = bench
        self.known: dict[frozenset[int], float] = {}
        self._measure = parse_metric(metric) if isinstance(metric, str) else metric
        self._parts = _parts(bench, validation)

    def __call__(self, features: frozenset[int]) -> float:
        if features not in self.known:
            values = [self._judged(features, *part) for part in self._parts]
            quality = float(mean(np.concatenate(values)))
            self.known[features] = 0.0 if np.isnan(quality) else round(quality, 12)
        return self.known[features]

    def _judged(
        self, features: frozenset[int], train: RankingData, judged: RankingData, stopping: RankingData | None
    ) -> Any:
        if not features:
            return self._measure.per_query(judged.y, np.zeros(judged.n_rows), judged.query_ptr)
        ranker, columns = self.bench.train(features, train, stopping)
        return self._measure.per_query(judged.y, ranker.predict(judged.subset(columns)), judged.query_ptr)


def _parts(bench: Bench, validation: Any) -> list[tuple[RankingData, RankingData, RankingData | None]]:
    """Learn from, judge on, stop early by."""
    data, valid = bench.data, bench.valid
    if validation is None and valid is not None:
        return [(data, valid, valid)]
    if isinstance(validation, str) or data.n_queries == 1:  # "train", or nothing to hold out
        return [(data, data, valid)]
    splitter = _FOLDS if validation is None else validation
    if isinstance(splitter, (int, np.integer)):
        splitter = QueryKFold(min(int(splitter), data.n_queries))
    splits = splitter.split_queries(data) if hasattr(splitter, "split_queries") else _over_queries(splitter, data)
    return [(data.take_queries(train), data.take_queries(test), valid) for train, test in splits]


def _over_queries(splitter: Any, data: RankingData) -> Any:
    """Splits of query numbers by a scikit-learn splitter such as ShuffleSplit."""
    if not hasattr(splitter, "split"):
        rule = "None, 'train', a number of folds >= 2, or a splitter over queries"
        raise ParameterError.of("GreedyWrapper", "validation", rule, splitter)
    return splitter.split(np.arange(data.n_queries))
