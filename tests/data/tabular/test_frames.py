"""Frames in and out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from leanrank import RankingData, from_frame
from leanrank.data.tabular.frames import to_frame
from leanrank.errors import DataError, LeanRankError, MissingValuesError, ParameterError, UnknownNameError

COLUMNS = {
    "label": [1, 0, 2],
    "qid": ["tea", "tea", "cup"],
    "bm25": [2.5, 0.5, 1.0],
    "age": [3, 2, 1],
    "fresh": [True, False, True],
    "url": ["a.org", None, "c.org"],
}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=KINDS)
def frame(request):
    return KINDS[request.param](COLUMNS)


def test_every_numeric_column_is_a_feature(frame):
    data = from_frame(frame, label="label", qid="qid", comments="url")
    assert data.feature_names == ("bm25", "age", "fresh")
    np.testing.assert_array_equal(data.X, [[2.5, 3, 1], [0.5, 2, 0], [1, 1, 1]])
    assert data.X.dtype == np.float64
    assert data.y.tolist() == [1, 0, 2]
    assert data.query_ids.tolist() == ["tea", "cup"]
    assert data.comments.tolist() == ["a.org", "", "c.org"]


def test_other_columns_are_left_out_with_a_warning(frame):
    with pytest.warns(UserWarning, match="Left out 'url'"):
        assert from_frame(frame, label="label", qid="qid").feature_names == ("bm25", "age", "fresh")


def test_named_features_come_in_the_order_named(frame):
    data = from_frame(frame, label="label", qid="qid", features=["fresh", "bm25"])
    assert data.feature_names == ("fresh", "bm25")
    assert from_frame(frame, label="label", qid="qid", features="age").X.ravel().tolist() == [3, 2, 1]


def test_usual_names_are_found(frame):
    assert from_frame(frame, features=["bm25"]).query_ids.tolist() == ["tea", "cup"]
    renamed = pa.table({"Query ID": [1, 1], "Relevance": [0, 1], "a": [0.0, 1.0]})
    assert from_frame(renamed).feature_names == ("a",)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"qid": [1], "a": [1.0]}, "Say which column is the label, label=.*no column is called like one.*'qid', 'a'"),
        ({"label": [1], "a": [1.0]}, "Say which column is the qid"),
        ({"label": [1], "rel": [1], "qid": [1], "a": [1.0]}, "'label', 'rel' could all be it"),
    ],
)
def test_names_that_cannot_be_guessed(columns, message):
    with pytest.raises(DataError, match=message):
        from_frame(pa.table(columns))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label": "lable"}, "Unknown label column 'lable': did you mean 'label'"),
        ({"qid": "quid"}, "Unknown qid column 'quid': did you mean 'qid'"),
        ({"features": ["bm52"]}, "Unknown feature column 'bm52': did you mean 'bm25'"),
        ({"comments": "ulr"}, "Unknown comments column 'ulr': did you mean 'url'"),
    ],
)
def test_unknown_columns(frame, arguments, message):
    with pytest.raises(UnknownNameError, match=message):
        from_frame(frame, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features": []}, "There are no features"),
        ({"features": ["label"]}, "'label' is the label column: it cannot be a feature too"),
        ({"features": ["qid"]}, "'qid' is the qid column"),
        ({"features": ["url"]}, "'url' is not numeric"),
        ({"features": ["age", "age"]}, "'age' occurs twice"),
        ({"comments": "qid", "features": ["age"]}, "need a column each"),
        ({"label": "url", "features": ["age"]}, "Labels must be numbers, but the type of column 'url' is String"),
        ({"group": [2, 1], "qid": "qid", "features": ["age"]}, "by one of qid, group or query_ptr"),
        ({"group": [2, 2], "features": ["age"]}, "group sizes sum to 4"),
        ({"query_ptr": [0, 2], "features": ["age"]}, "offsets"),
    ],
)
def test_bad_arguments(frame, arguments, message):
    with pytest.raises(DataError, match=message):
        from_frame(frame, **arguments)


def test_not_a_frame_and_no_rows():
    with pytest.raises(DataError, match=r"takes a frame.*Got list"):
        from_frame([[1.0]])
    with pytest.raises(DataError, match="no rows"):
        from_frame(pl.DataFrame(COLUMNS).head(0))


def test_no_feature_left():
    with pytest.raises(DataError, match="There are no features: the columns are 'label', 'qid', 'title'"):
        from_frame(pa.table({"label": [1], "qid": [1], "title": ["a"]}))


def test_queries_by_sizes_offsets_or_an_array(frame):
    features = ["bm25"]
    by_sizes = from_frame(frame, group=[2, 1], features=features)
    by_offsets = from_frame(frame, query_ptr=[0, 2, 3], features=features)
    by_array = from_frame(frame, qid=np.array([5, 5, 9]), features=features)
    for data in (by_sizes, by_offsets, by_array):
        assert data.query_ptr.tolist() == [0, 2, 3]
    assert by_array.query_ids.tolist() == [5, 9]


def test_a_query_column_is_no_feature_where_queries_come_otherwise():
    table = pa.table({"label": [1, 0], "qid": [7, 8], "a": [1.0, 2.0]})
    with pytest.warns(UserWarning, match="Left out 'qid': no feature .it looks like a query id"):
        assert from_frame(table, group=[2]).feature_names == ("a",)
    assert from_frame(table, group=[2], features=["qid", "a"]).feature_names == ("qid", "a")


def test_regroup(frame):
    scattered = pa.table({"label": [1, 0, 2], "qid": [7, 3, 7], "a": [1.0, 2.0, 3.0], "note": ["x", "y", "z"]})
    with pytest.raises(DataError, match="query 7 are not adjacent"):
        from_frame(scattered, comments="note")
    data = from_frame(scattered, comments="note", regroup=True)
    assert data.qid.tolist() == [7, 7, 3]
    assert data.X.ravel().tolist() == [1, 3, 2]
    assert data.y.tolist() == [1, 2, 0]
    assert data.comments.tolist() == ["x", "z", "y"]


def test_missing_values_need_consent():
    table = pa.table({"label": [1, 0], "qid": [7, 7], "a": [1.0, None]})
    with pytest.raises(MissingValuesError, match=r"NaN in feature 'a', row 1 \(query 7\)"):
        from_frame(table)
    assert from_frame(table, missing=True).missing_counts().tolist() == [1]


def test_missing_label_and_query():
    with pytest.raises(DataError, match="label of row 1 is nan"):
        from_frame(pa.table({"label": [1, None], "qid": [7, 7], "a": [1.0, 2.0]}))
    with pytest.raises(DataError, match=r"Query id \('qid'\) is missing in row 1"):
        from_frame(pa.table({"label": [1, 1], "qid": [7, None], "a": [1.0, 2.0]}))


def test_pandas_columns_named_by_numbers():
    frame = pd.DataFrame({0: [1, 0], 1: [7, 7], 2: [0.5, 1.5]})
    data = from_frame(frame, label=0, qid=1)
    assert data.feature_names == ("2",)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ids", [["tea", "cüp"], [7, -3]])
def test_round_trip(kind, dtype, ids):
    X = np.array([[1 / 3, -0.0, np.nan], [5e-324, 1e30, 2.0], [0.1, 2.0, np.nan]]).astype(dtype)
    names = ["label", "qid", 'a\n"b", 𝛽']
    data = RankingData(X, [1, 0, 2], [0, 2, 3], ids, names, ["# x", "", "ünï"], missing=True)
    frame = to_frame(data, kind)
    back = from_frame(frame, label="_label", qid="_qid", comments="comment", missing=True)
    assert type(frame).__module__.startswith(kind)
    assert back.equals(data)
    assert np.signbit(back.X[0, 1])


def test_unknown_kind():
    with pytest.raises(ParameterError, match="'kind' parameter of to_frame must be 'pyarrow', 'pandas' or 'polars'"):
        to_frame(RankingData([[1.0]], [1], [0, 1]), "excel")


def test_texts_that_are_no_unicode():
    data = RankingData([[1.0]], [1], [0, 1], comments=["\udcff"])
    with pytest.raises(LeanRankError, match="no Unicode"):
        to_frame(data)
