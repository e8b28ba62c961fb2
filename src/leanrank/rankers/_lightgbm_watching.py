"""Watching held-out data with LightGBM: what its estimator says of that, and what each iteration is worth."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._lazy import require
from leanrank.data.ranking_data import RankingData
from leanrank.errors import ParameterError
from leanrank.metrics._base import Metric
from leanrank.stats.exact_sum import as_float, exact_sum

_ROUNDS = ("early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change")
_METRIC = ("metric", "metrics", "metric_types")
_EVAL_AT = ("eval_at", "ndcg_eval_at", "ndcg_at", "map_eval_at", "map_at")
_MIN_DELTA = "early_stopping_min_delta"
# LightGBM's cutoffs where it is given none.
_CUTOFFS = (1, 2, 3, 4, 5)
_NDCG = ("ndcg", "lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart")
_MAP = ("map", "mean_average_precision")


@dataclass(frozen=True)
class OwnWatching:
    """The settings of a LightGBM estimator that concern held-out data, by any of the names LightGBM has for them.

    Examples
    --------
    >>> own = OwnWatching.of({"early_stopping_round": 20, "metric": "map", "eval_at": 5})
    >>> own.rounds, own.first()
    (20, ('map', 5))
    >>> OwnWatching.of({"num_leaves": 31}).metric is None
    True
    """

    rounds: int | None  # iterations without a gain before it stops; None if it does not stop early
    min_delta: float | list[float]  # the least that counts as a gain
    first_metric_only: bool | None  # whether the first metric alone decides; None if it does not say
    metric: tuple[str, ...] | None  # its metrics; None if it names neither these nor their cutoffs
    eval_at: tuple[int, ...]  # cutoffs of NDCG and MAP

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> OwnWatching:
        """Those of an estimator's parameters."""
        rounds, metric, eval_at = (_first(params, names) for names in (_ROUNDS, _METRIC, _EVAL_AT))
        named = metric is not None or eval_at is not None
        return cls(
            rounds=int(rounds) if rounds is not None and rounds > 0 else None,
            min_delta=params.get(_MIN_DELTA) or 0.0,
            first_metric_only=params.get("first_metric_only"),
            metric=tuple(map(str, _listed("ndcg" if metric is None else metric))) if named else None,
            eval_at=_CUTOFFS if eval_at is None else tuple(map(int, _listed(eval_at))),
        )

    def first(self) -> tuple[str, int]:
        """The first of its metrics at the first cutoff, as ("ndcg" or "map", cutoff)."""
        name = (self.metric or ("ndcg",))[0].lower()
        if name not in _NDCG + _MAP:
            raise ParameterError.of("LGBMRanker", "metric", "'ndcg' or 'map' to be measured on a cluster", name)
        return "map" if name in _MAP else "ndcg", self.eval_at[0]


def without_stopping(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters less those that `fit` is given otherwise: when to stop, and the cutoffs of metrics."""
    return {name: value for name, value in params.items() if name not in (*_ROUNDS, *_EVAL_AT, _MIN_DELTA)}


def _first(params: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((params[name] for name in names if params.get(name) is not None), None)


def _listed(value: Any) -> list[Any]:
    """Several values, which LightGBM takes as a list or as a text with commas, or one."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return list(value) if hasattr(value, "__iter__") else [value]


Partial = tuple[NDArray[np.int64], int]


@dataclass(frozen=True, eq=False)
class StagedMetric:
    """Statistic: the mean over queries of `metric` after 1, 2, ... iterations of a LightGBM model.

    LightGBM's Dask interface cannot stop early: every worker would measure its own part of the held-out data alone.
    This measures all of them, once all iterations are there. Cost: a prediction and a sort for each iteration.
    """

    model_text: str
    metric: Metric
    relabel: Any  # labels as the model was trained with

    def of(self, block: RankingData) -> Partial:
        booster = _booster(self.model_text)
        X, y = block.dense(), np.asarray(self.relabel(block.y), dtype=np.float32)
        scores, values = np.zeros(block.n_rows), np.empty((block.n_queries, booster.num_trees()))
        for i in range(values.shape[1]):
            scores += booster.predict(X, start_iteration=i, num_iteration=1, raw_score=True, num_threads=1)
            values[:, i] = self.metric.per_query(y, scores, block.query_ptr)
        counted = ~np.isnan(values).any(axis=1)
        return exact_sum(values[counted]), int(counted.sum())

    def merge(self, a: Partial, b: Partial) -> Partial:
        return a[0] + b[0], a[1] + b[1]

    def finish(self, partial: Partial) -> NDArray[np.float64]:
        return np.round(as_float(partial[0]) / max(partial[1], 1), 12)  # type: ignore[no-any-return]


class _Last(threading.local):
    """The model this thread read last: a booster keeps its range of iterations to itself, so threads share none."""

    text = ""
    booster: Any = None


_last = _Last()


def _booster(text: str) -> Any:
    if _last.text != text:
        _last.booster = require("lightgbm", "LightGBMAdapter").Booster(model_str=text)
        _last.text = text
    return _last.booster


def best_length(values: NDArray[np.float64], patience: int, min_delta: float = 0.0) -> int:
    """Iterations to keep: the first best one before `patience` of them pass without a gain of more than `min_delta`.

    >>> best_length(np.array([0.2, 0.5, 0.4, 0.5, 0.9]), 2), best_length(np.array([0.2, 0.5, 0.4, 0.5, 0.9]), 3)
    (2, 5)
    """
    best = 0
    for i, value in enumerate(values):
        if value > values[best] + min_delta:
            best = i
        elif i - best >= patience:
            break
    return best + 1
