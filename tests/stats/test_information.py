"""Scores of contingency tables against scikit-learn and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score
from tests.naive.set_filters import su as naive_su

from leanrank import LocalEngine, RankingData, fold
from leanrank.stats.discretize import Binning
from leanrank.stats.information import (
    BinCounts,
    PerQueryScore,
    chi_squared,
    entropy,
    information_gain,
    symmetrical_uncertainty,
)
from leanrank.stats.uncertainty import PairUncertainty, pair_uncertainties
from leanrank.stats.value_counts import ValueCounts

TABLES = arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=st.integers(0, 9)).filter(
    lambda table: table.sum() > 0
)


@settings(max_examples=50, deadline=None)
@given(TABLES)
def test_oracles(table):
    assert information_gain(table) == pytest.approx(
        mutual_info_score(None, None, contingency=table) / np.log(2), abs=1e-12
    )
    reduced = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    assert chi_squared(table) == pytest.approx(chi2_contingency(reduced, correction=False).statistic, abs=1e-9)
    assert 0.0 <= symmetrical_uncertainty(table) <= 1.0 + 1e-12
    assert symmetrical_uncertainty(table) == pytest.approx(symmetrical_uncertainty(table.T), abs=1e-12)


def test_degenerate_tables():
    one_bin = np.array([[4, 5]])
    assert (information_gain(one_bin), chi_squared(one_bin), symmetrical_uncertainty(one_bin)) == (0.0, 0.0, 0.0)
    assert entropy(np.array([0, 7])) == 0.0
    same = np.diag([3, 4, 5])
    assert symmetrical_uncertainty(same) == pytest.approx(1.0, abs=1e-15)


def test_uncertainty_of_all_pairs():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (200, 5))
    X[:, 3] = X[:, 0] // 2
    X[:, 4] = 1
    data = RankingData(X.astype(float), rng.integers(0, 2, 200), np.arange(0, 201, 20))
    cuts = tuple(np.array([0.5, 1.5, 2.5]) for _ in range(5))
    found = fold(PairUncertainty(Binning(np.arange(5), cuts)), data)
    for i in range(5):
        for j in range(5):
            assert found[i, j] == pytest.approx(naive_su(X[:, i].tolist(), X[:, j].tolist()), abs=1e-12)


def test_mean_over_queries():
    rng = np.random.default_rng(1)
    data = RankingData(rng.integers(0, 3, (60, 2)).astype(float), rng.integers(0, 3, 60), [0, 10, 35, 60])
    labels, cuts = np.arange(3.0), (np.array([0.5, 1.5]),) * 2
    found = fold(PerQueryScore(information_gain, Binning(np.arange(2), cuts), labels), data)
    expected = [
        np.mean([mutual_info_score(q.X[:, j], q.y) / np.log(2) for q in map(data.query, range(3))]) for j in range(2)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_bins_are_counted_again_as_the_tables_count_them():
    rng = np.random.default_rng(2)
    data = RankingData(rng.normal(size=(90, 3)), rng.integers(0, 3, 90), np.arange(0, 91, 15))
    tables = fold(ValueCounts(), data)
    cuts = tuple(np.array([-0.5, 0.1, 0.9]) for _ in range(3))
    known = tables.binned(cuts)
    found = fold(BinCounts(Binning(np.arange(3), cuts), tables.labels), data, LocalEngine(1, block_rows=20))
    assert [counts.tolist() for counts in found] == [counts.tolist() for counts in known]
    assert fold(ValueCounts(4), data).binned(cuts) is None  # a cut goes through a group of values


@pytest.mark.parametrize("max_bins", [1, 5, 9, 100])
def test_uncertainty_in_groups_is_that_of_all_at_once(max_bins):
    rng = np.random.default_rng(3)
    data = RankingData(rng.integers(0, 4, (120, 6)).astype(float), rng.integers(0, 2, 120), np.arange(0, 121, 12))
    binning = Binning(np.arange(6), tuple(np.arange(0.5, 1 + j % 3) for j in range(6)))
    found = pair_uncertainties(binning, data, max_bins=max_bins)
    np.testing.assert_array_equal(found, fold(PairUncertainty(binning), data))
