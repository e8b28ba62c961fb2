"""The estimators' door: everything a caller may hold becomes the same RankingData."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from leanrank.data.columns import label_column
from leanrank.data.door import as_ranking_data, as_source, feature_matrix
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError, MissingValuesError

X = np.array([[1.0, 0.0], [2.5, 3.0], [0.0, -1.0], [4.0, 4.0]])
Y = [1, 0, 2, 0]
QID = ["tea", "tea", "cup", "cup"]
COLUMNS = {"bm25": X[:, 0], "age": X[:, 1]}


@pytest.mark.parametrize(
    "given",
    [X, X.tolist(), X.astype(object), sp.csr_array(X), sp.csc_matrix(X), sp.coo_array(X), np.asfortranarray(X)],
    ids=["array", "lists", "object", "csr", "csc", "coo", "fortran"],
)
def test_matrices(given):
    data = as_ranking_data(given, Y, qid=QID)
    np.testing.assert_array_equal(data.dense(), X)
    assert data.feature_names == ("1", "2")
    assert data.query_ids.tolist() == ["tea", "cup"]
    assert data.query_sizes.tolist() == [2, 2]
    assert data.is_sparse == sp.issparse(given)


@pytest.mark.parametrize("frame", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)])
def test_frames(frame):
    data = as_ranking_data(frame, Y, qid=QID)
    np.testing.assert_array_equal(data.X, X)
    assert data.feature_names == ("bm25", "age")


@pytest.mark.parametrize(
    "column", [np.array, list, tuple, pd.Series, pl.Series, pa.array, lambda v: pa.chunked_array([v])]
)
def test_labels_and_queries_in_any_container(column):
    data = as_ranking_data(X, column(Y), qid=column(QID))
    assert data.y.tolist() == Y
    assert data.qid.tolist() == QID


def _dates(days):
    return [dt.date(2024, 1, day) for day in days]


@pytest.mark.parametrize(
    ("qid", "expected"),
    [
        ([7, 7, 3, 3], [7, 3]),
        (np.array([7, 7, 3, 3], dtype=np.uint8), [7, 3]),
        ([7.0, 7.0, 3.0, 3.0], [7, 3]),
        ([0.5, 0.5, 3.0, 3.0], ["0.5", "3.0"]),
        ([True, True, False, False], ["True", "False"]),
        (np.array([b"tea", b"tea", b"cup", b"cup"]), ["tea", "cup"]),
        (pd.Series([7, 7, 3, 3], dtype="Int64"), [7, 3]),
        (pd.Series(QID, dtype="category"), ["tea", "cup"]),
        (pd.Series([7, 7, 3, 3], dtype="category"), [7, 3]),
        (pd.Series(QID, dtype="string"), ["tea", "cup"]),
        (pl.Series(QID, dtype=pl.Categorical), ["tea", "cup"]),
        (pl.Series(QID, dtype=pl.Enum(["cup", "tea"])), ["tea", "cup"]),
        (pa.array(QID).dictionary_encode(), ["tea", "cup"]),
        (pa.array([b"tea", b"tea", b"\xff", b"\xff"]), ["tea", "\\xff"]),
        (pl.Series(_dates([2, 2, 1, 1])), ["2024-01-02", "2024-01-01"]),
        (np.array(_dates([2, 2, 1, 1]), dtype="datetime64[D]"), ["2024-01-02", "2024-01-01"]),
        (pa.array([2**63 + 5] * 2 + [1] * 2, type=pa.uint64()), [str(2**63 + 5), "1"]),
    ],
)
def test_query_ids_of_any_type(qid, expected):
    assert as_ranking_data(X, Y, qid=qid).query_ids.tolist() == expected


def test_datetimes_stay_apart():
    times = pd.to_datetime(["2024-01-01 10:00", "2024-01-01 10:00", "2024-01-01 10:01", "2024-01-01 10:01"])
    assert as_ranking_data(X, Y, qid=pd.Series(times)).n_queries == 2


@pytest.mark.parametrize(
    "qid",
    [
        [None, "tea", "cup", "cup"],
        [float("nan"), "tea", "cup", "cup"],
        np.array([pd.NA, 1, 2, 2], dtype=object),
        np.array(["NaT", "2024-01-01", "2024-01-02", "2024-01-02"], dtype="datetime64[D]"),
        pd.Series([pd.NA, 1, 2, 2], dtype="Int64"),
        pl.Series([None, "tea", "cup", "cup"]),
        pa.array([None, 1, 2, 2]),
        [float("nan"), 1.0, 2.0, 2.0],
    ],
)
def test_missing_query_id(qid):
    with pytest.raises(DataError, match=r"row 0"):
        as_ranking_data(X, Y, qid=qid)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None, 3, 4], dtype="Int64"),
        pd.Series([True, None, False, True], dtype="boolean"),
        pd.Series([1.0, np.nan, 3.0, 4.0]),
        pd.Series([1, None, 3, 4], dtype="int64[pyarrow]"),
        pl.Series([1, None, 3, 4]),
        pl.Series([True, None, False, True]),
        pl.Series([None, None, None, None]),
        pl.Series(["1.5", None, "2.25", "3"]).cast(pl.Decimal(10, 2)),
    ],
)
def test_nulls_are_missing_values(column):
    frame = (pd if isinstance(column, pd.Series) else pl).DataFrame({"bm25": column})
    with pytest.raises(MissingValuesError, match=r"NaN in feature 'bm25', row [01] \(query tea\)"):
        as_ranking_data(frame, Y, qid=QID)
    data = as_ranking_data(frame, Y, qid=QID, missing=True)
    expected = [np.nan if value is None or value is pd.NA else float(value) for value in column.to_list()]
    np.testing.assert_array_equal(data.X[:, 0], expected)


def test_float32_is_kept_only_if_all_are():
    both = pl.DataFrame({"a": pl.Series([1.0] * 4, dtype=pl.Float32), "b": pl.Series([2.0] * 4, dtype=pl.Float32)})
    assert as_ranking_data(both, Y, qid=QID).X.dtype == np.float32
    mixed = both.with_columns(b=pl.col("b").cast(pl.Float64))
    assert as_ranking_data(mixed, Y, qid=QID).X.dtype == np.float64
    assert as_ranking_data(X.astype(np.float32), Y, qid=QID).X.dtype == np.float32


def test_pandas_columns_named_by_numbers():
    assert as_ranking_data(pd.DataFrame(X), Y, qid=QID).feature_names == ("0", "1")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_that_are_no_numbers_are_named(frame):
    given = frame({"bm25": [1.0, 2.0, 3.0, 4.0], "title": list("abcd"), "url": list("abcd")})
    with pytest.raises(DataError, match=r"Column 'title' is not numeric: its type is String \(nor are 'url'\)"):
        as_ranking_data(given, Y, qid=QID)


def test_regroup_is_stable_and_otherwise_refused():
    qid = ["tea", "cup", "tea", "cup"]
    with pytest.raises(DataError, match="query tea are not adjacent: it begins at row 0 and again at row 2"):
        as_ranking_data(X, Y, qid=qid)
    for given in (X, sp.csr_array(X), pl.DataFrame(COLUMNS)):
        data = as_ranking_data(given, Y, qid=qid, regroup=True)
        np.testing.assert_array_equal(data.dense(), X[[0, 2, 1, 3]])
        assert data.y.tolist() == [1, 2, 0, 0]
        assert data.qid.tolist() == ["tea", "tea", "cup", "cup"]


def test_regroup_reports_rows_as_given():
    bad = X.copy()
    bad[2, 1] = np.inf
    with pytest.raises(DataError, match="inf in feature '2', row 2"):
        as_ranking_data(bad, Y, qid=["tea", "cup", "tea", "cup"], regroup=True)


def test_ranking_data_passes_alone():
    data = as_ranking_data(X, Y, qid=QID)
    assert as_ranking_data(data) is data
    with pytest.raises(DataError, match="carries its own labels and queries: pass it alone, without y and qid"):
        as_ranking_data(data, Y, qid=QID)
    with pytest.raises(DataError, match="without y"):
        as_source(data, Y)


def test_a_source_passes_unchanged():
    class Source:
        feature_names = ("1",)

        def blocks(self, n_rows=10):
            yield RankingData([[1.0]], [1], [0, 1])

    source = Source()
    assert as_source(source) is source
    assert isinstance(as_source(X, Y, qid=QID), RankingData)
    with pytest.raises(DataError, match="Source carries its own labels"):
        as_source(source, qid=QID)


def test_what_is_missing_is_said():
    with pytest.raises(DataError, match=r"fit\(X, y, qid=qid\).*set_fit_request\(qid=True\)"):
        as_ranking_data(X, Y)
    with pytest.raises(DataError, match="There are no labels"):
        as_ranking_data(X, qid=QID)


@pytest.mark.parametrize(
    ("given", "y", "qid", "message"),
    [
        ([[1.0], [2.0, 3.0]], [1, 0], [1, 1], "ragged"),
        ([1.0, 2.0], [1, 0], [1, 1], "two dimensions.*Reshape your data"),
        (np.empty((0, 2)), [], [], "no documents"),
        (np.empty((2, 0)), [1, 0], [1, 1], r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame(index=range(2)), [1, 0], [1, 1], "no columns"),
        (X * 1j, Y, QID, "Complex data not supported"),
        (sp.csr_array(X * 1j), Y, QID, "real numbers"),
        ([["a", "b"]], [1], [1], "must hold numbers"),
        (np.array([[1, {}]], dtype=object), [1], [1], "Column 1 of X is not numeric: it holds {}"),
        (X, ["a", "b", "c", "d"], QID, "Labels must be numbers, but 'a' is in y"),
        (X, pd.Series(["a", "b", "c", "d"]), QID, "Labels must be numbers, but the type of y is String"),
        (X, [1, None, 0, 0], QID, "label of row 1 is nan"),
        (X, pl.Series([1, None, 0, 0]), QID, "label of row 1 is nan"),
        (X, [1, 0], QID, "must correspond"),
        (X, Y, QID[:3], "one value per row"),
        (X, [1, 0], ["a", "b", "a", "b"], "not adjacent"),
        (pl.LazyFrame(COLUMNS), Y, QID, "polars.LazyFrame is a lazy frame: collect it first"),
        (pa.table([pa.array([1.0]), pa.array([2.0])], names=["a", "a"]), [1], [1], "'a' 2 times"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), [1], [1], "'a' 2 times"),
        (pd.DataFrame([[1, 2]], columns=[0, "0"]), [1], [1], "'0' twice"),
    ],
)
def test_bad_input(given, y, qid, message):
    with pytest.raises(DataError, match=message):
        as_ranking_data(given, y, qid=qid)


def test_labels_as_a_column_vector_warn():
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning, match="column-vector y"):
        assert as_ranking_data(X, np.array(Y)[:, None], qid=QID).y.tolist() == Y


class TestFeatureMatrix:
    def test_names(self):
        assert feature_matrix(X)[1] == ("1", "2")
        assert feature_matrix(pl.DataFrame(COLUMNS))[1] == ("bm25", "age")
        data = as_ranking_data(pl.DataFrame(COLUMNS), Y, qid=QID)
        matrix, names = feature_matrix(data, ("bm25", "age"))
        assert matrix is data.X
        assert names == ("bm25", "age")

    def test_an_array_is_taken_by_position(self):
        matrix, names = feature_matrix(X, ("bm25", "age"))
        np.testing.assert_array_equal(matrix, X)
        assert names == ("bm25", "age")

    def test_wrong_width(self):
        with pytest.raises(DataError, match="X has 2 features, but GAS is expecting 3 features as input"):
            feature_matrix(X, ("a", "b", "c"), owner="GAS")

    @pytest.mark.parametrize(
        ("names", "message"),
        [
            (("age", "bm25"), "same order as they were in fit"),
            (("bm25", "length"), "unseen at fit time:\n- age\n.*yet now missing:\n- length"),
            (("bm25",), "unseen at fit time:\n- age"),
        ],
    )
    def test_frames_must_have_the_names_of_fit(self, names, message):
        with pytest.raises(DataError, match=f"(?s)feature names should match.*{message}"):
            feature_matrix(pd.DataFrame(COLUMNS), names)

    def test_names_where_fit_had_none_warn(self):
        with pytest.warns(UserWarning, match="X has feature names, but GAS was fitted without"):
            assert feature_matrix(pd.DataFrame(COLUMNS), ("1", "2"), owner="GAS")[1] == ("1", "2")

    @pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
    def test_values(self, make):
        bad = X.copy()
        bad[2, 1] = np.nan
        with pytest.raises(MissingValuesError, match="NaN in feature '2', row 2"):
            feature_matrix(make(bad))
        assert np.isnan(feature_matrix(make(bad), missing=True)[0].sum())
        bad[3, 0] = -np.inf
        with pytest.raises(DataError, match="-inf in feature '1', row 3"):
            feature_matrix(make(bad), missing=True)

    def test_large_finite_values_pass(self):
        big = np.full((4, 1), 1e308)
        np.testing.assert_array_equal(feature_matrix(big)[0], big)


def test_labels_that_are_texts_are_told_what_to_become():
    with pytest.raises(DataError, match="Give every grade a number, the better the higher"):
        label_column(pd.Series(["good", "bad"]), "column 'grade'")
