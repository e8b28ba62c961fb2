"""ReliefF, RankFilter, RReliefF, RankWrapper: worked examples, triple loops, scikit-rebate, properties."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression
from tests.naive import relief as naive
from tests.selectors.metamorphic import (
    Blocks,
    check_blocks_and_threads,
    check_columns,
    check_rows_and_queries,
    tie_free,
)

from leanrank import Neighbours, RankFilter, RankingData, RankSVM, RankWrapper, ReliefF, RReliefF
from leanrank.errors import DataError, ParameterError

X = [[0, 0.2], [0.1, 0.9], [0.5, 0.1], [0.6, 0.8], [1, 0.3], [0.9, 0.7]]
UNSCALED = Neighbours(scale=False)
TINY = RankingData(X, [0, 0, 1, 1, 2, 2], [0, 6])
SCORES = [0, 0.1, 0.5, 0.6, 1, 0.9]


def random_data(seed, n_features=4, n_levels=3):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 14, 6)
    n = int(sizes.sum())
    values = rng.random((n, n_features)) * rng.uniform(0.5, 20, n_features)
    values[:, -1] = np.round(values[:, -1])
    y = rng.integers(0, n_levels, n)
    y[: sizes[0]] = 1  # a query of one level
    return RankingData(values, y, np.concatenate(([0], np.cumsum(sizes))))


def lists(data):
    return data.X.tolist(), data.y.astype(int).tolist(), data.query_ptr.tolist()


def test_worked_examples():
    assert ReliefF(n_neighbors=1, neighbours=UNSCALED).fit(TINY).scores_.round(6).tolist() == [0.5, -0.466667]
    assert RankFilter(n_neighbors=1, neighbours=UNSCALED).fit(TINY).scores_.round(6).tolist() == [0.675489, -0.437419]
    r_relief = {"n_neighbors": 2, "neighbours": UNSCALED}
    assert RReliefF(**r_relief).fit(TINY).scores_.round(6).tolist() == [0.175, -0.2125]
    assert RReliefF(sigma=1, **r_relief).fit(TINY).scores_.round(6).tolist() == [0.099479, -0.100014]
    wrapper = {"n_neighbors": 3, "neighbours": UNSCALED}
    for settings, expected in (
        ({"sigma": None}, [0.366667, -0.31]),
        ({"sigma": 2}, [0.086944, -0.268607]),
        ({"sigma": None, "normalise": "median"}, [0.941111, -0.681111]),
    ):
        found = RankWrapper(**wrapper, **settings).fit(TINY, scores=SCORES)
        assert (6 * found.scores_).round(6).tolist() == expected  # a mean over six documents


@pytest.mark.parametrize("scope", ["query", "global"])
@pytest.mark.parametrize("seed", range(4))
def test_equal_triple_loops(seed, scope):
    data = random_data(seed)
    rows, y, ptr = lists(data)
    metric = ("manhattan", "euclidean")[seed % 2]
    common = {"scope": scope, "scale": seed != 3}
    near = {"neighbours": Neighbours(**common)}
    for k in (1, 3):
        found = ReliefF(n_neighbors=k, neighbours=Neighbours(metric=metric, **common)).fit(data).scores_
        np.testing.assert_allclose(found, naive.relief_f(rows, y, ptr, k, metric=metric, **common), atol=1e-10)
        found = RankFilter(n_neighbors=k, skip_single_level=False, **near).fit(data).scores_
        expected = naive.relief_f(rows, y, ptr, k, factor=naive.level_factor, skip=False, **common)
        np.testing.assert_allclose(found, expected, atol=1e-10)
        for sigma in (None, 1.5):
            found = RReliefF(n_neighbors=k, sigma=sigma, **near).fit(data).scores_
            np.testing.assert_allclose(found, naive.r_relief_f(rows, y, ptr, k, sigma=sigma, **common), atol=1e-10)
    scores = np.random.default_rng(seed).standard_normal(data.n_rows)
    for k, normalise, sigma in ((3, None, "auto"), (4, "median", None), (5, "max", 2.0)):
        found = RankWrapper(n_neighbors=k, normalise=normalise, sigma=sigma, **near).fit(data, scores=scores).scores_
        rule = k / 2 if sigma == "auto" else sigma
        sums, m = naive.rank_wrapper(rows, scores.tolist(), ptr, k, sigma=rule, normalise=normalise, **common)
        np.testing.assert_allclose(found, np.array(sums) / m, atol=1e-10)


@pytest.mark.parametrize(("n_classes", "balanced"), [(2, False), (3, True)])
def test_equals_scikit_rebate(n_classes, balanced):
    skrebate = pytest.importorskip("skrebate", reason="scikit-rebate is not installed")
    rng = np.random.default_rng(0)
    n = 120
    values = rng.random((n, 6))
    y = np.arange(n) % n_classes if balanced else (values[:, 0] + 0.3 * rng.standard_normal(n) > 0.7).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = skrebate.ReliefF(n_neighbors=7).fit(values, y).feature_importances_
    found = ReliefF(n_neighbors=7, neighbours=Neighbours("global")).fit(values, y, qid=np.zeros(n)).scores_
    np.testing.assert_allclose(found, peer, atol=1e-11)


def test_two_levels_make_rank_filter_relief_f():
    data = random_data(1, n_levels=2)
    for scope in ("query", "global"):
        relief, rank_filter = (
            cls(n_neighbors=3, neighbours=Neighbours(scope)).fit(data).scores_ for cls in (ReliefF, RankFilter)
        )
        assert relief.tolist() == rank_filter.tolist()
    apart = RankingData(data.X, 2 * data.y, data.query_ptr)
    rows, y, ptr = lists(apart)
    expected = naive.relief_f(rows, y, ptr, 3, factor=lambda c, other: np.log2(3))
    np.testing.assert_allclose(RankFilter(n_neighbors=3).fit(apart).scores_, expected, atol=1e-10)
    by_index = RankFilter(n_neighbors=3, level_index=True).fit(apart).scores_
    assert by_index.tolist() == RankFilter(n_neighbors=3).fit(data).scores_.tolist()


def test_a_query_of_one_level_teaches_nothing():
    data = random_data(2)
    assert data.query_ptr[1] > 1  # the first query has several documents of one level: hits only
    mixed = sum(q.n_rows for q in map(data.query, range(6)) if len(set(q.y.tolist())) > 1)
    skipped, kept = (RankFilter(n_neighbors=2, skip_single_level=skip).fit(data).scores_ for skip in (True, False))
    assert (kept * data.n_rows < skipped * mixed - 1e-9).all()


@pytest.mark.parametrize("make", [ReliefF, RankFilter, RReliefF, RankWrapper])
def test_sparse_is_dense(make):
    rng = np.random.default_rng(0)
    n = 120
    values = np.round(rng.random((n, 30)), 3) * (rng.random((n, 30)) < 0.15)
    y, ptr = rng.integers(0, 3, n), [0, 40, 90, n]
    scores = {"scores": rng.random(n)} if make is RankWrapper else {}
    for scope in ("query", "global"):
        dense = make(neighbours=Neighbours(scope)).fit(RankingData(values, y, ptr), **scores)
        sparse = make(neighbours=Neighbours(scope)).fit(RankingData(sp.csr_array(values), y, ptr), **scores)
        np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-11)


def test_word_features():
    """Three thousand sparse columns, a hundred documents a query: the words that make the grade come first."""
    rng = np.random.default_rng(0)
    n_queries, per_query, n_words = 3, 100, 3000
    counts = sp.random_array((n_queries * per_query, n_words), density=0.01, rng=rng, format="csr")
    told = rng.integers(0, 2, (n_queries * per_query, 3))
    X = sp.csr_array(sp.hstack((sp.csr_array(told.astype(float)), counts)))
    data = RankingData(X, told.sum(axis=1), np.arange(0, 301, per_query))
    assert sorted(RankFilter(3).fit(data).selected_) == [0, 1, 2]


@pytest.mark.parametrize("make", [ReliefF, RankFilter, RReliefF])
def test_metamorphic_globally_and_with_few_neighbours(make):
    data = tie_free(1)
    check_rows_and_queries(lambda: make(neighbours=Neighbours("global"), n_neighbors=3), data)
    check_columns(lambda: make(neighbours=Neighbours("global"), n_neighbors=3), data)
    check_columns(lambda: make(neighbours=Neighbours(metric="euclidean"), n_neighbors=2), data)
    check_blocks_and_threads(lambda: make(n_neighbors=2), data)
    check_blocks_and_threads(lambda: make(neighbours=Neighbours(n_samples=40, random_state=3)), data)


def test_samples_are_rows_without_replacement():
    data = random_data(3)
    everything = ReliefF(n_neighbors=3).fit(data).scores_
    assert (
        ReliefF(n_neighbors=3, neighbours=Neighbours(n_samples=10_000)).fit(data).scores_.tolist()
        == everything.tolist()
    )
    some = [
        ReliefF(n_neighbors=3, neighbours=Neighbours(n_samples=15, random_state=seed)).fit(data).scores_
        for seed in range(4)
    ]
    assert len({tuple(s) for s in some}) == 4
    assert (
        some[0].tolist()
        == ReliefF(n_neighbors=3, neighbours=Neighbours(n_samples=15)).fit(Blocks(data, 3)).scores_.tolist()
    )
    from leanrank.stats.row_sample import RowSample, row_keys

    statistic = RowSample(15, 0)
    visited = np.flatnonzero(row_keys(data, 0) <= statistic.finish(statistic.of(data)))
    assert len(visited) == 15
    rows, y, ptr = lists(data)
    np.testing.assert_allclose(some[0], naive.relief_f(rows, y, ptr, 3, visited=set(visited.tolist())), atol=1e-10)


def test_constant_labels_and_features():
    flat = RankingData(np.random.default_rng(0).random((8, 3)), np.ones(8), [0, 4, 8])
    assert RReliefF().fit(flat).scores_.tolist() == [0.0, 0.0, 0.0]
    assert RankFilter().fit(flat).scores_.tolist() == [0.0, 0.0, 0.0]
    assert (ReliefF(skip_single_level=False).fit(flat).scores_ < 0).all()
    assert RankWrapper().fit(flat, scores=np.full(8, 3.0)).scores_.tolist() == [0.0, 0.0, 0.0]
    # constant in one query only: kept, and its differences there are 0
    data = tie_free(2)
    data.X[: data.query_ptr[1], 0] = 0.5
    assert 0 in RankFilter().fit(data).order_


def test_wrapper_is_linear_in_scores():
    data = random_data(4)
    s = np.random.default_rng(1).standard_normal(data.n_rows)
    weights = RankWrapper().fit(data, scores=s).scores_
    for a, b in ((3.0, 7.0), (-2.5, 0.0), (1e-9, 5e-9), (1e9, 0.0)):
        scaled = RankWrapper().fit(data, scores=a * s + b).scores_
        np.testing.assert_allclose(scaled, abs(a) * weights, rtol=1e-7, atol=abs(a) * 1e-9)


def test_wrapper_trains_a_ranker():
    data = tie_free(3)
    by_default = RankWrapper().fit(data)
    assert isinstance(by_default.ranker_, RankSVM)
    expected = RankWrapper().fit(data, scores=RankSVM().fit(data).predict(data))
    np.testing.assert_allclose(by_default.scores_, expected.scores_, atol=1e-9)
    line = LinearRegression().fit(data.X, data.y)
    trained = RankWrapper(ranker=LinearRegression()).fit(data)
    np.testing.assert_allclose(trained.scores_, RankWrapper().fit(data, scores=line.predict(data.X)).scores_, atol=1e-9)
    prefit = RankWrapper(ranker=line, prefit=True).fit(Blocks(data, 20))
    assert prefit.ranker_ is line
    np.testing.assert_allclose(prefit.scores_, trained.scores_, atol=1e-9)


def test_ranks_instead_of_scores():
    data = tie_free(4)
    s = np.random.default_rng(0).standard_normal(data.n_rows)
    by_rank = RankWrapper(rank_scores=True)
    np.testing.assert_allclose(by_rank.fit(data, scores=s).scores_, by_rank.fit(data, scores=np.exp(s)).scores_)
    trained = RankWrapper(ranker=LinearRegression(), rank_scores=True).fit(data)
    line = LinearRegression().fit(data.X, data.y).predict(data.X)
    np.testing.assert_allclose(trained.scores_, by_rank.fit(data, scores=line).scores_, atol=1e-9)


def test_scores_follow_regrouped_rows_and_need_no_labels():
    data = random_data(5)
    s = np.random.default_rng(2).random(data.n_rows)
    expected = RankWrapper().fit(data, scores=s).scores_
    mixed = np.argsort(np.arange(data.n_rows) % 3, kind="stable")  # rows of a query apart, in order
    found = RankWrapper().fit(data.X[mixed], data.y[mixed], qid=data.qid[mixed], regroup=True, scores=s[mixed])
    regrouped = np.concatenate([mixed[data.qid[mixed] == q] for q in dict.fromkeys(data.qid[mixed])])
    again = RankingData(
        data.X[regrouped],
        data.y[regrouped],
        np.append(0, np.cumsum(np.bincount(data.qid)[list(dict.fromkeys(data.qid[mixed]))])),
    )
    np.testing.assert_allclose(found.scores_, RankWrapper().fit(again, scores=s[regrouped]).scores_, atol=1e-12)
    np.testing.assert_allclose(RankWrapper().fit(data.X, qid=data.qid, scores=s).scores_, expected, atol=1e-12)


def test_refusals():
    with pytest.raises(ParameterError, match="'n_neighbors' parameter of RankWrapper must be a whole number >= 3"):
        RankWrapper(n_neighbors=1).fit(TINY)
    with pytest.raises(ParameterError, match="'scope' parameter of Neighbours must be one of 'query', 'global'"):
        ReliefF(neighbours=Neighbours("pooled")).fit(TINY)
    with pytest.raises(ParameterError, match="'sigma' parameter of RReliefF must be a number > 0 or None"):
        RReliefF(sigma=0).fit(TINY)
    with pytest.raises(DataError, match="scores must be 6 finite numbers"):
        RankWrapper().fit(TINY, scores=[1, 2])
