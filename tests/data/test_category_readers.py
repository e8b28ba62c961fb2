"""Categories in files and frames: read by name, written, read back as they were."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.data.categorical import with_categories

from leanrank.data import from_frame, read, read_table, scan, scan_parquet, to_frame, write_parquet
from leanrank.data.letor.writer import write_letor
from leanrank.data.tabular.csv_files import write_csv
from leanrank.errors import DataError, MissingValuesError, UnknownNameError

TABLE = pa.table(
    {
        "label": [1, 0, 2, 1],
        "qid": [1, 1, 2, 2],
        "bm25": [0.5, 1.5, 2.5, 3.5],
        "brand": ["b", "a", None, "b"],
        "size": [10, 9, 10, 9],
    }
)


def as_library(kind):
    if kind == "pyarrow":
        return TABLE
    if kind == "pandas":
        return TABLE.to_pandas().astype({"brand": "category"})
    pl = pytest.importorskip("polars")
    dtype = {"polars": pl.Categorical, "enum": pl.Enum(["b", "a", "never"]), "text": pl.String}[kind]
    return pl.from_arrow(TABLE).with_columns(pl.col("brand").cast(dtype))


@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "polars", "enum", "text"])
def test_frames_give_categories_where_they_are_named(kind):
    data = from_frame(as_library(kind), categorical=["brand", "size"], missing=True)
    assert data.feature_names == ("bm25", "brand", "size")
    assert data.categories == {"brand": ("a", "b"), "size": ("9", "10")}
    np.testing.assert_array_equal(data.X[:, 1:], [[1, 1], [0, 0], [np.nan, 1], [1, 0]])


@pytest.mark.parametrize("kind", ["pandas", "polars", "enum"])
def test_columns_of_categories_are_left_out_unless_named(kind):
    with pytest.warns(UserWarning, match="Left out 'brand'.*name it as comments or as categorical"):
        assert from_frame(as_library(kind)).categories == {}
    named = from_frame(as_library(kind), features=["brand", "bm25"], missing=True)
    assert named.categories == {"brand": ("a", "b")}
    assert named.feature_names == ("brand", "bm25")


def test_texts_are_no_features_unless_categorical():
    with pytest.raises(DataError, match=r"'brand' is not numeric: .* Name it as categorical"):
        from_frame(TABLE, features=["brand"])
    with pytest.raises(UnknownNameError, match="Unknown categorical column 'brnd': did you mean 'brand'"):
        from_frame(TABLE, categorical=["brnd"])
    with pytest.raises(DataError, match="'qid' is the qid column: it cannot be a category too"):
        from_frame(TABLE, categorical=["qid"])
    with pytest.raises(MissingValuesError, match="feature 'brand', row 2"):
        from_frame(TABLE, categorical=["brand"])
    with pytest.raises(DataError, match=r"'bm25' is to be a category, but row 0 has 0.5"):
        from_frame(TABLE, categorical=["bm25"], features=["bm25"])


def test_regrouping_takes_categories_along():
    table = TABLE.take([0, 2, 1, 3])
    data = from_frame(table, categorical=["brand"], missing=True, regroup=True)
    np.testing.assert_array_equal(data.X[:, 1], [1, 0, np.nan, 1])


@pytest.mark.parametrize("kind", ["pyarrow", "pandas", "polars"])
def test_frames_come_back(kind):
    data = with_categories(5, 4)
    frame = to_frame(data, kind)
    again = from_frame(frame, categorical=["brand", "colour"], missing=True)
    np.testing.assert_array_equal(again.X[:, 0], data.X[:, 0])
    for j, name in ((1, "brand"), (3, "colour")):
        ours, theirs = (
            [None if np.isnan(c) else one.categories[name][int(c)] for c in one.X[:, j]] for one in (data, again)
        )
        assert ours == theirs


def test_parquet_says_which_columns_are_categories(tmp_path):
    data = with_categories()
    write_parquet(data, tmp_path / "judged.parquet")
    assert read_table(tmp_path / "judged.parquet").equals(data)
    assert read(tmp_path / "judged.parquet").equals(data)
    assert scan(tmp_path / "judged.parquet").equals(data)  # in memory
    some = read_table(tmp_path / "judged.parquet", features=["colour", "noise"])
    assert some.equals(data.subset(["colour", "noise"]))
    with pytest.raises(DataError, match="column 'brand' is a category, whose texts are known when all are read"):
        scan_parquet(tmp_path / "judged.parquet")


def test_narrow_parquet_stays_narrow(tmp_path):
    from dataclasses import replace

    data = with_categories()
    narrow = replace(data, X=data.X.astype(np.float32))
    write_parquet(narrow, tmp_path / "judged.parquet")
    assert read_table(tmp_path / "judged.parquet").equals(narrow)


def test_a_folder_of_other_peoples_parquet_has_one_set_of_texts(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(TABLE.slice(0, 2), tmp_path / "a.parquet")
    pq.write_table(TABLE.slice(2), tmp_path / "b.parquet")
    data = read_table(tmp_path, categorical=["brand"], missing=True)
    assert data.categories == {"brand": ("a", "b")}
    np.testing.assert_array_equal(data.X[:, 1], [1, 0, np.nan, 1])
    grouped = read_table(tmp_path, categorical=["brand"], missing=True, regroup=True)
    assert grouped.equals(data)


def test_csv_has_texts_or_numbers(tmp_path):
    (tmp_path / "judged.csv").write_text("label,qid,bm25,brand,size\n1,1,.5,b,10\n0,1,1.5,,9\n2,2,2.5,a b,10\n")
    data = read(tmp_path / "judged.csv", categorical=["brand", "size"])
    assert data.categories == {"brand": ("a b", "b"), "size": ("9", "10")}
    np.testing.assert_array_equal(data.X[:, 1:], [[1, 1], [np.nan, 0], [0, 1]])
    write_csv(data, tmp_path / "again.csv")
    assert read(tmp_path / "again.csv", categorical=["brand", "size"]).equals(data)
    some = read(tmp_path / "judged.csv", features=["brand", "bm25"], categorical=["brand"])
    assert some.feature_names == ("brand", "bm25")
    assert scan(tmp_path / "judged.csv", categorical=["brand"]).categories == {"brand": ("a b", "b")}


def test_letor_has_whole_numbers(tmp_path):
    (tmp_path / "judged.txt").write_text("1 qid:1 1:.5 2:7 3:3\n0 qid:1 1:.25 2:12 3:NULL\n1 qid:2 1:1 2:7\n")
    data = read(tmp_path / "judged.txt", categorical=["2", "3"])
    assert data.categories == {"2": ("7", "12"), "3": ("0", "3")}
    np.testing.assert_array_equal(data.X[:, 1:], [[0, 1], [1, np.nan], [0, 0]])
    assert scan(tmp_path / "judged.txt", categorical=["2"]).categories == {"2": ("7", "12")}
    write_letor(data, tmp_path / "again.txt")
    assert read(tmp_path / "again.txt", categorical=["2", "3"]).equals(data)
    with pytest.raises(DataError, match=r"'1' is to be a category, but row 0 has 0.5"):
        read(tmp_path / "judged.txt", categorical=["1"])
    with pytest.raises(UnknownNameError, match="feature '9'"):
        read(tmp_path / "judged.txt", categorical=["9"])
    with pytest.raises(DataError, match="The category 'brand' has the text 'brand 00', and this format knows numbers"):
        write_letor(with_categories(), tmp_path / "no.txt")


def test_sparse_letor_becomes_dense(tmp_path):
    rows = "".join(f"{i % 2} qid:{i // 2} {1 + i % 50}:2 60:{i % 3}\n" for i in range(40))
    (tmp_path / "judged.txt").write_text(rows)
    assert read(tmp_path / "judged.txt").is_sparse
    assert not read(tmp_path / "judged.txt", categorical=["60"]).is_sparse


def test_large_ids_are_told_apart():
    table = TABLE.set_column(4, "size", pa.array([2**60, 2**60 + 1, 2**60, None]))
    data = from_frame(table.drop_columns("brand"), categorical=["size"], missing=True)
    assert data.categories == {"size": (str(2**60), str(2**60 + 1))}
    np.testing.assert_array_equal(data.X[:, 1], [0, 1, 0, np.nan])
