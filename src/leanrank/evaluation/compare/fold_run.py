"""One fold from end to end: select on its training queries, tune on its validation queries, score its test queries."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.engines.fold import fold
from leanrank.errors import ParameterError
from leanrank.evaluation.records import FoldRecord
from leanrank.metrics._base import Metric, mean
from leanrank.rankers._base import Ranker
from leanrank.selectors._base import Selector
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors._ranker_selector import RankerSelector
from leanrank.selectors.cegb import for_columns
from leanrank.selectors.selection_record import plain
from leanrank.stats.constant import Constant
from leanrank.stats.feature_graph import FeatureGraph

Size = int | float | None

#: Parameters that decide what the graph is: candidates that differ in them cannot share one.
_GRAPH_PARAMETERS = frozenset({"importance", "similarity", "relevance", "engine"})


@dataclass(frozen=True)
class Candidate:
    """A feature set that one setting of a selector chose: what the validation queries choose among."""

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


#: By the set of features and the number of the ranker.
Fits = dict[tuple[frozenset[int], int], Fit]


def candidates(
    selector: Selector | None,
    train: RankingData,
    sizes: Sequence[Size] = (None,),
    points: Sequence[Mapping[str, Any]] = ({},),
    graph: FeatureGraph | None = None,
) -> list[Candidate]:
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
        Of the training queries, for selectors on a graph; otherwise they compute it, once for all points.
    """
    if selector is None:
        return [Candidate(tuple(range(train.n_features)))]
    found = []
    for point in points:
        start = time.perf_counter()
        fitted = clone(selector).set_params(**point)
        if isinstance(fitted, RankerSelector) and fitted.n_features_to_select is None:
            fitted.set_params(n_features_to_select=_largest(sizes, train))
        if graph is not None and isinstance(fitted, GraphSelector):
            fitted.fit_graph(graph)
        else:
            fitted.fit(train)
        if isinstance(fitted, GraphSelector) and not _GRAPH_PARAMETERS.intersection(*points):
            graph = fitted.graph_
        fitting = time.perf_counter() - start
        for size in sizes:
            start = time.perf_counter()
            features = features_of(fitted, size)
            seconds = fitting + time.perf_counter() - start
            found.append(Candidate(tuple(features.tolist()), size, point, seconds))
    return found


def _largest(sizes: Sequence[Size], train: RankingData) -> int | None:
    """The largest of the sizes, for methods that train a ranker at every step: further they need not go."""
    if any(size is None for size in sizes):
        return None
    varying = int((~fold(Constant(), train)).sum())
    return max(1, min(varying, max(_count(size, train.n_features) for size in sizes if size is not None)))


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
        return selector.order_


def run_fold(
    part: Fold,
    selector_name: str,
    choice: Sequence[Candidate],
    rankers: Sequence[Ranker],
    metrics: Mapping[str, Metric],
    validation: Metric,
    fits: Fits | None = None,
) -> FoldRecord:
    """Train every ranker on every candidate, keep the best on the validation queries, and score the test queries.

    Of equals the one with fewest features is kept, then the earlier ranker, then the earlier candidate. `fits` is for
    several calls with this fold and these rankers: features that an earlier call had are not trained on again.
    """
    best: tuple[float, int, int, int] | None = None
    kept: tuple[Candidate, Fit] | None = None
    for number, candidate in enumerate(_distinct(choice)):
        for order, ranker in enumerate(rankers):
            place = frozenset(candidate.features), order
            fit = None if fits is None else fits.get(place)
            if fit is None:
                fit = _fit(part, candidate.features, ranker, validation)
                if fits is not None:
                    fits[place] = fit
            key = (-np.inf if np.isnan(fit.score) else fit.score, -len(candidate.features), -order, -number)
            if best is None or key > best:
                best, kept = key, (candidate, fit)
    assert best is not None
    assert kept is not None
    candidate, fit = kept
    test = _only(part.test, fit.features)
    scores = _scores(fit.ranker, test)
    per_query = {name: metric.per_query(test.y, scores, test.query_ptr) for name, metric in metrics.items()}
    return FoldRecord(
        fold=part.name,
        selector=selector_name,
        ranker=type(rankers[0]).__name__,
        k=candidate.size,
        features=candidate.features,
        feature_names=tuple(part.train.feature_names[j] for j in candidate.features),
        n_features_in=part.train.n_features,
        valid_score=_or_none(best[0]),
        scores={name: _or_none(float(mean(values))) for name, values in per_query.items()},
        query_ids=tuple(test.query_ids.tolist()),
        per_query={name: tuple(_or_none(v) for v in values.tolist()) for name, values in per_query.items()},
        selection_seconds=candidate.seconds,
        training_seconds=fit.seconds,
        selector_parameters=plain(dict(candidate.parameters)),
        ranker_parameters={} if fit.ranker is None else _chosen_parameters(fit.ranker),
    )


def _distinct(choice: Sequence[Candidate]) -> list[Candidate]:
    """Candidates with features of their own; of several with the same features the first."""
    return list({frozenset(c.features): c for c in reversed(choice)}.values())[::-1]


def _fit(part: Fold, features: tuple[int, ...], ranker: Ranker, validation: Metric) -> Fit:
    train, valid = _only(part.train, features), _only(part.valid, features)
    start = time.perf_counter()
    fitted = for_columns(ranker, features, part.train.n_features).fit(train, eval_set=valid) if features else None
    seconds = time.perf_counter() - start
    score = round(float(mean(validation.per_query(valid.y, _scores(fitted, valid), valid.query_ptr))), 12)
    return Fit(features, fitted, score, seconds)


def _only(data: RankingData, features: tuple[int, ...]) -> RankingData:
    """These features; data cannot be without any, so that none leaves them as they are."""
    return data.subset(features) if features else data


def _scores(ranker: Ranker | None, data: RankingData) -> NDArray[np.float64]:
    """Predictions; without features every document is alike."""
    return np.zeros(data.n_rows) if ranker is None else ranker.predict(data)


def _chosen_parameters(ranker: Ranker) -> dict[str, Any]:
    """Parameters other than the defaults, as plain values; the C a ranker chose itself in place of its grid."""
    defaults = {name: p.default for name, p in _signature(ranker).items()}
    shown = {n: v for n, v in ranker.get_params(deep=False).items() if n not in ("estimator", "eval_metric")}
    given = {name: value for name, value in shown.items() if value is not defaults.get(name)}
    chosen = {"C": ranker.C_} if hasattr(ranker, "C_") else {}
    return {**plain(given), **chosen}


def _signature(ranker: Ranker) -> Mapping[str, Any]:
    from inspect import signature

    return signature(type(ranker).__init__).parameters


def _or_none(value: float) -> float | None:
    return round(float(value), 12) if np.isfinite(value) else None
