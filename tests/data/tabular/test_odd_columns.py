"""Columns that tables may have: whole numbers too large for a double, lists, a great many of them."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leanrank import from_frame, read, read_table
from leanrank.data.roles import Columns, assign_roles
from leanrank.errors import DataError
from leanrank.stats.lint import lint

LARGE = [2**53 + 1, 2**60 + 3, 2**62, 5]
FRAME = pa.table({"label": [1, 0, 2, 0], "qid": [1, 1, 2, 2], "hash": pa.array(LARGE, pa.int64()), "bm25": [0.1] * 4})


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_whole_numbers_beyond_2_to_the_53_are_rounded_and_reported(tmp_path, kind):
    if kind == "frame":
        data = from_frame(FRAME)
    elif kind == "csv":
        lines = [",".join(map(str, row.values())) for row in FRAME.to_pylist()]
        (tmp_path / "a.csv").write_text("\n".join(["label,qid,hash,bm25", *lines]) + "\n")
        data = read_table(tmp_path / "a.csv")
    else:
        pq.write_table(FRAME, tmp_path / "a.parquet")
        data = read(tmp_path / "a.parquet")
    np.testing.assert_array_equal(data.X[:, 0], np.array(LARGE, dtype=np.float64))
    findings = {finding.kind: finding for finding in lint(data).findings}
    assert findings["large numbers"].features == ("hash",)
    assert "rounded to the nearest double" in findings["large numbers"].message


def test_missing_ones_among_them():
    column = pa.array([2**60, None, 2**61, 1], pa.uint64())
    data = from_frame(FRAME.set_column(2, "hash", column), missing=True)
    np.testing.assert_array_equal(data.X[:, 0], [2.0**60, np.nan, 2.0**61, 1.0])


@pytest.mark.parametrize("kind", [pa.list_(pa.int64()), pa.struct({"a": pa.int64()})])
def test_lists_and_structs_are_no_query_ids(tmp_path, kind):
    values = [[1], [1], [2], [2]] if pa.types.is_list(kind) else [{"a": 1}] * 4
    frame = FRAME.set_column(1, "qid", pa.array(values, kind))
    pq.write_table(frame, tmp_path / "a.parquet")
    for opened in (lambda: from_frame(frame), lambda: read(tmp_path / "a.parquet")):
        with pytest.raises(DataError, match=r"Query id .* is of the type .*: query ids are numbers or texts"):
            opened()


def test_twenty_thousand_columns_are_not_compared_with_each_other():
    names = ["label", "qid", *(f"f{j}" for j in range(20_000))]
    begun = time.process_time()
    roles = assign_roles(dict.fromkeys(names, "double"), Columns(), numeric=names, needs_qid=True)
    assert len(roles.features) == 20_000
    assert time.process_time() - begun < 1.0  # every pair: some seconds


def test_names_of_several_levels_are_refused():
    levels = pd.MultiIndex.from_tuples([("bm25", "title"), ("bm25", "body"), ("label", ""), ("qid", "")])
    frame = pd.DataFrame([[1.0, 2.0, 1, 7], [2.0, 1.0, 0, 7]], columns=levels)
    with pytest.raises(DataError, match=r"of one level, but the frame has \('bm25', 'title'\): join the levels first"):
        from_frame(frame, label="label", qid="qid")
