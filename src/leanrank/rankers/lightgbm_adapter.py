"""LightGBM's LGBMRanker as a ranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.class_weight import compute_sample_weight

from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import DOCUMENTS, QUERIES, refuse_weights
from leanrank.engines.fold import fold
from leanrank.errors import DataError, LeanRankError
from leanrank.metrics._base import Metric
from leanrank.metrics.ndcg import NDCG
from leanrank.metrics.precision_recall import AP
from leanrank.rankers._base import Scores
from leanrank.rankers._booster import BoosterAdapter, older_sparse
from leanrank.rankers._lightgbm_binning import binned
from leanrank.rankers._lightgbm_text import check_lightgbm
from leanrank.rankers._lightgbm_watching import OwnWatching, StagedMetric, best_length, without_stopping
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
    - Sparse matrices and missing values are taken as they are; categories are passed on as `categorical_feature`.
    - A document counts its weight times that of its query (LightGBM's `weight` of a row); a pair of documents is
      weighted by LightGBM itself. Positions at which documents were shown go to LightGBM as `position`: it learns how
      they bias labels that are clicks, and leaves that out of its scores.
    - With an `eval_set` the best iteration is kept; LightGBM's own NDCG counts a query without relevant documents as 1.
    - `early_stopping_round`, `early_stopping_min_delta`, `first_metric_only`, `metric` and `eval_at` of the estimator
      mean what they mean in LightGBM, unless `early_stopping_rounds` or `eval_metric` are given here.

    `leanrank.rankers.get("lightgbm", n_estimators=200, n_threads=2)` builds one; deterministic unless told otherwise.
    """

    _name = "lightgbm"
    _takes_weights: ClassVar[tuple[str, ...]] = (DOCUMENTS, QUERIES)
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
    _column_luck: ClassVar[dict[str, tuple[Any, ...]] | None] = {
        **dict.fromkeys(("colsample_bytree", "feature_fraction", "sub_feature"), (1,)),
        **dict.fromkeys(("colsample_bynode", "feature_fraction_bynode", "sub_feature_bynode"), (1,)),
        **dict.fromkeys(("extra_tree", "extra_trees"), (False,)),
        **dict.fromkeys(_BY_FEATURE, ()),
    }
    _thread_names: ClassVar[tuple[str, ...]] = ("n_jobs", "num_threads", "num_thread", "nthread", "nthreads")

    @classmethod
    def _library_names(cls) -> dict[str, str]:
        # LightGBM lets its first name of a parameter win over the others: each goes by the name the estimator sets
        usual = {*super()._library_names(), *cls._get_param_names()}
        names = {name: name for name in usual}
        for group in cls._library().basic._ConfigAliases._get_all_param_aliases().values():
            taken = next((name for name in group if name in usual), None)
            names |= {name: name if taken is None else taken for name in group}
        return names

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
        params = clone(self.estimator).get_params()
        own = OwnWatching.of(params)
        model = type(self.estimator)(**without_stopping(params)).set_params(n_jobs=self._n_threads())
        levels = np.unique(data.y)
        y = self._label_values(data)
        sets = [(data, y)] if valid is None else [(data, y), (valid, self._label_values(valid, levels))]
        for part, labels in sets:
            self._whole_labels(labels, "LightGBM")
            _check_sizes(part)
        highest = int(max(labels.max() for _, labels in sets))
        if highest >= _DEFAULT_LABELS and not params.get("label_gain"):
            model.set_params(label_gain=list(range(highest + 1)))
        metrics, cutoffs, callbacks = self._watching(own, model, valid)
        model._eval_at = cutoffs
        settings = model._process_params(stage="fit")  # what its `fit` does first, which would hold on to the data
        theirs = [settings["metric"]] if isinstance(settings["metric"], str) else settings["metric"] or []
        settings["metric"] = [*(name for name in metrics if name not in theirs), *theirs]
        weight = None if model.class_weight is None else compute_sample_weight(model.class_weight, y)
        try:
            train, *watched = binned(lightgbm.Dataset, sets, settings, weight)
            booster = lightgbm.train(settings, train, model.n_estimators, watched, callbacks=callbacks)
        except lightgbm.basic.LightGBMError as error:
            raise LeanRankError(f"LightGBM refused: {error}") from error
        self._keep(booster.model_to_string())

    def _watching(
        self, own: OwnWatching, model: Any, valid: RankingData | None
    ) -> tuple[list[str], Sequence[int], list[Any]]:
        """What watches the held-out data if there are any: ours where given, else the estimator's own.

        Metrics to be put before those of the estimator, their cutoffs, and LightGBM's callback that stops early.
        """
        metrics: list[str] = []
        cutoffs = own.eval_at
        if valid is None:
            return metrics, cutoffs, []
        ours = self.eval_metric is not None or own.metric is None
        if ours:
            stem, cutoff = self._cutoff()
            metrics, cutoffs = [stem], (int(valid.query_sizes.max()) if cutoff is None else cutoff,)
        stops = self.early_stopping_rounds is None and own.rounds is not None
        first_only = own.first_metric_only
        if ours or (first_only is None and not stops):  # LightGBM would also watch the objective's own metric
            first_only = True
        patience = self._patience(int(model.get_params()["n_estimators"]), own.rounds)
        stopping = self._library().early_stopping(
            patience, first_metric_only=bool(first_only), verbose=False, min_delta=own.min_delta
        )
        return metrics, cutoffs, [stopping]

    def _fit_on_cluster(self, source: RankingSource, levels: Levels, valid: RankingSource | None) -> None:
        refuse_weights(source, "LightGBM on a cluster")
        from leanrank.engines.dask_training import Relabel, train_lightgbm

        relabel = Relabel(levels.labels if self.labels == "rank" else None)
        y = relabel(levels.labels).astype(np.float64)
        self._whole_labels(y, "LightGBM", of_rows=False)
        _check_longest(levels.longest, levels.query)
        given = clone(self.estimator).get_params()
        own, params = OwnWatching.of(given), without_stopping(given)
        if y.max() >= _DEFAULT_LABELS and not params.get("label_gain"):
            params["label_gain"] = list(range(int(y.max()) + 1))
        if valid is not None:  # what cannot be is refused before hours of training
            watched = self._watched(own, y.max())
            patience = self._patience(int(params["n_estimators"]), own.rounds)
            held_out = relabel(fold(LabelLevels(), valid, self.engine).labels).astype(np.float64)
            self._whole_labels(held_out, "LightGBM", of_rows=False)
        self._keep(train_lightgbm(self.engine, source, params, relabel))
        if valid is not None:
            values = fold(StagedMetric(self.model_text_, watched, relabel), valid, self.engine)
            kept = best_length(values, patience, float(np.ravel(own.min_delta)[0]))
            self._keep(self.estimator_.model_to_string(num_iteration=kept))

    def _watched(self, own: OwnWatching, highest: float) -> Metric:
        """The metric of `eval_metric`, or the first of the estimator's, as LightGBM means it."""
        stem, cutoff = self._cutoff() if self.eval_metric is not None or own.metric is None else own.first()
        if stem == "map":
            return AP(k=cutoff, convention="lightgbm")
        return NDCG(k=cutoff, convention="lightgbm", gain="exp2" if highest < _DEFAULT_LABELS else "linear")

    def _check_text(self, text: str) -> None:
        check_lightgbm(text, self.n_features_in_)

    def _read(self, text: str) -> Any:
        lightgbm = self._library()
        try:
            return lightgbm.Booster(model_str=text)
        except (lightgbm.basic.LightGBMError, ValueError) as error:
            raise DataError(f"LightGBM cannot read the saved model: {error}") from error

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        return np.asarray(self.estimator_.predict(older_sparse(X), num_threads=self._n_threads()), dtype=np.float64)

    def _counted(self, kind: str) -> Any:
        return self.estimator_.feature_importance(kind)

    def _contributions(self, data: RankingData) -> NDArray[Any]:
        parts: NDArray[Any] = self.estimator_.predict(
            older_sparse(data.X), pred_contrib=True, num_threads=self._n_threads()
        )
        return parts

    def _model_features(self) -> int:
        return int(self.estimator_.num_feature())


def _check_sizes(data: RankingData) -> None:
    q = int(np.argmax(data.query_sizes))
    _check_longest(int(data.query_sizes[q]), data.query_ids[q])


def _check_longest(n_documents: int, query: Any) -> None:
    if n_documents > _LONGEST_QUERY:
        raise DataError(
            f"LightGBM takes at most {_LONGEST_QUERY:,} documents of a query: query {query} has {n_documents:,}. Split "
            "or sample it first."
        )
