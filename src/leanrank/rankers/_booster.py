"""BoosterAdapter: what the adapters of LightGBM, XGBoost and CatBoost share."""

from __future__ import annotations

from abc import abstractmethod
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank._lazy import require
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import row_weights
from leanrank.errors import DataError, ParameterError, UnknownNameError, is_whole
from leanrank.kernels._threads import default_threads
from leanrank.rankers._base import Scores
from leanrank.rankers.adapters import Adapter


class BoosterAdapter(Adapter):
    """A library's booster of trees, kept as the text that the library writes of it.

    Attributes
    ----------
    estimator_ : object
        The fitted model of the library: `lightgbm.Booster`, `xgboost.Booster` or `catboost.CatBoost`.
    feature_importances_ : array of shape (K,)
        ``importances("gain")``.
    model_text_ : str
        The model as the library writes it.
    """

    _learned: ClassVar[dict[str, Any]] = {"model_text_": str}
    #: The name of the library's ranker.
    _estimator_name: ClassVar[str]
    #: Our kinds of importance -> the library's.
    _kinds: ClassVar[dict[str, str]]
    #: Names under which the library takes its number of threads, the usual one first.
    _thread_names: ClassVar[tuple[str, ...]]
    #: Parameters of the library that draw columns, or weigh them one by one, and their values that do not; None where
    #: it always draws.
    _column_luck: ClassVar[dict[str, tuple[Any, ...]] | None] = None

    @classmethod
    def _library(cls) -> Any:
        return require(cls._name, f"The ranker {cls._name!r}")

    @classmethod
    def _estimator_class(cls) -> type:
        estimator_class: type = getattr(cls._library(), cls._estimator_name)
        return estimator_class

    @classmethod
    def _library_names(cls) -> dict[str, str]:
        """Every name that a parameter of the library has -> the one it is passed by."""
        parameters = signature(cls._estimator_class()).parameters.values()
        return {one.name: one.name for one in parameters if one.kind is not one.VAR_KEYWORD}

    @classmethod
    def _make(cls, **params: Any) -> Self:
        if "estimator" in params:
            return super()._make(**params)
        known = cls._library_names() | cls._renamed | {name: name for name in cls._get_param_names()}
        for name in params:
            if name not in known:
                raise UnknownNameError.of(f"parameter of {cls._estimator_name}", name, known, parameter=name)
        return super()._make(**{known[name]: value for name, value in params.items()})

    @abstractmethod
    def _check_text(self, text: str) -> None:
        """Refuse a text from a file that is no model over these features: what libraries are given must be whole."""

    @abstractmethod
    def _read(self, text: str) -> Any:
        """The model of this text; a text that the library cannot read is a DataError."""

    @abstractmethod
    def _model_features(self) -> int:
        """Number of features of the fitted model."""

    @abstractmethod
    def _counted(self, kind: str) -> Any:
        """Importances of a kind of the library, one per feature."""

    @abstractmethod
    def _contributions(self, data: RankingData) -> NDArray[Any]:
        """SHAP values of shape (n, K + 1); the last column is the base value."""

    @property
    def takes_missing(self) -> bool:
        return True

    @property
    def takes_categories(self) -> bool:
        return True

    @property
    def ignores_copies(self) -> bool:
        """A split on a copy has the gain of one on the first of the two, which is taken, unless columns are drawn."""
        if self._column_luck is None or self.wants_scaling:
            return False
        given = self.estimator.get_params()
        return all(given.get(name) is None or given[name] in idle for name, idle in self._column_luck.items())

    def _categories(self) -> dict[int, tuple[str, ...]]:
        """The texts of the training data's categories, by column."""
        if self.categories_ is None:
            return {}
        place = {name: j for j, name in enumerate(self.feature_names_in_)}
        return {place[name]: texts for name, texts in self.categories_.texts.items()}

    @property
    def estimator_(self) -> Any:
        """The fitted model of the library."""
        if getattr(self, "_booster", None) is None:
            self._booster = self._read(self.model_text_)
        return self._booster

    @property
    def feature_importances_(self) -> Scores:
        """Total gain of the splits on each feature; CatBoost's PredictionValuesChange."""
        return self.importances("gain")

    def _keep(self, text: str) -> None:
        self.model_text_, self._booster = text, None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_booster": None}

    def _own_importances(self, kind: str, data: RankingData | None) -> Scores:
        if kind == "shap":
            if data is None:
                raise ParameterError("SHAP importances are measured on data: pass data=, a RankingData.")
            size, weight = abs(self._contributions(data)), row_weights(data)
            mean = size.mean(axis=0) if weight is None else weight @ size / weight.sum()
            return np.asarray(mean, dtype=np.float64).reshape(-1)[:-1]
        if kind not in self._kinds:
            known = ", ".join(map(repr, self._kinds))
            raise ParameterError.of(type(self).__name__, "kind", f"{known}, 'permutation' or 'shap'", kind)
        return np.asarray(self._counted(self._kinds[kind]), dtype=np.float64)

    def _check_learned(self) -> None:
        self._check_text(self.model_text_)
        if self._model_features() != self.n_features_in_:
            raise DataError(f"the model has {self._model_features()} features, not {self.n_features_in_}.")

    def _whole_labels(self, y: NDArray[np.float64], library: str, *, of_rows: bool = True) -> None:
        """Refuse labels that gains of 2^y - 1 cannot be made of."""
        bad = (y < 0) | (y != np.floor(y))
        if bad.any():
            row = int(np.argmax(bad))
            which = f"the label of row {row}" if of_rows else "a label"
            raise DataError(
                f"{library} takes whole labels from 0: {which} is {y[row]:g}. Pass labels='rank' to use the rank of "
                "each distinct label instead."
            )

    def _n_threads(self) -> int:
        """The estimator's own number of threads; where it names none, as many as may be started here."""
        params = self.estimator.get_params()
        given = next((params[name] for name in self._thread_names if params.get(name) is not None), None)
        if given is None:
            return default_threads()
        if not is_whole(given, -(2**31)):
            raise ParameterError.of(type(self.estimator).__name__, "n_jobs", "a whole number", given)
        return int(given)

    def _cutoff(self) -> tuple[str, int | None]:
        """The metric that watches eval_set where the estimator's does not, as ("ndcg" or "map", cutoff or None)."""
        stem, at, cutoff = str(self.eval_metric or "ndcg@10").lower().partition("@")
        if stem not in ("ndcg", "map"):
            raise UnknownNameError.of(
                "eval_metric of a booster", self.eval_metric, ["ndcg", "ndcg@10", "map", "map@10"]
            )
        if at and not (cutoff.isdecimal() and int(cutoff) >= 1):
            raise ParameterError.of(type(self).__name__, "eval_metric", "'ndcg@k' with k >= 1", self.eval_metric)
        return stem, int(cutoff) if at else None

    def _patience(self, n_iterations: int, own: int | None = None) -> int:
        """Rounds without a gain: ours or the estimator's `own`; as many as there are where none are asked for, so that
        the best is kept.
        """
        rounds = self.early_stopping_rounds
        self._must("early_stopping_rounds", ">= 1 or None", rounds is None or rounds >= 1)
        rounds = own if rounds is None else rounds
        return max(1, n_iterations) if rounds is None else rounds


def older_sparse(X: Any) -> Any:
    """For LightGBM and CatBoost, which know scipy's older sparse matrices only."""
    return sp.csr_matrix(X) if sp.issparse(X) else X
