"""What `select` was asked for: checked before any work, and as plain values that tell two runs apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from leanrank import __version__
from leanrank.data.catalogue import Catalogue
from leanrank.data.columns import as_frame
from leanrank.data.door import as_ranking_data
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import QUERIES, QueryWeighting, refuse_weights
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.fold_roles import roles_in_time, windows_of
from leanrank.evaluation.select.choice import MCS_LEVEL, MCS_LEVEL_ONCE, Rule
from leanrank.evaluation.select.effort import Effort
from leanrank.evaluation.select.judged import check_judged, judged_mask, real_number, whole_number
from leanrank.evaluation.select.resolution import Forecast
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker
from leanrank.rankers._categories import LearnedCategories
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.families import Families
from leanrank.selectors.features_file import plain
from leanrank.selectors.limits import Limits, catalogued

#: Where an object without a repr of its own lies in memory: another place in every process.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True, eq=False, kw_only=True)
class Request:
    """What `select` was asked for; `checked` before any work."""

    data: RankingData
    valid: RankingData | None  # what rankers stop on, of the same features
    ranker: Ranker
    metrics: tuple[Metric, ...]  # the first is the one that methods are chosen by
    methods: str | list[Any]  # as they were given: names of the registry, or selectors
    portfolio: Mapping[str, Selector]  # the selectors that they mean, by name
    effort: Effort
    n_features: int | None  # the size asked for; None leaves it to the stop rule
    max_losses: tuple[float, ...]  # the loss that the stop rule allows of each metric
    level: float  # the level of its bounds
    answer: str  # which of the three answers is wanted
    limits: Limits
    cv: int | str  # how queries are cut into folds: so many, or "time"
    random_state: int  # the seed of that
    collapse: bool = True  # whether copies become one feature before anything is measured
    certify_slices: bool = False  # whether what is certified must hold in every slice of the queries

    def checked(self) -> Request:
        """This request, or the error that says what cannot be."""
        for part in (self.data, self.valid):
            refuse_weights(part, "select", (QUERIES,))
        check_limits(self.limits, self.data.feature_names, self.n_features)
        for metric in self.metrics:
            check_judged(self.data, metric, self.cv)
        if self.certify_slices and not self.data.beside.slices:
            raise DataError(
                "certify_slices needs slices, and these data have none: name their columns "
                "(from_frame(..., slices=[NAME]), --slice NAME).",
                owner="select",
                parameter="certify_slices",
            )
        return self if self.n_features is None else replace(self, n_features=int(self.n_features))

    @property
    def metric(self) -> Metric:
        """The first of the metrics."""
        return self.metrics[0]

    @property
    def max_loss(self) -> float:
        """That of the first metric."""
        return self.max_losses[0]

    @cached_property
    def columns(self) -> ColumnLimits:
        """The limits by column."""
        return self.limits.bound("select", self.data.feature_names)

    @property
    def rule(self) -> Rule:
        """What chooses among candidates."""
        return Rule(
            n_features=self.n_features,
            max_loss=self.max_loss,
            max_losses=self.max_losses,
            level=self.level,
            budget=self.columns.budget,
            priced=self.limits.costs is not None or self.limits.groups is not None,
            random_state=self.random_state,
            mcs_level=MCS_LEVEL if self.effort.repeats else MCS_LEVEL_ONCE,
            affords_all=self.columns.keeps(~self.columns.never),
        )

    @property
    def forecast(self) -> Forecast:
        """What so many judged queries can tell, before anything is measured."""
        judged, group = judged_mask(self.data, self.metric), self.data.beside.query_group
        tested = judged.copy()
        windows = windows_of(self.cv)
        if windows is not None:
            tested[:] = False
            for roles in roles_in_time(self.data, windows)[0]:
                tested[roles.test] = judged[roles.test]
        return Forecast.before(
            int(tested.sum()),
            self.max_loss,
            level=self.level,
            n_groups=None if group is None else len(np.unique(group[tested])),
            n_untested=int((judged & ~tested).sum()),
        )

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Plain values that tell this request from any other, in the order in which they are shown."""
        return {
            "metric": repr(self.metric),
            "metric_name": self.metric.name,
            **self._more,
            **ranker_settings(self.ranker),
            "scaled": self.ranker.wants_scaling,
            **method_settings(self.methods, self.portfolio),
            "effort": self.effort.name,
            "max_loss": self.max_loss,
            "level": self.level,
            "answer": self.answer,
            "n_features": self.n_features,
            **limit_settings(self.limits, self.data.feature_names),
            "collapse": self.collapse,
            "cv": self.cv,
            "random_state": self.random_state,
            "version": __version__,
            "fingerprint": self.data.fingerprint(),
            "valid": None if self.valid is None else self.valid.fingerprint(),
        }

    @property
    def _more(self) -> dict[str, Any]:
        """What runs with one metric and without slices or weights do not have: settings of before stay as they were."""
        more: dict[str, Any] = {}
        if len(self.metrics) > 1:
            more["other_metrics"] = {metric.name: repr(metric) for metric in self.metrics[1:]}
            names = (metric.name for metric in self.metrics)
            more["max_losses"] = dict(zip(names, self.max_losses, strict=True))
        if self.certify_slices:
            more["certify_slices"] = True
        weighting = QueryWeighting.of([self.data])
        if weighting is not None:
            more["query_weights"] = weighting.to_dict()
        return more

    def about(self) -> dict[str, Any]:
        """The settings that fits depend on, which their journal is known by.

        They do not depend on the loss that is allowed, nor on the answer: another one needs no training.
        """
        free = ("max_loss", "max_losses", "level", "answer", "certify_slices", "query_weights")
        return {name: value for name, value in self.settings.items() if name not in free}


def methods_of(methods: Any) -> str | list[Any]:
    """The methods as a text, or as a list of names and selectors; one selector is a list of one."""
    if isinstance(methods, str):
        return methods
    listed = [methods] if isinstance(methods, Selector) or not isinstance(methods, Iterable) else list(methods)
    for method in listed:
        if not isinstance(method, str | Selector):
            raise ParameterError.of("select", "methods", "'auto', names of methods or selectors", method)
    return listed


def valid_of(valid: Any, data: RankingData) -> RankingData | None:
    """The data to stop on, as RankingData with the features of `data`."""
    if valid is None:
        return None
    if isinstance(valid, tuple) and len(valid) == 3:
        X, y, qid = valid
        numbered = not isinstance(X, RankingData) and as_frame(X) is None
        valid = as_ranking_data(X, y, qid=qid, missing=True)
        if numbered and valid.n_features == data.n_features:  # a bare array has no names of its own
            valid = replace(valid, feature_names=data.feature_names)
    if not isinstance(valid, RankingData):
        kind = f"a tuple of {len(valid)}" if isinstance(valid, tuple) else f"an object of type {type(valid).__name__}"
        raise ParameterError(
            f"The 'valid' parameter of select must be a RankingData or a tuple (X, y, qid). Got {kind} instead.",
            owner="select",
            parameter="valid",
        )
    there, here = valid.feature_names, data.feature_names
    if len(there) != len(here):
        raise DataError(
            f"valid has {len(there)} features, data has {len(here)}: pass valid with the same columns as data."
        )
    if there != here:
        j = next(j for j, name in enumerate(here) if there[j] != name)
        raise DataError(
            f"valid and data both have {len(here)} features, but not the same: column {j} is {there[j]!r} in valid, "
            f"{here[j]!r} in data. Pass valid with the same columns, in the same order."
        )
    return LearnedCategories(data.categories).readied(valid, "select")


def check_limits(limits: Limits, names: Sequence[str], n_features: int | None) -> None:
    """Refuse limits under which there is nothing to select, or not so many features."""
    columns = limits.bound("select", names)
    for group in limits.groups or ():
        if str(group) in names:
            raise ParameterError(f"Group {group!r} of select reads like the feature {str(group)!r}: name it otherwise.")
    nothing = np.zeros(len(names), dtype=bool)
    if not columns.open(nothing).any():
        cheapest = float(columns.marginal(nothing)[~columns.never].min())
        rule = f">= {cheapest:g}, the cost of the cheapest feature"
        raise ParameterError.of("select", "budget", rule, limits.budget)
    if not columns.families.is_free and columns.possible_sizes() == [len(names)] and len(names) > 1:
        raise ParameterError(
            f"All {len(names)} features of select go together, so there is nothing to select: let some go apart.",
            owner="select",
            parameter="together",
        )
    if n_features is not None:
        usable, kept = int((~columns.never).sum()), int(columns.must_keep.sum())
        rule = f"from {max(1, kept)} to {usable}, the number of features"
        rule += " that may be taken" if columns.never.any() else ""
        if whole_number("n_features", n_features, rule, 1, len(names)) < kept:
            rule = f">= {kept}, the number of features that must be kept"
            raise ParameterError.of("select", "n_features", rule, n_features)
        parted = columns.family_rule(n_features)
        if parted is not None or n_features > usable:
            raise ParameterError.of("select", "n_features", parted or rule, n_features)


def limits_of(
    names: Sequence[str] = (),
    catalogue: Catalogue | None = None,
    default_cost: Any = None,
    *,
    costs: Any,
    budget: Any,
    **rules: Any,
) -> Limits:
    """The limits and what a catalogue adds, with costs as a dict where they are a series with names for labels."""
    if budget is not None:
        budget = real_number("budget", budget, "a number >= 0 or None", 0)
    given = Limits(dict(costs.items()) if _by_label(costs) else costs, budget=budget, **rules)
    return catalogued(given, names, catalogue, default_cost, owner="select")


def limit_settings(limits: Limits, names: Sequence[str]) -> dict[str, Any]:
    """The limits by name of feature, in the order of the columns."""
    columns = limits.bound("select", names)
    return {
        "costs": _costs_by_name(names, limits.costs, limits.groups or {}),
        "groups": _groups_by_name(names, columns, limits.groups) if limits.groups else None,
        "budget": limits.budget,
        "must_keep": [names[j] for j in np.flatnonzero(columns.must_keep).tolist()],
        "never": [names[j] for j in np.flatnonzero(columns.never).tolist()],
        **_family_settings(limits, columns.families, names),
    }


def _family_settings(limits: Limits, families: Families, names: Sequence[str]) -> dict[str, Any]:
    """The rules about families by name of feature; nothing where there is none."""
    rules: dict[str, Any] = {}
    if limits.at_most:
        members = zip(limits.at_most, families.limited, strict=True)
        rules["families"] = {str(name): [names[j] for j in np.flatnonzero(row).tolist()] for name, row in members}
        rules["at_most"] = {str(name): int(most) for name, most in limits.at_most.items()}
    if families.grouped.any():
        rules["together"] = [[names[j] for j in group] for group in families.groups()]
    return rules


def _by_label(costs: Any) -> bool:
    """Whether these are a series with the names of features or groups for labels."""
    if isinstance(costs, Mapping) or not (hasattr(costs, "items") and hasattr(costs, "index")):
        return False
    labels = [label for label, _ in costs.items()]
    return bool(labels) and all(isinstance(label, str) for label in labels)


def _costs_by_name(names: Sequence[str], costs: Any, groups: Mapping[Any, Any]) -> dict[str, float] | None:
    if costs is None:
        return None
    if not isinstance(costs, Mapping):
        return dict(zip(names, np.asarray(costs, dtype=np.float64).tolist(), strict=True))
    given = {
        str(key) if isinstance(key, str) or key in groups else names[int(key)]: float(cost)
        for key, cost in costs.items()
    }
    place = {name: j for j, name in enumerate(names)}
    return dict(sorted(given.items(), key=lambda item: (place.get(item[0], len(names)), item[0])))


def _groups_by_name(names: Sequence[str], limits: ColumnLimits, groups: Mapping[Any, Any]) -> dict[str, list[str]]:
    members = zip(groups, limits.member, strict=True)
    return dict(sorted((str(group), [names[j] for j in np.flatnonzero(row).tolist()]) for group, row in members))


def ranker_settings(ranker: Ranker) -> dict[str, Any]:
    """The ranker as its repr, and with all its parameters where the repr leaves some out."""
    shown = repr(ranker)
    stable = _ADDRESS.sub("", shown)
    if "..." not in shown and stable == shown:
        return {"ranker": shown}
    return {"ranker": stable, "ranker_parameters": spelled(ranker)}


def method_settings(methods: str | list[Any], names: Iterable[str]) -> dict[str, Any]:
    """The names of the methods; where some are selectors, these with all their parameters too."""
    listed = {"methods": list(names)}
    if isinstance(methods, str) or all(isinstance(method, str) for method in methods):
        return listed
    return {**listed, "selectors": [spelled(method) for method in methods]}


def spelled(value: Any) -> Any:
    """As `plain`, with estimators as their class and all their parameters, and no number left out.

    >>> from sklearn.linear_model import Ridge
    >>> spelled({"base": Ridge(alpha=2.0)})["base"]["alpha"]
    2.0
    """
    if hasattr(value, "get_params") and not isinstance(value, type):
        kind = type(value)
        given = sorted(value.get_params(deep=False).items())
        return {"class": f"{kind.__module__}.{kind.__qualname__}", **{name: spelled(item) for name, item in given}}
    if isinstance(value, dict):
        return {str(key): spelled(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [spelled(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return repr(float(value))
    return plain(value)
