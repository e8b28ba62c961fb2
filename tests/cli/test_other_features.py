"""A selection or a model on data with other features: refused by name, warned about where there are numbers alone."""

import json

import pytest

from leanrank.cli.app import run

ROWS = [(1, 7, 1.0, 5.0, 3.0), (0, 7, 2.0, 1.0, 0.5), (1, 8, 4.0, 6.0, 1.0), (0, 8, 3.0, 1.0, 2.0)]


def table(path, names):
    lines = [",".join(("label", "qid", *names)), *(",".join(map(str, row)) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def letor(path, n_features):
    rows = (f"{y} qid:{q} " + " ".join(f"{j + 1}:{values[j % 3]}" for j in range(n_features)) for y, q, *values in ROWS)
    path.write_text("\n".join(rows) + "\n")
    return str(path)


@pytest.fixture
def named(tmp_path):
    """Training data with names, a selection of two of its three features, and a model on them."""
    train = table(tmp_path / "train.csv", ("age", "bm25", "idf"))
    features, model = str(tmp_path / "features.json"), str(tmp_path / "model.json")
    assert run(["order", train, "-m", "gas", "-k", "2", "-o", features]) == 0
    assert run(["train", train, "--features", features, "-o", model]) == 0
    return features, model


@pytest.fixture
def numbered(tmp_path):
    """The same of a LETOR file with three features."""
    train = letor(tmp_path / "train.txt", 3)
    features, model = str(tmp_path / "features.json"), str(tmp_path / "model.json")
    assert run(["order", train, "-m", "gas", "-k", "2", "-o", features]) == 0
    assert run(["train", train, "-o", model]) == 0
    return features, model


def test_a_name_that_is_not_there(named, tmp_path, capsys):
    features, model = named
    kept = json.loads((tmp_path / "features.json").read_text())["names"]
    other = table(
        tmp_path / "other.csv", tuple(name.replace(kept[0], kept[0] + "s") for name in ("age", "bm25", "idf"))
    )
    for command in (
        ["convert", other, "--features", features, "-o", str(tmp_path / "few.csv")],
        ["train", other, "--features", features, "-o", str(tmp_path / "again.json")],
        ["predict", other, "--model", model],
        ["evaluate", other, "--model", model],
    ):
        capsys.readouterr()
        assert run(command) == 2, command
        error = capsys.readouterr().err
        assert f"no feature {kept[0]!r}" in error, command
        assert f"nearest that they have is '{kept[0]}s'" in error, command


def test_names_then_and_numbers_now(named, tmp_path, capsys):
    features, model = named
    other = letor(tmp_path / "other.txt", 3)
    assert run(["predict", other, "--model", model]) == 2
    assert "call their features by number, 1 to 3, the model by name" in capsys.readouterr().err
    assert run(["convert", other, "--features", features, "-o", str(tmp_path / "few.txt")]) == 2
    assert "the selection by name" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")  # as outside of tests
def test_another_count_of_numbers_is_said(numbered, tmp_path, capsys):
    features, model = numbered
    other, few = letor(tmp_path / "other.txt", 5), str(tmp_path / "few.txt")
    assert run(["predict", other, "--model", model, "-o", str(tmp_path / "scores.txt")]) == 0
    assert "The data have 5 features, the model was made among 3" in capsys.readouterr().err
    assert run(["convert", other, "--features", features, "-o", few]) == 0
    assert "The data have 5 features, the selection was made among 3" in capsys.readouterr().err
    same = letor(tmp_path / "same.txt", 3)
    assert run(["predict", same, "--model", model, "-o", str(tmp_path / "scores.txt")]) == 0
    assert run(["convert", same, "--features", features, "-o", few]) == 0
    assert run(["convert", few, "--features", features, "-o", str(tmp_path / "again.txt")]) == 0
    assert capsys.readouterr().err == ""
