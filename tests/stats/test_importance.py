"""Importance: the worked examples, the metrics room, and that nothing but the data decides."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive.pair_losses import losses
from tests.stats.toy import T1, random_data

from leanrank.data.ranking_data import RankingData
from leanrank.engines.fold import fold
from leanrank.engines.local import LocalEngine
from leanrank.errors import DataError, MissingValuesError, ParameterError, UnknownNameError
from leanrank.metrics.names import metric
from leanrank.metrics.ndcg import NDCG
from leanrank.metrics.precision_recall import AP
from leanrank.stats.importance import Importance

ALL = [
    Importance(what, direction=direction)
    for what in ("map", "ndcg@5", "error", "hinge", "cross-entropy")
    for direction in ("desc", "asc", "max")
]


def name(importance):
    return f"{importance.metric}-{importance.direction}"


@pytest.mark.parametrize(
    ("direction", "expected"),
    [("desc", [1, 1, 0.541667, 0.75]), ("asc", [0.375, 0.375, 0.875, 0.75]), ("max", [1, 1, 0.875, 0.75])],
)
def test_worked_example_t1_map_with_ties_in_file_order(direction, expected):
    scores = fold(Importance("map", ties="input", direction=direction), T1)
    assert scores.mean.round(6).tolist() == expected


def test_expected_ties_take_the_luck_out_of_a_constant():
    desc, asc = fold([Importance(direction="desc"), Importance(direction="asc")], T1)
    assert desc.mean[3] == asc.mean[3] < 0.75
    assert desc.mean[:3].round(6).tolist() == [1, 1, 0.541667]


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("error", [0, 0, 0.8, 0.5]),
        ("hinge", [0.53, 0.63, 1.265, 1]),
        ("cross-entropy", [0.489186, 0.527703, 0.858607, 0.693147]),
    ],
)
def test_worked_example_t1_losses(loss, expected):
    """The printed figures are of the values as given."""
    scores = fold(Importance(loss, scale="none"), T1)
    found = 1 - scores.mean if loss == "error" else -scores.mean
    assert found.round(6).tolist() == expected


@pytest.mark.parametrize("average", ["query", "pairs"])
@pytest.mark.parametrize("loss", ["error", "hinge", "cross-entropy"])
def test_losses_are_means_over_queries_or_over_pairs(loss, average):
    data = random_data(0, [1, 12, 20, 3], 4)
    pairs = [
        [losses(data.query(q).X[:, j], data.query(q).y, loss, scale=True) for j in range(4)]
        for q in range(data.n_queries)
    ]
    with_pairs = [query for query in pairs if query[0]]
    scores = fold(Importance(loss, average=average), data)
    for j in range(4):
        if average == "query":
            expected = np.mean([np.mean(query[j]) for query in with_pairs])
            weight = len(with_pairs)
        else:
            expected = np.mean(np.concatenate([query[j] for query in with_pairs]))
            weight = sum(len(query[j]) for query in with_pairs)
        assert scores.mean[j] == pytest.approx(1 - expected if loss == "error" else -expected, abs=1e-11)
        assert scores.weight[j] == weight


def test_max_decides_by_the_mean_over_all_queries():
    """Feature 0 ranks the first query upside down and the others well: one direction for all."""
    X = [[1.0], [2.0], [2.0], [1.0], [2.0], [1.0]]
    data = RankingData(X, [1, 0, 1, 0, 1, 0], [0, 2, 4, 6])
    desc, asc, best = (fold(Importance("map", direction=d), data) for d in ("desc", "asc", "max"))
    assert desc.mean.tolist() == [round((0.5 + 1 + 1) / 3, 12)]
    assert best.mean.tolist() == desc.mean.tolist()
    assert best.descending.tolist() == [True]
    assert not asc.descending.any()
    upside_down = fold(Importance("map", direction="max"), RankingData(-np.array(X), data.y, data.query_ptr))
    assert upside_down.mean.tolist() == best.mean.tolist()
    assert upside_down.descending.tolist() == [False]


@pytest.mark.parametrize("what", ["map", "ndcg@5", "p@3", "mrr", "kendall"])
def test_mean_and_deviation_are_those_of_the_metric(what):
    data = random_data(1, [1, 8, 30, 11, 25], 5)
    y = data.y.copy()
    y[:9] = 0  # two queries without a relevant document: left out by the standard convention
    data = RankingData(data.X, y, data.query_ptr)
    per_query = metric(what).per_query(y, data.X, data.query_ptr)
    scores = fold(Importance(what), data)
    np.testing.assert_allclose(scores.mean, np.nanmean(per_query, axis=0), atol=1e-12)
    np.testing.assert_allclose(scores.std, np.nanstd(per_query, axis=0), atol=1e-8)
    assert scores.weight.tolist() == (~np.isnan(per_query)).sum(axis=0).tolist()


def test_a_metric_object_keeps_its_convention():
    data = random_data(2, [4, 9, 15], 3)
    measure = NDCG(k=5, convention="letor3")
    expected = measure.per_query(data.y, data.X, data.query_ptr).mean(axis=0)
    np.testing.assert_allclose(fold(Importance(measure), data).mean, expected, atol=1e-12)
    assert Importance(measure).describe()["metric"] == repr(measure)
    assert Importance(AP()).describe() != Importance(AP(relevance_threshold=2)).describe()


def test_any_object_with_per_query_will_do():
    class FirstValue:
        def per_query(self, y, scores, query_ptr):
            return np.asarray(scores, dtype=np.float64)[query_ptr[:-1]]

    data = random_data(3, [4, 9], 3)
    np.testing.assert_allclose(fold(Importance(FirstValue()), data).mean, data.X[[0, 4]].mean(axis=0), atol=1e-12)


def test_no_query_counts():
    nothing_relevant = RankingData([[1.0], [2.0]], [0, 0], [0, 2])
    for what in ("map", "error"):
        scores = fold(Importance(what), nothing_relevant)
        assert (scores.mean.tolist(), scores.std.tolist(), scores.weight.tolist()) == ([0.0], [0.0], [0])


@pytest.mark.parametrize("importance", ALL, ids=name)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), sizes=st.lists(st.integers(1, 25), min_size=1, max_size=8), rows=st.integers(1, 40))
def test_blocks_in_any_order_merge_to_the_whole(importance, seed, sizes, rows):
    data = random_data(seed, sizes, 4)
    whole = fold(importance, data)
    partials = [importance.of(block) for block in data.blocks(rows)]
    np.random.default_rng(seed).shuffle(partials)
    merged = partials[0]
    for partial in partials[1:]:
        merged = importance.merge(partial, merged)
    for found, expected in zip(importance.finish(merged), whole, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("importance", ALL, ids=name)
def test_order_of_rows_queries_and_columns_does_not_matter(importance):
    data = random_data(4, [30, 2, 17, 65, 1], 5)
    expected = fold(importance, data).mean
    rng = np.random.default_rng(5)
    columns = rng.permutation(5)
    rows = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in pairwise(data.query_ptr)])
    moved = RankingData(data.X[rows][:, columns], data.y[rows], data.query_ptr).take_queries([3, 0, 4, 2, 1])
    for threads in (1, 2):
        found = fold(importance, moved, LocalEngine(threads, block_rows=20)).mean
        np.testing.assert_allclose(found, expected[columns], rtol=0, atol=1e-12)


@pytest.mark.parametrize("importance", [Importance("map", direction="max"), Importance("error")], ids=name)
def test_sparse_data_give_the_same(importance, monkeypatch):
    dense = random_data(6, [20, 3, 40], 6, decimals=0)
    sparse = RankingData(sp.csr_array(dense.X), dense.y, dense.query_ptr)
    monkeypatch.setattr("leanrank.data.sources._DENSE_VALUES", 60)
    np.testing.assert_array_equal(fold(importance, sparse).mean, fold(importance, dense).mean)


def test_bad_parameters():
    with pytest.raises(UnknownNameError, match="Unknown metric 'mapp': did you mean 'map'"):
        Importance("mapp")
    with pytest.raises(ParameterError, match="'direction' parameter of Importance must be 'desc', 'asc' or 'max'"):
        Importance(direction="up")
    with pytest.raises(ParameterError, match="'average' parameter of Importance must be 'query' for a metric"):
        Importance("map", average="pairs")
    with pytest.raises(ParameterError, match="'average' parameter of Importance must be 'query' or 'pairs'"):
        Importance("error", average="all")
    with pytest.raises(ParameterError, match="'scale' parameter of Importance must be 'query' or 'none'"):
        Importance("error", scale="all")


def test_missing_values_are_refused():
    data = RankingData([[1.0], [np.nan]], [0, 1], [0, 2], missing=True)
    with pytest.raises(MissingValuesError, match="Importance cannot take missing values"):
        fold(Importance(), data)


def test_losses_too_large_to_add_up_are_refused():
    data = RankingData([[1e300], [0.0]], [0, 1], [0, 2])
    with pytest.raises(DataError, match="A value of the importance is 1e\\+300: scale the features first"):
        fold(Importance("hinge", scale="none"), data)
    assert fold(Importance("hinge"), data).mean.tolist() == [-2.0]
