"""What the page of costs says of what was measured, and what is too dear."""

import pytest
from benchmarks import select_cost, select_web10k


def ours(seconds, *, k=8, ranker="lightgbm", effort="normal"):
    return {"data": "MQ2008", "ranker": ranker, "effort": effort, "k": k, "one": 0.5, "seconds": seconds}


def catboost(*seconds):
    return [
        {"data": "MQ2008", "ranker": f"CatBoost {name}", "effort": "its defaults", "k": 8, "seconds": taken}
        for name, taken in zip(select_cost.CATBOOST, seconds, strict=False)
    ]


def test_a_row_in_trainings_and_beside_catboost():
    lines = select_cost.costs_page([ours(10.0), ours(12.0, k=None), *catboost(20.0, 5.0, 8.0)])
    assert "| MQ2008 | lightgbm | normal | 8 features | 10.0 | 0.500 | 20.0 |" in lines
    assert "| MQ2008 | lightgbm | normal | the stop rule | 12.0 | 0.500 | 24.0 |" in lines
    assert "| MQ2008 | CatBoost ShapValues | its defaults | 8 features | 8.0 |  |  |" in lines
    assert lines[-1] == "- MQ2008: 0.50 times the slowest, 2.00 times the fastest"
    assert "slowest," not in select_cost.costs_page([ours(10.0), *catboost(20.0, 5.0)])[-1]  # one is not measured yet


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([ours(20.1)], "dearer than 40 trainings"),
        ([ours(10.0), *catboost(9.0, 5.0, 8.0)], "dearer than CatBoost's slowest, 9.0 s"),
        ([{"data": "MSLR sample", "ranker": "lightgbm", "threads": [16.0, 10.0]}], "two cores are too slow"),
    ],
)
def test_what_is_too_dear_is_said(rows, fault):
    [said] = select_cost.faults(rows)
    assert fault in said


def test_what_is_not_too_dear_is_not():
    cheap = {**ours(4.9, ranker="ranksvm"), "one": 0.01}  # hundreds of trainings, but seconds
    threads = {"data": "MSLR sample", "ranker": "lightgbm", "threads": [17.0, 10.0]}
    assert not select_cost.faults([cheap, ours(20.0), threads, *catboost(30.0, 20.0, 25.0)])
    assert "1.70 times as fast" in select_cost.cores_page([threads])[1]


def test_many_rows_and_memory():
    row = {"queries": 6_000, "matrix": 400_000_000, "bytes": 1_900_000_000, "wall_s": 900.0, "processor_s": 1_500.0}
    row |= {"kept": 12, "one": 75.0}
    assert select_web10k.page([row])[-1] == "| 6,000 | 400 MB | 1.9 GB | 2 GB | 900 | 1500 | 75 | 20.0 | 12 |"
    assert select_web10k.within(row)
    assert not select_web10k.within({**row, "bytes": 2_100_000_000})
    assert not select_web10k.within({**row, "one": 50.0})


def test_made_data_have_the_shape():
    data = select_web10k.made(150)
    assert data.X.shape == (150 * 120, 136)
    assert data.X.dtype == "float32"
    assert set(data.query_sizes.tolist()) == {120}
