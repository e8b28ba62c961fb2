"""Categories of RankingData: checked, kept through every cut, joined by their texts."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from tests.data.categorical import BRANDS, COLOURS, with_categories

from leanrank.data import RankingData, concatenate
from leanrank.data.arrangement import Arrangement
from leanrank.data.categories import in_order, recoded, whole_texts
from leanrank.data.door import unjudged
from leanrank.data.scaling import QueryMinMaxScaler, QueryStandardScaler
from leanrank.errors import DataError, MissingValuesError, UnknownNameError

NAN = np.nan


def one(codes, texts, **more):
    X = np.column_stack([np.arange(len(codes), dtype=float), codes])
    return RankingData(
        X, np.zeros(len(codes)), [0, len(codes)], feature_names=["x", "c"], categories={"c": texts}, **more
    )


def test_codes_must_be_those_of_texts():
    with pytest.raises(DataError, match=r"2 in feature 'c', row 1, is no code of a category: it has 2 texts"):
        one([0, 2], "ab")
    with pytest.raises(DataError, match=r"0.5 in feature 'c', row 0"):
        one([0.5, 1], "ab")
    with pytest.raises(DataError, match=r"-1 in feature 'c', row 1"):
        one([0, -1], "ab")
    with pytest.raises(MissingValuesError, match="feature 'c', row 1"):
        one([0, NAN], "ab")
    with pytest.raises(DataError, match="the text 'a' twice"):
        one([0, 1], "aa")
    with pytest.raises(UnknownNameError, match="Unknown feature 'd'"):
        RankingData([[0.0]], [1], [0, 1], feature_names=["c"], categories={"d": ("a",)})
    with pytest.raises(DataError, match="sparse matrix"):
        RankingData(sp.csr_array([[0.0]]), [1], [0, 1], categories={"1": ("a",)})


def test_a_category_may_be_missing_everywhere_or_have_one_text():
    assert one([NAN, NAN], (), missing=True).categories == {"c": ()}
    assert one([0, 0], ("a",)).categories == {"c": ("a",)}


def test_cuts_keep_categories():
    data = with_categories()
    assert data.subset(["colour", "bm25"]).categories == {"colour": COLOURS}
    assert data.subset(["bm25", "noise"]).categories == {}
    assert data.subset(["colour", "brand"]).category_columns == [0, 1]
    assert list(data.subset(["colour", "brand"]).categories) == ["colour", "brand"]
    for part in (data.take_queries([3, 1]), data.take_queries([1, 2, 3]), data.query(4), next(data.blocks(50))):
        assert part.categories == data.categories
    assert data.take_queries([3, 1], ["brand"]).categories == {"brand": BRANDS}
    view = Arrangement.of(data).data
    assert view.categories == data.categories
    assert view.subset(["brand"]).categories == {"brand": BRANDS}
    assert view.take_queries([0, 5]).categories == data.categories
    assert pickle.loads(pickle.dumps(data)).equals(data)


def test_same_codes_of_other_texts_are_other_data():
    data = one([0, 1], "ab")
    other, number = one([0, 1], "ac"), RankingData(data.X, data.y, data.query_ptr, feature_names=data.feature_names)
    assert data.equals(one([0, 1], "ab"))
    assert not data.equals(other)
    assert not data.equals(number)
    assert len({data.fingerprint(), other.fingerprint(), number.fingerprint()}) == 3


def test_the_repr_counts_categories():
    assert "storage   dense float64, 2 categories, 43 missing values" in repr(with_categories())


def test_parts_are_joined_by_their_texts():
    a = one([0, 1, NAN], ("blue", "red"), missing=True)
    b = RankingData([[5.0, 0.0], [6.0, 1.0]], [1, 0], [0, 2], [7], ["x", "c"], categories={"c": ("green", "red")})
    both = concatenate([a, b])
    assert both.categories == {"c": ("blue", "green", "red")}
    np.testing.assert_array_equal(both.X[:, 1], [0, 2, NAN, 1, 2])
    with pytest.raises(DataError, match="'c' is a category in one part and a number in another"):
        concatenate([a, RankingData(b.X, b.y, b.query_ptr, [7], b.feature_names)])


def test_recoding_counts_what_is_unknown():
    X, unknown = recoded(np.array([[0.0], [1.0], [NAN]]), ["c"], {"c": ("a", "b")}, {"c": ("b", "z")})
    np.testing.assert_array_equal(X, [[NAN], [0.0], [NAN]])
    assert unknown == {"c": 1}
    same = np.array([[0.0]])
    assert recoded(same, ["c"], {"c": ("a",)}, {"c": ("a",)})[0] is same


def test_scalers_leave_categories_alone():
    data = with_categories()
    for scaler in (QueryMinMaxScaler(), QueryMinMaxScaler(fill_missing=True), QueryStandardScaler()):
        scaled = scaler.fit(data).transform(data)
        np.testing.assert_array_equal(scaled.X[:, [1, 3]], data.X[:, [1, 3]])
        assert scaled.categories == data.categories
        assert not np.array_equal(scaled.X[:, 0], data.X[:, 0])


def test_missing_categories_are_complete_enough():
    data = with_categories()
    assert data.require_complete("RankSVM") is data
    X = data.X.copy()
    X[0, 0] = NAN
    worse = RankingData(X, data.y, data.query_ptr, None, data.feature_names, missing=True, categories=data.categories)
    with pytest.raises(MissingValuesError, match="feature 'bm25' has 1"):
        worse.require_complete("RankSVM")


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_frames_of_any_library_have_texts(kind):
    table = pa.table({"x": [1.0, 2.0, 3.0], "c": ["b", None, "a"], "n": [3, 12, None], "t": [True, False, True]})
    frame = table
    if kind == "pandas":
        frame = table.to_pandas().astype({"c": "category"})
    if kind == "polars":
        pl = pytest.importorskip("polars")
        frame = pl.from_arrow(table).with_columns(pl.col("c").cast(pl.Categorical))
    data = unjudged(frame, {"c": (), "n": (), "t": ()}, "RankSVM")
    assert data.categories == {"c": ("a", "b"), "n": ("3", "12"), "t": ("False", "True")}
    np.testing.assert_array_equal(data.X, [[1, 1, 0, 1], [2, NAN, 1, 0], [3, 0, NAN, 1]])


def test_numbers_of_categories_are_whole():
    assert whole_texts(np.array([3.0, NAN]), "c") == ["3", None]
    with pytest.raises(DataError, match=r"row 1 has 0.5: a number that stands for a category is whole"):
        whole_texts(np.array([3.0, 0.5]), "c")
    assert in_order(["b", "2", "10", "a"]) == ("2", "10", "a", "b")


def test_an_array_has_no_texts():
    with pytest.raises(DataError, match="RankSVM was trained with the category 'c': pass RankingData, or a frame"):
        unjudged(np.zeros((2, 1)), {"c": ("a",)}, "RankSVM")
