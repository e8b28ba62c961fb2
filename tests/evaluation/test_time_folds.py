"""Folds in the order of time: learn, stop, test, one after the other; and folds that keep groups of queries whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leanrank import Protocol, cross_validate, make_ranking
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.folds import QueryFolds, folds_of


@pytest.fixture(scope="module")
def data():
    data = make_ranking(n_queries=30, docs_per_query=8, n_informative=2, n_redundant=0, n_noise=2, random_state=3)[0]
    rng = np.random.default_rng(0)
    return replace(data, beside=SideColumns(time=rng.permutation(30) // 2, query_group=np.arange(30) // 2))


def test_validation_lies_between_training_and_test(data):
    folds = folds_of(data, "time:3")
    assert len(folds) == 3
    whole = []
    for fold in folds:
        train, valid, test = (part.beside for part in (fold.train, fold.valid, fold.test))
        assert train.time.max() < valid.time.min()
        assert valid.time.max() < test.time.min()
        assert not (set(train.query_group) | set(valid.query_group)) & set(test.query_group)
        whole += fold.test.query_ids.tolist()
    assert len(set(whole)) == len(whole) < data.n_queries  # the earliest are never tested


def test_selection_sees_nothing_later_than_the_test(data):
    folds = QueryFolds.cut(data, "time")
    assert len(folds) == 5
    assert not folds.is_partition
    for i, fold in enumerate(folds):
        assert folds.learned(i).beside.time.max() < fold.test.beside.time.min()
    assert folds.learned(None) is data
    train, valid = folds.train_valid(None)
    assert train.beside.time.max() < valid.beside.time.min()
    held_out = QueryFolds.cut(data, "time", valid=data.take_queries([0]))
    assert held_out[0].train.n_queries == len(folds.roles[0].learned)


def test_groups_are_whole_in_folds(data):
    folds = QueryFolds.cut(data, 5)
    assert folds.is_partition
    for fold in folds:
        groups = [set(part.beside.query_group) for part in (fold.train, fold.valid, fold.test)]
        assert sum(map(len, groups)) == len(set.union(*groups)) == 15


def test_cross_validate_in_time(data):
    result = cross_validate(None, "ranksvm", data, "map", protocol=Protocol(n_splits="time:2"))
    assert [record.fold for record in result.records] == ["Fold1", "Fold2"]


def test_what_cannot_be_is_refused(data):
    plain = replace(data, beside=SideColumns())
    with pytest.raises(DataError, match="needs the time of every query, and these data have no such column"):
        folds_of(plain, "time")
    with pytest.raises(DataError, match="at least 42 different times"):
        folds_of(data, "time:40")
    with pytest.raises(ParameterError, match=r"'n_splits' parameter of cross_validate must be >= 3.*or 'time'"):
        folds_of(data, "tomorrow")
