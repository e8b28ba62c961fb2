"""QueryTimeSplit: what is tested is later than all that is trained on, and queries of one time stay together."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

from leanrank import QueryKFold, QueryTimeSplit, RankSVM, make_ranking
from leanrank.data.ranking_data import RankingData
from leanrank.data.side_columns import SideColumns
from leanrank.data.splits import QueryShuffleSplit
from leanrank.data.time_split import runs_in_time
from leanrank.errors import DataError, ParameterError

QID = np.repeat(np.arange(8), [1, 3, 2, 2, 1, 4, 2, 1])
DAY = np.array([4, 1, 1, 3, 2, 2, 5, 1])[QID]


def judged(**beside):
    X = np.arange(len(QID), dtype=float)[:, None]
    ptr = np.concatenate(([0], np.cumsum(np.bincount(QID))))
    return RankingData(X, np.arange(len(QID)) % 2, ptr, beside=SideColumns(**beside))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_runs_are_whole_times_in_order_and_none_is_empty(time, n_runs):
    times = np.array(time)
    if len(set(time)) < n_runs:
        with pytest.raises(DataError, match=f"at least {n_runs} different times"):
            runs_in_time(times, n_runs, "select")
        return
    runs = runs_in_time(times, n_runs, "select")
    assert sorted(np.concatenate(runs).tolist()) == list(range(len(time)))
    for before, after in pairwise(runs):
        assert len(before)
        assert len(after)
        assert times[before].max() < times[after].min()


def test_runs_have_about_as_many_queries():
    sizes = [len(run) for run in runs_in_time(np.arange(100), 7, "select")]
    assert max(sizes) - min(sizes) <= 1
    assert [len(run) for run in runs_in_time(np.repeat([1, 2, 3, 4], [50, 1, 1, 48]), 3, "select")] == [50, 2, 48]


def test_training_is_before_the_test_and_ties_go_together():
    splits = list(QueryTimeSplit(3).split(QID, qid=QID, time=DAY))
    assert len(splits) == QueryTimeSplit(3).get_n_splits() == 3
    tested = set()
    for train, test in splits:
        assert DAY[train].max() < DAY[test].min()
        assert not tested & set(DAY[test])
        tested |= set(DAY[test])
        assert (np.diff(train) > 0).all()
    data = judged(time=np.array([4, 1, 1, 3, 2, 2, 5, 1]))
    for (train, test), (own, other), (a, b) in zip(
        splits, QueryTimeSplit(3).split(data), QueryTimeSplit(3).split_queries(data), strict=True
    ):
        np.testing.assert_array_equal(train, own)
        np.testing.assert_array_equal(test, other)
        assert (set(QID[train]), set(QID[test])) == (set(a), set(b))


def test_dates_are_times():
    days = np.array(["2024-03-01", "2024-01-01", "2024-02-01"], dtype="datetime64[D]")
    assert [test.tolist() for _, test in QueryTimeSplit(2).split([0, 1, 2], qid=[0, 1, 2], time=days)] == [[2], [0]]


def test_groups_that_are_tested_are_not_trained_on():
    time, group = np.arange(8), np.array([0, 1, 2, 3, 0, 1, 2, 4])
    for train, test in QueryTimeSplit(2).split_queries(judged(time=time, query_group=group)):
        assert not set(group[train]) & set(group[test])
        assert time[train].max() < time[test].min()
    with pytest.raises(DataError, match="nothing is left to learn from"):
        list(QueryTimeSplit(1).split_queries(judged(time=time, query_group=np.zeros(8, dtype=int))))


def test_folds_and_shuffles_keep_groups_whole():
    group = np.array([7, 7, 3, 3, 5, 9, 9, 5])
    data = judged(query_group=group)
    for splitter in (QueryKFold(3), QueryKFold(3, shuffle=True, random_state=1), QueryShuffleSplit(4, test_size=1)):
        for train, test in splitter.split_queries(data):
            assert not set(group[train]) & set(group[test])
            assert sorted([*train, *test]) == list(range(8))
        rows = list(splitter.split(QID, qid=QID, query_group=group[QID])) if splitter.random_state != 1 else []
        for train, test in rows:
            assert not set(group[QID[train]]) & set(group[QID[test]])
    tested = np.concatenate([test for _, test in QueryKFold(4).split_queries(data)])
    assert sorted(tested) == list(range(8))
    with pytest.raises(DataError, match="cannot make 5 folds of 4 query groups"):
        list(QueryKFold(5).split_queries(data))


def test_a_group_of_each_query_changes_nothing():
    for seed in (None, 3):
        plain, grouped = (
            list(QueryKFold(3, shuffle=seed is not None, random_state=seed).split_queries(judged(**beside)))
            for beside in ({}, {"query_group": np.arange(8) * 2})
        )
        for one, other in zip(plain, grouped, strict=True):
            np.testing.assert_array_equal(one[1], other[1])


def test_what_cannot_be_is_refused():
    with pytest.raises(DataError, match="QueryTimeSplit needs the time of every query: pass time"):
        list(QueryTimeSplit(2).split(QID, qid=QID))
    with pytest.raises(DataError, match="needs the time of every query"):
        list(QueryTimeSplit(2).split_queries(judged()))
    with pytest.raises(DataError, match="time is 1 and 2 in one query"):
        list(QueryTimeSplit(1).split([0, 0, 1], qid=[0, 0, 1], time=[1, 2, 3]))
    with pytest.raises(DataError, match="query_group needs one value for each row, 16 in all"):
        list(QueryKFold(2).split(QID, qid=QID, query_group=[1, 2]))
    with pytest.raises(ParameterError, match="'n_splits' parameter of QueryTimeSplit must be a whole number >= 1"):
        list(QueryTimeSplit(0).split(QID, qid=QID, time=DAY))


def test_scikit_learn_takes_it():
    data, _ = make_ranking(12, 8, random_state=0)
    time = np.repeat(np.arange(12), data.query_sizes)
    params = {"qid": data.qid, "time": time}
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        ranker = RankSVM(C=1.0).set_fit_request(qid=True).set_score_request(qid=True)
        scores = cross_val_score(ranker, data.X, data.y, params=params, cv=QueryTimeSplit(3))
    assert scores.shape == (3,)
