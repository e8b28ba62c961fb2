"""GreedyWrapper: add or leave out one feature at a time, by what a ranker trained on the rest makes of it."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold, separable
from leanrank.data.weights import query_weights_of
from leanrank.errors import ParameterError, is_whole
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric
from leanrank.selectors._ranker_selector import Bench, RankerSelector
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.selectors.set_search import SearchResult, backward, forward

# The smallest gain worth a feature where the caller names neither a gain nor a number.
_DELTA = 0.001

_FOLDS = 5


class SetQuality:
    """Mean over queries of a metric for the ranker trained on a set of features.

    Parameters
    ----------
    bench : Bench
    metric : str or metric
    validation : None, "train", int or splitter
        Which queries are judged. "train": those learned from. A number of folds, or a splitter over queries: each query
        by a ranker that has not seen it. None: the held-out data if there are any, `_FOLDS` folds otherwise.

    Attributes
    ----------
    known : dict from frozenset to float
        The sets trained so far.
    """

    def __init__(self, bench: Bench, metric: Any, validation: Any) -> None:
        self.bench = bench
        self.known: dict[frozenset[int], float] = {}
        self._measure = parse_metric(metric) if isinstance(metric, str) else metric
        self._parts = _parts(bench, validation)
        self._weight = query_weights_of([judged for _, judged, _ in self._parts], "GreedyWrapper")

    def __call__(self, features: frozenset[int]) -> float:
        if features not in self.known:
            values = [self._judged(features, *part) for part in self._parts]
            quality = float(mean(np.concatenate(values), self._weight))
            self.known[features] = 0.0 if np.isnan(quality) else round(quality, 12)
        return self.known[features]

    def _judged(
        self, features: frozenset[int], train: RankingData, judged: RankingData, stopping: RankingData | None
    ) -> Any:
        if not features:
            return self._measure.per_query(judged.y, np.zeros(judged.n_rows), judged.query_ptr)
        ranker, columns = self.bench.train(features, train, stopping)
        return self._measure.per_query(judged.y, ranker.predict(judged.subset(columns)), judged.query_ptr)


def _parts(bench: Bench, validation: Any) -> list[tuple[RankingData, RankingData, RankingData | None]]:
    """Learn from, judge on, stop early by."""
    data, valid = bench.data, bench.valid
    if validation is None and valid is not None:
        return [(data, valid, valid)]
    if isinstance(validation, str) or data.n_queries == 1:  # "train", or nothing to hold out
        return [(data, data, valid)]
    splitter = _FOLDS if validation is None else validation
    if isinstance(splitter, (int, np.integer)):
        splitter = QueryKFold(min(int(splitter), separable(data)))
    splits = splitter.split_queries(data) if hasattr(splitter, "split_queries") else _over_queries(splitter, data)
    return [(data.take_queries(train), data.take_queries(test), valid) for train, test in splits]


def _over_queries(splitter: Any, data: RankingData) -> Any:
    """Splits of query numbers by a scikit-learn splitter such as ShuffleSplit."""
    if not hasattr(splitter, "split"):
        rule = "None, 'train', a number of folds >= 2, or a splitter over queries"
        raise ParameterError.of("GreedyWrapper", "validation", rule, splitter)
    return splitter.split(np.arange(data.n_queries))


@declared
class GreedyWrapper(RankerSelector):
    r"""Train the ranker on every set one feature larger (or smaller), keep the best, and go on.

    With M(S) the mean metric over queries of the ranker trained on the features S, a step forward takes, and a step
    backward leaves out,

    .. math::
        \arg\max_{j \notin S}\; M(S \cup j) - M(S), \qquad \arg\min_{j \in S}\; M(S) - M(S \setminus j)

    It stops before a gain below, or a loss above, `delta`.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all; None leaves it to `delta`.
    direction : {"forward", "backward"}
    floating : bool
        After each step also undo earlier ones while that gives the best set of its size met so far. Sizes are then no
        longer nested; `select(k)` is the best set of k features.
    metric : str or metric
        M.
    validation : None, "train", int or splitter
        Which queries M is measured on: a number of folds or a splitter over queries (each query is judged by a ranker
        that has not seen it), or "train", the queries learned from, as in the paper, which overfits. None: the
        `eval_set` if `fit` gets one, five folds otherwise.
    delta : float, optional
        The smallest gain worth a feature. None: 0.001 if `n_features_to_select` is None too, otherwise no limit.

    Attributes
    ----------
    order_ : array
        The path: forward in order of selection; backward the features left, by what the loss of each would be, then
        those left out, the last first.
    scores_ : array
        What each feature gained when it was taken (forward) or would lose (backward).
    qualities_ : dict from tuple of int to float
        M of every set trained; no set is trained twice.

    See Also
    --------
    RankingRFE, BestGain

    Notes
    -----
    ``O(K |S|)`` trainings forward, O(K^2) backward, times the folds. The dearest of all methods: put a filter before it
    where there are more than some dozens of features. The ranker sees whole queries always.

    References
    ----------
    R. Kohavi, G. H. John. Wrappers for feature subset selection. Artificial Intelligence 97, 1997.
    P. Pudil, J. Novovicova, J. Kittler. Floating search methods in feature selection. Pattern Recognition Letters 15,
    1994.

    Examples
    --------
    >>> from leanrank import GreedyWrapper, make_ranking
    >>> data, truth = make_ranking(30, n_informative=2, n_redundant=2, n_noise=2, random_state=0)
    >>> [truth[j].role for j in GreedyWrapper(n_features_to_select=2).fit(data).selected_]
    ['informative', 'informative']
    """

    ranker: Any = field(default=None, kw_only=False)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    direction: str = "forward"
    floating: bool = False
    metric: Any = "map"
    validation: Any = None
    delta: float | None = None
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        self._require_one_of("direction", ("forward", "backward"))
        rule = "None, 'train', a number of folds >= 2, or a splitter over queries"
        known = self.validation in (None, "train") if isinstance(self.validation, str) else True
        number = isinstance(self.validation, (int, float, np.number))
        self._require("validation", rule, known and not (number and not is_whole(self.validation, 2)))
        if self.delta is not None:
            self._require_number("delta", "a number or None")

    def _search(self, bench: Bench) -> Path:
        quality = SetQuality(bench, self.metric, self.validation)
        if bench.data.n_queries == 1 and bench.valid is None and self.validation != "train":
            warnings.warn(
                f"{type(self).__name__}: there is one query, so none can be held out; features are judged by the query "
                "learned from.",
                UserWarning,
                stacklevel=4,
            )
        limits = self._limits(bench.data.feature_names)
        wanted = self._wanted(bench.n_features_in)
        size = None if wanted is None else min(wanted, bench.n_features)
        delta = _DELTA if self.delta is None and size is None and np.isinf(limits.budget) else self.delta
        if self.direction == "forward":
            result = forward(quality, limits, size=size or bench.n_features, delta=delta, floating=self.floating)
        else:
            result = backward(quality, limits, size=size, delta=delta, floating=self.floating)
        self.qualities_ = {
            tuple(sorted(int(bench.kept[j]) for j in features)): value for features, value in quality.known.items()
        }
        self._sets = {
            n: bench.kept[[taken.feature for taken in members]]
            for n, (_, members) in result.best_of_size.items()
            if self.floating
        }
        return self._path(result, bench)

    def _path(self, result: SearchResult, bench: Bench) -> Path:
        name = self.metric if isinstance(self.metric, str) else getattr(self.metric, "name", "quality")
        steps = []
        for place, taken in enumerate(result.order):
            if self.direction == "forward":
                why = f"{name} {taken.quality:.6g} with it, {taken.gain:+.6g}"
            else:
                left = "" if place < result.stop else ", left out"
                why = f"{name} {taken.quality:.6g}, {-taken.gain:+.6g} without it{left}"
            steps.append(Step(taken.feature, taken.gain, taken.gain, why))
        path = Path.of(steps, bench.n_features)
        return Path(path.order, path.scores, path.trace, path.dropped, stop=result.stop)

    def _first(self, size: int) -> NDArray[np.int64]:
        return self._sets.get(size, super()._first(size))
