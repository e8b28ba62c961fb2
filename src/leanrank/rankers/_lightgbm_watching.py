"""What an LGBMRanker says itself about watching held-out data: its metric, and when it stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leanrank.errors import ParameterError

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
