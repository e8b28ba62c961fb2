"""FSMRank: learn to rank and select features at once, in one convex problem."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from leanrank._declared import declared
from leanrank.data.category_means import CategoryMeans, cross_fitted
from leanrank.data.door import feature_matrix, in_memory, unjudged
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.splits import QueryKFold, separable
from leanrank.data.weights import QUERIES, query_weights_of
from leanrank.errors import ParameterError, require
from leanrank.kernels.products import rows_times
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric
from leanrank.rankers._base import Ranker
from leanrank.rankers._categories import LearnedCategories
from leanrank.rankers.ranksvm import RankSVM
from leanrank.selectors._ranker_selector import Bench, RankerSelector
from leanrank.selectors.fsm_problem import FSMProblem, Solution
from leanrank.selectors.greedy import unit_relevance
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import COPIES_SHOW, FeatureGraph, feature_graph
from leanrank.stats.similarity import Similarity

Vector = NDArray[np.float64]

# A weight below this share of the largest is none.
_NONE = 1e-6
# While values of lambda are compared, the optimality conditions need hold to this only.
_COARSE = 1e-5
_UNIMPORTANCE: dict[str, Callable[[Vector], Vector]] = {
    "complement": lambda r: 1.0 - r,
    "stretched": lambda r: (r.max() - r) / max(float(np.ptp(r)), _NONE),
    "inverse": lambda r: 1.0 / np.maximum(r, _NONE),
}


@dataclass(frozen=True)
class Fitting:
    """How `FSMRank` and `FSMSVM` find their minimum, and choose among several lambdas.

    Parameters
    ----------
    cv : int, default=5
        Folds of whole queries in which lambdas are compared where `fit` gets no `eval_set`.
    tol : float, default=1e-7
        How far the optimality conditions may be violated.
    max_iter : int, default=20_000
        Steps at most.
    metric : str or metric, default="map"
        Chooses among several lambdas; with `FSMSVM` among several C and sizes too.

    See Also
    --------
    FSMRank, FSMSVM
    """

    cv: int = 5
    tol: float = 1e-7
    max_iter: int = 20_000
    metric: Any = "map"

    def check(self) -> None:
        """Refuse what cannot be."""
        require(self, "cv", ">= 2", self.cv >= 2)
        require(self, "tol", "> 0", self.tol > 0)
        require(self, "max_iter", ">= 1", self.max_iter >= 1)


@declared
class FSMRank(RankerSelector):
    r"""A linear ranker whose weights pay for unimportance, and for being used beside similar features.

    Minimises over u, v >= 0, with s = u + v and w = u - v,

    .. math::
        \frac1p \sum_{(i,j)} \max(0,\, 1 - w^\top (x_i - x_j))^2 + \frac{\lambda_1}{2} s^\top A s
        + \lambda_2\, b^\top s

    the p pairs being documents of one query with y_i > y_j, A the similarity and b = 1 - importance of the features. At
    the minimum ``s = |w|``: two similar features are not both used, unimportant ones hardly. What has a weight is
    selected.

    Parameters
    ----------
    n_features_to_select : int, float or None
        At most how many, or which share of all, by absolute weight; None takes all that have a weight.
    lambda1, lambda2 : float or sequence of floats
        Price of similarity and of unimportance, >= 0. Of several values, the pair with the best metric (that of
        `fitting`) on held-out queries is kept (of equals the largest): those of the `eval_set` of `fit`, or of folds
        without one.
    unimportance : {"complement", "stretched", "inverse"}
        b is 1 - importance; the same with importances stretched to [0, 1] from the smallest to the largest, so that
        they count however close to each other they are; or 1 / importance.
    importance, similarity : str or object
        What `feature_graph` takes. Absolute similarities are used.
    fitting : Fitting or None
        How the minimum is found, and how lambdas are compared; None is ``Fitting()``.

    Attributes
    ----------
    coef_ : array of shape (n_features_in_,)
        w, 0 for features not used; `predict` ranks by it.
    lambda1_, lambda2_ : float
        The values kept.
    grid_ : list of dict
        What was compared to choose them: lambda1, lambda2, the metric on held-out queries, the mean number of features;
        empty where there was no choice.
    objective_, violation_ : float
        The minimum, and how far it is from the optimality conditions.
    n_iter_ : int
        Steps of the last fit.
    graph_ : FeatureGraph
        The graph of the features that vary.
    order_ : array
        Features with a weight, by its size.
    scores_ : array
        Absolute weights.

    See Also
    --------
    FSMSVM, RankSVM

    Notes
    -----
    A step costs O(n log n + n K + K^2): pairs are never formed. Some hundreds of steps for strong prices, thousands for
    weak ones. A gradient method with Nesterov's momentum: the error falls as 1 / steps^2. The paper's exact formula is
    not public; this problem has all properties that it states. Features should have one scale.

    References
    ----------
    H.-J. Lai, Y. Pan, Y. Tang, R. Yu. FSMRank: feature selection algorithm for learning to rank. IEEE Transactions on
    Neural Networks and Learning Systems 24(6), 2013.
    A. Beck, M. Teboulle. A fast iterative shrinkage-thresholding algorithm. SIAM J. Imaging Sciences 2(1), 2009.

    Examples
    --------
    >>> from leanrank import FSMRank, make_ranking
    >>> data, truth = make_ranking(40, n_informative=2, n_redundant=0, n_noise=6, random_state=0)
    >>> selector = FSMRank(lambda1=0.01, lambda2=0.01).fit(data)
    >>> sorted({truth[j].role for j in selector.select(2)}), selector.predict(data).shape == (data.n_rows,)
    (['informative'], True)
    """

    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    lambda1: Any = 1e-3
    lambda2: Any = 1e-3
    unimportance: str = "complement"
    importance: Any = "map"
    similarity: Any = "kendall"
    fitting: Fitting | None = None
    engine: Any = None

    def predict(self, X: Any, *, qid: Any = None) -> Vector:
        """Score documents, higher is better: ``X @ coef_``. `qid` plays no part."""
        check_is_fitted(self)
        if self.categories_.texts and not isinstance(X, RankingData):
            X = unjudged(X, self.categories_.texts, type(self).__name__)
        if isinstance(X, RankingData):
            X = self.categories_.readied(X, type(self).__name__)
        matrix, _ = feature_matrix(X, tuple(self._names()), missing=False, owner=type(self).__name__)
        return rows_times(matrix if hasattr(matrix, "indptr") else np.ascontiguousarray(matrix), self.coef_)

    def _check_parameters(self) -> None:
        self._grid("lambda1")
        self._grid("lambda2")
        self._require_one_of("unimportance", tuple(_UNIMPORTANCE))
        self._require("fitting", "a Fitting or None", isinstance(self._way, Fitting))
        self._way.check()

    @property
    def _way(self) -> Fitting:
        return Fitting() if self.fitting is None else self.fitting

    @property
    def _collapses(self) -> bool:
        return Similarity.named(self.similarity) == COPIES_SHOW

    def _judge(self) -> Any:
        return self._way.metric

    def _new_ranker(self) -> Ranker:
        return RankSVM()

    def _grid(self, name: str) -> list[float]:
        """The values of a parameter, the largest first."""
        value = getattr(self, name)
        try:
            values = np.atleast_1d(np.array(list(value) if np.iterable(value) else value, dtype=np.float64))
        except (TypeError, ValueError):
            values = np.empty(0)
        self._require(name, "a number >= 0 or several", bool(values.size and (values >= 0).all() and values.ndim == 1))
        return sorted(np.unique(values).tolist(), reverse=True)

    def _fit_held_out(self, source: RankingSource, ranker: Ranker, valid: RankingData | None) -> Path:
        """As in all, but the weights are of numbers: the mean label of each category stands for it."""
        data = in_memory(source)
        self.categories_ = LearnedCategories(data.categories, CategoryMeans.of(data) if data.categories else None)
        valid = None if valid is None else self.categories_.readied(valid, type(self).__name__)
        return super()._fit_held_out(cross_fitted(data), ranker, valid)

    def _search(self, bench: Bench) -> Path:
        columns = bench.arrangement.columns(range(bench.n_features))
        data = bench.data.subset(columns)
        valid = None if bench.valid is None else bench.valid.subset(columns)
        pairs = list(product(self._grid("lambda1"), self._grid("lambda2")))
        self.grid_: list[dict[str, float]] = []
        self.lambda1_, self.lambda2_ = pairs[0] if len(pairs) == 1 else self._choice(data, valid, pairs)
        graph = feature_graph(bench.data, importance=self.importance, similarity=self.similarity, engine=self.engine)
        place = {name: j for j, name in enumerate(self._names())}
        self.graph_ = graph.with_kinds(self._kinds[[place[name] for name in graph.feature_names]])
        solution = self._problem(data, self.graph_.subset(columns)).minimise(
            self.lambda1_, self.lambda2_, tol=self._way.tol, max_iter=self._way.max_iter
        )
        if solution.violation > self._way.tol:
            warnings.warn(
                f"{type(self).__name__} stopped after {self._way.max_iter} steps, {solution.violation:.2g} from the "
                "optimum. Raise max_iter or tol of Fitting, or the lambdas.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.objective_, self.violation_, self.n_iter_ = solution.value, solution.violation, solution.n_iter
        weight = np.zeros(bench.n_features)
        weight[columns] = _weights(solution)
        return self._conclude(bench, weight)

    def _conclude(self, bench: Bench, weight: Vector) -> Path:
        """Keep the weights as the ranker's, and the features that have one as the path."""
        self.coef_ = np.zeros(bench.n_features_in)
        self.coef_[bench.kept] = weight
        path = by_weight(weight, self.graph_)
        n_used = int((weight != 0).sum())
        return replace(path, order=path.order[:n_used], trace=path.trace[:n_used])

    def _problem(self, data: RankingData, graph: FeatureGraph) -> FSMProblem:
        relevance, _ = unit_relevance(graph.importance)
        return FSMProblem(data, np.abs(graph.similarity), _UNIMPORTANCE[self.unimportance](relevance))

    def _choice(
        self, data: RankingData, valid: RankingData | None, pairs: list[tuple[float, float]]
    ) -> tuple[float, float]:
        """The pair of lambdas that ranks held-out queries best; one that leaves no weight is never taken."""
        by = self._way.metric
        measure = parse_metric(by) if isinstance(by, str) else by
        if valid is None and data.n_queries < 2:
            raise ParameterError(
                f"{type(self).__name__} needs an eval_set, or two queries, to choose among {len(pairs)} pairs of "
                "lambdas."
            )
        parts = [(data, valid)]
        if valid is None:
            splits = QueryKFold(min(int(self._way.cv), separable(data))).split_queries(data)
            parts = [(data.take_queries(train), data.take_queries(test)) for train, test in splits]
        values: list[list[Vector]] = [[] for _ in pairs]
        n_used: list[list[int]] = [[] for _ in pairs]
        for train, test in parts:
            assert test is not None
            graph = feature_graph(train, importance=self.importance, similarity=self.similarity, engine=self.engine)
            problem = self._problem(train, graph)
            start: Vector | None = None
            for place, (lambda1, lambda2) in enumerate(pairs):
                solution = problem.minimise(lambda1, lambda2, start, tol=_COARSE, max_iter=self._way.max_iter)
                start = solution.x
                weight = _weights(solution)
                n_used[place].append(int((weight != 0).sum()))
                values[place].append(measure.per_query(test.y, rows_times(test.X, weight), test.query_ptr))
        weight_of = query_weights_of([test for _, test in parts if test is not None], type(self).__name__)
        quality = np.round([float(mean(np.concatenate(per_query), weight_of)) for per_query in values], 12)
        for place, (lambda1, lambda2) in enumerate(pairs):
            entry = {"lambda1": lambda1, "lambda2": lambda2, "metric": float(quality[place])}
            self.grid_.append({**entry, "n_features": float(np.mean(n_used[place]))})
        empty = np.array([min(counts) == 0 for counts in n_used])
        return pairs[int(np.argmax(np.where(empty | np.isnan(quality), -np.inf, quality)))]


def _weights(solution: Solution) -> Vector:
    """w, with exact zeros for weights that are none."""
    w = solution.w
    return np.where(np.abs(w) > _NONE * np.abs(w).max(initial=0.0), w, 0.0)


def by_weight(weight: Vector, graph: FeatureGraph) -> Path:
    """All features by absolute weight; of equals the lower index first."""
    size = np.abs(weight)
    steps = []
    for j in np.argsort(-size, kind="stable").tolist():
        why = f"weight {weight[j]:+.6g}, importance {graph.importance[j]:.6g}"
        steps.append(Step(j, float(size[j]), float(size[j]), why))
    return Path.of(steps, len(weight), size)
