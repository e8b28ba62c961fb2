"""XGBoost's XGBRanker as a ranker."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.engines.fold import fold
from leanrank.errors import DataError, LeanRankError
from leanrank.rankers._base import Scores
from leanrank.rankers._booster import BoosterAdapter
from leanrank.rankers.adapters import densified
from leanrank.stats.label_levels import LabelLevels, Levels

_MOST_EXPONENTIAL_LABEL = 31


class XGBoostAdapter(BoosterAdapter):
    """`xgboost.XGBRanker` driven by qid.

    - XGBoost reads what a sparse matrix does not store as missing, not as 0: sparse data are made dense (float32), so
      that they score as dense data do.
    - `rank:ndcg` takes whole labels from 0; above 31, where 2^y - 1 is refused, the gain is the label itself.
      `rank:map` takes labels 0 and 1: others are cut at 1 (relevant from 1 on). `rank:pairwise` takes any number.
    - With an `eval_set` the best iteration is kept, and the model is cut there.
    - The importance "gain" is the total gain of a feature's splits; XGBoost's own "gain" is their mean.

    `leanrank.rankers.get("xgboost", n_estimators=200, n_threads=2)` builds one.
    """

    _name = "xgboost"
    _estimator_name = "XGBRanker"
    _kinds: ClassVar[dict[str, str]] = {"gain": "total_gain", "split": "weight"}
    _defaults: ClassVar[dict[str, Any]] = {
        "objective": "rank:ndcg",
        "n_estimators": 300,
        "learning_rate": 0.05,
        "max_depth": 6,
        "tree_method": "hist",
        "random_state": 0,
        "verbosity": 0,
    }
    _renamed: ClassVar[dict[str, str]] = {"n_threads": "n_jobs"}

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        xgboost = self._library()
        model = clone(self.estimator)
        params = model.get_params()
        levels = np.unique(data.y)
        labels = [self._label_values(data)] + ([] if valid is None else [self._label_values(valid, levels)])
        stem, _ = self._cutoff()
        objective = str(params.get("objective") or "rank:ndcg")
        if objective == "rank:map":
            labels = [(y >= 1.0).astype(np.float64) for y in labels]
        if objective == "rank:ndcg":
            for y in labels:
                self._whole_labels(y, "XGBoost's rank:ndcg")
            if max(y.max() for y in labels) > _MOST_EXPONENTIAL_LABEL and params.get("ndcg_exp_gain") is None:
                model.set_params(ndcg_exp_gain=False)
        watching: dict[str, Any] = {}
        if valid is not None:
            model.set_params(**self._watching(params))
            graded = labels[1] if stem == "ndcg" else (labels[1] >= 1.0).astype(np.float64)
            watching = {"eval_set": [(densified(valid.X), graded)], "eval_qid": [_query_numbers(valid)]}
        try:
            model.fit(densified(data.X), labels[0], qid=_query_numbers(data), verbose=False, **watching)
        except xgboost.core.XGBoostError as error:
            raise LeanRankError(f"XGBoost refused: {str(error).splitlines()[0]}") from error
        booster = model.get_booster()
        if valid is not None:
            booster = booster[: model.best_iteration + 1]
        self._keep(bytes(booster.save_raw("json")).decode("utf-8"))

    def _watching(self, params: dict[str, Any]) -> dict[str, Any]:
        """When to stop, and by which metric."""
        stem, cutoff = self._cutoff()
        # A trailing "-" scores a query without relevant documents 0 instead of 1, as everywhere else here.
        name = f"{stem}-" if cutoff is None else f"{stem}@{cutoff}-"
        return {"early_stopping_rounds": self._patience(int(params.get("n_estimators") or 100)), "eval_metric": name}

    def _fit_on_cluster(self, source: RankingSource, levels: Levels, valid: RankingSource | None) -> None:
        from leanrank.engines.dask_training import Relabel, train_xgboost

        params = dict(clone(self.estimator).get_params())
        objective = str(params.get("objective") or "rank:ndcg")
        relabel = Relabel(levels.labels if self.labels == "rank" else None, binary=objective == "rank:map")
        y = relabel(levels.labels).astype(np.float64)
        if objective == "rank:ndcg":
            self._whole_labels(y, "XGBoost's rank:ndcg", of_rows=False)
            if y.max() > _MOST_EXPONENTIAL_LABEL and params.get("ndcg_exp_gain") is None:
                params["ndcg_exp_gain"] = False
        watched = None
        if valid is not None:
            params.update(self._watching(params))
            held_out = relabel(fold(LabelLevels(), valid, self.engine).labels).astype(np.float64)
            if objective == "rank:ndcg":
                self._whole_labels(held_out, "XGBoost's rank:ndcg", of_rows=False)
            watched = (valid, replace(relabel, binary=relabel.binary or self._cutoff()[0] == "map"))
        self._keep(train_xgboost(self.engine, source, params, relabel, watched))

    def _read(self, text: str) -> Any:
        xgboost = self._library()
        booster = xgboost.Booster()
        try:
            booster.load_model(bytearray(text, "utf-8"))
        except (xgboost.core.XGBoostError, ValueError) as error:
            raise DataError(f"XGBoost cannot read the saved model: {str(error).splitlines()[0]}") from error
        n_jobs = self.estimator.get_params().get("n_jobs")
        if n_jobs is not None:
            booster.set_param({"nthread": n_jobs})
        return booster

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        return np.asarray(self.estimator_.predict(self._matrix(X)), dtype=np.float64)

    def _counted(self, kind: str) -> Any:
        scores = self.estimator_.get_score(importance_type=kind)
        return [float(scores.get(f"f{j}", 0.0)) for j in range(self.n_features_in_)]

    def _contributions(self, data: RankingData) -> NDArray[Any]:
        parts: NDArray[Any] = self.estimator_.predict(self._matrix(data.X), pred_contribs=True)
        return parts

    def _model_features(self) -> int:
        return int(self.estimator_.num_features())

    def _matrix(self, X: Any) -> Any:
        return self._library().DMatrix(densified(X))


def _query_numbers(data: RankingData) -> NDArray[np.int64]:
    return np.repeat(np.arange(data.n_queries), data.query_sizes)
