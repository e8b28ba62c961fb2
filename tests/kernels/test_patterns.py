"""Hashed patterns against dictionaries of tuples."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive.set_filters import inconsistency

from leanrank.kernels.patterns import equal_patterns, inconsistent_rows, inconsistent_rows_without, value_hashes


@pytest.mark.parametrize("seed", range(8))
def test_equals_a_dictionary(seed):
    rng = np.random.default_rng(seed)
    n, n_features = int(rng.integers(1, 200)), int(rng.integers(1, 6))
    codes = rng.integers(0, 3, (n, n_features)).astype(np.int32)
    y = rng.integers(0, 3, n)
    counts = np.eye(3, dtype=np.int64)[y]
    of_values = value_hashes(codes)
    columns = codes.T.tolist()
    everything = of_values.sum(axis=0, dtype=np.uint64)
    assert inconsistent_rows(everything, counts) == round(n * inconsistency(range(n_features), columns, y))
    features = np.arange(n_features)
    for j, rows in enumerate(inconsistent_rows_without(everything, of_values, counts, features)):
        assert rows == round(n * inconsistency([i for i in features if i != j], columns, y))


def test_patterns_are_numbered_by_first_appearance():
    codes = np.array([[1, 2], [0, 0], [1, 2], [2, 1], [0, 0]], dtype=np.int32)
    number, found = equal_patterns(value_hashes(codes).sum(axis=0, dtype=np.uint64))
    assert number.tolist() == [0, 1, 0, 2, 1]
    assert found == 3


def test_swapped_and_shifted_values_are_other_patterns():
    codes = np.array([[a, b] for a in range(60) for b in range(60)], dtype=np.int32)
    assert equal_patterns(value_hashes(codes).sum(axis=0, dtype=np.uint64))[1] == 3600
