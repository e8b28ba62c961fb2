"""Tables of values, merged and made coarser, against dictionaries; joint counts against loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import value_table as naive

from leanrank.data.ranking_data import RankingData
from leanrank.kernels.contingency import class_counts, cross_counts, joint_counts
from leanrank.stats.value_counts import ValueCounts

NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, 1e-300, -1e-300, 5e-324, 1e300, np.nextafter(1.0, 2.0)]),
    st.floats(-8, 8, width=32),
    st.integers(-5, 5).map(float),
)
ROWS = st.lists(st.tuples(NUMBERS, st.integers(0, 2)), min_size=1, max_size=40)


def data_of(rows):
    """Every row a query, so that blocks may be cut anywhere."""
    values, labels = zip(*rows, strict=True)
    return RankingData(np.array(values)[:, None], np.array(labels), np.arange(len(rows) + 1))


def plain(table):
    columns = zip(table.values.tolist(), table.highest.tolist(), table.counts.tolist(), strict=True)
    return list(columns), table.shift


@settings(max_examples=50, deadline=None)
@given(ROWS, st.integers(1, 12))
def test_equals_the_dictionary(rows, most):
    values, labels = zip(*rows, strict=True)
    classes = np.unique(labels, return_inverse=True)[1].tolist()
    found = ValueCounts(most).of(data_of(rows)).tables[0]
    expected, shift = naive.value_table(values, classes, len(set(labels)), most)
    assert plain(found) == (expected, shift)


@settings(max_examples=50, deadline=None)
@given(ROWS, st.integers(1, 12), st.data())
def test_any_parts_in_any_order_make_the_same_table(rows, most, draw):
    data, statistic = data_of(rows), ValueCounts(most)
    owner = np.array(draw.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    partials = [statistic.of(data.take_queries(np.flatnonzero(owner == part))) for part in np.unique(owner)]
    while len(partials) > 1:
        a = partials.pop(draw.draw(st.integers(0, len(partials) - 1)))
        b = partials.pop(draw.draw(st.integers(0, len(partials) - 1)))
        partials.append(statistic.merge(a, b))
    whole = statistic.of(data)
    assert partials[0].labels.tolist() == whole.labels.tolist()
    assert plain(partials[0].tables[0]) == plain(whole.tables[0])


def test_a_table_is_as_fine_as_its_limit_allows():
    rng = np.random.default_rng(0)
    data = RankingData(rng.normal(size=(5000, 1)), np.zeros(5000), [0, 5000])
    table = ValueCounts(200).of(data).tables[0]
    assert 100 < len(table.values) <= 200
    assert (table.values[1:] > table.highest[:-1]).all()
    assert table.counts.sum() == 5000
    positive = table.values > 0
    assert (table.highest[positive] / table.values[positive]).max() < 2  # never two powers of two together
    assert ValueCounts(5000).of(data).tables[0].shift == 0


@pytest.mark.parametrize("seed", range(3))
def test_counts_of_codes(seed):
    rng = np.random.default_rng(seed)
    codes = (rng.integers(0, 3, (30, 4)) + 3 * np.arange(4)).astype(np.int32)
    others = (rng.integers(0, 2, (30, 3)) + 2 * np.arange(3)).astype(np.int32)
    classes, times = rng.integers(0, 3, 30), rng.integers(0, 5, 30) if seed else np.ones(30, dtype=np.int64)
    out = np.zeros((12, 3), dtype=np.int64)
    class_counts(codes, classes, times, out)
    assert out.tolist() == naive.class_counts(codes.tolist(), classes.tolist(), times.tolist(), 12, 3)
    out = np.zeros((12, 6), dtype=np.int64)
    cross_counts(codes, others, times, out)
    assert out.tolist() == naive.joint_counts(codes.tolist(), others.tolist(), times.tolist(), 12, 6)
    out = np.zeros((12, 12), dtype=np.int64)
    joint_counts(codes, times, out)
    whole = np.array(naive.joint_counts(codes.tolist(), codes.tolist(), times.tolist(), 12, 12))
    assert out.tolist() == np.where(np.arange(12)[:, None] // 3 < np.arange(12) // 3, whole, 0).tolist()
