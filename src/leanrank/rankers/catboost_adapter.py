"""CatBoost's CatBoostRanker as a ranker."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.categories import marked
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import free_name
from leanrank.data.weights import QUERIES
from leanrank.errors import DataError, LeanRankError
from leanrank.rankers._base import Scores
from leanrank.rankers._booster import BoosterAdapter, older_sparse
from leanrank.rankers._catboost_json import check_catboost

# Its parameters that say when it stops, and how many iterations there are.
_STOPPING = ("early_stopping_rounds", "od_type", "od_wait", "od_pval")
_ITERATIONS = ("iterations", "n_estimators", "num_boost_round", "num_trees")


class CatBoostAdapter(BoosterAdapter):
    """`catboost.CatBoostRanker` driven by qid.

    - Labels may be any numbers from 0; where the loss or a metric wants them within 0..1 CatBoost says so.
    - Its loss YetiRank draws random permutations: the order of the queries changes the model a little, a fixed
      `random_state` on fixed data does not.
    - Categories are passed on as texts (`cat_features`); a missing one is a text of its own.
    - It writes no folder beside the program, unless the estimator asks for it.
    - Equal labels, or constant features, which it refuses, give a model that scores every document 0, with a warning.
    - A query counts its weight (CatBoost's `group_weight`). Weights of documents are refused: of CatBoost's losses
      those over pairs, YetiRank among them, have none.
    - With an `eval_set` the best iteration is kept, unless the estimator says `use_best_model=False`.
    - `early_stopping_rounds`, `od_type`, `od_wait`, `od_pval` and `eval_metric` of the estimator mean what they mean in
      CatBoost, unless `early_stopping_rounds` or `eval_metric` are given here.
    - The importance "gain" is CatBoost's PredictionValuesChange.

    `leanrank.rankers.get("catboost", n_estimators=200, n_threads=2)` builds one.
    """

    _name = "catboost"
    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    _estimator_name = "CatBoostRanker"
    _kinds: ClassVar[dict[str, str]] = {"gain": "PredictionValuesChange"}
    _defaults: ClassVar[dict[str, Any]] = {
        "loss_function": "YetiRank",
        "iterations": 300,
        "random_seed": 0,
        "verbose": False,
        "allow_writing_files": False,
    }
    _thread_names: ClassVar[tuple[str, ...]] = ("thread_count",)
    _renamed: ClassVar[dict[str, str]] = {
        "n_threads": "thread_count",
        "n_jobs": "thread_count",
        "n_estimators": "iterations",
        "random_state": "random_seed",
        "objective": "loss_function",
    }

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        catboost = self._library()
        self._keep("")  # scores 0
        if (data.y == data.y[0]).all():
            return self._warn_nothing_to_learn("all labels are equal")
        if _all_constant(marked(data).X):
            return self._warn_nothing_to_learn("every feature is constant")
        model = clone(self.estimator)
        params = model.get_params()
        model.set_params(thread_count=self._n_threads(), allow_writing_files=params.get("allow_writing_files", False))
        levels = np.unique(data.y)
        watching: dict[str, Any] = {}
        if valid is not None:
            watching = {
                "eval_set": self._pool(valid, self._label_values(valid, levels)),
                **self._watching(model, params),
            }
        elif params.get("use_best_model"):
            model.set_params(use_best_model=False)  # CatBoost would refuse to choose on nothing
        try:
            model.fit(self._pool(data, self._label_values(data)), verbose=False, **watching)
            self._keep(_as_text(model))
        except catboost.CatBoostError as error:
            raise LeanRankError(f"CatBoost refused: {error}") from error
        return None

    def _watching(self, model: Any, params: dict[str, Any]) -> dict[str, Any]:
        """When to stop and by which metric: ours where given, else the estimator's own."""
        if self.eval_metric is not None or params.get("eval_metric") is None:
            stem, cutoff = self._cutoff()
            name = "NDCG:type=Exp" if stem == "ndcg" else "MAP"
            separator = ";" if ":" in name else ":"
            model.set_params(eval_metric=name if cutoff is None else f"{name}{separator}top={cutoff}")
        arguments = {"use_best_model": params.get("use_best_model", True)}
        if self.early_stopping_rounds is not None or not any(params.get(name) is not None for name in _STOPPING):
            rounds = next((params[name] for name in _ITERATIONS if params.get(name) is not None), 1000)
            arguments["early_stopping_rounds"] = self._patience(int(rounds))
        return arguments

    def _check_text(self, text: str) -> None:
        if text:  # else there was nothing to learn
            check_catboost(text, self.n_features_in_, list(self._categories()))

    def _read(self, text: str) -> Any:
        catboost = self._library()
        model = catboost.CatBoost()
        if not text:  # there was nothing to learn
            return model
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.json")
            path.write_text(text, encoding="utf-8")
            try:
                model.load_model(str(path), format="json")
            except catboost.CatBoostError as error:
                raise DataError(f"CatBoost cannot read the saved model: {error}") from error
        if not model.tree_count_:  # its reader of JSON passes over what it does not understand
            raise DataError("CatBoost cannot read the saved model: it finds no trees in it.")
        return model

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        if not self.model_text_:
            return np.zeros(X.shape[0])
        try:
            scores = self.estimator_.predict(self._table(X), thread_count=self._n_threads())
        except self._library().CatBoostError as error:  # of a saved model whose settings it cannot read
            raise DataError(f"CatBoost cannot predict with this model: {error}") from error
        return np.asarray(scores, dtype=np.float64).reshape(-1)

    def _counted(self, kind: str) -> Any:
        return self.estimator_.get_feature_importance(type=kind)

    def _contributions(self, data: RankingData) -> NDArray[Any]:
        pool = self._pool(data, data.y.astype(np.float64))
        parts: NDArray[Any] = self.estimator_.get_feature_importance(pool, type="ShapValues")
        return parts

    def _own_importances(self, kind: str, data: RankingData | None) -> Scores:
        return super()._own_importances(kind, data) if self.model_text_ else np.zeros(self.n_features_in_)

    def _model_features(self) -> int:
        return len(self.estimator_.feature_names_) if self.model_text_ else self.n_features_in_

    def _pool(self, data: RankingData, y: NDArray[np.float64]) -> Any:
        group = np.repeat(np.arange(data.n_queries), data.query_sizes)
        weight = data.beside.query_weight
        weights = {} if weight is None else {"group_weight": np.repeat(weight, data.query_sizes)}
        kinds = list(self._categories()) or None
        return self._library().Pool(self._table(data.X), y, group_id=group, cat_features=kinds, **weights)

    def _table(self, X: Any) -> Any:
        """The features as CatBoost takes them: where there are categories a frame of numbers and texts."""
        categories = self._categories()
        if not categories:
            return older_sparse(X)
        import pandas as pd  # CatBoost itself needs it

        columns: dict[int, Any] = {}
        for j in range(X.shape[1]):
            texts = categories.get(j)
            if texts is None:
                columns[j] = X[:, j]
            else:  # CatBoost takes no missing category
                codes = np.where(np.isnan(X[:, j]), len(texts), X[:, j]).astype(np.int64)
                columns[j] = pd.Categorical.from_codes(codes, [*texts, free_name("missing", texts)])
        return pd.DataFrame(columns)


def _as_text(model: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        model.save_model(str(path), format="json")
        return path.read_text(encoding="utf-8")


def _all_constant(X: Any) -> bool:
    if sp.issparse(X):
        return bool((X.max(axis=0).toarray() == X.min(axis=0).toarray()).all())
    return bool(((X[:1] == X) | np.isnan(X)).all())
