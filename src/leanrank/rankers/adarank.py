"""AdaRank: boosting of single features, with queries weighted by how badly they are ranked so far."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import QUERIES
from leanrank.kernels.products import rows_times
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric as parse_metric
from leanrank.rankers._base import LinearRanker

Vector = NDArray[np.float64]

# A feature chosen so often in a row, without any query being ranked differently, will be chosen for ever.
_REPEATS = 5


@declared
class AdaRank(LinearRanker):
    r"""Adaptive boosting that optimises a ranking measure E directly; the weak rankers are single features.

    Round t takes the feature with the largest ``sum_q P_t(q) E(q, x_k)``, adds it with the weight

    .. math:: \alpha_t = \frac12 \ln \frac{\sum_q P_t(q) (1 + E(q, x_k))}{\sum_q P_t(q) (1 - E(q, x_k))}

    and sets the next P(q) proportional to ``exp(-E(q, f_t))`` of the ensemble so far: queries ranked badly count more
    in the next round.

    Parameters
    ----------
    metric : str or metric
        E, between 0 and 1: "map", "ndcg@10", ... A name means ties in the order of the data, as published.
    n_rounds : int
        Rounds at most.
    both_directions : bool
        Also offer every feature with its sign turned. Otherwise small values are never preferred.
    on_fixed_point : {"exclude", "stop"}
        What to do when a feature is chosen again and again without changing the ranking of any query, so that it would
        be chosen for ever: leave it out from there on, or stop.
    tol : float, optional
        Stop when the mean E of the training queries grows by less than this in a round. None goes on.
    eval_metric : str or metric
        Chooses the number of rounds on `eval_set`. Without one, the rounds up to the largest mean E are kept.

    Attributes
    ----------
    chosen_ : array of shape (T,)
        The feature of each round.
    alphas_ : array of shape (T,)
        Its weight, negative for a feature with its sign turned.
    n_iter_ : int
        Rounds kept: those up to the best, on `eval_set` or else on the training data.

    Notes
    -----
    Cost: K measures of all queries once, then one measure per round, O(T n log n + n K log n).
    Queries without a relevant document are left out: no ranking does better on them than another.
    Take it for few, positively oriented features; where a feature is bad when large, set `both_directions`.

    References
    ----------
    J. Xu, H. Li. AdaRank: a boosting algorithm for information retrieval. SIGIR 2007.

    Examples
    --------
    >>> X, y = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.4], [0.1, 0.9]], [1, 0, 1, 0]
    >>> AdaRank(n_rounds=10).fit(X, y, qid=[1, 1, 2, 2]).coef_  # the first feature alone is perfect
    array([1., 0.])
    """

    _name = "adarank"
    _learned: ClassVar[dict[str, Any]] = {"coef_": ("K",), "chosen_": ("T",), "alphas_": ("T",), "n_iter_": ()}
    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    metric: Any = field(default="map", kw_only=False)
    n_rounds: int = field(default=500, kw_only=False)
    both_directions: bool = False
    on_fixed_point: str = "exclude"
    tol: float | None = None
    eval_metric: Any = "map"
    early_stopping_rounds: int | None = None

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self._must("n_rounds", ">= 1", self.n_rounds >= 1)
        self._must("on_fixed_point", "'exclude' or 'stop'", self.on_fixed_point in ("exclude", "stop"))
        measure = self.metric if isinstance(self.metric, Metric) else parse_metric(self.metric, ties="input")
        best_possible = measure.per_query(data.y, data.y, data.query_ptr)
        counted = np.nan_to_num(best_possible) > 0
        if data.beside.query_weight is not None:
            counted &= data.beside.query_weight > 0
        self._keep(data.n_features, [], [])
        if not counted.any():
            self._warn_nothing_to_learn("no query has a relevant document")
            return
        chosen, alphas = self._boost(data.take_queries(counted), measure, self._watch(valid))
        if not chosen:
            self._warn_nothing_to_learn("no feature ranks a relevant document")
        self._keep(data.n_features, chosen, alphas)

    def _boost(self, data: RankingData, measure: Metric, watch: Any) -> tuple[list[int], list[float]]:
        X = data.dense().astype(np.float64, copy=False)
        if self.both_directions:
            X = np.hstack((X, -X))
        E = measure.per_query(data.y, X, data.query_ptr)
        starts = data.query_ptr[:-1]  # a feature that is constant in every query ranks by the order of the file
        usable: NDArray[np.bool_] = np.any(np.maximum.reduceat(X, starts) > np.minimum.reduceat(X, starts), axis=0)
        share = np.ones(data.n_queries) if data.beside.query_weight is None else data.beside.query_weight
        f, P = np.zeros(data.n_rows), share / share.sum()
        reached, repeats, kept = np.full(data.n_queries, -1.0), 0, 0
        chosen: list[int] = []
        alphas: list[float] = []
        held_out, best = np.zeros(0 if watch is None else watch.data.n_rows), -1.0
        while len(chosen) < self.n_rounds and usable.any():
            k = int(np.argmax(np.where(usable, np.round(P @ E, 12), -1.0)))
            alpha = weight(P, E[:, k])
            if alpha == 0.0:
                break
            if np.isinf(alpha):  # perfect on every query: no other feature is needed
                chosen, alphas = [k], [1.0]
                return self._signed(chosen, alphas, data.n_features)
            chosen.append(k)
            alphas.append(alpha)
            f += alpha * X[:, k]
            now = measure.per_query(data.y, f, data.query_ptr)
            if watch is not None:
                held_out += self._column(watch.data, k, alpha)
                kept = len(chosen) if watch.improved(held_out) else kept
                if watch.exhausted:
                    break
            elif _mean(now, share) > best + 1e-12:
                best, kept = _mean(now, share), len(chosen)
            if self.tol is not None and _mean(now, share) - max(0.0, _mean(reached, share)) < self.tol:
                break
            same = len(chosen) > 1 and chosen[-2] == k and np.array_equal(now, reached)
            repeats = repeats + 1 if same else 0
            if repeats == _REPEATS or (same and set(chosen) == {k}):
                if self.on_fixed_point == "stop":
                    break
                usable[k], repeats = False, 0
            reached = now
            P = share * np.exp(-now)
            P /= P.sum()
        return self._signed(chosen[:kept], alphas[:kept], data.n_features)

    def _column(self, data: RankingData, k: int, alpha: float) -> Vector:
        """What feature k (turned, from the number of features on) adds to the scores."""
        step = np.zeros(data.n_features)
        step[k % data.n_features] = alpha if k < data.n_features else -alpha
        return rows_times(data.X, step)

    def _signed(self, chosen: list[int], alphas: list[float], n_features: int) -> tuple[list[int], list[float]]:
        signs = [1.0 if k < n_features else -1.0 for k in chosen]
        return [k % n_features for k in chosen], [s * a for s, a in zip(signs, alphas, strict=True)]

    def _keep(self, n_features: int, chosen: list[int], alphas: list[float]) -> None:
        self.chosen_ = np.array(chosen, dtype=np.int64)
        self.alphas_ = np.array(alphas, dtype=np.float64)
        self.coef_ = np.bincount(self.chosen_, self.alphas_, minlength=n_features).astype(np.float64)
        self.n_iter_ = len(chosen)

    def take_constants_in(self, scale: Vector) -> None:
        super().take_constants_in(scale)
        self.alphas_ = self.alphas_ / scale[self.chosen_]


def _mean(values: Vector, share: Vector) -> float:
    """Over queries, each counting as much as it weighs."""
    return float((share * values).sum() / share.sum())


def weight(P: Vector, E: Vector) -> float:
    """AdaRank's weight of a weak ranker, ``0.5 ln(sum P(1 + E) / sum P(1 - E))``; infinite for a perfect one.

    >>> round(weight(np.full(3, 1 / 3), np.array([1, 1, 5 / 6])), 6)
    1.777674
    """
    short = float(P @ (1.0 - E))
    return np.inf if short <= 1e-12 else 0.5 * float(np.log(P @ (1.0 + E)) - np.log(short))
