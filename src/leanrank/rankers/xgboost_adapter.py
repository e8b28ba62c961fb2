"""XGBoost's XGBRanker as a ranker."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import QUERIES, refuse_weights
from leanrank.engines.fold import fold
from leanrank.errors import DataError, LeanRankError, ParameterError
from leanrank.rankers._base import Scores
from leanrank.rankers._booster import BoosterAdapter
from leanrank.rankers._xgboost_json import check_xgboost
from leanrank.rankers.adapters import densified
from leanrank.stats.label_levels import LabelLevels, Levels

_MOST_EXPONENTIAL_LABEL = 31
# Parameters of XGBoost that its estimator takes and does not name.
_UNNAMED = (
    "disable_default_eval_metric",
    "feature_selector",
    "lambdarank_bias_norm",
    "lambdarank_normalization",
    "lambdarank_num_pair_per_sample",
    "lambdarank_pair_method",
    "lambdarank_score_normalization",
    "lambdarank_unbiased",
    "max_cached_hist_node",
    "ndcg_exp_gain",
    "normalize_type",
    "one_drop",
    "process_type",
    "rate_drop",
    "refresh_leaf",
    "sample_type",
    "seed_per_iteration",
    "skip_drop",
    "top_k",
    "updater",
)


class XGBoostAdapter(BoosterAdapter):
    """`xgboost.XGBRanker` driven by qid.

    - XGBoost reads what a sparse matrix does not store as missing, not as 0: sparse data are made dense (float32), so
      that they score as dense data do.
    - `rank:ndcg` takes whole labels from 0; above 31, where 2^y - 1 is refused, the gain is the label itself.
      `rank:map` takes labels 0 and 1: others are cut at 1 (relevant from 1 on). `rank:pairwise` takes any number.
    - A query counts its weight, in training and on `eval_set`; XGBoost's rankers have no weights of documents.
    - With an `eval_set` the best iteration is kept, and the model is cut there.
    - `early_stopping_rounds`, `eval_metric` and a callback `EarlyStopping` of the estimator mean what they mean in
      XGBoost, unless `early_stopping_rounds` or `eval_metric` are given here.
    - Categories are passed on as such (`enable_categorical`), which needs `tree_method` "hist" or "approx".
    - The importance "gain" is the total gain of a feature's splits; XGBoost's own "gain" is their mean.

    `leanrank.rankers.get("xgboost", n_estimators=200, n_threads=2)` builds one.
    """

    _name = "xgboost"
    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
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
    _renamed: ClassVar[dict[str, str]] = {
        "n_threads": "n_jobs",
        "nthread": "n_jobs",
        "num_boost_round": "n_estimators",
        "eta": "learning_rate",
        "alpha": "reg_alpha",
        "lambda": "reg_lambda",
        "min_split_loss": "gamma",
        "seed": "random_state",
    }
    _column_luck: ClassVar[dict[str, tuple[Any, ...]] | None] = {
        **dict.fromkeys(("colsample_bytree", "colsample_bylevel", "colsample_bynode"), (1,)),
        **dict.fromkeys(("feature_weights", "monotone_constraints", "interaction_constraints"), ()),
        "booster": ("gbtree", "dart"),
    }
    _thread_names: ClassVar[tuple[str, ...]] = ("n_jobs", "nthread")

    @classmethod
    def _library_names(cls) -> dict[str, str]:
        return {name: name for name in (*cls._estimator_class()().get_params(), *_UNNAMED)}

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        xgboost = self._library()
        model = clone(self.estimator)
        params = model.get_params()
        model.set_params(n_jobs=self._n_threads(), **self._watching(params, watched=valid is not None))
        model.set_params(**self._kinds_of_features(data.n_features))
        levels = np.unique(data.y)
        labels = [self._label_values(data)] + ([] if valid is None else [self._label_values(valid, levels)])
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
            y = (labels[1] >= 1.0).astype(np.float64) if _is_binary(model.eval_metric) else labels[1]
            watching = {"eval_set": [(densified(valid.X), y)], "eval_qid": [_query_numbers(valid)]}
            if valid.beside.query_weight is not None:
                watching["sample_weight_eval_set"] = [valid.beside.query_weight]
        watching["sample_weight"] = data.beside.query_weight  # of queries: the only ones that it has in ranking
        try:
            model.fit(densified(data.X), labels[0], qid=_query_numbers(data), verbose=False, **watching)
        except xgboost.core.XGBoostError as error:
            raise LeanRankError(f"XGBoost refused: {str(error).splitlines()[0]}") from error
        booster = model.get_booster()
        if valid is not None and not self._is_linear:  # whose rounds cannot be parted
            booster = booster[: model.best_iteration + 1]
        self._keep(bytes(booster.save_raw("json")).decode("utf-8"))

    @property
    def _is_linear(self) -> bool:
        return bool(self.estimator.get_params().get("booster") == "gblinear")

    def _watching(self, params: dict[str, Any], *, watched: bool) -> dict[str, Any]:
        """When to stop and by which metric, as parameters of the estimator: ours where given, else its own."""
        stopping = self._library().callback.EarlyStopping
        callbacks = params.get("callbacks") or []
        others = [one for one in callbacks if not isinstance(one, stopping)]
        stops = params.get("early_stopping_rounds") is not None or len(others) < len(callbacks)
        if not watched:  # XGBoost would refuse to stop on nothing
            return {"early_stopping_rounds": None, "callbacks": others or None}
        settings: dict[str, Any] = {}
        if self.eval_metric is not None or params.get("eval_metric") is None:
            stem, cutoff = self._cutoff()
            # A trailing "-" scores a query without relevant documents 0 instead of 1, as everywhere else here.
            settings["eval_metric"] = f"{stem}-" if cutoff is None else f"{stem}@{cutoff}-"
        if self.early_stopping_rounds is not None or not stops:
            patience = self._patience(int(params.get("n_estimators") or 100))
            settings |= {"early_stopping_rounds": patience, "callbacks": others or None}
        return settings

    def _fit_on_cluster(self, source: RankingSource, levels: Levels, valid: RankingSource | None) -> None:
        refuse_weights(source, "XGBoost on a cluster")
        from leanrank.engines.dask_training import Relabel, train_xgboost

        params = dict(clone(self.estimator).get_params())
        params.update(self._watching(params, watched=valid is not None))
        objective = str(params.get("objective") or "rank:ndcg")
        relabel = Relabel(levels.labels if self.labels == "rank" else None, binary=objective == "rank:map")
        y = relabel(levels.labels).astype(np.float64)
        if objective == "rank:ndcg":
            self._whole_labels(y, "XGBoost's rank:ndcg", of_rows=False)
            if y.max() > _MOST_EXPONENTIAL_LABEL and params.get("ndcg_exp_gain") is None:
                params["ndcg_exp_gain"] = False
        watched = None
        if valid is not None:
            held_out = relabel(fold(LabelLevels(), valid, self.engine).labels).astype(np.float64)
            if objective == "rank:ndcg":
                self._whole_labels(held_out, "XGBoost's rank:ndcg", of_rows=False)
            watched = (valid, replace(relabel, binary=relabel.binary or _is_binary(params["eval_metric"])))
        self._keep(train_xgboost(self.engine, source, params, relabel, watched))

    def _check_text(self, text: str) -> None:
        check_xgboost(text, self.n_features_in_)

    def _read(self, text: str) -> Any:
        xgboost = self._library()
        booster = xgboost.Booster()
        try:
            booster.load_model(bytearray(text, "utf-8"))
        except (xgboost.core.XGBoostError, ValueError) as error:
            raise DataError(f"XGBoost cannot read the saved model: {str(error).splitlines()[0]}") from error
        booster.set_param({"nthread": self._n_threads()})
        return booster

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        return np.asarray(self.estimator_.predict(self._matrix(X)), dtype=np.float64)

    def _counted(self, kind: str) -> Any:
        if self._is_linear:  # its "weight" are coefficients, not counts
            raise ParameterError("XGBoost counts no splits and gains of gblinear. Use 'permutation' or 'loss'.")
        scores = self.estimator_.get_score(importance_type=kind)
        return [float(scores.get(f"f{j}", 0.0)) for j in range(self.n_features_in_)]

    def _contributions(self, data: RankingData) -> NDArray[Any]:
        parts: NDArray[Any] = self.estimator_.predict(self._matrix(data.X), pred_contribs=True)
        return parts

    def _model_features(self) -> int:
        return int(self.estimator_.num_features())

    def _matrix(self, X: Any) -> Any:
        return self._library().DMatrix(densified(X), **self._kinds_of_features(X.shape[1]))

    def _kinds_of_features(self, n_features: int) -> dict[str, Any]:
        """What XGBoost has to be told where there are categories."""
        categories = self._categories()
        if not categories:
            return {}
        return {
            "enable_categorical": True,
            "feature_types": ["c" if j in categories else "q" for j in range(n_features)],
        }


def _is_binary(metric: Any) -> bool:
    """Whether these metrics of XGBoost take labels of 0 and 1 only."""
    names = metric if isinstance(metric, (list, tuple)) else [metric]
    return all(isinstance(name, str) and name.startswith(("map", "pre")) for name in names)


def _query_numbers(data: RankingData) -> NDArray[np.int64]:
    return np.repeat(np.arange(data.n_queries), data.query_sizes)
