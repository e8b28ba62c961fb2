"""LightGBM's LGBMRanker as a ranker."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank._optional import require
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.engines.fold import fold
from leanrank.errors import DataError, LeanRankError
from leanrank.metrics._base import Metric
from leanrank.metrics.ndcg import NDCG
from leanrank.metrics.precision_recall import AP
from leanrank.rankers._base import Scores
from leanrank.rankers._booster import BoosterAdapter, older_sparse
from leanrank.stats.exact_sum import as_float, exact_sum
from leanrank.stats.label_levels import LabelLevels, Levels

# LightGBM refuses longer queries, and labels from this one on unless told their gains.
_LONGEST_QUERY = 10_000
_DEFAULT_LABELS = 31
# Its parameters that hold one value per feature.
_BY_FEATURE = (
    "cegb_penalty_feature_coupled",
    "cegb_penalty_feature_lazy",
    "feature_contri",
    "feature_contrib",
    "feature_penalty",
    "fc",
    "fp",
    "monotone_constraints",
    "mc",
    "monotone_constraint",
)


class LightGBMAdapter(BoosterAdapter):
    """`lightgbm.LGBMRanker` driven by qid.

    - Rows are grouped for it; a query of more than 10,000 documents is refused by name.
    - Labels have to be whole numbers from 0. Above 30, where LightGBM has no gains of its own, the gain is the label
      itself instead of 2^y - 1, unless the estimator sets `label_gain`.
    - Sparse matrices and missing values are taken as they are.
    - With an `eval_set` the best iteration is kept; LightGBM's own NDCG counts a query without relevant documents as 1.

    `leanrank.rankers.get("lightgbm", n_estimators=200, n_threads=2)` builds one; deterministic unless told otherwise.
    """

    _name = "lightgbm"
    _estimator_name = "LGBMRanker"
    _kinds: ClassVar[dict[str, str]] = {"gain": "gain", "split": "split"}
    _defaults: ClassVar[dict[str, Any]] = {
        "n_estimators": 300,
        "learning_rate": 0.05,
        "num_leaves": 31,
        "min_child_samples": 20,
        "deterministic": True,
        "force_row_wise": True,
        "random_state": 0,
        "verbosity": -1,
    }
    _renamed: ClassVar[dict[str, str]] = {"n_threads": "n_jobs"}

    def for_columns(self, columns: Sequence[int], n_features: int) -> Self:
        cut = super().for_columns(columns, n_features)
        settings = cut.estimator.get_params()
        for name in _BY_FEATURE:
            values = settings.get(name)
            if isinstance(values, (list, tuple, np.ndarray)) and len(values) == n_features:
                cut.estimator.set_params(**{name: [values[j] for j in columns]})
        return cut

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        lightgbm = self._library()
        model = clone(self.estimator)
        levels = np.unique(data.y)
        y = self._label_values(data)
        sets = [(data, y)] if valid is None else [(data, y), (valid, self._label_values(valid, levels))]
        for part, labels in sets:
            self._whole_labels(labels, "LightGBM")
            _check_sizes(part)
        highest = int(max(labels.max() for _, labels in sets))
        if highest >= _DEFAULT_LABELS and not model.get_params().get("label_gain"):
            model.set_params(label_gain=list(range(highest + 1)))
        watching: dict[str, Any] = {}
        if valid is not None:
            stem, cutoff = self._cutoff()
            patience = self._patience(int(model.get_params()["n_estimators"]))
            watching = {
                **_held_out(model, older_sparse(valid.X), sets[1][1]),
                "eval_group": [valid.query_sizes],
                "eval_metric": stem,
                "eval_at": [int(valid.query_sizes.max()) if cutoff is None else cutoff],
                "callbacks": [lightgbm.early_stopping(patience, first_metric_only=True, verbose=False)],
            }
        try:
            model.fit(older_sparse(data.X), y, group=data.query_sizes, **watching)
        except lightgbm.basic.LightGBMError as error:
            raise LeanRankError(f"LightGBM refused: {error}") from error
        self._keep(model.booster_.model_to_string())

    def _fit_on_cluster(self, source: RankingSource, levels: Levels, valid: RankingSource | None) -> None:
        from leanrank.engines.dask_training import Relabel, train_lightgbm

        relabel = Relabel(levels.labels if self.labels == "rank" else None)
        y = relabel(levels.labels).astype(np.float64)
        self._whole_labels(y, "LightGBM", of_rows=False)
        _check_longest(levels.longest, levels.query)
        params = dict(clone(self.estimator).get_params())
        if y.max() >= _DEFAULT_LABELS and not params.get("label_gain"):
            params["label_gain"] = list(range(int(y.max()) + 1))
        if valid is not None:  # what cannot be is refused before hours of training
            self._cutoff()
            patience = self._patience(int(params["n_estimators"]))
            held_out = relabel(fold(LabelLevels(), valid, self.engine).labels).astype(np.float64)
            self._whole_labels(held_out, "LightGBM", of_rows=False)
        self._keep(train_lightgbm(self.engine, source, params, relabel))
        if valid is not None:
            values = fold(StagedMetric(self.model_text_, self._watched(y.max()), relabel), valid, self.engine)
            self._keep(self.estimator_.model_to_string(num_iteration=best_length(values, patience)))

    def _watched(self, highest: float) -> Metric:
        """The metric of `eval_metric` as LightGBM means it."""
        stem, cutoff = self._cutoff()
        if stem == "map":
            return AP(k=cutoff, convention="lightgbm")
        return NDCG(k=cutoff, convention="lightgbm", gain="exp2" if highest < _DEFAULT_LABELS else "linear")

    def _read(self, text: str) -> Any:
        lightgbm = self._library()
        try:
            return lightgbm.Booster(model_str=text)
        except lightgbm.basic.LightGBMError as error:
            raise DataError(f"LightGBM cannot read the saved model: {error}") from error

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        return np.asarray(self.estimator_.predict(older_sparse(X), **self._threads()), dtype=np.float64)

    def _counted(self, kind: str) -> Any:
        return self.estimator_.feature_importance(kind)

    def _contributions(self, data: RankingData) -> NDArray[Any]:
        parts: NDArray[Any] = self.estimator_.predict(older_sparse(data.X), pred_contrib=True, **self._threads())
        return parts

    def _model_features(self) -> int:
        return int(self.estimator_.num_feature())

    def _threads(self) -> dict[str, int]:
        n = self.estimator.get_params().get("n_jobs")
        return {} if n is None else {"num_threads": n}


def _check_sizes(data: RankingData) -> None:
    q = int(np.argmax(data.query_sizes))
    _check_longest(int(data.query_sizes[q]), data.query_ids[q])


def _check_longest(n_documents: int, query: Any) -> None:
    if n_documents > _LONGEST_QUERY:
        raise DataError(
            f"LightGBM takes at most {_LONGEST_QUERY:,} documents of a query: query {query} has {n_documents:,}. Split "
            "or sample it first."
        )


def _held_out(model: Any, X: Any, y: NDArray[np.float64]) -> dict[str, Any]:
    """LightGBM 4.7 renamed the argument."""
    if "eval_X" in signature(model.fit).parameters:
        return {"eval_X": (X,), "eval_y": (y,)}
    return {"eval_set": [(X, y)]}


Partial = tuple[NDArray[np.int64], int]


@dataclass(frozen=True, eq=False)
class StagedMetric:
    """Statistic: the mean over queries of `metric` after 1, 2, ... iterations of a LightGBM model.

    LightGBM's Dask interface cannot stop early: every worker would measure its own part of the held-out data alone.
    This measures all of them, once all iterations are there. Cost: a prediction and a sort for each iteration.

    Parameters
    ----------
    model_text : str
    metric : Metric
    relabel : callable of an array
        Labels as the model was trained with.
    """

    model_text: str
    metric: Metric
    relabel: Any

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


def best_length(values: NDArray[np.float64], patience: int) -> int:
    """Iterations to keep: the first best one before `patience` of them pass without a gain.

    >>> best_length(np.array([0.2, 0.5, 0.4, 0.5, 0.9]), 2), best_length(np.array([0.2, 0.5, 0.4, 0.5, 0.9]), 3)
    (2, 5)
    """
    best = 0
    for i, value in enumerate(values):
        if value > values[best]:
            best = i
        elif i - best >= patience:
            break
    return best + 1
