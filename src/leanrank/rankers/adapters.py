"""Other libraries' models as rankers: one interface, each library's quirks handled in its own file."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

from leanrank._declared import declared
from leanrank.data.door import as_source
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.engines.fold import fold
from leanrank.errors import DataError, LeanRankError, ParameterError
from leanrank.rankers import _feature_needs
from leanrank.rankers._base import Ranker, Scores
from leanrank.rankers._early_stopping import eval_source
from leanrank.stats.label_levels import LabelLevels, Levels

# Entries a sparse matrix may grow to for a library that has to have it dense (8 GB at float32).
_MOST_ENTRIES = 2_000_000_000


@declared
class Adapter(Ranker):
    """Base of the adapters: holds the other library's unfitted `estimator`, fits a clone of it.

    Parameters
    ----------
    estimator : estimator of the library
    early_stopping_rounds : int, optional
        Stop after so many iterations without a gain on `eval_set`. If not given, as the estimator says; where it says
        nothing all iterations are trained. With an `eval_set` the best iteration is kept in any case, without one
        there is nothing to stop on.
    eval_metric : str, optional
        "ndcg@k" or "map@k" (or without a cutoff): the library's own metric of that name watches `eval_set`. If not
        given, the metric of the estimator; "ndcg@10" where it names none.
    labels : {"keep", "rank"}
        "rank" replaces the labels by the rank of each among the distinct labels (0, 1, 2, ...), for labels a library
        cannot take: fractions, negative numbers.
    engine : DaskEngine, optional
        LightGBM and XGBoost: train on a Dask cluster, through the library's own Dask interface. Workers read their
        parts of a Parquet or LETOR source themselves and hold them, dense, in memory; `eval_set` may be a source too.
        XGBoost stops early there as here; LightGBM trains all its iterations, and the best number of them is kept.
    """

    estimator: Any = field(default=None, kw_only=False)
    early_stopping_rounds: int | None = None
    eval_metric: str | None = None
    labels: str = "keep"
    engine: Any = None

    #: The library's estimator, and what the registry gives it: sensible, silent, deterministic.
    _defaults: ClassVar[dict[str, Any]] = {}
    #: Our name of a parameter -> the library's.
    _renamed: ClassVar[dict[str, str]] = {}

    @property
    def wants_scaling(self) -> bool:
        return _feature_needs.wants_scaling(self.estimator)

    @classmethod
    def _estimator_class(cls) -> type:
        raise NotImplementedError

    @classmethod
    def _make(cls, **params: Any) -> Self:
        own = {key: params.pop(key) for key in cls._get_param_names() if key in params}
        if "estimator" not in own:
            given = {cls._renamed.get(key, key): value for key, value in params.items()}
            own["estimator"] = cls._estimator_class()(**{**cls._defaults, **given})
        elif params:
            raise ParameterError(f"Set {', '.join(params)} on the estimator itself, not beside it.")
        return cls(**own)

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, eval_set: Any = None, regroup: bool = False) -> Self:
        if self.engine is None:
            return super().fit(X, y, qid=qid, eval_set=eval_set, regroup=regroup)
        self._must("labels", "'keep' or 'rank'", self.labels in ("keep", "rank"))
        source = as_source(X, y, qid=qid, regroup=regroup, missing=True)
        if isinstance(source, RankingData) and source.categories:
            raise DataError(
                f"{type(self).__name__} on a cluster cannot take categories: leave out engine=, or the category "
                f"{next(iter(source.categories))!r}."
            )
        self.n_features_in_, self.categories_ = len(source.feature_names), None
        self._keep_names(X, source.feature_names)
        valid = None if eval_set is None else eval_source(eval_set, self, regroup=regroup, missing=True)
        self._fit_on_cluster(source, fold(LabelLevels(), source, self.engine), valid)
        return self

    fit.__doc__ = Ranker.fit.__doc__

    def _fit_on_cluster(self, source: RankingSource, levels: Levels, valid: RankingSource | None) -> None:
        """Train through the library's Dask interface."""
        raise ParameterError(f"{type(self).__name__} cannot train on a cluster: leave out engine=.")

    def _params_to_save(self) -> dict[str, Any]:
        params = {**super()._params_to_save(), "engine": None}
        given = {key: value for key, value in self.estimator.get_params().items() if _is_plain(value)}
        return {**params, "estimator": given}

    @classmethod
    def _from_saved_params(cls, params: dict[str, Any]) -> Self:
        given = dict(params)
        estimator = given.pop("estimator")
        if not isinstance(estimator, dict):
            raise DataError("the parameters of the estimator are not a table of names and values.")
        return cls(cls._estimator_class()(**estimator), **given)

    def _label_values(self, data: RankingData, levels: NDArray[Any] | None = None) -> NDArray[np.float64]:
        """Labels as the library gets them; `levels` are the distinct training labels where ranks are asked for."""
        self._must("labels", "'keep' or 'rank'", self.labels in ("keep", "rank"))
        if self.labels == "keep":
            return data.y.astype(np.float64)
        known = np.unique(data.y) if levels is None else levels
        return np.clip(np.searchsorted(known, data.y, side="right") - 1, 0, None).astype(np.float64)


class RegressorAdapter(Adapter):
    """Any scikit-learn regressor as a pointwise ranker: it learns the labels, queries play no part.

    Sparse data are made dense, and missing values refused, where the regressor does not take them. Whether it wants
    scaled features depends on what it is made of: trees do not, all else does; a Pipeline with a transformer prepares
    its features itself.
    It cannot be saved: most regressors are kept as pickles only, which leanrank neither writes nor loads.

    Attributes
    ----------
    estimator_ : estimator
        The fitted regressor.
    feature_importances_ : array of shape (K,)
        The regressor's, where it has any.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> as_ranker(LinearRegression()).fit([[0.0], [1.0], [2.0]], [0, 1, 2], qid=[1, 1, 1]).predict([[3.0]]).round(6)
    array([3.])
    """

    _learned: ClassVar[dict[str, Any]] = {"estimator_": dict}

    @property
    def takes_missing(self) -> bool:
        return _feature_needs.takes_missing(self.estimator)

    @property
    def _title(self) -> str:
        return type(self.estimator).__name__

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self.estimator_ = clone(self.estimator).fit(self._readable(data.X), self._label_values(data))

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        return np.asarray(self.estimator_.predict(self._readable(X)), dtype=np.float64).reshape(-1)

    def _readable(self, X: Any) -> Any:
        return X if get_tags(self.estimator).input_tags.sparse else densified(X)

    @property
    def feature_importances_(self) -> Scores:
        """Those of the regressor, where it has any."""
        return np.asarray(self.estimator_.feature_importances_, dtype=np.float64)

    def _own_importances(self, kind: str, data: RankingData | None) -> Scores:
        if kind == "gain" and hasattr(self, "feature_importances_"):
            return self.feature_importances_
        return super()._own_importances(kind, data)

    def _params_to_save(self) -> dict[str, Any]:
        raise LeanRankError(
            f"{type(self.estimator).__name__} cannot be saved without a pickle. Keep it by its own means, or use one "
            "of the rankers of leanrank.rankers.names()."
        )


def as_ranker(estimator: Any, **options: Any) -> Ranker:
    """Make a ranker of a model: `LGBMRanker`, `XGBRanker`, `CatBoostRanker`, or any scikit-learn regressor.

    Parameters
    ----------
    estimator : estimator, Ranker or str
        A Ranker is returned as it is; a name is looked up as `leanrank.rankers.get` does.
    **options
        `early_stopping_rounds`, `eval_metric`, `labels`, `engine`: see `leanrank.rankers.adapters.Adapter`.

    References
    ----------
    C. Burges. From RankNet to LambdaRank to LambdaMART: an overview. Microsoft Research MSR-TR-2010-82, 2010.
    G. Ke, Q. Meng, T. Finley, T. Wang, W. Chen, W. Ma, Q. Ye, T.-Y. Liu. LightGBM. NIPS 2017.
    T. Chen, C. Guestrin. XGBoost: a scalable tree boosting system. KDD 2016.
    L. Prokhorenkova, G. Gusev, A. Vorobev, A. V. Dorogush, A. Gulin. CatBoost. NeurIPS 2018.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> as_ranker(DecisionTreeRegressor(max_depth=2))
    RegressorAdapter(estimator=DecisionTreeRegressor(max_depth=2))
    """
    from leanrank.rankers.registry import get

    if isinstance(estimator, str):
        return get(estimator, **options)
    if isinstance(estimator, Ranker):
        if options:
            raise ParameterError(f"{type(estimator).__name__} is a ranker already: set {', '.join(options)} on it.")
        return estimator
    if isinstance(estimator, type):
        raise ParameterError(f"as_ranker takes an estimator, not a class: write {estimator.__name__}().")
    if not (hasattr(estimator, "fit") and (hasattr(estimator, "predict") or is_regressor(estimator))):
        raise ParameterError(f"as_ranker takes an estimator with fit and predict. Got {type(estimator).__name__}.")
    library = {"LGBMRanker": "lightgbm", "XGBRanker": "xgboost", "CatBoostRanker": "catboost"}
    for base in type(estimator).__mro__:
        if base.__name__ in library:
            return get(library[base.__name__], estimator=estimator, **options)
    if is_classifier(estimator):
        raise ParameterError(
            f"{type(estimator).__name__} is a classifier, whose classes have no order: as_ranker takes regressors."
        )
    return RegressorAdapter._make(estimator=estimator, **options)


def densified(X: Any) -> Any:
    """X as a dense array, for a library that would read the zeros of a sparse one as missing."""
    if not sp.issparse(X):
        return X
    if math.prod(X.shape) > _MOST_ENTRIES:
        raise DataError(f"A sparse matrix of {X.shape[0]:,} x {X.shape[1]:,} is too large to be made dense.")
    return X.toarray()


def _is_plain(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in value)
    return isinstance(value, (str, int, bool, type(None)))
