"""--only and --drop: the commands see the features that are left, under their own names and numbers."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from leanrank.cli.app import run

TABLE = "label,qid,doc_id,bm25_title,bm25_body,age\n" + "".join(
    f"{label},{q},{100 * q + i},{label + i % 2},{i},{(7 * i + q) % 5}\n"
    for q in range(9)
    for i, label in enumerate((2, 0, 1, 0))
)
LETOR = "1 qid:1 1:1 2:5 3:2\n0 qid:1 1:0 2:6 3:4\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text(TABLE)
    return path


def test_lint_and_order_see_what_is_left(table, tmp_path, capsys):
    assert run(["lint", str(table), "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert ["doc_id"] in [finding["features"] for finding in findings if finding["kind"] == "identifier"]
    assert run(["lint", str(table), "--json", "--drop", "doc_id, age"]) == 0
    assert json.loads(capsys.readouterr().out)["n_features"] == 2
    assert run(["order", str(table), "--method", "gas", "--only", "bm25*", "-o", str(tmp_path / "f.json")]) == 0
    assert json.loads((tmp_path / "f.json").read_text())["feature_names"] == ["bm25_title", "bm25_body"]


def test_a_typo_names_the_option(table, capsys):
    assert run(["lint", str(table), "--drop", "doc_ids"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "--drop: Unknown feature 'doc_ids': did you mean 'doc_id'?" in said


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_no_feature_may_be_dropped_too(ending, tmp_path, capsys):
    rows = TABLE.splitlines()
    texts = [f"{rows[0]},url,title"] + [f"{row},u{i},t{i % 3}" for i, row in enumerate(rows[1:])]
    path = tmp_path / f"train.{ending}"
    if ending == "csv":
        path.write_text("\n".join(texts))
    else:
        pq.write_table(csv.read_csv(io.BytesIO("\n".join(texts).encode())), path)
    assert run(["lint", str(path), "--json", "--drop", "url,tit*,age"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["n_features"] == 3
    assert "Left out" not in said.err
    assert run(["lint", str(path), "--json", "--drop", "url"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["n_features"] == 4
    assert "Left out 'title': no feature" in said.err
    assert "url" not in said.err
    for only in ("age", "age,b*"):  # who names the features is told of no others
        assert run(["lint", str(path), "--json", "--only", only]) == 0
        assert "Left out" not in capsys.readouterr().err
    names, model = str(tmp_path / "names.json"), str(tmp_path / "model.json")
    Path(names).write_text('{"names": ["age"]}')
    assert run(["train", str(path), "--features", names, "-o", model]) == 0
    assert run(["predict", str(path), "--model", model]) == 0
    assert "Left out" not in capsys.readouterr().err
    assert run(["lint", str(path), "--drop", "urls"]) == 2
    assert "--drop: Unknown feature 'urls': did you mean 'url'?" in " ".join(capsys.readouterr().err.split())


def test_features_of_letor_text_keep_their_numbers(tmp_path):
    path, out = tmp_path / "train.txt", tmp_path / "out.txt"
    path.write_text(LETOR)
    assert run(["convert", str(path), "-o", str(out), "--drop", "2"]) == 0
    assert [line.split()[2:4] for line in out.read_text().splitlines()] == [["1:1", "3:2"], ["1:0", "3:4"]]


def test_select_remembers_them_for_its_report(table, tmp_path):
    out, report = tmp_path / "features.json", tmp_path / "report.json"
    common = ["--ranker", "ranksvm", "--methods", "gas", "-k", "1", "--folds", "3", "--effort", "quick"]
    assert (
        run(["select", str(table), "--drop", "doc_id", *common, "-o", str(out), "--journal", str(tmp_path / "j")]) == 0
    )
    selection = json.loads(out.read_text())
    assert selection["feature_names"] == ["bm25_title", "bm25_body", "age"]
    assert selection["source"]["drop"] == "doc_id"
    assert run(["report", str(out), "-o", str(report)]) == 0
    assert json.loads(report.read_text())["lint"]["n_features"] == 3


def test_features_says_the_same_as_only_where_it_names_no_selection(table, tmp_path, capsys):
    assert run(["lint", str(table), "--json", "--features", "bm25*"]) == 0
    assert json.loads(capsys.readouterr().out)["n_features"] == 2
    assert run(["train", str(table), "--features", "bm25*", "-o", str(tmp_path / "m.json")]) == 2
    assert "bm25*: cannot be read" in capsys.readouterr().err
    assert run(["train", str(table), "--only", "bm25*", "-o", str(tmp_path / "m.json")]) == 0
