"""Discretisers as transformers, and their counts as a fold."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from leanrank import EqualFrequencyDiscretizer, EqualWidthDiscretizer, MDLDiscretizer, RankingData
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.stats.discretize import Binning, as_discretizer
from leanrank.stats.value_counts import ValueCounts


@parametrize_with_checks([MDLDiscretizer(), EqualFrequencyDiscretizer(), EqualWidthDiscretizer()])
def test_common_checks(estimator, check):
    check(estimator)


def test_worked_examples():
    x = np.arange(30.0).reshape(-1, 1)
    assert MDLDiscretizer().fit(x, np.repeat([0, 1, 2], 10)).cuts_[0].tolist() == [9.5, 19.5]
    two = MDLDiscretizer().fit([[0.9], [0.8], [0.2], [0.1]], [1, 1, 0, 0])
    assert two.cuts_[0].tolist() == [0.5]
    assert two.transform([[0.5], [np.nextafter(0.5, 1)], [-9.0]]).ravel().tolist() == [0, 1, 0]


def test_equal_frequency_never_parts_equal_values():
    disc = EqualFrequencyDiscretizer(n_bins=4).fit(np.array([0, 0, 0, 0, 0, 1, 2, 3.0]).reshape(-1, 1))
    assert disc.cuts_[0].tolist() == [0.5, 1.5]
    assert EqualFrequencyDiscretizer(n_bins=3).fit(np.arange(9.0).reshape(-1, 1)).cuts_[0].tolist() == [2.5, 5.5]


def test_a_constant_has_one_bin():
    for disc in (MDLDiscretizer(), EqualFrequencyDiscretizer(), EqualWidthDiscretizer()):
        assert disc.fit(np.ones((5, 1)), [0, 1, 0, 1, 1]).transform(np.ones((5, 1))).max() == 0


def test_sparse_is_dense():
    rng = np.random.default_rng(0)
    X = rng.random((80, 4)) * (rng.random((80, 4)) < 0.4)
    y = (X[:, 0] > 0.2).astype(int)
    for disc in (MDLDiscretizer(), EqualFrequencyDiscretizer(5), EqualWidthDiscretizer(5)):
        dense = disc.fit_transform(X, y)
        assert (disc.fit_transform(sp.csr_array(X), y) == dense).all()


def test_bad_parameters():
    with pytest.raises(ParameterError, match="'n_bins' parameter of EqualWidthDiscretizer must be a whole number >= 2"):
        EqualWidthDiscretizer(1).fit([[1.0], [2.0]])
    with pytest.raises(UnknownNameError, match="did you mean 'mdl'"):
        as_discretizer("mld")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-2, 4), st.integers(0, 3)), min_size=4, max_size=40), st.data())
def test_counts_of_blocks_merge_to_those_of_the_whole(rows, draw):
    x, y = np.array(rows, dtype=float).T
    starts = draw.draw(st.sets(st.integers(1, len(rows) - 1)))
    data = RankingData(np.column_stack((x, -x * x)), y, [0, *sorted(starts), len(rows)])
    statistic = ValueCounts()
    whole = statistic.of(data)
    partials = [statistic.of(data.query(i)) for i in draw.draw(st.permutations(range(data.n_queries)))]
    merged = partials[0]
    for partial in partials[1:]:
        merged = statistic.merge(merged, partial)
    assert merged.labels.tolist() == whole.labels.tolist()
    for a, b in zip(merged.tables, whole.tables, strict=True):
        assert a.values.tolist() == b.values.tolist()
        assert a.counts.tolist() == b.counts.tolist()


def test_binned_counts_are_counts_of_codes():
    rng = np.random.default_rng(1)
    data = RankingData(rng.integers(0, 9, (60, 3)).astype(float), rng.integers(0, 3, 60), [0, 20, 60])
    tables = ValueCounts().of(data)
    cuts = EqualFrequencyDiscretizer(3).cuts(tables)
    codes = Binning(np.arange(3), cuts).codes(data.X)
    for j, counts in enumerate(tables.binned(cuts)):
        expected = np.zeros_like(counts)
        np.add.at(expected, (codes[:, j], data.y.astype(int)), 1)
        assert counts.tolist() == expected.tolist()


def test_minus_zero_is_zero():
    tables = ValueCounts().of(RankingData(np.array([[-0.0], [0.0], [1.0]]), [0, 1, 1], [0, 3]))
    assert tables.tables[0].values.tolist() == [0.0, 1.0]


def test_too_many_values_are_cut_nearly_where_all_of_them_are():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6000, 1))
    y = np.digitize(x[:, 0] + rng.normal(0, 0.3, 6000), [-0.7, 0.4])
    for exact, coarse in (
        (MDLDiscretizer(), MDLDiscretizer(max_values=500)),
        (EqualFrequencyDiscretizer(5), EqualFrequencyDiscretizer(5, max_values=500)),
    ):
        all_cuts, found = exact.fit(x, y).cuts_[0], coarse.fit(x, y).cuts_[0]
        assert len(all_cuts) == len(found)
        shares = [np.searchsorted(np.sort(x[:, 0]), cuts) / 6000 for cuts in (all_cuts, found)]
        np.testing.assert_allclose(*shares, atol=0.02)
        assert (exact.transform(x) == coarse.transform(x)).mean() > 0.95


def test_limits_are_checked():
    with pytest.raises(ParameterError, match="'max_values' parameter of MDLDiscretizer must be a whole number >= 2"):
        MDLDiscretizer(max_values=1).fit([[1.0], [2.0]], [0, 1])
    many = RankingData(np.ones((5000, 1)), np.arange(5000), np.arange(0, 5001, 5))
    with pytest.raises(DataError, match=r"more than 4,096 different labels.*Round the labels"):
        ValueCounts().of(many)
