"""What every selector shares: the scikit-learn interface, support, transform, sizes, the trace, the record."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from leanrank import __version__
from leanrank._notebook import Table, card
from leanrank.data.category_means import without_categories
from leanrank.data.door import as_source, is_source, names_in
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.sources import with_features
from leanrank.data.weights import refuse_weights, without_weightless
from leanrank.errors import DataError, ParameterError, is_whole, require, require_one_of
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.features_file import plain, stamped
from leanrank.selectors.limited_copies import limited_copies
from leanrank.selectors.limits import Limits
from leanrank.selectors.neighbours import Neighbours
from leanrank.selectors.path import Path, Step
from leanrank.stats.constant import varying
from leanrank.stats.copies import Copies, Groups, by_kind, groups_of_copies, kinds_of


def _is(kind: type, value: Any) -> bool:
    """Whether `value` is a number of this kind; True and False are no numbers here."""
    return isinstance(value, kind) and not isinstance(value, bool)


class _TransformsRankingData:
    """`transform` for RankingData. Outside SelectorMixin's family, whose `set_output` would wrap the result."""

    def transform(self, X: Any) -> Any:
        """Keep the selected features, in their order in `X`.

        Parameters
        ----------
        X : array, CSR matrix, frame, RankingData or RankingSource
            With the features seen in `fit`.

        Returns
        -------
        The same kind of table with the selected columns; see `set_output` for frames. Of a source, a source that is
        read when its blocks are asked for (of Parquet, the selected columns alone): fold it, or write it with
        `write_parquet`.
        """
        if not is_source(X):
            return super().transform(X)  # type: ignore[misc]
        support = self.get_support()  # type: ignore[attr-defined]
        known, names = getattr(self, "feature_names_in_", None), X.feature_names
        if len(names) != len(support) or (known is not None and list(known) != list(names)):
            then = [] if known is None else [str(name) for name in known]
            lacking = next((name for name in then if name not in names), None)
            how = ", in another order." if len(names) == len(support) else "."
            raise ParameterError(
                f"{type(self).__name__} was fitted on other features: {len(support)} then, {len(names)} now"
                + (how if lacking is None else f", of which {lacking!r} is not one.")
            )
        if not support.any():
            raise DataError(f"{type(self).__name__} selected no feature, so there is nothing to transform to.")
        return with_features(X, support)

    def fit_transform(self, X: Any, y: Any = None, *, qid: Any = None, regroup: bool = False, **fit_params: Any) -> Any:
        """`fit`, then `transform` of the same table."""
        return self.fit(X, y, qid=qid, regroup=regroup, **fit_params).transform(X)  # type: ignore[attr-defined]


class _Sized:
    """What every selector has and declares itself, at its own place among the parameters."""

    n_features_to_select: Any


@dataclass(eq=False, repr=False, kw_only=True)
class Selector(_Sized, _TransformsRankingData, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all selectors. A subclass declares its parameters and writes `_fit` and, if needed, `_check_parameters`.

    These parameters mean the same in all selectors that have them.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all; None keeps all.
    limits : Limits or None
        Gain per cost, and which features must or must not be taken.
    collapse : bool or None
        Whether features that order every query alike become one before the method begins, the cheapest or the first;
        the others come last. None: where the method lives on a feature graph that shows them, see
        `FeatureGraph.shows_copies`; elsewhere it takes one more pass over the data.
    engine : Engine or None
        Where the data are folded.
    ranker : ranker, estimator, str or None
        What `as_ranker` takes, "lightgbm" for instance; RankSVM if not given.

    Attributes
    ----------
    order_ : array of int64
        Indices of the features in order of selection: the path. Sizes are nested, unless the method says otherwise.
    ranking_ : array of int64 of shape (n_features_in_,)
        The rank of each feature, 1 for the first of the path. Those that the path does not reach, and those dropped,
        all have the rank behind the last: one more than the length of the path.
    scores_ : array of shape (n_features_in_,)
        The method's weight of every feature, NaN where it gave none.
    trace_ : list of dict
        One record per step of the path: feature, name, score, gain, reason.
    support_ : bool array of shape (n_features_in_,)
        The selected features.
    selected_ : array of int64
        The selected features in order of selection.
    cost_ : float
        What they cost, of the selectors that take `limits`; without costs, their number.
    dropped_ : array of int64
        Features dropped before the method began, because they are constant inside every query or copies of others.
    stands_for_ : dict of int to tuple of int
        Copies that were taken out before the method began, by the feature that stands for them. Where the path goes
        through all others, they come behind them.
    n_features_in_ : int
    feature_names_in_ : array of str
        Where the data had names.
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}
    #: Whether categories are passed on as they are; otherwise the method gets numbers in their place.
    _keeps_categories: ClassVar[bool] = False
    #: The weights that `_fit` takes: "weight" of documents, "query_weight". Data with others are refused.
    _takes_weights: ClassVar[tuple[str, ...]] = ()

    collapse: bool | None = None

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, regroup: bool = False) -> Self:
        """Learn the order of the features.

        Parameters
        ----------
        X : array, CSR matrix, frame, RankingData or RankingSource
            Documents by features. RankingData and sources carry labels and queries themselves. Where they have
            categories, methods that train rankers hand these to them, and all others compute with the mean label of
            each category, learned from other queries: see `CategoryMeans`.
        y : array of shape (n,)
            Labels, higher is better.
        qid : array of shape (n,)
            The query of each row.
        regroup : bool
            Whether to bring the rows of a query together where they are not adjacent, instead of refusing.
        """
        self._learn(self._fit(self._source(X, y, qid, regroup=regroup)))
        return self

    def _source(self, X: Any, y: Any, qid: Any, *, regroup: bool, missing: bool = False) -> RankingSource:
        """The door: parameters and data are checked, the features known, before any work."""
        self._check_parameters()
        if y is None and not is_source(X):
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: there are no labels. "
                "Call fit(X, y, qid=qid), or fit(data) with a RankingData."
            )
        source = as_source(X, y, qid=qid, regroup=regroup, missing=missing, owner=type(self).__name__)
        if isinstance(source, RankingData) and not missing:
            source.require_complete(type(self).__name__)
        refuse_weights(source, type(self).__name__, self._takes_weights)
        self._set_input(source.feature_names, table=None if X is source else X)
        self._check_sizes()
        source = without_weightless(source)
        self._kinds = kinds_of(source)
        return source if self._keeps_categories else without_categories(source)

    def _begin(self, idle: NDArray[np.bool_], alike: RankingSource | Groups) -> NDArray[np.int64]:
        """The columns that the method begins with: without the `idle` ones and, with `collapse`, without copies.

        What its limits keep in any case is among them. Copies are looked for in the data, or are known already.
        """
        self._require("collapse", "True, False or None", self.collapse in (True, False, None))
        limits, copies = self._limits(), Copies.none(len(idle))
        if self.collapse or (self.collapse is None and self._collapses):
            known = alike if isinstance(alike, list) else groups_of_copies(alike, engine=getattr(self, "engine", None))
            copies = limited_copies(limits, by_kind(known, self._kinds)).among(~idle)
        self.stands_for_ = copies.stood_for
        left_out = idle | copies.left_out
        return varying(left_out, limits.staying(left_out))

    @property
    def _collapses(self) -> bool:
        """Whether copies become one feature where `collapse` does not say."""
        return False

    def change_seeds(self, change: Callable[[int], int]) -> Self:
        """Replace every seed that this selector draws numbers from, in its settings too, by ``change(seed)``."""
        for name, value in self.get_params(deep=False).items():
            if name == "random_state" and _is(Integral, value):
                self.set_params(random_state=change(int(value)))
            elif isinstance(value, Neighbours):
                self.set_params(**{name: replace(value, random_state=change(value.random_state))})
        return self

    def _fit(self, source: RankingSource) -> Path:
        """The algorithm: blocks of whole queries in, a path over all columns out."""
        raise NotImplementedError(f"{type(self).__name__} must define _fit.")

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be, before any work. Subclasses extend it with `_require`."""

    def _require(self, name: str, rule: str, holds: bool) -> None:
        """Refuse the parameter `name` unless `holds`, in the shared sentence."""
        require(self, name, rule, holds)

    def _require_number(self, name: str, rule: str, low: float = -np.inf, high: float = np.inf) -> None:
        """Refuse the parameter `name` unless it is a number in [low, high]."""
        value = getattr(self, name)
        self._require(name, rule, _is(Real, value) and bool(low <= value <= high))

    def _require_whole(self, name: str, low: int) -> None:
        """Refuse the parameter `name` unless it is a whole number from `low` on."""
        self._require(name, f"a whole number >= {low}", is_whole(getattr(self, name), low))

    def _require_one_of(self, name: str, choices: Sequence[str]) -> None:
        """Refuse the parameter `name` unless it is one of `choices`."""
        require_one_of(self, **{name: tuple(choices)})

    def _size(self, size: Any, n_features: int, name: str = "n_features_to_select") -> int:
        """A number of features from an int or a share (halves round up, at least one)."""
        owner = type(self).__name__
        if _is(Integral, size):
            if not 1 <= size <= n_features:
                raise ParameterError.of(owner, name, f"from 1 to {n_features}, the number of features", size)
            return int(size)
        if _is(Real, size) and 0 < size <= 1:
            return max(1, int(np.floor(float(size) * n_features + 0.5)))
        raise ParameterError.of(owner, name, "a number of features or a share in (0, 1]", size)

    def _wanted(self, n_features: int) -> int | None:
        """The size that `n_features_to_select` asks for; None leaves it to the method."""
        size = self.n_features_to_select
        return None if size is None else self._size(size, n_features)

    def _check_sizes(self) -> None:
        """Refuse an impossible size, costs or rules that do not fit the features."""
        limits = self._column_limits = self._bound_limits()
        wanted = self._wanted(self.n_features_in_)
        if wanted is None:
            return
        rule = ""
        if wanted < limits.must_keep.sum():
            rule = f">= {limits.must_keep.sum()}, the number of features in 'must_keep'"
        if wanted > (~limits.never).sum():
            rule = f"<= {(~limits.never).sum()}, the number of features that are not in 'never'"
        rule = rule or limits.family_rule(wanted) or ""
        if rule:
            raise ParameterError.of(type(self).__name__, "n_features_to_select", rule, self.n_features_to_select)

    def _bound_limits(self) -> ColumnLimits:
        limits: Limits | None = getattr(self, "limits", None)
        if limits is None:
            return ColumnLimits.none(self.n_features_in_)
        self._require("limits", "a Limits or None", isinstance(limits, Limits))
        return limits.bound(type(self).__name__, self._names())

    def _limits(self, names: Sequence[str] | None = None) -> ColumnLimits:
        """What `limits` says of the features, or of those of `names`; read once a fit, when the features are known."""
        if names is None:
            return self._column_limits
        place = {name: j for j, name in enumerate(self._names())}
        return self._column_limits.only(np.array([place[name] for name in names], dtype=np.int64))

    def _set_input(self, names: Sequence[str], table: Any = None) -> None:
        """Set `n_features_in_`, and `feature_names_in_` where the input had names (a bare array has none)."""
        self.stands_for_ = {}
        self._kinds = np.full(len(names), -1)  # of features that are categories
        if table is not None and not isinstance(table, RankingData):
            validate_data(self, table, skip_check_array=True)
            return
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)

    def _with_copies(self, path: Path) -> Path:
        """The path with the copies behind all others, where it goes through those and nothing is in short supply."""
        limits, names = self._limits(), self._names()
        stands = {j: kept for kept, others in self.stands_for_.items() for j in others}
        left = np.array([j for j in sorted(stands) if j not in path.order], dtype=np.int64)
        n_open = int((~limits.never).sum()) - int((~limits.never)[path.dropped].sum())
        if not len(left) or len(path.order) < n_open or limits.is_scarce:
            return path
        more = [Step(j, np.nan, np.nan, f"copy of {names[stands[j]]!r}") for j in left.tolist()]
        return replace(
            path,
            order=np.concatenate([path.order, left]),
            trace=(*path.trace, *more),
            dropped=np.setdiff1d(path.dropped, left),
            stop=len(path.order) if path.stop is None else path.stop,
        )

    def _learn(self, path: Path) -> None:
        """Keep what the path says, and mark the selected features."""
        limits = self._limits()
        path = self._with_copies(path).within(limits, self._names())
        self.order_ = path.order
        self.ranking_ = np.full(self.n_features_in_, len(path.order) + 1, dtype=np.int64)
        self.ranking_[path.order] = np.arange(1, len(path.order) + 1)
        self.scores_ = path.scores
        self.dropped_ = path.dropped
        names = self._names()
        self.trace_ = [{"feature": step.feature, "name": names[step.feature], **asdict(step)} for step in path.trace]
        wanted = self._wanted(self.n_features_in_)
        self._n_apart = int((~np.isin(path.order, self._copies())).sum())  # copies come behind all others
        self.selected_ = path.order[: path.stop] if wanted is None else self._up_to(wanted)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.selected_] = True
        if hasattr(self, "limits"):
            self.cost_ = limits.total(self.selected_)
        if wanted is not None and len(self.selected_) < wanted:
            self._say_why_fewer(wanted)

    def _copies(self) -> list[int]:
        """The features that others stand for."""
        return [j for others in self.stands_for_.values() for j in others]

    def _say_why_fewer(self, wanted: int) -> None:
        """Warn where the features, or the rules about families, do not make up the size that was asked for.

        A method that stops by itself says nothing, nor does a budget that is spent. Where no size below can be had
        either, this one is refused.
        """
        limits, n_found, n_open = self._limits(), len(self.selected_), len(self._open())
        if wanted > n_open:
            why = f"only {n_open} of {self.n_features_in_} vary inside some query and are no copy of another"
            why += " or in 'never'" * bool(limits.never.any()) + "; others are never selected."
        elif self._reach(wanted) < wanted:
            rule = limits.other_sizes(wanted, self._sizes())
            if rule is not None and not n_found:
                raise ParameterError.of(type(self).__name__, "n_features_to_select", rule, self.n_features_to_select)
            why = f"its limits leave only {n_found} without copies of others."
        else:
            return
        what = f"{type(self).__name__} was asked for {wanted} features, but {why}"
        warnings.warn(what, UserWarning, stacklevel=4)

    def _open(self) -> NDArray[np.int64]:
        """What may be selected at all."""
        return np.setdiff1d(np.flatnonzero(~self._limits().never), self.dropped_)

    def _reach(self, size: int) -> int:
        """How many features up to `size` there are without copies where the path goes on to its end, and is paid."""
        path = self.order_[: self._n_apart]
        whole = np.concatenate([path, np.setdiff1d(self._open(), self.order_)])
        limits = replace(self._limits(), budget=np.inf)
        return len(limits.first(limits.obeyed(whole), size))

    def _up_to(self, size: int) -> NDArray[np.int64]:
        """So many features from the front of the path, or fewer where limits do not leave so many.

        Copies of others are among them only where there are not so many without.
        """
        return self._limits().first(self._path_for(size), size)

    def _path_for(self, size: int) -> NDArray[np.int64]:
        """The path that so many features come from: without copies of others, where it has so many without."""
        return self.order_[: self._n_apart] if size <= self._n_apart else self.order_

    def _sizes(self) -> list[int]:
        """The sizes that the path makes up, the smallest first."""
        limits = self._limits()
        alone, every = (limits.sizes(limits.obeyed(path)) for path in (self.order_[: self._n_apart], self.order_))
        return alone + [size for size in every if size > self._n_apart]

    def _names(self) -> list[str]:
        """Names of all features; those of a bare array are its column numbers, from 1."""
        return list(names_in(self))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def select(self, k: int | float) -> NDArray[np.int64]:
        """The `k` features this method takes (a number, or a share of all), in order of selection.

        A prefix of the path where the method is nested, the method's own set of this size otherwise. Where the method
        stopped by itself or constant features were dropped, there may be no `k` features: that is an error here.
        """
        check_is_fitted(self)
        size = self._size(k, self.n_features_in_, "k")
        limits, path, chosen = self._limits(), self._path_for(size), self._first(size)
        if not limits.is_free:
            rest = path[~np.isin(path, chosen)]
            chosen = limits.first(limits.obeyed(np.concatenate([chosen, rest])), size)
        if len(chosen) != size or size < limits.must_keep.sum():
            rule = limits.other_sizes(size, self._sizes())
            if rule is not None:
                raise ParameterError.of(type(self).__name__, "k", rule, k)
            n_dropped = len(self.dropped_)
            raise ParameterError(
                f"{type(self).__name__} cannot select {size} features: its path has {len(chosen)} of "
                f"{self.n_features_in_} ({n_dropped} dropped as constant or copies, "
                f"{self.n_features_in_ - n_dropped - len(chosen)} not reached)."
            )
        return chosen

    @property
    def _is_nested(self) -> bool:
        """Whether the set of every size is the beginning of the path."""
        return type(self)._first is Selector._first

    def _first(self, size: int) -> NDArray[np.int64]:
        return self.order_[:size]

    def _repr_html_(self) -> str:
        """A card of the features in order; of one that is not fitted, its parameters alone."""
        if not hasattr(self, "support_"):
            return card(repr(self))
        names, facts = self._names(), {"selected": f"{len(self.selected_)} of {self.n_features_in_} features"}
        by_feature = {step["feature"]: step for step in self.trace_}
        rows = [[i + 1, names[j], by_feature.get(int(j), {}).get("reason")] for i, j in enumerate(self.selected_)]
        return card(repr(self), facts, [Table(["", "feature", "why"], rows)])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        text = {"text/plain": repr(self)}
        return text if get_config()["display"] == "text" else {**text, "text/html": self._repr_html_()}

    def to_dict(self) -> dict[str, Any]:
        """The selection as plain values for JSON: names, ids, order, scores, trace, parameters, version.

        `scores` are in order of selection; `dropped` are the features left out as constant or copies, `stands_for` the
        copies that a feature stands for, all by name.
        """
        check_is_fitted(self)
        names, selected = self._names(), self.selected_.tolist()
        record = {
            "method": type(self).__name__,
            "version": __version__,
            "parameters": plain(self.get_params(deep=False)),
            "n_features_in": len(names),
            "names": [names[j] for j in selected],
            "ids": [j + 1 for j in selected],
            "indices": selected,
            "scores": plain(self.scores_[self.selected_]),
            "trace": plain(self.trace_),
            "path": [names[j] for j in (self.order_ if self._is_nested else self.selected_)],
            "dropped": [names[j] for j in self.dropped_],
            "stands_for": {names[j]: [names[i] for i in copies] for j, copies in self.stands_for_.items()},
            "feature_names": names,
        }
        return stamped("ordered", record)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
