"""`leanrank select --judged`: what judges made of the file of `shadow --ask`, from the log to the certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.evaluation.shadow.logs import fill

import leanrank
from leanrank.cli.app import run

SELECT = ["select", "judged.txt", "-r", "ranksvm", "--methods", "gas", "--folds", "3", "--max-loss", "0.03"]
SHADOW = ["shadow", "log.txt", "--full", "all.json", "--pruned", "few.json"]
ANSWERS = ["--judged", "answers.csv", "--shadow", "shadow.json"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A selection, the two models, a log that was shadowed, and what judges said."""
    place = tmp_path_factory.mktemp("loop")
    data, _ = leanrank.make_ranking(440, (6, 12), n_informative=3, n_redundant=0, n_noise=5, random_state=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        leanrank.write_letor(data.take_queries(range(40)), "judged.txt")
        leanrank.write_letor(data.take_queries(range(40, 440)), "log.txt")
        assert run([*SELECT, "-o", "features.json"]) == 0
        for model, features in (("all.json", []), ("few.json", ["--features", "features.json"])):
            assert run(["train", "judged.txt", "--ranker", "ranksvm", *features, "-o", model]) == 0
        assert run([*SHADOW, "--ask", "judges.csv", "--judge", "150", "--report", "shadow.json"]) == 0
        fill((place / "judges.csv").read_text(), "answers.csv", leanrank.read("log.txt"))
    return place


@pytest.fixture
def inside(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    capsys.readouterr()
    return leanrank.load_selection("features.json")


def test_the_answers_of_judges_certify_what_is_recommended(inside, capsys):
    assert inside.certified.is_everything
    assert run(["select", "--from", "features.json", *ANSWERS]) == 0
    assert "The log: 150 judged of 400 logged queries" in " ".join(capsys.readouterr().out.split())
    assert run(["select", "--from", "features.json", *ANSWERS, "--answer", "certified", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["names"], record["proven"]) == (list(inside.recommended.features), True)
    loss = leanrank.logged_loss("answers.csv", "shadow.json")
    assert record["answers"]["certified"]["certified_loss"] == loss.high <= 0.03
    # the report of a shadow of the same answers, and a run that measures again, say the same
    assert run([*SHADOW, "--judged", "answers.csv", "--metric", "ndcg", "--report", "loss.json"]) == 0
    assert run(["select", "--from", "features.json", "--judged", "loss.json", "-o", "by_report.json"]) == 0
    assert run([*SELECT, *ANSWERS, "-o", "again.json"]) == 0
    capsys.readouterr()
    for file in ("by_report.json", "again.json"):
        answer = json.loads(Path(file).read_text())["answers"]["certified"]
        assert answer["features"] == record["answers"]["certified"]["features"]
        assert answer["certified_loss"] == pytest.approx(loss.high)


def test_the_same_from_python(inside):
    loss = leanrank.logged_loss("answers.csv", "shadow.json")
    data = leanrank.read("judged.txt")
    options = {"methods": ["gas"], "cv": 3, "max_loss": 0.03, "progress": False}
    assert leanrank.select(data, "ranksvm", **options, logged=loss).certified.features == inside.recommended.features


def test_a_loss_that_is_not_small_enough_is_told(inside, capsys):
    assert run(["select", "--from", "features.json", *ANSWERS, "--max-label", "9", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["settings"]["logged"]["proves"] is False
    assert record["answers"]["certified"]["features"] == list(inside.certified.features)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--judged", "answers.csv"], "answers.csv does not know the log: name the report"),
        (["--shadow", "shadow.json"], "name them with --judged"),
        (["--judged", "shadow.json"], "nothing was judged"),
        (["--judged", "shadow.json", "--max-label", "4"], "has the loss already"),
        (["--judged", "answers.csv", "--shadow", "features.json"], "is no report of leanrank shadow"),
        (["--judged", "judges.csv", "--shadow", "shadow.json"], "no document has a label"),
        ([*ANSWERS, "--metric", "map"], "Got 'map'"),
        ([*ANSWERS, "--max-label", "0.5"], "at least the highest label given"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(inside, capsys, options, sentence):
    assert run(["select", "judged.txt", *options]) == 2
    assert sentence in capsys.readouterr().err
