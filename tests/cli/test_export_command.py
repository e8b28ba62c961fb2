"""`leanrank export` as a user runs it, from data to the engine's files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from leanrank import load_ranker, make_ranking
from leanrank.cli.app import run
from leanrank.data.letor.reader import read_letor, write_letor


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    data, _ = make_ranking(n_queries=10, random_state=0)
    write_letor(data, folder / "train.txt")
    record = {"names": ["9", "2", "5"], "ids": [9, 2, 5], "indices": [8, 1, 4], "n_features_in": data.n_features}
    (folder / "features.json").write_text(json.dumps(record))
    full = [{"name": f"f_{j}", "template": {"match": {"x": j}}} for j in range(1, data.n_features + 1)]
    (folder / "full.json").write_text(json.dumps({"featureset": {"name": "all", "features": full}}))
    options = ["--features", str(folder / "features.json"), "-o", str(folder / "model.json")]
    assert run(["train", str(folder / "train.txt"), *options]) == 0
    return folder


def arguments(folder, out, *more, to="elasticsearch"):
    files = ["--featureset", str(folder / "full.json"), "-o", str(out)]
    return ["export", str(folder / "features.json"), "--to", to, *files, "--by-position", *more]


def test_feature_set_model_and_mapping(folder, tmp_path, capsys):
    out = tmp_path / "pruned.json"
    assert run(arguments(folder, out, "--model", str(folder / "model.json"), "--name", "lean", "--json")) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["stands_for"] == {}
    assert printed["features"] == ["f_2", "f_5", "f_9"]
    assert printed["model"] == str(tmp_path / "pruned.model.json")
    features = json.loads(out.read_text())["featureset"]["features"]
    assert [feature["template"]["match"]["x"] for feature in features] == [2, 5, 9]
    assert json.loads((tmp_path / "pruned.mapping.json").read_text())["old_to_new"] == {"2": 1, "5": 2, "9": 3}
    model = json.loads((tmp_path / "pruned.model.json").read_text())["model"]
    assert model["name"] == "lean"
    weights = json.loads(model["model"]["definition"])
    data = read_letor(folder / "train.txt")
    scores = sum(weight * data.dense()[:, int(name[2:]) - 1].astype(np.float64) for name, weight in weights.items())
    expected = load_ranker(folder / "model.json").predict(data.subset([1, 4, 8]))
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_without_a_model(folder, tmp_path, capsys):
    assert run(arguments(folder, tmp_path / "pruned.json")) == 0
    assert "3 features for elasticsearch, matched by position" in capsys.readouterr().out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["pruned.json", "pruned.mapping.json"]


def test_a_model_of_all_features_is_refused_and_nothing_written(folder, tmp_path, capsys):
    model = tmp_path / "all.json"
    assert run(["train", str(folder / "train.txt"), "-o", str(model)]) == 0
    capsys.readouterr()
    assert run(arguments(folder, tmp_path / "pruned.json", "--model", str(model))) == 2
    error = capsys.readouterr().err
    assert "The model uses feature '1', which is not selected" in error
    assert error.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["all.json"]


def test_no_input_is_written_over(folder, tmp_path, capsys):
    before = (folder / "full.json").read_bytes()
    assert run(arguments(folder, folder / "full.json")) == 2
    assert "full.json is read here, and would be written over" in capsys.readouterr().err
    assert (folder / "full.json").read_bytes() == before
    assert run(arguments(folder, tmp_path / "p.json", "--model-output", str(folder / "features.json"))) == 2


@pytest.mark.parametrize(
    ("more", "to", "sentence"),
    [
        ((), "lucene", "Unknown engine 'lucene'"),
        (("--unmatched", "nothing"), "elasticsearch", "--unmatched must be"),
        (("--engine-version", "newest"), "elasticsearch", "--engine-version must be"),
        (("--normalizers", "NONE"), "elasticsearch", "cannot be read"),
    ],
)
def test_bad_input(folder, tmp_path, capsys, more, to, sentence):
    assert run(arguments(folder, tmp_path / "pruned.json", *more, to=to)) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_numbers_are_no_names_unless_said(folder, tmp_path, capsys):
    said = arguments(folder, tmp_path / "pruned.json")
    said.remove("--by-position")
    assert run(said) == 2
    assert (
        "none called '9'. If feature 3 of the data is the third of the set, say --by-position"
        in capsys.readouterr().err
    )
