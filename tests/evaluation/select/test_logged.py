"""A certificate from logged queries: given where the log proves the recommended features, refused for others."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.report.made_up import made_up

from leanrank import load_selection
from leanrank.errors import DataError
from leanrank.evaluation.logged_loss import LoggedLoss
from leanrank.evaluation.select.again import certified_on_log

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
    left = certified_on_log(selection, loss)
    assert left.answers == selection.answers
    assert left.settings == {**selection.settings, "logged": left.settings["logged"]}
    assert left.settings["logged"]["proves"] is False


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


def test_more_than_the_log_knows_is_not_certified_by_it(tmp_path):
    selection, _ = made_up(NAMES, 4)
    loss = written(tmp_path / "shadow.json", selection.recommended.features)
    several = replace(selection, settings={**selection.settings, "max_losses": {"ndcg@10": 0.002, "map": 0.002}})
    with pytest.raises(DataError, match="the loss of one metric over all queries"):
        several.on_log(loss)


def test_the_recommended_is_proven_with_it_and_a_file_keeps_all_of_it(tmp_path):
    selection, _ = made_up(NAMES, 4)
    proven = selection.on_log(written(tmp_path / "shadow.json", selection.recommended.features))
    assert proven.proven
    assert proven.recommended.estimate == selection.recommended.estimate
    assert proven.recommended.reason.startswith(selection.recommended.reason)
    proven.save(tmp_path / "features.json")
    again = load_selection(tmp_path / "features.json")
    assert again.answers == proven.answers
    assert again.settings["logged"] == proven.settings["logged"]
