"""AnovaF against scikit-learn, in any blocks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import f_classif

from leanrank.data.ranking_data import RankingData
from leanrank.engines.fold import fold
from leanrank.engines.local import LocalEngine
from leanrank.stats.anova import AnovaF


def data_of(seed, shift=0.0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 12)
    n = int(sizes.sum())
    y = rng.integers(0, 4, n)
    X = shift + rng.standard_normal((n, 5)) + y[:, None] * [1.0, 0.3, 0.1, 0.0, -0.5]
    return RankingData(X, y, np.concatenate(([0], np.cumsum(sizes))))


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_f_of_scikit_learn(seed):
    data = data_of(seed)
    np.testing.assert_allclose(fold(AnovaF(), data), f_classif(data.X, data.y)[0], rtol=1e-9)
    sparse = RankingData(sp.csr_array(data.X), data.y, data.query_ptr)
    np.testing.assert_allclose(fold(AnovaF(), sparse), fold(AnovaF(), data), rtol=1e-9)


@given(seed=st.integers(0, 10_000), n_rows=st.integers(1, 60), swap=st.booleans())
@settings(max_examples=40, deadline=None)
def test_blocks_of_any_size_in_any_order(seed, n_rows, swap):
    data, f = data_of(seed), AnovaF()
    parts = [f.of(block) for block in data.blocks(n_rows)]
    merged = parts[0]
    for part in parts[1:]:
        merged = f.merge(part, merged) if swap else f.merge(merged, part)
    np.testing.assert_allclose(f.finish(merged), f.finish(f.of(data)), rtol=1e-9)


def test_a_large_offset_does_not_cancel():
    near, far = data_of(1), data_of(1, shift=1e6)
    np.testing.assert_allclose(fold(AnovaF(), far), fold(AnovaF(), near), rtol=1e-6)


def test_threads():
    data = data_of(2)
    expected = fold(AnovaF(), data)
    for n_threads in (1, 2):
        found = fold(AnovaF(), data, LocalEngine(n_threads=n_threads, block_rows=5))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_degenerate_cases():
    def f_of(x, y):
        return fold(AnovaF(), RankingData(np.array(x, dtype=float)[:, None], y, [0, len(y)])).tolist()

    assert f_of([0.1] * 4, [0, 0, 1, 1]) == [0.0]  # constant
    assert f_of([1e6 + 0.1] * 4, [0, 0, 1, 1]) == [0.0]  # constant, where means round
    assert f_of([1, 2, 3, 4], [1, 1, 1, 1]) == [0.0]  # one label
    assert f_of([1, 2], [0, 1]) == [0.0]  # no rows to spare
    assert f_of([1, 1, 2, 2], [0, 0, 1, 1]) == [1e300]  # labels tell the values
