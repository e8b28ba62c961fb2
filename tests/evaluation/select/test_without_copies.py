"""Where the queries allow nothing smaller, what is recommended is all features less their copies, as measured."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from leanrank import RankingData, make_ranking, select, write_letor
from leanrank.cli.app import run as leanrank
from leanrank.data.side_columns import SideColumns
from leanrank.evaluation.select.saved_selection import load_selection

MADE = make_ranking(60, (8, 14), n_informative=6, n_redundant=0, n_noise=0, weakest=1.0, noise=0.3, random_state=1)[0]
#: All six features matter; the last two say what the first two do.
DATA = RankingData(np.hstack([MADE.X, np.exp(MADE.X[:, :2])]), MADE.y, MADE.query_ptr)
ASKED = {"ranker": "ranksvm", "effort": "quick", "progress": False, "n_jobs": 1}


@pytest.fixture(scope="module")
def chosen():
    return select(DATA, **ASKED)


def families(run):
    return [j % 6 for j in run.indices]


def test_no_copy_is_recommended_where_nothing_smaller_is(chosen):
    assert sorted(families(chosen)) == list(range(6))
    assert not chosen.recommended.is_everything
    assert not chosen.proven
    assert chosen.reason.startswith("what is dropped are copies of other features; ")
    assert sum(map(len, chosen.replaced.values())) == 2
    assert chosen.safe.k == chosen.certified.k == 8  # what is not tested is certified nowhere


def test_what_it_loses_is_what_a_run_asked_for_so_many_measures(chosen):
    asked = select(DATA, **ASKED, n_features=6, methods=["mrmr-f"])
    assert asked.point.difference == chosen.point.difference
    assert asked.point.per_fold == chosen.point.per_fold
    assert chosen.point.k == 6
    assert chosen.point.certified_loss is None
    assert chosen.recommended.estimate["low"] <= chosen.point.difference <= chosen.recommended.estimate["high"]
    assert chosen.walked[0] is chosen.point
    assert chosen.at(6).chosen.estimate["mean"] == chosen.point.difference
    assert f"may lose up to {-chosen.recommended.estimate['low']:.3f}" in chosen.chosen.risk
    assert chosen.provable is None or chosen.provable["n_features"] < 6
    assert set(chosen.stability["frequency"].values()) == {1.0}


def test_features_without_copies_are_recommended_as_before():
    assert select(MADE, **ASKED).recommended.is_everything
    assert select(DATA, **ASKED, collapse=False).recommended.is_everything


def test_limits_that_allow_less_are_obeyed():
    run = select(DATA, **ASKED, budget=4)
    assert run.recommended.k <= 4


def test_another_loss_finds_it_too(chosen, tmp_path):
    """It is asked at what the queries can tell, so a run at a large loss has measured it."""
    generous = select(DATA, **ASKED, max_loss=0.5)
    assert generous.recommended.k < 6
    assert generous.recommended_by_loss == chosen.recommended_by_loss
    assert generous.within(0.0).recommended.features == chosen.recommended.features
    generous.save(tmp_path / "features.json")
    saved = load_selection(tmp_path / "features.json")
    assert saved.within(0.0).recommended.features == chosen.recommended.features
    assert saved.to_json() == generous.to_json()


def test_so_few_queries_prove_nothing_of_it():
    run = select(DATA.take_queries(np.arange(8)), **ASKED, cv=3)
    assert sorted(families(run)) == list(range(6))
    assert run.chosen.risk == "So few queries rule out no loss."


def test_every_metric_and_slice_knows_it():
    sliced = replace(DATA, beside=SideColumns(slices={"part": np.repeat(["a", "b"], 30)}))
    run = select(sliced, **ASKED, metrics=["ndcg@10", "map"], certify_slices=True)
    assert run.point.k == 6
    assert [one.metric for one in run.point.metrics] == ["ndcg@10", "map"]
    assert [one.certified_loss for one in run.point.metrics] == [None, None]
    assert {one.title for one in run.point.slices} == {"part=a", "part=b"}


def test_one_feature_and_its_copy_are_one_feature():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 400))
    twice = RankingData(np.column_stack([x, np.exp(x)]), (x + noise > 0.5).astype(int), np.arange(0, 401, 10))
    run = select(twice, **ASKED)
    assert run.n_features == 1
    assert [point.k for point in run.curve if point.on_path] == [1, 2]


def test_screen_and_report_say_so(tmp_path, capsys):
    write_letor(DATA, tmp_path / "data.txt")
    asked = [str(tmp_path / "data.txt"), "--ranker", "ranksvm", "--effort", "quick", "-j", "1"]
    out = [str(tmp_path / name) for name in ("f.json", "r.md")]
    assert leanrank(["select", *asked, "-o", out[0], "--report", out[1]]) == 0
    screen = capsys.readouterr().out
    assert "an estimate; drops copies alone" in " ".join(screen.split())
    assert "6 of 8 features" in screen
    assert len(json.loads((tmp_path / "f.json").read_text())["names"]) == 6
    assert "6 of 8 features" in (tmp_path / "r.md").read_text()
