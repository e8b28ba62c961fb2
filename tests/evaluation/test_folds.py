"""One rotation for all evaluations, over views of the data."""

from dataclasses import replace

import numpy as np
import pytest

from leanrank import make_ranking
from leanrank.data.folds import Fold, Queries, rotation
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.folds import QueryFolds, folds_of


@pytest.fixture(scope="module")
def data():
    return make_ranking(n_queries=24, docs_per_query=15, n_constant=1, random_state=3)[0]


def test_query_folds_keep_queries_apart(data):
    folds = folds_of(data, 4)
    tested = []
    for i, fold in enumerate(folds):
        parts = [set(part.query_ids.tolist()) for part in (fold.train, fold.valid, fold.test)]
        assert set.union(*parts) == set(data.query_ids.tolist())
        assert sum(map(len, parts)) == data.n_queries
        assert fold.valid.query_ids.tolist() == folds[i - 1].test.query_ids.tolist()
        tested += fold.test.query_ids.tolist()
    assert sorted(tested) == sorted(data.query_ids.tolist())
    assert [f.test.fingerprint() for f in folds_of(data, 4)] == [f.test.fingerprint() for f in folds]
    in_order = folds_of(data, 4, random_state=None)
    assert in_order[0].test.query_ids.tolist() == data.query_ids[:6].tolist()


@pytest.mark.parametrize("n_parts", [3, 4, 5, 7])
def test_every_part_is_tested_tuned_on_and_learned_from(n_parts):
    for tested in range(n_parts):
        learned, tuned = rotation(n_parts, tested)
        assert sorted([*learned, tuned, tested]) == list(range(n_parts))
        assert tuned == (tested - 1) % n_parts


def test_official_folds_and_cut_ones_rotate_alike(data, tmp_path):
    from leanrank import letor_folds, write_letor

    folds = QueryFolds.cut(data, 5, random_state=None)
    for i, part in enumerate(folds.parts):
        write_letor(data.take_queries(part), tmp_path / f"S{i + 1}.txt")
    official = {frozenset(f.test.query_ids.tolist()): f for f in letor_folds(tmp_path)}
    for fold in folds:
        same = official[frozenset(fold.test.query_ids.tolist())]
        assert set(same.valid.query_ids.tolist()) == set(fold.valid.query_ids.tolist())
        assert set(same.train.query_ids.tolist()) == set(fold.train.query_ids.tolist())


def test_folds_are_views_and_adjacent_queries_slices(data):
    in_order, dealt = QueryFolds.cut(data, 4, random_state=None), QueryFolds.cut(data, 4)
    assert all(isinstance(part, Queries) and part.data is data for fold in dealt for part in fold.parts)
    assert np.shares_memory(in_order[0].test.X, data.X)
    assert np.shares_memory(in_order[3].train.X, data.X)  # parts 0 and 1
    assert not np.shares_memory(in_order[0].valid.subset([0]).X, data.X)
    assert dealt[0].train.equals(data.take_queries(dealt[0].parts[0].index))
    assert in_order[1].train.equals(data.take_queries(in_order[1].parts[0].index))


def test_some_features_of_a_fold(data):
    fold = QueryFolds.cut(data, 3)[1]
    few = fold.only([4, 0])
    for part, whole in ((few.train, fold.train), (few.valid, fold.valid), (few.test, fold.test)):
        assert part.equals(whole.subset([4, 0]))
    assert few.parts[0].data is few.parts[2].data  # cut once
    assert (few.n_features, few.feature_names) == (2, (data.feature_names[4], data.feature_names[0]))
    assert fold.only(range(data.n_features)) is fold
    given = Fold("given", fold.train, fold.valid, fold.test)
    assert given.only([4, 0]).valid.equals(few.valid)


def test_held_out_data_leave_one_part_more_to_learn_from(data):
    train, valid = data.take_queries(range(16)), data.take_queries(range(16, 24))
    for i, fold in enumerate(QueryFolds.cut(train, 4, valid=valid)):
        assert fold.valid is valid
        assert fold.train.n_queries == 12
        assert not set(fold.train.query_ids) & set(fold.test.query_ids)
        folds = QueryFolds.cut(train, 4, valid=valid)
        assert folds.learned(i).equals(fold.train)


def test_what_selection_may_see_leaves_out_the_tested_part(data):
    folds = QueryFolds.cut(data, 4)
    for i, fold in enumerate(folds):
        tested = set(fold.test.query_ids)
        assert set(folds.learned(i).query_ids) == set(data.query_ids) - tested
        train, valid = folds.train_valid(i)
        assert train.equals(fold.train)
        assert valid.equals(fold.valid)
    assert folds.learned(None) is data
    train, valid = folds.train_valid(None)
    assert valid.equals(folds[0].test)
    assert train.n_queries + valid.n_queries == data.n_queries


def test_the_same_folds_of_data_prepared_otherwise(data):
    folds = QueryFolds.cut(data, 3)
    few = replace(folds, data=data.subset([2]))
    assert [f.test.query_ids.tolist() for f in few] == [f.test.query_ids.tolist() for f in folds]
    assert few[0].n_features == 1


def test_folds_are_refused_where_there_are_none(data):
    with pytest.raises(ParameterError, match="'n_splits' parameter of cross_validate must be >= 3"):
        folds_of(data, 2)
    with pytest.raises(DataError, match="no folds"):
        folds_of([])
    assert [fold.name for fold in folds_of(data, 3)[:2]] == ["Fold1", "Fold2"]
