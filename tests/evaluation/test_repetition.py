"""Repetition of features, against the published tables."""

import csv
from importlib.resources import files

import numpy as np
import pytest

from leanrank.errors import DataError
from leanrank.evaluation.stability import repetition


def test_published_ohsumed_column():
    found = repetition([[8], [11], [11], [10], [11]])
    assert found.sizes == (1, 1, 1, 1, 1)
    assert found.counts[::-1] == (0, 0, 1, 0, 2)  # 5x, 4x, 3x, 2x, 1x
    assert found.most[0] == (11, 3)


def test_published_sums_agree():
    folder = files("leanrank.reproduce") / "published"
    totals = {}
    for name, weight in (("bestgain_table3_nfeatures.csv", None), ("bestgain_table4_repetition.csv", "times")):
        with (folder / name).open(newline="") as file:
            for row in csv.DictReader(file):
                times = 1 if weight is None else int(row["metric"].split()[-1][:-1])
                totals.setdefault(row["dataset"], {}).setdefault(name, 0)
                totals[row["dataset"]][name] += times * int(row["value"])
    assert all(len(set(of.values())) == 1 for of in totals.values())
    assert len(totals) == 3


def test_counts_add_up():
    rng = np.random.default_rng(1)
    sets = [rng.choice(12, rng.integers(1, 9), replace=False).tolist() for _ in range(7)]
    found = repetition(sets)
    assert sum(r * n for r, n in enumerate(found.counts, start=1)) == sum(found.sizes) == sum(map(len, sets))
    assert [n for _, n in found.most] == sorted((n for _, n in found.most), reverse=True)


def test_a_feature_counts_once_in_a_set():
    assert repetition([["a", "a"], ["b"]]).sizes == (1, 1)
    with pytest.raises(DataError, match="no feature sets"):
        repetition([])
