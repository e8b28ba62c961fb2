"""The squared hinge over all pairs of a query, with its derivatives, without forming the pairs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.kernels._threads import default_threads, split_queries
from leanrank.kernels.pairwise import active_weights, label_levels, pull, sort_by_score
from leanrank.kernels.products import columns_times, rows_times

Vector = NDArray[np.float64]
T = TypeVar("T")

# Rows of one task. The cut depends on the data alone, so sums are the same whatever the number of threads.
_TASK_ROWS = 32_768


class PairwiseSquaredHinge:
    """``L(s) = sum over pairs of max(0, 1 - (s_i - s_j))^2``, the pairs being documents of one query with y_i > y_j.

    With ``l+_i`` the number of active partners (margin short of 1) with a higher label, ``l-_i`` with a lower one, and
    ``a+_i(v)``, ``a-_i(v)`` the sums of v over them (Lee and Lin, 2014),

        L(s)   = s.((l+ + l-) s - a+(s) - a-(s)) + 2 (l+ - l-).s + sum l-
        dL/ds  = 2 [(l+ + l-) s - a+(s) - a-(s) + l+ - l-]
        H t    = 2 [(l+ + l-) t - a+(t) - a-(t)]

    One evaluation costs O(n log n) whatever the number of pairs.

    A pair counts the product of the weights of its documents times that of its query, as if documents and queries stood
    there so often: l and a are sums of weights and of weights times v then.

    Parameters
    ----------
    data : RankingData
    n_threads : int, optional

    Attributes
    ----------
    n_pairs : int or float
        Pairs, or what they weigh.

    Examples
    --------
    >>> data = RankingData([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [2, 0, 1], [0, 3])
    >>> loss = PairwiseSquaredHinge(data)
    >>> loss.n_pairs, loss.at(np.array([0.5, 0.0, 0.0])).value
    (3, 1.5)
    """

    def __init__(self, data: RankingData, *, n_threads: int | None = None) -> None:
        self.X = data.X
        self.query_ptr = data.query_ptr
        self._threads = default_threads() if n_threads is None else n_threads
        self._tasks = split_queries(data.query_ptr, max(1, data.n_rows // _TASK_ROWS))
        self._level = np.empty(data.n_rows, dtype=np.int32)
        y = data.y.astype(np.float64)  # as scores are: one sort is compiled for both
        pairs = self._each(lambda first, last: label_levels(y, data.query_ptr, first, last, self._level))
        self.document_weight = data.beside.weight
        by_query = data.beside.query_weight
        self.query_weight = None if by_query is None else np.repeat(by_query, data.query_sizes)
        self.n_pairs: int | float = int(sum(pairs))
        if self.document_weight is not None or by_query is not None:
            self.n_pairs = self._weight_of_pairs(data)

    def _weight_of_pairs(self, data: RankingData) -> float:
        """Half of what a query's documents weigh, squared, less the same of those of each label: pairs of one label."""
        weight = np.ones(data.n_rows) if data.beside.weight is None else data.beside.weight
        query = np.repeat(np.arange(data.n_queries), data.query_sizes)
        groups = query * (int(self._level.max(initial=0)) + 1) + self._level
        _, group = np.unique(groups, return_inverse=True)
        of_label = np.zeros(data.n_queries)
        sums = np.bincount(group, weights=weight)
        owner = np.zeros(len(sums), dtype=np.int64)
        owner[group] = query
        np.add.at(of_label, owner, sums**2)
        pairs = (np.add.reduceat(weight, data.query_ptr[:-1]) ** 2 - of_label) / 2
        return float(pairs.sum() if data.beside.query_weight is None else pairs @ data.beside.query_weight)

    def at(self, s: Vector) -> Margins:
        """The loss around the scores s."""
        return Margins(self, s)

    def scores(self, w: Vector) -> Vector:
        """X @ w."""
        out = np.empty(self.X.shape[0])
        ptr = self.query_ptr

        def part(first: int, last: int) -> None:
            a, b = int(ptr[first]), int(ptr[last])
            out[a:b] = rows_times(self.X[a:b], w)

        self._each(part)
        return out

    def weights(self, v: Vector) -> Vector:
        """X.T @ v."""
        ptr = self.query_ptr
        parts = self._each(lambda f, e: columns_times(self.X[int(ptr[f]) : int(ptr[e])], v[int(ptr[f]) : int(ptr[e])]))
        total: Vector = np.sum(parts, axis=0)
        return total

    def _each(self, work: Callable[[int, int], T]) -> list[T]:
        if self._threads <= 1 or len(self._tasks) <= 1:
            return [work(first, last) for first, last in self._tasks]
        with ThreadPoolExecutor(min(self._threads, len(self._tasks))) as pool:
            return list(pool.map(lambda task: work(*task), self._tasks))


class Margins:
    """Value, slope and curvature of the loss at one vector of scores.

    Attributes
    ----------
    value : float
        L(s).
    slope : array of shape (n,)
        dL/ds.
    """

    def __init__(self, loss: PairwiseSquaredHinge, s: Vector) -> None:
        n, ptr = len(s), loss.query_ptr
        self._loss = loss
        self._order, self._s, self._level = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.int32)
        loss._each(
            lambda first, last: sort_by_score(s, loss._level, ptr, first, last, self._order, self._s, self._level)
        )
        worse, better = np.empty(n), np.empty(n)
        weight = np.ones(n) if loss.document_weight is None else loss.document_weight[self._order]
        loss._each(lambda first, last: active_weights(self._s, self._level, weight, ptr, first, last, worse, better))
        self._active = worse + better
        if loss.document_weight is not None:
            # `pull` multiplies it with values that have the weight in them already
            self._active = np.divide(self._active, weight, out=np.zeros(n), where=weight > 0)
            worse, better = worse * weight, better * weight
        if loss.query_weight is not None:  # rows of a query stay together when they are sorted
            worse, better = worse * loss.query_weight, better * loss.query_weight
        pairs = float(better.sum())
        worse -= better
        lean = better
        lean[self._order] = worse
        slope = self._pull(s)
        self.value = float(s @ slope + 2.0 * (lean @ s) + pairs)
        slope += lean
        slope *= 2.0
        self.slope = slope

    def curve(self, t: Vector) -> Vector:
        """H t, where H is the (generalised) Hessian of L at s."""
        product = self._pull(t)
        product *= 2.0
        return product

    def _pull(self, v: Vector) -> Vector:
        loss, out = self._loss, np.empty(len(v))
        weight = loss.document_weight
        given = v if weight is None else weight * v
        loss._each(
            lambda first, last: pull(
                self._order, self._s, self._level, self._active, given, loss.query_ptr, first, last, out
            )
        )
        if weight is not None:
            out *= weight
        if loss.query_weight is not None:
            out *= loss.query_weight
        return out
