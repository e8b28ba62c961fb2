"""Splitters over queries, alone and inside scikit-learn's tools."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold, QueryShuffleSplit
from leanrank.errors import DataError, ParameterError

QID = np.repeat(["q1", "q2", "q3", "q4", "q5", "q6", "q7"], [1, 4, 2, 6, 3, 1, 2])
X = np.arange(len(QID) * 2.0).reshape(-1, 2)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.integers(2, 6), st.booleans(), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_folds_hold_whole_queries_and_cover_each_row_once(qid, n_splits, shuffle, seed):
    qid = np.array(qid)
    n_queries = len(np.unique(qid))
    folds = QueryKFold(n_splits, shuffle=shuffle, random_state=seed)
    if n_splits > n_queries:
        with pytest.raises(DataError, match=f"cannot make {n_splits} folds of {n_queries} queries"):
            list(folds.split(qid, qid=qid))
        return
    parts = list(folds.split(qid, qid=qid))
    assert len(parts) == folds.get_n_splits() == n_splits
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(len(qid)))
    sizes = []
    for train, test in parts:
        assert sorted([*train, *test]) == list(range(len(qid)))
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()
        assert not set(qid[train]) & set(qid[test])
        sizes.append(len(set(qid[test])))
    assert max(sizes) - min(sizes) <= 1


def test_folds_are_kfold_over_queries():
    ids = np.array(["q1", "q2", "q3", "q4", "q5", "q6", "q7"])
    for shuffle in (False, True):
        seed = 3 if shuffle else None
        ours = QueryKFold(3, shuffle=shuffle, random_state=seed).split(X, qid=QID)
        theirs = KFold(3, shuffle=shuffle, random_state=seed).split(ids)
        for (train, test), (query_train, query_test) in zip(ours, theirs, strict=True):
            assert set(QID[train]) == set(ids[query_train])
            assert set(QID[test]) == set(ids[query_test])


def test_shuffle_split_draws_whole_queries_and_repeats_by_seed():
    splitter = QueryShuffleSplit(6, test_size=2, train_size=3, random_state=1)
    first, again = (list(splitter.split(X, groups=QID)) for _ in range(2))
    assert len(first) == splitter.get_n_splits(X, None, QID) == 6
    for (train, test), (train_again, test_again) in zip(first, again, strict=True):
        assert len(set(QID[train])) == 3
        assert len(set(QID[test])) == 2
        assert not set(QID[train]) & set(QID[test])
        assert all((q == QID).sum() == (QID[test] == q).sum() for q in set(QID[test]))
        np.testing.assert_array_equal(train, train_again)
        np.testing.assert_array_equal(test, test_again)
    assert len({tuple(test) for _, test in first}) > 1
    other = QueryShuffleSplit(6, test_size=2, train_size=3, random_state=2).split(X, qid=QID)
    assert [tuple(test) for _, test in first] != [tuple(test) for _, test in other]


def test_default_test_share_is_a_fifth_of_the_queries():
    qid = np.repeat(np.arange(20), 3)
    train, test = next(QueryShuffleSplit(random_state=0).split(qid, qid=qid))
    assert (len(set(qid[train])), len(set(qid[test]))) == (16, 4)


@pytest.mark.parametrize("splitter", [QueryKFold(3), QueryShuffleSplit(3, test_size=0.3, random_state=0)])
def test_ranking_data_splits_by_query_number(splitter):
    _, sizes = np.unique(QID, return_counts=True)
    data = RankingData(X, np.zeros(len(QID)), np.concatenate(([0], np.cumsum(sizes))), np.unique(QID))
    rows = list(splitter.split(data))
    queries = list(splitter.split_queries(data))
    for (train, test), (query_train, query_test) in zip(rows, queries, strict=True):
        np.testing.assert_array_equal(data.take_queries(query_train).X, X[train])
        np.testing.assert_array_equal(data.take_queries(query_test).X, X[test])


def test_qid_of_any_kind_gives_the_same_folds():
    expected = [test.tolist() for _, test in QueryKFold(3).split(X, qid=QID)]
    for qid in (list(QID), pl.Series(QID), [int(q[1:]) for q in QID], np.array([float(q[1:]) for q in QID])):
        assert [test.tolist() for _, test in QueryKFold(3).split(X, qid=qid)] == expected


class SeesQueries(BaseEstimator):
    """Remembers the queries it was fitted on; its score is the share of test queries it has seen: 0 if all is well."""

    def __init__(self, level=0):
        self.level = level

    def fit(self, X, y=None, *, qid=None):
        self.seen_ = set(X[:, 0])
        return self

    def predict(self, X):
        return np.zeros(len(X))

    def score(self, X, y=None):
        return float(np.mean([x in self.seen_ for x in X[:, 0]]))


NUMBER = np.array([float(q[1:]) for q in QID])[:, None]  # a feature that tells the query


def test_groups_without_routing():
    scores = cross_val_score(SeesQueries(), NUMBER, X[:, 0], groups=QID, cv=QueryKFold(3))
    assert scores.tolist() == [0.0, 0.0, 0.0]
    assert cross_val_score(SeesQueries(), NUMBER, X[:, 0], cv=KFold(4)).max() > 0  # the score can tell
    search = GridSearchCV(SeesQueries(), {"level": [0, 1]}, cv=QueryKFold(3)).fit(NUMBER, X[:, 0], groups=QID)
    assert search.cv_results_["mean_test_score"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["qid", "groups"])
def test_metadata_routing_reaches_the_splitter_unasked(name):
    estimator = SeesQueries()
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = estimator.set_fit_request(qid=name == "qid")
        for cv in (QueryKFold(3), QueryShuffleSplit(3, test_size=2, random_state=0)):
            scores = cross_val_score(estimator, NUMBER, X[:, 0], params={name: QID}, cv=cv)
            assert scores.tolist() == [0.0, 0.0, 0.0]
            search = GridSearchCV(estimator, {"level": [0, 1]}, cv=cv).fit(NUMBER, X[:, 0], **{name: QID})
            assert search.n_splits_ == 3
            assert search.cv_results_["mean_test_score"].tolist() == [0.0, 0.0]


def test_what_cannot_be_split_says_why():
    with pytest.raises(DataError, match=r"QueryKFold needs the query of every row.*Got neither"):
        list(QueryKFold(2).split(X))
    with pytest.raises(DataError, match="Got both"):
        list(QueryKFold(2).split(X, groups=QID, qid=QID))
    with pytest.raises(DataError, match="one value per row"):
        list(QueryKFold(2).split(X, qid=QID[:-1]))
    with pytest.raises(DataError, match=r"cannot make 8 folds of 7 queries.*Use n_splits <= 7"):
        list(QueryKFold(8).split(X, qid=QID))
    for n_splits in (0, 2.0, True):
        with pytest.raises(ParameterError, match="'n_splits' parameter of QueryKFold must be a whole number >= 1"):
            QueryKFold(n_splits).get_n_splits()
    with pytest.raises(ParameterError, match="'n_splits' parameter of QueryKFold must be a whole number >= 2"):
        list(QueryKFold(1).split(X, qid=QID))
    with pytest.raises(ParameterError, match=r"'test_size' parameter of QueryShuffleSplit must be from 1 to 6"):
        list(QueryShuffleSplit(test_size=7).split(X, qid=QID))
    with pytest.raises(ParameterError, match=r"'train_size' parameter of QueryShuffleSplit must be a share"):
        list(QueryShuffleSplit(train_size=1.5).split(X, qid=QID))
    with pytest.raises(DataError, match="QueryShuffleSplit cannot cut 7 queries with test_size=5 and train_size=4"):
        list(QueryShuffleSplit(test_size=5, train_size=4).split(X, qid=QID))
    with pytest.raises(DataError, match="cannot cut 1 queries"):
        list(QueryShuffleSplit(test_size=0.5).split(X[:2], qid=[1, 1]))
