"""What may change in the data without changing what a selector finds; one body for every selector.

    check_rows_and_queries(make, data)     rows shuffled inside queries, queries shuffled and renamed
    check_columns(make, data)              columns shuffled: the same selection under the shuffle
    check_blocks_and_threads(make, data)   blocks of any size, one thread or two

`make()` gives a new selector; the data should have no ties that only an order of rows or columns could break.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingData
from leanrank.engines.local import LocalEngine
from leanrank.selectors._base import Selector

Make = Callable[[], Selector]


class Blocks:
    """A source that is not RankingData: it only knows how to yield blocks, of its own size."""

    def __init__(self, data: RankingData, n_rows: int) -> None:
        self.data, self.n_rows = data, n_rows

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.data.feature_names

    def blocks(self, n_rows: int = 0) -> Any:
        return self.data.blocks(self.n_rows)


def tie_free(seed: int = 0, n_queries: int = 14, n_features: int = 9) -> RankingData:
    """Random data in families of like features, with one feature constant inside every query."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 16, n_queries)
    n = int(sizes.sum())
    base = rng.standard_normal((n, 3))
    X = base[:, np.arange(n_features) % 3] + rng.uniform(0.3, 1.5, n_features) * rng.standard_normal((n, n_features))
    X[:, 4] = np.repeat(rng.random(n_queries), sizes)
    grade = base @ [1.0, 0.7, 0.3] + 0.5 * rng.standard_normal(n)
    return RankingData(X, np.digitize(grade, [0.3, 1.2]), np.concatenate(([0], np.cumsum(sizes))))


def shuffled_rows(data: RankingData, rng: np.random.Generator) -> RankingData:
    rows = np.concatenate(
        [a + rng.permutation(b - a) for a, b in zip(data.query_ptr[:-1], data.query_ptr[1:], strict=True)]
    )
    return replace(data, X=data.X[rows], y=data.y[rows])


def same(a: Selector, b: Selector) -> None:
    """The same path, the same scores to 1e-12, the same support, the same graph (constant features aside)."""
    assert a.order_.tolist() == b.order_.tolist()
    assert a.support_.tolist() == b.support_.tolist()
    assert a.dropped_.tolist() == b.dropped_.tolist()
    np.testing.assert_allclose(a.scores_, b.scores_, rtol=1e-12, atol=1e-12)
    if hasattr(a, "graph_"):
        one, other = (graph.subset(~graph.constant) for graph in (a.graph_, b.graph_))
        np.testing.assert_allclose(one.importance, other.importance, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(one.similarity, other.similarity, rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.importance_std, other.importance_std, rtol=0, atol=1e-12)


def check_rows_and_queries(make: Make, data: RankingData, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    expected = make().fit(data)
    same(expected, make().fit(shuffled_rows(data, rng)))
    same(expected, make().fit(data.take_queries(rng.permutation(data.n_queries))))
    same(expected, make().fit(replace(data, query_ids=[f"query {i}" for i in rng.permutation(data.n_queries)])))


def check_columns(make: Make, data: RankingData, seed: int = 0) -> None:
    order = np.random.default_rng(seed).permutation(data.n_features)
    a, b = make().fit(data), make().fit(data.subset(order))
    assert order[b.order_].tolist() == a.order_.tolist()
    assert b.support_.tolist() == a.support_[order].tolist()
    assert sorted(order[b.dropped_]) == sorted(a.dropped_)
    np.testing.assert_allclose(b.scores_, a.scores_[order], rtol=1e-12, atol=1e-12)


def check_blocks_and_threads(make: Make, data: RankingData) -> None:
    expected = make().fit(data)
    for n_rows in (1, 23, data.n_rows):
        same(expected, make().fit(Blocks(data, n_rows)))
    if "engine" not in expected.get_params():
        return
    for n_threads in (1, 2):
        for block_rows in (7, 50, data.n_rows):
            engine = LocalEngine(n_threads=n_threads, block_rows=block_rows)
            same(expected, make().set_params(engine=engine).fit(data))
