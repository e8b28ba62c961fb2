"""What "alike" has to mean, however many values are equal: the properties of the default similarity."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.data.ranking_data import RankingData
from leanrank.data.side_columns import SideColumns
from leanrank.data.sources import MappedSource
from leanrank.engines.fold import fold
from leanrank.engines.local import LocalEngine
from leanrank.errors import DataError
from leanrank.stats.exact_sum import as_float
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.similarity import Similarity


@st.composite
def full_of_ties(draw, n_features=5):
    """Queries of 1 to 9 documents, one of two at least; of each feature a share of zeros from none to all."""
    sizes = [2, *draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = sum(sizes)
    X = rng.integers(1, draw(st.sampled_from([2, 3, 50])), (n, n_features)) * rng.choice([1.0, -1.0], n_features)
    X[rng.random((n, n_features)) < rng.choice([0.0, 0.5, 0.95, 1.0], n_features)] = 0.0
    return RankingData(X, rng.integers(0, 3, n), np.cumsum([0, *sizes]))


def increasing(data, rng):
    """Every column by an increasing function of its own in each query."""
    X = np.empty(data.X.shape)
    for start, end in pairwise(data.query_ptr):
        for j in range(data.n_features):
            values, place = np.unique(data.X[start:end, j], return_inverse=True)
            X[start:end, j] = np.cumsum(rng.integers(1, 9, len(values)))[place] + rng.integers(-5, 5)
    return X


def with_features(data, X):
    return RankingData(X, data.y, data.query_ptr)


def similarity(data, engine=None):
    return fold(Similarity(), data, engine)


@given(full_of_ties(), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_a_feature_is_like_itself_and_any_increasing_function_of_it(data, seed):
    K = data.n_features
    copies = increasing(data, np.random.default_rng(seed))
    both = similarity(with_features(data, np.hstack([data.X, copies, -copies])))
    alone = similarity(data)
    assert np.diag(both).tolist() == [1.0] * 3 * K
    assert np.diag(both[:K, K:]).tolist() == [1.0] * K
    np.testing.assert_array_equal(both[:K, K : 2 * K], alone)  # whatever it is like, its copy is like it as much
    np.testing.assert_array_equal(both[K : 2 * K, K : 2 * K], alone)
    varies = np.array([len(set(row)) > 1 for row in _lists(data)])
    np.testing.assert_allclose(both[:K, 2 * K :][varies], -alone[varies], atol=1e-10)  # the opposite order


def _lists(data):
    """For every feature, its values less the first one of the query."""
    first = np.repeat(data.query_ptr[:-1], data.query_sizes)
    return (data.X - data.X[first]).T.tolist()


@given(full_of_ties(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_likeness_is_bounded_symmetric_and_blind_to_rows_queries_and_blocks(data, seed):
    rng = np.random.default_rng(seed)
    alone = similarity(data)
    assert np.abs(alone).max() <= 1
    np.testing.assert_array_equal(alone, alone.T)
    assert np.linalg.eigvalsh(alone).min() > -1e-9
    rows = np.concatenate([a + rng.permutation(b - a) for a, b in pairwise(data.query_ptr)])
    shuffled = RankingData(data.X[rows], data.y[rows], data.query_ptr)
    np.testing.assert_array_equal(similarity(shuffled), alone)
    np.testing.assert_array_equal(similarity(data.take_queries(rng.permutation(data.n_queries))), alone)
    np.testing.assert_array_equal(similarity(data, LocalEngine(2, block_rows=3)), alone)


@given(full_of_ties())
@settings(max_examples=50, deadline=None)
def test_the_arithmetic_of_accelerators_gives_the_same_bits(data):
    torch = pytest.importorskip("torch")
    from leanrank.engines.gpu import Gpu

    kind = Similarity()
    there = kind.finish(kind.of_on(data, Gpu(torch.device("cpu"))))
    np.testing.assert_array_equal(there, similarity(data))


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 0.99])
def test_unrelated_features_have_about_0_whatever_their_zeros(share):
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 6))
    X[rng.random(X.shape) < share] = 0.0
    X[:, 5] = rng.random(len(X))  # one without ties
    data = RankingData(X, np.zeros(len(X)), np.arange(0, 20_001, 100))
    assert np.abs(similarity(data) - np.eye(6)).max() < 0.05


def test_a_feature_that_says_nothing_in_most_queries_is_still_like_its_copy_and_unlike_others():
    rng = np.random.default_rng(1)
    X = np.zeros((600, 3))
    X[:40, 0], X[:, 2] = rng.random(40), rng.random(600)  # varies in two queries of thirty
    X[:, 1] = np.exp(X[:, 0])
    S = similarity(RankingData(X, np.zeros(600), np.arange(0, 601, 20)))
    assert S[0, 1] == 1.0
    assert abs(S[0, 2]) < 0.1


def test_the_graph_and_every_method_on_it_take_this_similarity_unless_told():
    from leanrank.selectors import FSSCPR, GAS, HCAS, MMR, MPT, MRMR, MSD, NGAS, XGAS, FSMRank, hybrids

    data = RankingData([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]], [1, 0, 0], [0, 3])
    assert feature_graph(data).computed_with["similarity"] == Similarity(ties="signed").describe()
    for method in (FSSCPR, GAS, HCAS, MMR, MPT, MRMR, MSD, NGAS, XGAS, FSMRank):
        assert Similarity.named(method().similarity) == Similarity("kendall", ties="signed"), method
    assert Similarity("kendall", ties="signed") == hybrids.SIMILARITY


def weighted(data, weight):
    return replace(data, beside=SideColumns(query_weight=np.asarray(weight, dtype=np.float64)))


def by_query(data, weight):
    """The same from the means of each query alone, in ordinary arithmetic."""
    total = np.zeros((data.n_features,) * 2)
    for q in np.flatnonzero(data.query_sizes >= 2).tolist():
        total += weight[q] * (2 * fold(Similarity(ties="half"), data.take_queries([q])) - 1)
    length = np.sqrt(np.diag(total))
    lengths, empty = np.outer(length, length), np.outer(length == 0, length == 0)
    return np.where(empty, 1.0, total / np.where(lengths > 0, lengths, 1.0))


@given(full_of_ties(), st.integers(0, 2**32 - 1), st.sampled_from([1e-4, 0.02, 1.0, 3e6]))
@settings(max_examples=100, deadline=None)
def test_weights_of_any_size_change_none_of_it(data, seed, scale):
    """Shares of traffic are small and no whole numbers, counts of it are large."""
    rng = np.random.default_rng(seed)
    K, weight = data.n_features, scale * rng.random(data.n_queries)
    copies = increasing(data, rng)
    both = similarity(weighted(with_features(data, np.hstack([data.X, copies])), weight))
    assert np.diag(both).tolist() == [1.0] * 2 * K
    assert np.diag(both[:K, K:]).tolist() == [1.0] * K
    assert np.abs(both).max() <= 1.0
    alone = weighted(data, weight)
    np.testing.assert_array_equal(both[:K, :K], similarity(alone, LocalEngine(2, block_rows=3)))
    np.testing.assert_array_equal(both[:K, :K], similarity(alone.take_queries(rng.permutation(data.n_queries))))
    np.testing.assert_allclose(both[:K, :K], similarity(weighted(data, weight * 1024)), atol=1e-11)
    np.testing.assert_allclose(both[:K, :K], by_query(data, weight), atol=1e-9)
    for ties in ("strict", "half", "clipped", "ordinal", "tau-b"):
        other = fold(Similarity(ties=ties), weighted(data, weight))
        assert other.min() >= 0.0
        assert other.max() <= 1.0


def test_queries_that_weigh_next_to_nothing_together_are_refused():
    data = RankingData(np.arange(12.0).reshape(6, 2), [0, 1, 2, 0, 1, 2], [0, 3, 6])
    light = weighted(data, [1e-12, 1e-12])
    read = MappedSource(light, lambda block: block, light.feature_names)
    for refuses, where in ((similarity, light), (feature_graph, light), (feature_graph, read)):
        with pytest.raises(DataError, match="weigh 2e-12 together, too little for a similarity: multiply the weights"):
            refuses(where)


def test_sums_of_weighted_queries_have_the_same_bits_in_any_blocks():
    """Shares, whole numbers and halves; those of one weight are summed together in a block, and apart in two."""
    rng = np.random.default_rng(0)
    X, n_queries = rng.integers(0, 4, (3_000, 6)).astype(float), 600
    weight = np.concatenate([np.repeat([1 / 3, 0.1, 2.0, 0.5, 7.25, 1e9], 50), rng.random(300)])
    data = weighted(RankingData(X, np.zeros(3_000), np.arange(0, 3_001, 5)), rng.permutation(weight))
    for ties in ("signed", "strict", "tau-b"):
        kind = Similarity(ties=ties)
        whole = kind.of(data)
        for cut in (1, 200, 599):
            both = kind.merge(kind.of(data.take_queries(range(cut))), kind.of(data.take_queries(range(cut, n_queries))))
            np.testing.assert_array_equal(as_float(both.total), as_float(whole.total))
            np.testing.assert_array_equal(both.n_queries, whole.n_queries)


def test_queries_that_weigh_too_much_are_refused_whatever_the_blocks():
    data = RankingData(np.arange(12.0).reshape(6, 2), [0, 1, 2, 0, 1, 2], [0, 3, 6])
    with pytest.raises(DataError, match=r"A query weighs 1e\+12: divide the weights"):
        similarity(weighted(data, [1.0, 1e12]))
    many = RankingData(np.tile(np.arange(2.0), 3_000)[:, None], np.zeros(6_000), np.arange(0, 6_001, 2))
    with pytest.raises(DataError, match=r"queries here weigh 7.04e\+13 or more together: divide the weights"):
        similarity(weighted(many, np.full(3_000, 3e10)))


def test_what_varies_only_where_nothing_counts_is_constant_to_the_graph():
    rng = np.random.default_rng(0)
    X = np.round(rng.random((40, 3)), 3)
    X[:20, 1] = 5.0  # varies in the second query alone
    X[:20, 2] = X[:20, 0] ** 2  # orders the first as the first feature does
    graph = feature_graph(weighted(RankingData(X, rng.integers(0, 2, 40), [0, 20, 40]), [1.0, 0.0]))
    assert graph.constant.tolist() == [False, True, False]
    assert graph.copies() == [[0, 2]]
    assert graph.n_queries == 1


def test_nothing_is_alike_where_no_query_has_two_documents():
    graph = feature_graph(RankingData(np.arange(12.0).reshape(4, 3), [0, 1, 2, 0], [0, 1, 2, 3, 4]))
    assert graph.copies() == []
    assert "copies" not in repr(graph)
