"""Weights, positions, times, groups and slices stay with their documents and queries, whatever is done to the data."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest

from leanrank import RankingData, from_frame
from leanrank.data.arrangement import Arrangement
from leanrank.data.ranking_data import concatenate, fingerprint
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError, UnknownNameError

N_QUERIES, LENGTH = 12, 3
ROWS = N_QUERIES * LENGTH


def made(**changed):
    """Data whose only feature is the number of the document, so that every row knows where it came from."""
    ids = np.arange(N_QUERIES)
    beside = {
        "weight": np.arange(ROWS) + 0.5,
        "position": np.tile([1, 2, 3], N_QUERIES),
        "query_weight": ids + 1.0,
        "time": 1000.0 - ids,
        "query_group": ids // 2,
        "slices": {"country": np.array(["de", "fr"] * (N_QUERIES // 2))},
    }
    X = np.arange(ROWS, dtype=np.float64)[:, None]
    ptr = np.arange(0, ROWS + 1, LENGTH)
    return RankingData(X, np.arange(ROWS) % 3, ptr, ids, beside=SideColumns(**(beside | changed)))


def check(data):
    """Every value is that of the row or query it was made for."""
    rows, queries = data.X[:, 0].astype(int), data.query_ids.astype(int)
    side = data.beside
    np.testing.assert_array_equal(side.weight, rows + 0.5)
    np.testing.assert_array_equal(side.position, rows % 3 + 1)
    np.testing.assert_array_equal(side.query_weight, queries + 1.0)
    np.testing.assert_array_equal(side.time, 1000.0 - queries)
    np.testing.assert_array_equal(side.query_group, queries // 2)
    np.testing.assert_array_equal(side.slices["country"], np.where(queries % 2, "fr", "de"))


def test_every_cut_keeps_what_belongs_to_it():
    data = made()
    check(data)
    for part in (data.query(3), data.take_queries([4, 5]), data.take_queries([7, 2, 9]), data.subset(["1"])):
        check(part)
    for block in data.blocks(7):
        check(block)
    check(concatenate([data.take_queries([5, 1]), data.take_queries([0, 11])]))
    arranged = Arrangement.of(data).data
    check(arranged)
    check(arranged.take_queries([3, 1]))
    check(pickle.loads(pickle.dumps(arranged)))


def test_the_hash_knows_them_and_not_the_blocks():
    data, plain = made(), RankingData(made().X, made().y, made().query_ptr, made().query_ids)
    assert fingerprint(data) == made().fingerprint() != plain.fingerprint()
    assert made(time=np.arange(N_QUERIES)).fingerprint() != data.fingerprint()
    assert not data.equals(plain)
    assert data.equals(made())
    assert not data.equals(made(weight=np.ones(ROWS)))


def test_a_frame_names_them():
    data = made()
    frame = pa.table(
        {
            "label": data.y,
            "qid": data.qid,
            "f": data.X[:, 0],
            "w": data.beside.weight,
            "place": data.beside.position,
            "qw": np.repeat(data.beside.query_weight, LENGTH),
            "day": np.repeat(np.datetime64("2026-01-01") + np.arange(N_QUERIES), LENGTH),
            "country": np.repeat(data.beside.slices["country"], LENGTH).tolist(),
        }
    )
    backwards = frame.take(np.arange(ROWS)[::-1].copy())
    for table in (frame, backwards):
        got = from_frame(table, weight="w", position="place", query_weight="qw", time="day", slices=["country"])
        assert got.feature_names == ("f",)
        rows, queries = got.X[:, 0].astype(int), got.query_ids.astype(int)
        np.testing.assert_array_equal(got.beside.weight, rows + 0.5)
        np.testing.assert_array_equal(got.beside.query_weight, queries + 1.0)
        np.testing.assert_array_equal(np.diff(got.beside.time), 86400.0 * np.diff(queries))
        np.testing.assert_array_equal(got.beside.slices["country"], np.where(queries % 2, "fr", "de"))
    with pytest.raises(DataError, match=r"Column 'w' belongs to queries, but query 0 has 0.5 and 1.5 in it"):
        from_frame(frame, features=["f"], query_weight="w")
    with pytest.raises(UnknownNameError, match="Unknown weight column 'v'"):
        from_frame(frame, features=["f"], weight="v")
    with pytest.raises(DataError, match="'label' is the label column: it cannot be the weight column too"):
        from_frame(frame, features=["f"], weight="label")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"weight": -np.ones(ROWS)}, "weight of document number 0 is -1: it must be 0 or more"),
        ({"weight": np.ones(3)}, "weight needs one value for each document, 36 in all"),
        ({"query_weight": np.zeros(N_QUERIES)}, "query_weight is 0 for every query"),
        ({"time": np.full(N_QUERIES, np.nan)}, "time of query number 0 is nan"),
        ({"time": ["x"] * N_QUERIES}, "time must be numbers"),
        ({"position": np.zeros(ROWS)}, "position of document number 0 is 0: places are counted from 1 on"),
        ({"slices": {"country": ["de"]}}, "country needs one value for each query"),
    ],
)
def test_what_cannot_be_is_refused(changed, message):
    with pytest.raises(DataError, match=message):
        made(**changed)


def test_parts_must_know_the_same():
    data = made()
    plain = RankingData(data.X, data.y, data.query_ptr, data.query_ids + 100)
    with pytest.raises(DataError, match="One part has the column 'weight' and another has not"):
        concatenate([data, plain])
