"""Data with other features than something was made from are refused by name, or doubted by their count."""

import warnings

import numpy as np
import pytest

from leanrank import RankingData
from leanrank.data.same_features import OtherFeaturesWarning, check_count, columns_of
from leanrank.errors import DataError, UnknownNameError


def judged(names, last=1.0):
    X = np.ones((2, len(names)))
    X[:, -1] = last
    return RankingData(X, [1, 0], [0, 2], feature_names=tuple(names))


def numbered(n, last=1.0):
    return judged([str(j + 1) for j in range(n)], last)


def test_columns_are_found_by_name_whatever_their_order():
    assert columns_of(judged(["age", "bm25", "idf"]), ["idf", "age"], "the selection", 7).tolist() == [2, 0]


def test_a_feature_that_is_not_there_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match=r"no feature 'bm52' and 1 more, which the model needs.*nearest.*'bm25'"):
        columns_of(judged(["age", "bm25"]), ["bm52", "age", "clicks"], "the model")
    with pytest.raises(UnknownNameError, match="no feature 'x'"):
        columns_of(judged(["age", "bm25"]), ["x"], "the model")


def test_names_and_numbers_are_told_apart():
    with pytest.raises(DataError, match="call their features by number, 1 to 3, the selection by name: 'bm25'"):
        columns_of(numbered(3), ["bm25"], "the selection", 3)
    with pytest.raises(UnknownNameError, match="no feature '2'"):
        columns_of(judged(["age", "bm25"]), ["2"], "the selection", 2)


@pytest.mark.parametrize(
    ("data", "n_among", "doubt"),
    [
        (numbered(5), 5, None),
        (numbered(3), 5, None),  # cut down to what is wanted
        (numbered(9), 5, "have 9 features, the selection was made among 5"),
        (numbered(4), 5, "have 4 features, the selection was made among 5"),
        (numbered(3, last=0.0), 5, "end before feature 3, which the selection needs"),
        (numbered(3, last=0.0), None, "end before feature 3"),
        (numbered(9), None, None),
        (judged([*"123", "bm25"]), 9, None),  # names, so that more columns say nothing
    ],
)
def test_numbers_are_doubted_where_their_count_differs(data, n_among, doubt):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert columns_of(data, ["3", "1"], "the selection", n_among).tolist() == [2, 0]
    assert [warning.category for warning in said] == [OtherFeaturesWarning] * (doubt is not None)
    assert doubt is None or doubt in str(said[0].message)


def test_tables_without_names():
    check_count(2, ["1", "2"], "the selection")
    with pytest.raises(DataError, match="X has 3 columns; the selection was made among 2"):
        check_count(3, ["1", "2"], "the selection")
    with pytest.warns(OtherFeaturesWarning, match="only their count could be checked"):
        check_count(2, ["age", "bm25"], "the selection")
