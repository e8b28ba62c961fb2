"""What every ranker shares: the door, the checks at prediction, scoring, saving."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from leanrank.data.category_means import CategoryMeans, cross_fitted
from leanrank.data.columns import id_column
from leanrank.data.door import as_source, check_features, feature_matrix, in_memory, names_in, unjudged
from leanrank.data.grouping import query_offsets
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights, refuse_weights
from leanrank.errors import DataError, ParameterError, UnknownNameError, require
from leanrank.kernels.products import rows_times
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric
from leanrank.rankers._categories import LearnedCategories
from leanrank.rankers._early_stopping import EarlyStopping, eval_source, has_names
from leanrank.rankers._permutation import permutation_importances

Scores = NDArray[np.float64]


class NothingToLearnWarning(UserWarning):
    """The training data give no reason to prefer one document to another: every document scores 0."""


class Ranker(BaseEstimator):  # type: ignore[misc]
    """Base of all rankers. A subclass declares its parameters and writes `_fit` and `_scores`.

    `_fit(data, valid)` sets learned attributes, listed with their shapes in `_learned`: what is listed is saved,
    and what is not listed is not. A shape is a tuple of numbers and names: "K" is the number of features, any
    other name has to have one value throughout; `()` is a number; `str`, `bool`, `list` and `dict` are
    themselves.
    `_check_learned` refuses what shapes cannot tell (indices out of range) when a saved ranker is loaded.

    These parameters mean the same in all rankers that have them.

    Parameters
    ----------
    eval_metric : str or metric
        Chooses the iteration that is kept, or among several C, on `eval_set`.
    early_stopping_rounds : int, optional
        Stop after so many iterations (epochs, rounds) without a new best on `eval_set`.
    """

    #: The name in the registry and in saved files.
    _name: ClassVar[str] = ""
    _learned: ClassVar[dict[str, Any]] = {}
    #: Those of `_learned` that may be absent.
    _optional: ClassVar[frozenset[str]] = frozenset()
    #: The weights that `_fit` takes: "weight" of documents, "query_weight". Data with others are refused.
    _takes_weights: ClassVar[tuple[str, ...]] = ()

    #: Whether what is learned of features divided by constants can be told of the features as they are.
    takes_constants_in: ClassVar[bool] = False

    #: What was learned of categories, where the training data had any.
    categories_: LearnedCategories | None = None

    # Ask scikit-learn's metadata routing for the query ids, so that pipelines and searches pass them on unasked.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}

    @property
    def takes_missing(self) -> bool:
        """Whether features may have missing values. If not, they have to be filled before `fit` and `predict`."""
        return False

    @property
    def takes_categories(self) -> bool:
        """Whether categories are learned as such. If not, the mean label of each stands for it: see `CategoryMeans`."""
        return False

    @property
    def ignores_copies(self) -> bool:
        """Whether a column with the values of another changes nothing in what is learned.

        It does where weights are punished: two copies share the weight of one, and pay half for it.
        """
        return False

    @property
    def wants_scaling(self) -> bool:
        """Whether features should be scaled to [0, 1] within queries.

        Trees do without, and a pipeline with a transformer prepares its features itself.
        """
        return True

    def take_constants_in(self, scale: Scores) -> None:
        """Make a ranker that was fitted to features divided by `scale` one of the features as they are.

        Only where `takes_constants_in`: every weight is then of one feature.
        """
        for name, shape in self._learned.items():
            if isinstance(shape, tuple) and shape[-1:] == ("K",):
                setattr(self, name, getattr(self, name) / scale)

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, eval_set: Any = None, regroup: bool = False) -> Self:
        """Learn from judged documents.

        Parameters
        ----------
        X : RankingData, array, CSR matrix or frame of shape (n, K)
        y : array of shape (n,)
            Labels, higher is better. Not needed with a RankingData.
        qid : array of shape (n,)
            The query of each row. Not needed with a RankingData.
        eval_set : RankingData or tuple (X, y, qid), optional
            Held-out data on which an iterative learner chooses its best iteration.
        regroup : bool
            Whether to bring the rows of a query together where they are not adjacent, instead of refusing.
        """
        data = self._door(X, y, qid, regroup=regroup)
        self.n_features_in_ = data.n_features
        self._keep_names(X, data.feature_names)
        known = self._learn_categories(data)
        valid = None
        if eval_set is not None:
            missing = self.takes_missing
            valid = self._readied(in_memory(eval_source(eval_set, self, regroup=regroup, missing=missing)))
        for part in (data, valid):
            refuse_weights(part, self._title, self._takes_weights)
        self._fit(known, valid)
        return self

    def _learn_categories(self, data: RankingData) -> RankingData:
        """The training data as the ranker takes them; what it has to know of their categories is kept."""
        self.categories_ = None
        if data.categories:
            means = None if self.takes_categories else CategoryMeans.of(data)
            self.categories_ = LearnedCategories(data.categories, means)
        return data if self.takes_categories else cross_fitted(data)

    def _readied(self, data: RankingData) -> RankingData:
        """Other data as the ranker takes them: complete if it must be, categories by the texts of training."""
        known = (self.categories_ or LearnedCategories({})).readied(data, self._title)
        return known if self.takes_missing else known.require_complete(self._title)

    def _keep_names(self, X: Any, names: tuple[str, ...]) -> None:
        """Remember the names of the features if X had any."""
        if has_names(X):
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def for_columns(self, columns: Sequence[int], n_features: int) -> Self:
        """An unfitted clone to be trained on these of `n_features` columns: settings by feature are cut alike."""
        cut: Self = clone(self)
        return cut

    def predict(self, X: Any, *, qid: Any = None) -> Scores:
        """Score documents, higher is better.

        `qid` matters only to learners that order a whole query at once; without it all rows are one query.
        """
        check_is_fitted(self)
        matrix = self._features(X)
        query_ptr, order = np.array([0, matrix.shape[0]]), None
        if isinstance(X, RankingData):
            query_ptr = X.query_ptr
        elif qid is not None:
            query_ptr, _, order = query_offsets(id_column(qid), n_rows=matrix.shape[0], regroup=True)
        if order is None:
            return self._scores(matrix, query_ptr)
        scores = np.empty(matrix.shape[0])
        scores[order] = self._scores(matrix[order], query_ptr)
        return scores

    def score(
        self, X: Any, y: Any = None, *, qid: Any = None, metric: Any = "ndcg@10", sample_weight: Any = None
    ) -> float:
        """Mean over queries of `metric` for the predicted order, weighted where the data have weights of queries.

        `sample_weight` must be None: metrics have no weights of documents.
        """
        if sample_weight is not None:
            raise ParameterError("score has no weights of documents: leave out sample_weight (they are not supported).")
        self._features(X)
        data = self._readied(self._door(X, y, qid, regroup=True))
        measure = parse_metric(metric) if isinstance(metric, str) else metric
        values = measure.per_query(data.y, self._scores(data.X, data.query_ptr), data.query_ptr)
        return float(mean(values, query_weights(data, "score")))

    def importances(
        self,
        kind: str = "permutation",
        *,
        data: RankingData | None = None,
        metric: Any = "ndcg@10",
        n_repeats: int = 5,
        random_state: Any = 0,
    ) -> Scores:
        """One importance per feature.

        "permutation": mean loss of `metric` on `data` when the feature's values are shuffled within each query, over
        `n_repeats` shuffles. Boosters also know "gain", "split" and "shap" (mean absolute SHAP value over `data`).
        """
        check_is_fitted(self)
        if data is not None:
            self._features(data)
            data = self._readied(data)
        if kind != "permutation":
            return self._own_importances(kind, data)
        if data is None:
            raise ParameterError("Permutation importances are measured on data: pass data=, a RankingData.")
        return permutation_importances(self._scores, data, metric, n_repeats, np.random.default_rng(random_state))

    def _own_importances(self, kind: str, data: RankingData | None) -> Scores:
        raise ParameterError.of(type(self).__name__, "kind", "'permutation'", kind)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the ranker as JSON; arrays of many numbers go to `path` + ".npz" beside it."""
        from leanrank.rankers._saving import save_ranker

        check_is_fitted(self)
        save_ranker(self, path)

    @abstractmethod
    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        """Set the learned attributes."""

    @abstractmethod
    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        """Scores of the rows of X (dense or CSR, checked)."""

    def _params_to_save(self) -> dict[str, Any]:
        params: dict[str, Any] = self.get_params(deep=False)
        return params

    @classmethod
    def _make(cls, **params: Any) -> Self:
        """A new ranker for the registry."""
        known = cls._get_param_names()
        for key in params:
            if key not in known:
                raise UnknownNameError.of(f"parameter of {cls.__name__}", key, known)
        return cls(**params)

    @classmethod
    def _from_saved_params(cls, params: dict[str, Any]) -> Self:
        unknown = set(params) - set(cls._get_param_names())
        if unknown:
            raise DataError(f"{cls.__name__} has no parameter {min(unknown)!r}.")
        return cls(**params)

    def __sklearn_is_fitted__(self) -> bool:
        required = ("n_features_in_", *(name for name in self._learned if name not in self._optional))
        return all(hasattr(self, name) for name in required)

    def _check_learned(self) -> None:
        """Refuse learned attributes of a loaded file that shapes alone do not show to be wrong."""

    @property
    def _title(self) -> str:
        """What messages about the data call this ranker."""
        return type(self).__name__

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(getattr(self, "random_state", None))

    def _watch(self, valid: RankingData | None) -> EarlyStopping | None:
        """Early stopping by the `eval_metric` and `early_stopping_rounds` parameters, if there are held-out data."""
        if valid is None:
            return None
        return EarlyStopping(valid, getattr(self, "eval_metric", "map"), getattr(self, "early_stopping_rounds", None))

    def _must(self, name: str, rule: str, holds: bool) -> None:
        """Refuse the parameter `name` unless `holds`."""
        require(self, name, rule, holds)

    def _warn_nothing_to_learn(self, reason: str = "no query has two documents with different labels") -> None:
        warnings.warn(
            f"{type(self).__name__}: {reason}, so every document scores 0.", NothingToLearnWarning, stacklevel=4
        )

    def _door(self, X: Any, y: Any, qid: Any, *, regroup: bool) -> RankingData:
        data = in_memory(as_source(X, y, qid=qid, regroup=regroup, missing=self.takes_missing, owner=self._title))
        return data if self.takes_missing else data.require_complete(self._title)

    def _features(self, X: Any) -> Any:
        """The matrix of X as the ranker takes it, after checking its columns against those of `fit`."""
        known = names_in(self)
        if self.categories_ is not None and not isinstance(X, RankingData):
            X = unjudged(X, self.categories_.texts, self._title)
        if isinstance(X, RankingData):
            check_features(X.feature_names, X.n_features, known, self._title)
            matrix = self._readied(X).X
        else:
            matrix, _ = feature_matrix(X, known, missing=self.takes_missing, owner=self._title)
        return matrix if sp.issparse(matrix) else np.ascontiguousarray(matrix)


class LinearRanker(Ranker):
    """A ranker whose score is ``X @ coef_``. There is no intercept: it would cancel within a query.

    Attributes
    ----------
    coef_ : array of shape (K,)
    """

    _learned: ClassVar[dict[str, Any]] = {"coef_": ("K",)}
    takes_constants_in = True
    coef_: Scores

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        return rows_times(X, self.coef_)
