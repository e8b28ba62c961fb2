"""Similarity: the worked examples, scipy, and that nothing but the data decides."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr
from tests.naive import concordance as naive
from tests.stats.toy import T1, random_data

from leanrank.data.ranking_data import RankingData
from leanrank.engines.fold import fold
from leanrank.engines.local import LocalEngine
from leanrank.errors import MissingValuesError, ParameterError, UnknownNameError
from leanrank.stats import similarity as module
from leanrank.stats.similarity import Similarity

ALL = [
    Similarity("kendall", ties="signed"),
    Similarity("kendall", ties="strict"),
    Similarity("kendall", ties="clipped"),
    Similarity("kendall", ties="half"),
    Similarity("kendall", ties="tau-b"),
    Similarity("kendall", ties="ordinal"),
    Similarity("tau_ap"),
    Similarity("spearman"),
    Similarity("pearson"),
    Similarity("spearman", scope="pooled"),
    Similarity("pearson", scope="pooled"),
]
BY_QUERY = [s for s in ALL if s.scope == "query"]
ROW_ORDER_DECIDES_TIES = [Similarity("kendall", ties="ordinal"), Similarity("tau_ap")]


def name(similarity):
    return f"{similarity.kind}-{similarity.ties}-{similarity.scope}"


def two_features(a, b):
    return RankingData(np.column_stack([a, b]).astype(float), np.zeros(len(a)), [0, len(a)])


def test_worked_example_t1_strict():
    expected = [[1, 0.916667, 0.416667, 0], [0.916667, 0.916667, 0.333333, 0], [0.416667, 0.333333, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(fold(Similarity(ties="strict"), T1).round(6), expected)


@pytest.mark.parametrize(("ties", "expected"), [("strict", 5 / 6), ("half", 11 / 12), ("ordinal", 1.0)])
def test_worked_example_of_tie_modes(ties, expected):
    data = two_features([0.9, 0.5, 0.4, 0.1], [0.8, 0.6, 0.2, 0.2])
    assert fold(Similarity(ties=ties), data)[0, 1] == pytest.approx(expected, abs=1e-12)


def test_three_discordant_pairs_of_ten():
    data = two_features([1, 2, 3, 4, 5], [4, 1, 2, 3, 5])  # 4 before 1, 2 and 3
    assert fold(Similarity(ties="strict"), data)[0, 1] == 0.7
    assert fold(Similarity(), data)[0, 1] == pytest.approx(0.4, abs=1e-12)
    assert fold(Similarity(ties="clipped"), data)[0, 1] == pytest.approx(0.4, abs=1e-12)


def test_worked_example_of_rho_and_tau():
    data = two_features([1, 2, 3, 4], [2, 1, 4, 3])
    assert fold(Similarity("spearman"), data)[0, 1] == 0.6
    assert 2 * fold(Similarity(ties="half"), data)[0, 1] - 1 == pytest.approx(1 / 3)


@pytest.mark.parametrize(("other", "tau_ap"), [("BACD", 1 / 3), ("ABDC", 7 / 9), ("ABCD", 1.0), ("DCBA", -1.0)])
def test_worked_example_of_tau_ap(other, tau_ap):
    """A swap at the top costs more. Both directions agree for these lists."""
    data = two_features([4, 3, 2, 1], [4 - other.index(letter) for letter in "ABCD"])
    assert fold(Similarity("tau_ap"), data)[0, 1] == pytest.approx((1 + tau_ap) / 2, abs=1e-12)


def test_constant_features():
    constant = [0.0, 0.0, 0.0, 0.0]
    assert fold(Similarity(), T1)[3].tolist() == [0.0, 0.0, 0.0, 1.0]
    assert fold(Similarity(ties="strict"), T1)[3].tolist() == constant
    assert fold(Similarity(ties="clipped"), T1)[3].tolist() == constant
    assert fold(Similarity(ties="half"), T1)[3].tolist() == [0.5] * 4
    assert fold(Similarity(ties="tau-b"), T1)[3].tolist() == [0.5] * 4
    for scope in ("query", "pooled"):
        assert fold(Similarity("spearman", scope=scope), T1)[3].tolist() == constant
        assert fold(Similarity("pearson", scope=scope), T1)[3].tolist() == constant


@pytest.mark.parametrize("similarity", BY_QUERY, ids=name)
def test_queries_of_one_document_do_not_count(similarity):
    alone = RankingData([[1.0, 2.0], [3.0, 1.0]], [0, 1], [0, 1, 2])
    assert not fold(similarity, alone).any()
    data = random_data(0, [1, 5, 1, 9, 1], 4)
    np.testing.assert_array_equal(fold(similarity, data), fold(similarity, data.take_queries([1, 3])))


def test_signed_ties_are_the_cosine_of_the_signs_of_all_pairs_of_documents():
    data = random_data(1, [5, 9, 30, 1], 6, decimals=0)
    signed = fold(Similarity(), data)
    np.testing.assert_allclose(signed, naive.cosine_of_signs(data.X, data.query_ptr), atol=1e-11)
    assert np.diag(signed).tolist() == [1.0] * 6


def test_clipped_is_the_mean_of_tau_a_where_it_is_above_0():
    data = random_data(1, [5, 9, 30, 1], 6, decimals=0)
    tau = 2 * fold(Similarity(ties="half"), data) - 1
    assert (tau < 0).any()
    np.testing.assert_allclose(fold(Similarity(ties="clipped"), data), np.maximum(tau, 0), atol=1e-11)


def test_the_names_of_kinds_and_of_ways_with_ties():
    assert Similarity.named("kendall") == Similarity("kendall", ties="signed")
    assert Similarity.named("strict") == Similarity("kendall", ties="strict")
    assert Similarity.named("spearman") == Similarity("spearman")
    assert Similarity.named(Similarity("tau_ap")) == Similarity("tau_ap")


@pytest.mark.parametrize("ties", ["signed", "strict"])
def test_signed_and_strict_are_positive_semidefinite(ties):
    values = np.linalg.eigvalsh(fold(Similarity(ties=ties), random_data(2, [3, 8, 20], 12, decimals=0)))
    assert values.min() > -1e-10


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_scipy_agrees(decimals):
    data = random_data(3, [40], 5, decimals=decimals)
    X = data.X
    tau_b, rho = fold([Similarity(ties="tau-b"), Similarity("spearman")], data)
    half = fold(Similarity(ties="half"), data)
    for a in range(5):
        for b in range(a):
            expected = kendalltau(X[:, a], X[:, b]).statistic
            assert 2 * tau_b[a, b] - 1 == pytest.approx(expected, abs=1e-11)
            assert rho[a, b] == pytest.approx(spearmanr(X[:, a], X[:, b]).statistic, abs=1e-11)
            if decimals == 9:  # no ties: tau_a is tau_b
                assert 2 * half[a, b] - 1 == pytest.approx(expected, abs=1e-11)


def test_pooled_correlations_are_numpys_and_scipys():
    data = random_data(4, [7, 1, 30, 12], 5)
    pearson = fold(Similarity("pearson", scope="pooled"), data, LocalEngine(1, block_rows=8))
    np.testing.assert_allclose(pearson, np.corrcoef(data.X.T), atol=1e-12)
    spearman = fold(Similarity("spearman", scope="pooled"), data, LocalEngine(1, block_rows=8))
    np.testing.assert_allclose(spearman, spearmanr(data.X).statistic, atol=1e-12)


def test_pearson_is_the_mean_over_queries():
    data = random_data(5, [7, 30, 12], 4)
    parts = [np.corrcoef(data.query(q).X.T) for q in range(3)]
    np.testing.assert_allclose(fold(Similarity("pearson"), data), np.mean(parts, axis=0), atol=1e-12)


def test_large_offsets_do_not_spoil_pearson():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(50, 3)) + 1e9
    data = RankingData(X, np.zeros(50), [0, 20, 50])
    pooled = fold(Similarity("pearson", scope="pooled"), data, LocalEngine(1, block_rows=20))
    np.testing.assert_allclose(pooled, np.corrcoef(X.T), atol=1e-6)  # products of raw values would keep no digit


@pytest.mark.parametrize("similarity", ALL, ids=name)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), sizes=st.lists(st.integers(1, 25), min_size=1, max_size=8), rows=st.integers(1, 40))
def test_blocks_in_any_order_merge_to_the_whole(similarity, seed, sizes, rows):
    data = random_data(seed, sizes, 5)
    whole = fold(similarity, data)
    partials = [similarity.of(block) for block in data.blocks(rows)]
    np.random.default_rng(seed).shuffle(partials)
    merged = partials[0]
    for partial in partials[1:]:
        merged = similarity.merge(partial, merged)
    again = similarity.finish(merged)
    if similarity.scope == "query":
        np.testing.assert_array_equal(again, whole)
    else:
        np.testing.assert_allclose(again, whole, rtol=0, atol=1e-11)


@pytest.mark.parametrize("similarity", ALL, ids=name)
def test_order_of_rows_queries_and_columns_does_not_matter(similarity):
    decimals = 9 if similarity in ROW_ORDER_DECIDES_TIES else 1
    data = random_data(7, [30, 2, 17, 65, 1], 7, decimals=decimals, dtype=np.float32)
    expected = fold(similarity, data)
    rng = np.random.default_rng(8)
    columns = rng.permutation(7)
    rows = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in pairwise(data.query_ptr)])
    moved = RankingData(data.X[rows][:, columns], data.y[rows], data.query_ptr).take_queries([3, 0, 4, 2, 1])
    for threads in (1, 2):
        found = fold(similarity, moved, LocalEngine(threads, block_rows=20))
        np.testing.assert_allclose(found, expected[np.ix_(columns, columns)], rtol=0, atol=1e-12)
        if similarity.kind == "kendall":
            np.testing.assert_array_equal(found, expected[np.ix_(columns, columns)])


@pytest.mark.parametrize("similarity", ALL, ids=name)
def test_result_is_symmetric_and_in_its_range(similarity):
    found = fold(similarity, random_data(9, [20, 3, 40], 8, decimals=0))
    np.testing.assert_array_equal(found, found.T)
    assert (found.min() < 0) == similarity.signed
    assert found.min() >= -1
    assert found.max() <= 1


@pytest.mark.parametrize("similarity", ALL, ids=name)
def test_sparse_data_give_the_same(similarity, monkeypatch):
    dense = random_data(10, [20, 3, 40], 6, decimals=0)
    sparse = RankingData(sp.csr_array(dense.X), dense.y, dense.query_ptr)
    monkeypatch.setattr("leanrank.data.sources._DENSE_VALUES", 60)
    np.testing.assert_allclose(fold(similarity, sparse), fold(similarity, dense), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", ["strict", "half", "ordinal", "tau-b"])
def test_very_long_lists_take_another_road_to_the_same_place(ties, monkeypatch):
    data = random_data(11, [5, 80, 5, 90, 3], 4)
    expected = fold(Similarity(ties=ties), data)
    monkeypatch.setattr(module, "_longest_on_bits", lambda n_features: 50)
    np.testing.assert_array_equal(fold(Similarity(ties=ties), data), expected)
    assert list(module._ranges(data, 50)) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    monkeypatch.setattr(module, "_QUERIES_AT_ONCE", 2)
    assert list(module._ranges(data, None)) == [(0, 2), (2, 4), (4, 5)]
    np.testing.assert_array_equal(fold(Similarity(ties=ties), data), expected)


def test_bad_parameters():
    with pytest.raises(UnknownNameError, match="Unknown similarity 'kendal': did you mean 'kendall'"):
        Similarity("kendal")
    with pytest.raises(UnknownNameError, match="tie mode of Similarity 'tau_b': did you mean 'tau-b'"):
        Similarity(ties="tau_b")
    with pytest.raises(ParameterError, match="'scope' parameter of Similarity must be 'query' for 'kendall'"):
        Similarity(scope="pooled")
    with pytest.raises(ParameterError, match="'scope' parameter of Similarity must be 'query' or 'pooled'"):
        Similarity("pearson", scope="all")


def test_missing_values_are_refused():
    data = RankingData([[1.0], [np.nan]], [0, 1], [0, 2], missing=True)
    with pytest.raises(MissingValuesError, match="Similarity cannot take missing values: feature '1' has 1 of 2"):
        fold(Similarity(), data)


@pytest.mark.data
def test_mq2008_agrees_with_scipy(data_dir):
    """Short lists, many ties, queries of constant features: pair by pair, query by query."""
    from leanrank.data.letor.reader import read_letor

    data = read_letor(data_dir / "mq2008" / "S1.txt.gz")
    tau_b = fold(Similarity(ties="tau-b"), data)
    rho = fold(Similarity("spearman"), data)
    for a, b in ((0, 14), (10, 22), (5, 40), (37, 38)):
        taus, rhos = [], []
        for q in np.flatnonzero(data.query_sizes >= 2):
            x, z = data.query(q).X[:, [a, b]].T
            varies = np.ptp(x) > 0 and np.ptp(z) > 0
            taus.append(kendalltau(x, z).statistic if varies else 0.0)
            rhos.append(spearmanr(x, z).statistic if varies else 0.0)
        assert 2 * tau_b[a, b] - 1 == pytest.approx(np.mean(taus), abs=1e-9)
        assert rho[a, b] == pytest.approx(np.mean(rhos), abs=1e-9)
