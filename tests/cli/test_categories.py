"""`--categorical`: from a file to a model and its scores, as a user runs it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.data.categorical import in_parts, with_categories

from leanrank import load_ranker, read, write_parquet
from leanrank.cli.app import run
from leanrank.data.tabular.csv_files import write_csv
from leanrank.rankers import get

KINDS = ["--categorical", "brand,colour"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("categories")
    for name, part in zip(("train", "valid", "test"), in_parts(with_categories(40)), strict=True):
        write_csv(part, folder / f"{name}.csv")
        write_parquet(part, folder / f"{name}.parquet")
    return folder


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_train_predict_evaluate(files, tmp_path, ending, capsys):
    pytest.importorskip("lightgbm")
    train, valid, test = (str(files / f"{name}.{ending}") for name in ("train", "valid", "test"))
    model, scores = str(tmp_path / "model.json"), tmp_path / "scores.txt"
    kinds = KINDS if ending == "csv" else []  # Parquet says it itself
    settings = ["--ranker", "lightgbm", "--set", "n_estimators=10", "--set", "n_threads=1"]
    assert run(["train", train, "--valid", valid, *settings, *kinds, "-o", model]) == 0
    assert load_ranker(model).categories_.texts.keys() == {"brand", "colour"}
    assert run(["predict", test, "--model", model, "-o", str(scores)]) == 0  # the model knows its categories
    learned = [read(path, categorical=["brand", "colour"]) for path in (train, valid, test)]
    by_hand = get("lightgbm", n_estimators=10, n_threads=1, random_state=0).fit(learned[0], eval_set=learned[1])
    np.testing.assert_array_equal(np.loadtxt(scores), by_hand.predict(learned[2]))
    capsys.readouterr()
    assert run(["evaluate", test, "--model", model, "--metric", "ndcg@10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean"]["ndcg@10"] == pytest.approx(by_hand.score(learned[2]))


def test_select_order_graph_lint_and_report(files, tmp_path, capsys):
    train = str(files / "train.csv")
    out = tmp_path / "features.json"
    quick = ["--ranker", "ranksvm", "--methods", "gas", "-k", "2", "--folds", "3", "--jobs", "1"]
    assert run(["select", train, *KINDS, *quick, "-o", str(out)]) == 0
    assert set(json.loads(out.read_text())["names"]) == {"bm25", "brand"}
    assert run(["order", train, *KINDS, "--method", "gas", "-o", str(tmp_path / "order.json")]) == 0
    assert json.loads((tmp_path / "order.json").read_text())["n_features_in"] == 4
    assert run(["graph", train, *KINDS, "-o", str(tmp_path / "graph.npz")]) == 0
    capsys.readouterr()
    assert run(["lint", train, *KINDS, "--json"]) in (0, 1)
    kinds = {finding["kind"] for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert "category" in kinds


def test_convert_keeps_categories_or_refuses(files, tmp_path, capsys):
    out = tmp_path / "train.parquet"
    assert run(["convert", str(files / "train.csv"), *KINDS, "-o", str(out)]) == 0
    assert read(out).equals(read(files / "train.csv", categorical=["brand", "colour"]))
    capsys.readouterr()
    assert run(["convert", str(files / "train.csv"), *KINDS, "-o", str(tmp_path / "train.txt")]) == 2
    assert "The category 'brand' has the text 'brand 00'" in capsys.readouterr().err


def test_letor_by_number(tmp_path, capsys):
    rows = "".join(f"{(i * 7) % 3} qid:{i // 6} 1:{i % 5} 2:{(i * i) % 7}\n" for i in range(60))
    (tmp_path / "train.txt").write_text(rows)
    model, scores = str(tmp_path / "model.json"), tmp_path / "scores.txt"
    assert run(["train", str(tmp_path / "train.txt"), "--categorical", "2", "-o", model]) == 0
    assert run(["predict", str(tmp_path / "train.txt"), "--model", model, "-o", str(scores)]) == 0
    assert len(np.loadtxt(scores)) == 60
    assert run(["train", str(tmp_path / "train.txt"), "--categorical", "9", "-o", model]) == 2
    assert "feature '9'" in capsys.readouterr().err
