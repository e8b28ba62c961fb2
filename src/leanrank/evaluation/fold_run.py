"""One fold from end to end: select on its training queries, tune on its validation queries, score its test queries."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.categories import marked
from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights
from leanrank.engines.fold import fold as reduce_queries
from leanrank.errors import ParameterError
from leanrank.evaluation.records import FoldRecord
from leanrank.evaluation.training import Trained, train
from leanrank.metrics._base import Metric, mean
from leanrank.rankers._base import Ranker
from leanrank.selectors._base import Selector
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors._ranker_selector import RankerSelector
from leanrank.selectors.features_file import plain
from leanrank.selectors.limited_copies import limited_copies
from leanrank.selectors.limits import Limits
from leanrank.stats.constant import Constant
from leanrank.stats.feature_graph import FeatureGraph

Size = int | float | None

#: Parameters that decide what the graph is: settings that differ in them cannot share one.
_GRAPH_PARAMETERS = frozenset({"importance", "similarity", "relevance", "engine"})


@dataclass(frozen=True)
class FeatureSet:
    """What one setting of a selector chose in a fold: the validation queries take one of several."""

    features: tuple[int, ...]
    size: Size = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True)
class Fit:
    """A ranker trained on these features in this order, and its score on the validation queries."""

    features: tuple[int, ...]
    ranker: Ranker | None
    score: float
    seconds: float


#: By the set of features and the index of the ranker.
Fits = dict[tuple[frozenset[int], int], Fit]


def feature_sets(
    selector: Selector | None,
    train: RankingData,
    sizes: Sequence[Size] = (None,),
    points: Sequence[Mapping[str, Any]] = ({},),
    graph: FeatureGraph | None = None,
    limits: Limits | None = None,
) -> list[FeatureSet]:
    """The feature sets of a selector: for every point of its grid, of every size.

    Parameters
    ----------
    selector : Selector or None
        None keeps all features.
    sizes : sequence of int, float or None
        None is the size the selector itself is set to, or stops at. Where a method stops short of a size, its whole
        set stands for it.
    points : sequence of dict
        Settings to try.
    graph : FeatureGraph, optional
        The graph of the training queries, for selectors on one; otherwise they compute it, once for all points.
    limits : Limits, optional
        What all sets obey, also those of methods that know of none; the selector's own if None.
    """
    if selector is None:
        return [FeatureSet(tuple(range(train.n_features)))]
    sets = []
    for point in points:
        start = time.perf_counter()
        fitted = clone(selector).set_params(**point)
        if limits is not None and "limits" in fitted.get_params(deep=False):
            fitted.set_params(limits=limits)
        if isinstance(fitted, RankerSelector) and fitted.n_features_to_select is None:
            fitted.set_params(n_features_to_select=_largest(sizes, train, limits))
        if graph is not None and isinstance(fitted, GraphSelector):
            fitted.fit_graph(graph, train)
        else:
            fitted.fit(train)
        if isinstance(fitted, GraphSelector) and not _GRAPH_PARAMETERS.intersection(*points):
            graph = fitted.graph_
        fitting = time.perf_counter() - start
        for size in sizes:
            start = time.perf_counter()
            features = _within(limits, fitted, features_of(fitted, size))
            seconds = fitting + time.perf_counter() - start
            sets.append(FeatureSet(tuple(features.tolist()), size, point, seconds))
    return sets


def _within(limits: Limits | None, selector: Selector, features: NDArray[np.int64]) -> NDArray[np.int64]:
    """As many features as these within the limits: what these do not allow gives way to the next of the path."""
    if limits is None:
        return features
    rules = limits.bound(type(selector).__name__, selector._names())
    size = max(len(features), int(rules.must_keep.sum()))
    order = np.concatenate([features, selector.order_[~np.isin(selector.order_, features)]])
    copies = limited_copies(rules, [[kept, *others] for kept, others in selector.stands_for_.items()])
    apart = rules.obeyed(order[~copies.left_out[order]])
    enough = size <= len(apart) or rules.is_scarce
    return rules.first(apart if enough else rules.obeyed(order), size)


def _largest(sizes: Sequence[Size], train: RankingData, limits: Limits | None) -> int | None:
    """The largest of the sizes, for methods that train a ranker at every step: further they need not go."""
    if any(size is None for size in sizes):
        return None
    rules = (limits or Limits()).bound("compare", train.feature_names)
    usable = rules.must_keep | (~reduce_queries(Constant(), marked(train)) & ~rules.never)
    largest = min(int(usable.sum()), max(_count(size, train.n_features) for size in sizes if size is not None))
    return rules.largest_size(max(1, largest, int(rules.must_keep.sum())))


def _count(size: int | float, n_features: int) -> int:
    """A size in features, where it is a share of them."""
    return max(1, int(np.floor(size * n_features + 0.5))) if isinstance(size, float) else size


def features_of(selector: Selector, size: Size) -> NDArray[np.int64]:
    """The features of a fitted selector at this size, or all it has where it stops short of it."""
    if size is None:
        return selector.selected_
    size = _count(size, selector.n_features_in_)
    try:
        return selector.select(min(size, selector.n_features_in_ - len(selector.dropped_)))
    except ParameterError:
        return selector._up_to(size)


def run_fold(
    fold: Fold,
    selector: str,
    sets: Sequence[FeatureSet],
    rankers: Sequence[Ranker],
    metrics: Mapping[str, Metric],
    validation: Metric,
    fits: Fits | None = None,
) -> FoldRecord:
    """Train every ranker on every set, keep the best on the validation queries, and score the test queries.

    Among equals the one with fewest features is kept, then the earlier ranker, then the earlier set. `fits` is for
    several calls with this fold and these rankers: features that an earlier call had are not trained on again.
    """
    best: tuple[float, int, int, int] | None = None
    kept: tuple[FeatureSet, Fit] | None = None
    for index, chosen in enumerate(_distinct(sets)):
        for order, ranker in enumerate(rankers):
            place = frozenset(chosen.features), order
            fit = None if fits is None else fits.get(place)
            if fit is None:
                fit = _fit(fold, chosen.features, ranker, validation)
                if fits is not None:
                    fits[place] = fit
            key = (-np.inf if np.isnan(fit.score) else fit.score, -len(chosen.features), -order, -index)
            if best is None or key > best:
                best, kept = key, (chosen, fit)
    assert kept is not None
    chosen, fit = kept
    test = (fold.only(fit.features) if fit.features else fold).test
    values = Trained(fit.ranker, fold, fit.seconds).per_query(test, *metrics.values())
    per_query = dict(zip(metrics, values, strict=True))
    weight, group = query_weights(test, "A cross-validation"), test.beside.query_group
    return FoldRecord(
        fold=fold.name,
        selector=selector,
        ranker=type(rankers[0]).__name__,
        k=chosen.size,
        features=chosen.features,
        feature_names=tuple(fold.feature_names[j] for j in chosen.features),
        n_features_in=fold.n_features,
        valid_score=_or_none(fit.score),
        scores={name: _or_none(float(mean(values, weight))) for name, values in per_query.items()},
        query_ids=tuple(test.query_ids.tolist()),
        query_weights=() if weight is None else tuple(weight.tolist()),
        query_groups=() if group is None else tuple(group.tolist()),
        query_slices={name: tuple(map(str, values.tolist())) for name, values in test.beside.slices.items()},
        per_query={name: tuple(_or_none(v) for v in values.tolist()) for name, values in per_query.items()},
        selection_seconds=chosen.seconds,
        training_seconds=fit.seconds,
        selector_parameters=plain(dict(chosen.parameters)),
        ranker_parameters={} if fit.ranker is None else _chosen_parameters(fit.ranker),
    )


def _fit(fold: Fold, features: tuple[int, ...], ranker: Ranker, validation: Metric) -> Fit:
    trained = train(ranker, fold, features)
    weight = query_weights(trained.fold.valid, "A cross-validation")
    score = mean(trained.per_query(trained.fold.valid, validation)[0], weight)
    return Fit(features, trained.ranker, round(float(score), 12), trained.seconds)


def _distinct(sets: Sequence[FeatureSet]) -> list[FeatureSet]:
    """Sets with features of their own; of several with the same features the first."""
    return list({frozenset(s.features): s for s in reversed(sets)}.values())[::-1]


def _chosen_parameters(ranker: Ranker) -> dict[str, Any]:
    """Parameters other than the defaults, as plain values; the C a ranker chose itself in place of its grid."""
    defaults = {name: p.default for name, p in signature(type(ranker).__init__).parameters.items()}
    shown = {n: v for n, v in ranker.get_params(deep=False).items() if n not in ("estimator", "eval_metric")}
    given = {name: value for name, value in shown.items() if value is not defaults.get(name)}
    chosen = {"C": ranker.C_} if hasattr(ranker, "C_") else {}
    return {**plain(given), **chosen}


def _or_none(value: float) -> float | None:
    return round(float(value), 12) if np.isfinite(value) else None
