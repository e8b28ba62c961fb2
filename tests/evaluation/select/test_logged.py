"""A certificate from logged queries: given where the log proves the recommended features, refused for others."""

from __future__ import annotations

import json

import pytest
from tests.report.made_up import made_up

from leanrank.errors import DataError
from leanrank.evaluation.select.logged import LoggedLoss, certified_on_log

NAMES = [f"f{j}" for j in range(12)]


def written(path, features, **changed):
    loss = {"metric": "ndcg@10", "mean": 0.0005, "low": -0.0004, "high": 0.0015, "level": 0.95}
    loss |= {"n_judged": 80, "n_queries": 9_000, **changed}
    path.write_text(json.dumps({"kind": "shadow", "loss": loss, "features": list(features)}))
    return LoggedLoss.read(path)


def test_the_log_certifies_what_is_recommended(tmp_path):
    selection, _ = made_up(NAMES, 4)
    loss = written(tmp_path / "shadow.json", selection.recommended.features)
    certified = certified_on_log(selection, loss).certified
    assert certified.features == selection.recommended.features
    assert (certified.name, certified.proven, certified.certified_loss) == ("certified", True, 0.0015)
    assert certified.estimate == {"mean": -0.0005, "low": -0.0015, "high": 0.0004, "n_queries": 80}
    assert "80 judged of 9,000 logged queries" in certified.reason


def test_a_loss_that_may_be_too_large_certifies_nothing(tmp_path):
    selection, _ = made_up(NAMES, 4)
    loss = written(tmp_path / "shadow.json", selection.recommended.features, high=0.0021)
    assert certified_on_log(selection, loss) is selection


@pytest.mark.parametrize(
    ("features", "changed", "sentence"),
    [
        (None, {"metric": "dcg@10"}, "the loss is one of dcg@10"),
        (None, {"level": 0.9}, "the interval is one of 90%"),
        (["f0"], {}, "not the 4 that are recommended"),
    ],
)
def test_another_loss_is_refused(tmp_path, features, changed, sentence):
    selection, _ = made_up(NAMES, 4)
    loss = written(tmp_path / "shadow.json", features or selection.recommended.features, **changed)
    with pytest.raises(DataError, match=sentence):
        certified_on_log(selection, loss)


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"kind": "selection"}, "is no report of leanrank shadow"),
        ({"kind": "shadow", "loss": None}, "nothing was judged"),
        ({"kind": "shadow", "loss": {}, "features": []}, "does not know the names"),
    ],
)
def test_another_file_is_refused(tmp_path, record, sentence):
    path = tmp_path / "shadow.json"
    path.write_text(json.dumps(record))
    with pytest.raises(DataError, match=sentence):
        LoggedLoss.read(path)
