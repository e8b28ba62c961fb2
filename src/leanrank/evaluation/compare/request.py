"""What to compare, checked before any work, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from leanrank.data.folds import Fold
from leanrank.data.weights import QueryWeighting
from leanrank.errors import ParameterError, UnknownNameError, is_whole
from leanrank.evaluation.journal_schema import COMPARE
from leanrank.evaluation.protocol import Protocol
from leanrank.metrics._base import Metric
from leanrank.rankers import registry as rankers_by_name
from leanrank.selectors import registry as selectors_by_name
from leanrank.selectors.features_file import plain
from leanrank.selectors.limits import Limits


@dataclass(frozen=True)
class CompareSettings(Protocol):
    """How methods are compared: a `Protocol`, and what all methods share.

    Parameters
    ----------
    validation, convention, scaler, n_splits, random_state
        See `Protocol`.
    importance, similarity : str, default="map", "kendall"
        The feature graph, computed once per fold for all methods that live on one.
    tune : bool, default=False
        Whether selectors are tuned over their grids too, or taken with their defaults.
    ranker_settings : dict, default={}
        Parameters of rankers, by the name of the ranker: ``{"lightgbm": {"num_leaves": 63}}``. They are not tuned.
    limits : Limits or None, default=None
        Costs and rules that every set obeys; a size that they do not allow is represented by the next smaller one.
    """

    importance: str = "map"
    similarity: str = "kendall"
    tune: bool = False
    ranker_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    limits: Limits | None = None


@dataclass(frozen=True)
class Request:
    """A comparison that can be run: every name in it is known."""

    methods: tuple[str, ...]
    rankers: tuple[str, ...]
    sizes: tuple[int, ...]
    metrics: tuple[str, ...]
    settings: CompareSettings

    @classmethod
    def of(
        cls,
        methods: Sequence[str],
        rankers: Sequence[str],
        k: Sequence[int],
        metrics: Sequence[str],
        settings: CompareSettings,
    ) -> Request:
        """Check names and sizes; "all" and "filters" become the methods they stand for."""
        named = _rankers(rankers, settings.ranker_settings)
        return cls(_methods(methods), named, _sizes(k), tuple(metrics), settings)

    @cached_property
    def measures(self) -> dict[str, Metric]:
        return self.settings.metrics(self.metrics)

    def about(self, folds: Sequence[Fold]) -> dict[str, Any]:
        """What all tasks have in common; it says in the journal whose results these are."""
        settings = self.settings
        if settings.limits is not None:
            settings.limits.bound("compare", folds[0].feature_names)  # refused before any work
        weighting = QueryWeighting.of([fold.test for fold in folds])
        return {
            "what": COMPARE,
            "folds": [[fold.name, fold.test.fingerprint()] for fold in folds],
            "n_features": folds[0].n_features,
            "feature_names": list(folds[0].feature_names),
            "metrics": [[name, repr(measure)] for name, measure in self.measures.items()],
            "validation": repr(settings.by),
            "importance": settings.importance,
            "similarity": settings.similarity,
            "tune": settings.tune,
            "scaler": None if settings.scaler is None else repr(settings.scaler),
            "random_state": settings.random_state,
            # journals of before have none
            **({"ranker_settings": plain(settings.ranker_settings)} if settings.ranker_settings else {}),
            **({} if settings.limits is None else {"limits": plain(settings.limits)}),
            **({} if weighting is None else {"query_weights": weighting.to_dict()}),
        }


def _methods(methods: Sequence[str]) -> tuple[str, ...]:
    names: list[str] = []
    for name in methods:
        if name in ("all", "filters"):
            from leanrank.selectors._ranker_selector import RankerSelector

            every = selectors_by_name.names()
            trained = {n for n in every if issubclass(selectors_by_name.selector_class(n), RankerSelector)}
            names += every if name == "all" else [n for n in every if n not in trained]
        else:
            selectors_by_name.selector_class(name)  # an unknown name is refused here, before any work
            names.append(name)
    if not names:
        raise ParameterError.of("compare", "methods", "at least one name", list(methods))
    return tuple(dict.fromkeys(names))


def _rankers(rankers: Sequence[str], settings: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    for name in rankers:
        rankers_by_name.ranker_class(name)
        if name in settings:
            rankers_by_name.get(name, **settings[name])
    for name in settings:
        if name not in rankers:
            raise UnknownNameError.of("ranker among those compared", name, rankers)
    if not rankers:
        raise ParameterError.of("compare", "rankers", "at least one name", list(rankers))
    return tuple(dict.fromkeys(rankers))


def _sizes(k: Sequence[int]) -> tuple[int, ...]:
    if not k or not all(is_whole(size, 1) for size in k):
        raise ParameterError.of("compare", "k", "whole numbers >= 1", list(k))
    return tuple(dict.fromkeys(int(size) for size in k))
