"""Competition ranks and the unified ranking, against the published tables."""

import csv
from importlib.resources import files

import numpy as np
import pytest
from scipy.stats import rankdata

from leanrank.errors import DataError
from leanrank.evaluation.unified_ranking import competition_ranks, unified_ranking

PUBLISHED = files("leanrank.reproduce") / "published"


def read(name):
    with (PUBLISHED / name).open(newline="") as file:
        return list(csv.DictReader(file))


def columns(*tables):
    """The values of each (data set, measure) by method."""
    found = {}
    for table in tables:
        for row in read(table):
            found.setdefault((row["dataset"], row["metric"]), {})[row["method"]] = float(row["value"])
    return found


SELECTION = [f"fs-scpr_table{n}.csv" for n in ("07_HP2004", "08_NP2004", "09_OHSUMED", "10_MQ2008")]
LEARNING = [f"fs-scpr_table{n}.csv" for n in ("12_HP2004", "13_NP2004", "14_OHSUMED", "15_MQ2008")]


@pytest.mark.parametrize(("tables", "unified"), [(SELECTION, "table11"), (LEARNING, "table16")])
def test_published_unified_rankings_recompute(tables, unified):
    known = read(f"fs-scpr_{unified}_unified.csv")
    found = unified_ranking(list(columns(*tables).values()))
    for row in known:
        m = found.methods.index(row["method"])
        ours = found.scores[m] if row["metric"] == "Rank" else found.counts[m, int(row["metric"][2:]) - 1]
        assert ours == pytest.approx(float(row["value"]), abs=1e-12)
    assert found.counts.sum(axis=1).tolist() == [20] * len(found.methods)


@pytest.mark.parametrize("table", SELECTION + LEARNING)
def test_published_ranks_recompute(table):
    for (dataset, measure), column in columns(table).items():
        known = {r["method"]: int(r["rank"]) for r in read(table) if (r["dataset"], r["metric"]) == (dataset, measure)}
        assert dict(zip(column, competition_ranks(list(column.values())).tolist(), strict=True)) == known


def test_ranks_equal_scipy():
    values = np.random.default_rng(0).integers(0, 6, 30) / 10
    assert competition_ranks(values).tolist() == rankdata(-values, method="min").astype(int).tolist()


def test_rounding_makes_ties():
    assert competition_ranks([0.37541, 0.37544, 0.3]).tolist() == [2, 1, 3]
    assert competition_ranks([0.37541, 0.37544, 0.3], decimals=4).tolist() == [1, 1, 3]


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="without NaN"):
        competition_ranks([0.1, float("nan")])
    with pytest.raises(DataError, match="'b' is in some columns"):
        unified_ranking([{"a": 1, "b": 2}, {"a": 1}])
    with pytest.raises(DataError, match="at least one column"):
        unified_ranking([])
