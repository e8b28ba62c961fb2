"""evaluate(): the table of several metrics."""

from __future__ import annotations

import json

import numpy as np
import pytest

import leanrank
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.metrics import AP, NDCG

LABELS, SCORES, QID = [1, 0, 0, 1, 0, 0], [0.9, 0.5, 0.2, 0.3, 0.8, 0.1], ["a", "a", "a", "b", "b", "c"]


def test_means_and_queries():
    result = leanrank.evaluate(LABELS, SCORES, ["ndcg@10", AP()], qid=QID)
    assert result.n_queries == 3
    assert result.query_ids.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(result.per_query["map"], [1.0, 0.5, np.nan])
    assert result.mean == {"ndcg@10": NDCG(10)(LABELS, SCORES, qid=QID), "map": 0.75}
    assert result.metrics["ndcg@10"] == NDCG(10)


def test_ranking_data_and_labels_agree():
    data = leanrank.RankingData(np.array(SCORES)[:, None], LABELS, [0, 3, 5, 6], query_ids=["a", "b", "c"])
    ours = leanrank.evaluate(data, SCORES, "map")
    assert ours.mean == leanrank.evaluate(LABELS, SCORES, "map", qid=QID).mean
    assert ours.query_ids.tolist() == ["a", "b", "c"]
    with pytest.raises(ParameterError, match="knows its queries"):
        leanrank.evaluate(data, SCORES, "map", qid=QID)


def test_regroup():
    rows = [0, 3, 1, 4, 2, 5]
    mixed = [[values[i] for i in rows] for values in (LABELS, SCORES, QID)]
    with pytest.raises(DataError, match="not adjacent"):
        leanrank.evaluate(mixed[0], mixed[1], "map", qid=mixed[2])
    result = leanrank.evaluate(mixed[0], mixed[1], "map", qid=mixed[2], regroup=True)
    assert result.mean == {"map": 0.75}


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_frames(library):
    frame = leanrank.evaluate(LABELS, SCORES, ["map", "p@1"], qid=QID).to_frame(library)
    assert type(frame).__module__.partition(".")[0] == library
    columns = {"pyarrow": lambda f: f.to_pydict(), "polars": lambda f: f.to_dict(as_series=False)}.get(
        library, lambda f: f.to_dict("list")
    )(frame)
    assert columns["qid"] == ["a", "b", "c"]
    assert columns["map"][:2] == [1.0, 0.5]
    assert columns["p@1"][:2] == [1.0, 0.0]
    left_out = columns["map"][2]
    assert left_out is None or np.isnan(left_out)


def test_frame_of_an_unknown_library():
    with pytest.raises(UnknownNameError, match="did you mean 'pandas'"):
        leanrank.evaluate(LABELS, SCORES, "map", qid=QID).to_frame("panda")


def test_json():
    content = json.loads(leanrank.evaluate(LABELS, SCORES, ["map"], qid=QID).to_json())
    assert content["mean"] == {"map": 0.75}
    assert content["per_query"] == {"map": [1.0, 0.5, None]}
    assert content["query_ids"] == ["a", "b", "c"]
    assert content["metrics"]["map"] == repr(AP())
    nothing = json.loads(leanrank.evaluate([0], [1.0], "map", qid=[1]).to_json())
    assert nothing["mean"] == {"map": None}


def test_repr_is_a_table():
    lines = repr(leanrank.evaluate(LABELS, SCORES, ["map", "ndcg@10"], qid=QID)).splitlines()
    assert lines[0] == "Evaluation of 3 queries"
    assert lines[2].split() == ["map", "0.7500", "0.5000", "0.7500", "1.0000", "2", "1"]
    assert len({len(line) for line in lines[1:]}) == 1
    assert repr(leanrank.evaluate([0], [1.0], "map", qid=[1])).splitlines()[2].split() == ["map", *"----", "0", "1"]


def test_two_conventions_of_one_name_stay_apart():
    result = leanrank.evaluate(LABELS, SCORES, [NDCG(3), NDCG(3, convention="letor3"), "map", "map"], qid=QID)
    assert list(result.mean) == ["ndcg@3 (standard)", "ndcg@3 (letor3)", "map"]
    by_ties = leanrank.evaluate(LABELS, SCORES, [NDCG(3), NDCG(3, ties="best")], qid=QID)
    assert list(by_ties.mean) == [repr(NDCG(3)), repr(NDCG(3, ties="best"))]


def test_input_that_cannot_be():
    with pytest.raises(DataError, match=r"one column.*Got shape \(6, 2\)"):
        leanrank.evaluate(LABELS, np.ones((6, 2)), "map", qid=QID)
    with pytest.raises(DataError, match="y has shape"):
        leanrank.evaluate(LABELS, SCORES[:5], "map", qid=QID)
    with pytest.raises(ParameterError, match="at least one metric"):
        leanrank.evaluate(LABELS, SCORES, [], qid=QID)
    with pytest.raises(DataError, match="one of qid"):
        leanrank.evaluate(LABELS, SCORES, "map")
