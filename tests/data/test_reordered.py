"""Data in another order than their memory: the same values as a copy would have, whatever is asked of them."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from leanrank import GAS, RankSVM
from leanrank.data.arrangement import Arrangement
from leanrank.data.folds import Queries
from leanrank.data.ranking_data import RankingData
from leanrank.data.reordered import ReorderedData
from leanrank.data.synthetic import make_ranking
from leanrank.errors import DataError


@pytest.fixture(scope="module", params=["dense", "sparse"])
def given(request):
    data, _ = make_ranking(12, (3, 8), n_informative=2, n_redundant=2, n_noise=2, random_state=4)
    return data if request.param == "dense" else replace(data, X=sp.csr_array(data.X))


@pytest.fixture(scope="module")
def view(given):
    return Arrangement.of(given).data


@pytest.fixture(scope="module")
def copy(view):
    return RankingData(view.X, view.y, view.query_ptr, view.query_ids, view.feature_names)


def test_it_shares_the_matrix_and_reads_like_a_copy(given, view, copy):
    assert isinstance(view, ReorderedData)
    assert view.given is given
    assert type(copy) is RankingData
    assert view.equals(copy)
    assert view.fingerprint() == copy.fingerprint()
    assert repr(view) == repr(copy)
    assert view.is_sparse is given.is_sparse


def test_parts_are_plain_data(view, copy):
    cases = [
        lambda data: data.take_queries([3, 1, 7]),
        lambda data: data.take_queries([3, 4, 5]),
        lambda data: data.take_queries([5, 2], [4, 0]),
        lambda data: data.subset([2, 0]),
        lambda data: data.subset(data.feature_names),
        lambda data: data.query(-1),
        lambda data: replace(data, missing=True),
    ]
    for case in cases:
        assert case(view).equals(case(copy))
        assert type(case(view)) is RankingData
    for ours, theirs in zip(view.blocks(12), copy.blocks(12), strict=True):
        assert ours.equals(theirs)


def test_a_view_of_a_view_is_one_of_the_same_matrix(given, view, copy):
    part = view.view([6, 2, 3])
    assert part.given is given
    assert part.equals(copy.take_queries([6, 2, 3]))
    again = Arrangement.of(part)
    assert again.data.given is given
    assert again.data.equals(Arrangement.of(copy.take_queries([6, 2, 3])).data)
    seen = Queries(view, np.array([6, 2])).seen()
    assert seen.given is given
    assert seen.equals(Queries(copy, np.array([6, 2])).seen())


def test_a_view_of_some_features_reads_like_a_copy_of_them(given, view, copy):
    part, plain = view.view([6, 2, 3], [4, 0, 2]), copy.take_queries([6, 2, 3], [4, 0, 2])
    assert part.given is given
    assert part.equals(plain)
    assert part.is_sparse is given.is_sparse
    assert part.view([2, 0], [2, 0]).equals(plain.take_queries([2, 0], [2, 0]))
    assert part.view([1]).equals(plain.take_queries([1]))
    assert part.subset([1]).equals(plain.subset([1]))
    seen = Queries(view, np.array([6, 2]), np.array([5, 1])).only([1]).seen()
    assert seen.given is given
    assert seen.equals(copy.take_queries([6, 2], [1]))


def test_it_travels(view):
    for data in (view, view.view([4, 1], [3, 0])):
        there = pickle.loads(pickle.dumps(data))
        assert isinstance(there, ReorderedData)
        assert there.equals(data)


def test_estimators_take_it(view, copy):
    np.testing.assert_array_equal(RankSVM().fit(view).coef_, RankSVM().fit(copy).coef_)
    assert GAS(3).fit(view).order_.tolist() == GAS(3).fit(copy).order_.tolist()


def test_queries_that_are_not_there_are_refused(view):
    for wrong, why in (([12], "Query number 12 is outside 0..11"), ([], "got no query")):
        with pytest.raises(DataError, match=why):
            view.take_queries(wrong)
