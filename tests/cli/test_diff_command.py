"""`leanrank diff`, as a user sees it."""

import json

import pytest

from leanrank import GAS, RankSVM, make_ranking, write_letor
from leanrank.cli.app import run
from leanrank.selectors.features_file import text_of


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    data, _ = make_ranking(40, (5, 10), n_informative=3, n_redundant=1, n_noise=4, random_state=0)
    write_letor(data, folder / "test.txt")
    numbered = RankSVM().fit(data.X, data.y, qid=data.qid)
    numbered.save(folder / "model.json")
    for k in (1, 4):
        selector = GAS(k).fit(data.X, data.y, qid=data.qid)
        (folder / f"{k}.json").write_text(text_of(selector.to_dict()))
    return folder


def test_features_queries_and_how_sure(made, monkeypatch, capsys):
    monkeypatch.chdir(made)
    assert run(["diff", "1.json", "4.json"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("a: 1.json; b: 4.json 1 features in a, 4 in b, 1 in both Features of one alone")
    assert (
        run(["diff", "1.json", "4.json", "--data", "test.txt", "-r", "ranksvm", "--metric", "map", "--folds", "3"]) == 0
    )
    out = " ".join(capsys.readouterr().out.split())
    assert "b ranks better than a by MAP: +" in out
    assert "cross-validated in 3 folds with ranksvm)" in out
    assert "mean of all" in out


def test_json(made, monkeypatch, capsys):
    monkeypatch.chdir(made)
    assert run(["diff", "1.json", "4.json", "--data", "test.txt", "-r", "ranksvm", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (len(record["only_a"]), len(record["only_b"])) == (0, 3)
    assert record["quality"]["low"] > 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("diff 1.json model.json", "model.json is a model, 1.json a selection"),
        ("diff 1.json test.txt", "not JSON"),
        ("diff 1.json none.json", "cannot be read"),
        ("diff 1.json 4.json --metric map", "Nothing is measured without data"),
        ("diff 1.json 4.json --data test.txt --ranker ransvm", "did you mean 'ranksvm'"),
        ("diff 1.json 4.json --data test.txt --folds 90", "--folds must be at most"),
    ],
)
def test_refusals(made, monkeypatch, capsys, line, sentence):
    monkeypatch.chdir(made)
    assert run(line.split()) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
