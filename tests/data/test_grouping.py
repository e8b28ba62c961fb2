"""query_offsets: qid columns of any dtype, group sizes, offsets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.data.grouping import query_offsets
from leanrank.errors import DataError


@pytest.mark.parametrize(
    ("qid", "ids"),
    [
        ([3, 3, 1], [3, 1]),
        ([3.0, 3.0, 1.0], [3, 1]),
        (["b", "b", "a"], ["b", "a"]),
        (np.array([7, 7, 8], dtype=object), [7, 8]),
        (np.array([10**30, 10**30, 8], dtype=object), [str(10**30), "8"]),
        (np.array(["x", "x", 8], dtype=object), ["x", "8"]),
        ([0.5, 0.5, 1.0], ["0.5", "1.0"]),
        (np.array(["2024-01-01", "2024-01-01", "2024-01-02"], dtype="datetime64[D]"), ["2024-01-01", "2024-01-02"]),
    ],
)
def test_a_qid_column_of_any_dtype(qid, ids):
    ptr, found, order = query_offsets(qid, n_rows=3)
    assert ptr.tolist() == [0, 2, 3]
    assert found.tolist() == ids
    assert order is None


def test_group_sizes_and_offsets():
    assert query_offsets(group=[2, 1], n_rows=3)[0].tolist() == [0, 2, 3]
    assert query_offsets(query_ptr=[0, 2, 3], n_rows=3)[0].tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "Got none of them"),
        ({"qid": [1, 1, 1], "group": [3]}, "Got qid and group"),
        ({"group": [2, 2]}, "sum to 4 but there are 3 rows"),
        ({"group": [3, 0]}, "positive whole numbers"),
        ({"qid": [1, 1]}, "one value per row"),
        ({"qid": [1, np.nan, 2]}, "query id of row 1 is missing"),
        ({"qid": np.array(["a", None, "b"], dtype=object)}, "query id of row 1 is missing"),
        ({"qid": ["a", "b", "a"]}, "query a are not adjacent: it begins at row 0 and again at row 2"),
    ],
)
def test_what_cannot_be_grouped_is_refused(arguments, sentence):
    with pytest.raises(DataError, match=sentence):
        query_offsets(**arguments, n_rows=3)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30))
@settings(max_examples=100)
def test_regroup_is_stable_and_keeps_first_appearance(qid):
    ptr, ids, order = query_offsets(qid, n_rows=len(qid), regroup=True)
    order = np.arange(len(qid)) if order is None else order
    assert ids.tolist() == list(dict.fromkeys(qid))
    expected = [row for query in dict.fromkeys(qid) for row, q in enumerate(qid) if q == query]
    assert order.tolist() == expected
    assert np.repeat(ids, np.diff(ptr)).tolist() == [qid[row] for row in expected]
