"""LightGBM and XGBoost trained on a Dask cluster, through their own Dask interfaces."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._lazy import require
from leanrank.data.ranking_data import RankingData, RankingSource, concatenate
from leanrank.data.sources import PartitionedSource
from leanrank.engines.dask_checks import check_workers, explained
from leanrank.engines.dask_engine import DaskEngine
from leanrank.engines.fold import engine_for
from leanrank.engines.fold_task import sendable_blocks
from leanrank.errors import EngineError, ParameterError

dask = require("dask", "Training with engine=")

#: Parts of the training data per worker thread.
_PARTS_PER_THREAD = 2


@dataclass(frozen=True, eq=False)
class Relabel:
    """Labels as the library takes them: ranks among `levels` (as they are if None), or whether they are 1 or more."""

    levels: NDArray[Any] | None = None
    binary: bool = False

    def __call__(self, y: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.levels is not None:
            y = np.clip(np.searchsorted(self.levels, y, side="right") - 1, 0, None).astype(np.float32)
        return (y >= 1).astype(np.float32) if self.binary else y


def train_lightgbm(engine: Any, source: RankingSource, params: dict[str, Any], relabel: Relabel) -> str:
    """The text of a `lightgbm.Booster` trained by `DaskLGBMRanker` with these parameters."""
    lightgbm = require("lightgbm", "LightGBM on Dask")
    engine = _cluster(engine)
    client = engine.client
    with explained(client), client.as_current(), warnings.catch_warnings():
        # it ignores parameters that only one machine has (n_jobs), and says so
        warnings.filterwarnings("ignore", message="Parameter .* will be ignored", category=UserWarning)
        X, y, sizes, _ = _on_workers(engine, source, relabel)
        try:
            model = lightgbm.DaskLGBMRanker(client=client, **params).fit(X, y, group=sizes)
        except lightgbm.basic.LightGBMError as error:
            raise EngineError(f"LightGBM refused on the Dask cluster: {error}") from error
    return str(model.booster_.model_to_string())


def train_xgboost(
    engine: Any,
    source: RankingSource,
    params: dict[str, Any],
    relabel: Relabel,
    watched: tuple[RankingSource, Relabel] | None = None,
) -> str:
    """The JSON of an `xgboost.Booster` trained by `DaskXGBRanker` with these parameters.

    With `watched`, held-out data and what their labels become, the model is cut after its best iteration.
    """
    xgboost = require("xgboost", "XGBoost on Dask")
    on_dask = require("xgboost.dask", "XGBoost on Dask")
    engine = _cluster(engine)
    client = engine.client
    with explained(client), client.as_current():
        X, y, _, qid = _on_workers(engine, source, relabel)
        model = on_dask.DaskXGBRanker(**params, allow_group_split=True)  # parts have whole queries
        model.client = client
        held_out: dict[str, Any] = {}
        if watched is not None:
            X_held, y_held, _, qid_held = _on_workers(engine, *watched)
            held_out = {"eval_set": [(X_held, y_held)], "eval_qid": [qid_held]}
        try:
            model.fit(X, y, qid=qid, **held_out)
        except xgboost.core.XGBoostError as error:
            raise EngineError(f"XGBoost refused on the Dask cluster: {str(error).splitlines()[0]}") from error
    booster = model.get_booster()
    if watched is not None:
        booster = booster[: model.best_iteration + 1]
    return bytes(booster.save_raw("json")).decode("utf-8")


def _cluster(engine: Any) -> DaskEngine:
    engine = engine_for(engine)
    if not isinstance(engine, DaskEngine):
        raise ParameterError.of("as_ranker", "engine", "a DaskEngine: training is distributed by Dask only", engine)
    return engine


def _on_workers(engine: DaskEngine, source: RankingSource, relabel: Relabel) -> Sequence[Any]:
    """Dask arrays of the features, labels, query sizes and query numbers; parts are read where they stay."""
    array = require("dask.array", "Training with engine=")
    client = engine.client
    n = _PARTS_PER_THREAD * sum(check_workers(client).values())
    parts = None
    if engine.read_on == "workers" and isinstance(source, PartitionedSource):
        parts = source.partitions(n)
    if parts is not None:
        loaded = client.map(_load, parts, relabel=relabel, pure=False)
    else:
        rows = max(1, -(-getattr(source, "n_rows", n * engine.block_rows) // n))
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "10GB"}):
            blocks = sendable_blocks(source, rows, progress=False)
            loaded = [client.submit(_load, block, relabel=relabel, pure=False) for block in blocks]
    shapes = client.gather(client.map(_shape, loaded, pure=False))
    full = [(dask.delayed(one), shape) for one, shape in zip(loaded, shapes, strict=True) if shape is not None]
    first = [0, *accumulate(n_queries for _, (_, n_queries) in full)]
    K = len(source.feature_names)

    def joined(pieces: list[Any]) -> Any:
        return array.concatenate(pieces)

    return (
        joined([array.from_delayed(one[0], (n_rows, K), np.float32) for one, (n_rows, _) in full]),
        joined([array.from_delayed(one[1], (n_rows,), np.float32) for one, (n_rows, _) in full]),
        joined([array.from_delayed(one[2], (n_queries,), np.int64) for one, (_, n_queries) in full]),
        joined(
            [
                array.from_delayed(dask.delayed(_numbered)(one[2], start), (n_rows,), np.int64)
                for (one, (n_rows, _)), start in zip(full, first[:-1], strict=True)
            ]
        ),
    )


def _load(part: RankingSource, relabel: Relabel) -> tuple[Any, Any, Any] | None:
    """A part as arrays in the memory of the worker; None if no query begins in it."""
    blocks: list[RankingData] = list(part.blocks())
    if not blocks:
        return None
    data = concatenate(blocks)
    return data.dense().astype(np.float32), relabel(data.y), data.query_sizes


def _shape(loaded: tuple[Any, Any, Any] | None) -> tuple[int, int] | None:
    return None if loaded is None else (len(loaded[1]), len(loaded[2]))


def _numbered(sizes: NDArray[np.int64], first: int) -> NDArray[np.int64]:
    return np.repeat(np.arange(first, first + len(sizes)), sizes)
