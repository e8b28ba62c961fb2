"""The resamples of a seed are the same whether they are kept or drawn anew, all at once or piece by piece."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank.evaluation import bootstrap


@pytest.mark.parametrize("n", [12, 40])
def test_kept_resamples_are_those_that_are_drawn(monkeypatch, n):
    rows = np.random.default_rng(0).standard_normal((3, n))
    kept = bootstrap.deviations(rows, n_resamples=50, seed=4)
    again = bootstrap.deviations(rows[:2], n_resamples=50, seed=4)
    np.testing.assert_array_equal(again, kept[:, :2])
    monkeypatch.setattr(bootstrap, "_KEPT_CELLS", 0)
    np.testing.assert_array_equal(bootstrap.deviations(rows, n_resamples=50, seed=4), kept)
    monkeypatch.setattr(bootstrap, "_CHUNK_CELLS", 7 * n)
    np.testing.assert_array_equal(bootstrap.deviations(rows, n_resamples=50, seed=4), kept)
    assert (bootstrap.deviations(rows, n_resamples=50, seed=5) != kept).any()
