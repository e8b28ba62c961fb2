"""The mean label in place of a category: as one would compute it row by row, and never with a row's own label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.data.categorical import with_categories

from leanrank.data import RankingData
from leanrank.data.category_means import N_PARTS, SMOOTHING, CategoryMeans, _parts, cross_fitted, without_categories
from leanrank.data.side_columns import SideColumns
from leanrank.metrics.names import metric
from leanrank.rankers import get
from leanrank.stats.feature_graph import feature_graph


def naive_value(y, codes, rows, code, low, high):
    """The smoothed mean label of one category over these rows, scaled by all labels."""
    overall = y[rows].mean()
    of_code = y[rows][codes[rows] == code]
    mean = overall if np.isnan(code) else (of_code.sum() + SMOOTHING * overall) / (len(of_code) + SMOOTHING)
    return (mean - low) / (high - low)


def test_means_are_those_of_a_loop():
    data = with_categories(20, 6)
    means, y = CategoryMeans.of(data), data.y.astype(float)
    every = np.ones(data.n_rows, dtype=bool)
    numbered = means.numbered(data)
    assert numbered.categories == {}
    for j in data.category_columns:
        want = [naive_value(y, data.X[:, j], every, code, y.min(), y.max()) for code in data.X[:, j]]
        np.testing.assert_allclose(numbered.X[:, j], want, atol=1e-12)
    np.testing.assert_array_equal(numbered.X[:, [0, 2]], data.X[:, [0, 2]])


def test_rows_get_the_means_of_other_parts():
    data = with_categories(20, 6)
    part, y, X = np.repeat(_parts(data), data.query_sizes), data.y.astype(float), data.X
    for j in data.category_columns:
        want = [
            naive_value(y, X[:, j], part != part[i], X[i, j], y.min(), y.max()) for i in range(data.n_rows)
        ]  # fmt: skip
        np.testing.assert_allclose(cross_fitted(data).X[:, j], want, atol=1e-12)


def test_a_label_never_enters_its_own_row():
    data = with_categories(20, 6)
    y = data.y.copy()
    first, last = data.query_ptr[3], data.query_ptr[4]
    y[first:last] = np.where(y[first:last] == 0, 3, 0)
    before, after = cross_fitted(data), cross_fitted(replace(data, y=y))
    np.testing.assert_array_equal(before.X[first:last], after.X[first:last])
    assert not np.array_equal(before.X, after.X)


def test_parts_depend_on_ids_and_groups_alone():
    data = with_categories(50, 4)
    parts = _parts(data)
    assert set(parts) == set(range(N_PARTS))
    np.testing.assert_array_equal(_parts(data.take_queries([9, 3])), parts[[9, 3]])
    grouped = replace(data, beside=SideColumns(query_group=np.repeat(np.arange(10), 5)))
    assert all(len(set(_parts(grouped)[i : i + 5])) == 1 for i in range(0, 50, 5))


def test_whole_weights_are_repeated_documents():
    data = with_categories(12, 5)
    weight = np.random.default_rng(1).integers(1, 4, data.n_rows)
    rows = np.repeat(np.arange(data.n_rows), weight)
    sizes = np.add.reduceat(weight, data.query_ptr[:-1])
    repeated = replace(data, X=data.X[rows], y=data.y[rows], query_ptr=np.concatenate(([0], np.cumsum(sizes))))
    weighted = replace(data, beside=SideColumns(weight=weight.astype(float)))
    np.testing.assert_allclose(cross_fitted(weighted).X[rows], cross_fitted(repeated).X, atol=2e-12)


def test_the_order_of_rows_and_queries_makes_no_difference():
    data = with_categories(20, 6)
    rng = np.random.default_rng(2)
    data = replace(data, y=rng.random(data.n_rows))
    order = rng.permutation(data.n_queries)
    np.testing.assert_array_equal(cross_fitted(data.take_queries(order)).X, cross_fitted(data).take_queries(order).X)
    for name, values in CategoryMeans.of(data.take_queries(order)).means.items():
        np.testing.assert_array_equal(values, CategoryMeans.of(data).means[name])


@pytest.mark.parametrize("queries", [[0], [0, 1]])
def test_few_queries_one_label_and_no_texts(queries):
    data = with_categories(4, 5).take_queries(queries)
    assert np.isfinite(cross_fitted(data).X).all()
    assert (cross_fitted(replace(data, y=np.ones(data.n_rows))).X[:, 1] == 0).all()
    empty = replace(data, X=np.full_like(data.X, np.nan)[:, :1], feature_names=("c",), categories={"c": ()})
    assert len(set(CategoryMeans.of(empty).numbered(empty).X[:, 0])) == 1


def test_data_without_categories_are_the_same_object():
    data = RankingData([[1.0]], [1], [0, 1])
    assert cross_fitted(data) is data
    assert without_categories(data) is data


def with_a_lottery(n_queries=120, size=10):
    """A feature that matters, noise, and a category of many texts dealt at random."""
    rng = np.random.default_rng(3)
    n = n_queries * size
    bm25, noise, lucky = rng.normal(size=n), rng.normal(size=n), rng.integers(0, n // 3, n).astype(float)
    return RankingData(
        np.column_stack([bm25, noise, lucky]),
        np.digitize(bm25 + rng.normal(size=n), [0.0, 1.5]).astype(np.float32),
        np.arange(0, n + 1, size),
        feature_names=("bm25", "noise", "lucky"),
        categories={"lucky": [f"text {i}" for i in range(n // 3)]},
    )


@pytest.mark.parametrize("name", ["ranksvm", "rankboost"])
def test_a_random_category_of_many_texts_gains_nothing(name):
    data, ndcg = with_a_lottery(300), metric("ndcg@10")
    train, test = data.take_queries(np.arange(200)), data.take_queries(np.arange(200, 300))

    def quality(train, test):
        return get(name).fit(train).score(test, metric=ndcg)

    lucky, alone = (quality(train.subset(f), test.subset(f)) for f in (["bm25", "lucky"], ["bm25"]))
    assert lucky == pytest.approx(alone, abs=0.02)
    if name == "rankboost":  # which would learn the labels by heart if a row's own were in its mean
        train, test = train.subset(["bm25", "lucky"]), test.subset(["bm25", "lucky"])
        means = CategoryMeans.of(train)
        assert quality(means.numbered(train), means.numbered(test)) < alone - 0.03


def test_a_random_category_of_many_texts_is_no_better_than_noise_to_filters():
    data = with_a_lottery()
    bm25, noise, lucky = feature_graph(data, "ndcg@10").importance
    assert lucky == pytest.approx(noise, abs=0.03)
    assert bm25 > lucky + 0.2
    # with a row's own label in its mean it would seem to rank
    naive = CategoryMeans.of(data).numbered(data)
    assert feature_graph(naive, "ndcg@10").importance[2] > noise + 0.15
