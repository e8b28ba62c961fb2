"""No command destroys what it reads, and no finished result is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from leanrank import FeatureGraph, load_ranker, make_ranking, read_letor, write_letor
from leanrank.cli.app import run

QUICK = ["--ranker", "ranksvm", "--methods", "gas", "--cv", "3", "-k", "2"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Judged data, and a model of them."""
    folder = tmp_path_factory.mktemp("made")
    write_letor(make_ranking(30, n_informative=2, n_redundant=1, n_noise=2, random_state=0)[0], folder / "a.txt")
    assert run(["train", str(folder / "a.txt"), "-o", str(folder / "m.json")]) == 0
    assert run(["graph", str(folder / "a.txt"), "-o", str(folder / "g.npz")]) == 0
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    """A copy to work in."""
    monkeypatch.chdir(tmp_path)
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "costs.csv").write_text("feature,cost\n1,1\n")
    (tmp_path / "b.txt").write_bytes((tmp_path / "a.txt").read_bytes())
    (tmp_path / "f.json").write_text('{"names": ["1"], "ids": [1], "n_features_in": 5}')
    (tmp_path / "linked.txt").symlink_to("a.txt")
    os.link(tmp_path / "a.txt", tmp_path / "hard.txt")
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "select a.txt -o a.txt",
        "select a.txt -o ./a.txt",
        "select a.txt -o linked.txt",
        "select a.txt -o hard.txt",
        "select linked.txt -o a.txt",
        "select a.txt --report a.txt",
        "select a.txt --journal a.txt",
        "select a.txt --test b.txt -o b.txt",
        "select a.txt --valid b.txt -o b.txt",
        "select a.txt --costs costs.csv -o costs.csv",
        "select a.txt -o new.json --report new.json",
        "select a.txt -o new.json --journal new.json",
        "order a.txt -o a.txt",
        "order --graph g.npz -o g.npz",
        "order a.txt --costs costs.csv -o costs.csv",
        "train a.txt -o a.txt",
        "train a.txt --features f.json -o f.json",
        "train a.txt --valid b.txt -o hard.txt",
        "predict a.txt -m m.json -o a.txt",
        "predict a.txt -m m.json -o m.json",
        "predict a.txt -m m.json --qrels linked.txt",
        "graph a.txt -o a.txt",
        "graph a.txt -o new.npz --heatmap hard.txt",
        "reduce a.txt -o a.txt",
        "reduce a.txt --weights a.txt",
        "convert a.txt --to csv -o hard.txt",
        "evaluate a.txt --model m.json --per-query a.txt",
        "compare a.txt -o a.txt",
        "report f.json -o f.json --format json",
    ],
)
def test_an_output_that_is_an_input_is_refused_before_any_work(here, capfd, monkeypatch, line):
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    monkeypatch.setattr(
        "leanrank.data.letor.reader.read_letor", lambda *_, **__: pytest.fail("the work has begun"), raising=True
    )
    assert run(line.split()) == 2
    error = capfd.readouterr().err
    assert "would be written over" in error
    assert error.count("\n") == 1
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def printed(capfdbinary, line):
    assert run(line.split()) == 0
    return capfdbinary.readouterr().out


def test_a_dash_is_standard_output(here, capfdbinary):
    record = json.loads(printed(capfdbinary, "order a.txt -k 2 -o -"))
    assert len(record["names"]) == 2
    assert printed(capfdbinary, "order a.txt -k 2 -o - --format ids").split() == [
        str(number).encode() for number in record["ids"]
    ]
    assert len(json.loads(printed(capfdbinary, f"select a.txt {' '.join(QUICK)} -o -"))["names"]) == 2
    scores = printed(capfdbinary, "predict a.txt -m m.json")
    assert printed(capfdbinary, "predict a.txt -m m.json -o -") == scores
    assert len(scores.split()) == read_letor("a.txt").n_rows
    assert run(["convert", "a.txt", "-o", "a.csv"]) == 0
    capfdbinary.readouterr()
    assert printed(capfdbinary, "convert a.txt -o - --to csv") == (here / "a.csv").read_bytes()
    (here / "again.npz").write_bytes(printed(capfdbinary, "graph a.txt -o -"))
    np.testing.assert_array_equal(FeatureGraph.load("again.npz").importance, FeatureGraph.load("g.npz").importance)
    reduced = printed(capfdbinary, "reduce a.txt -k 2 -o -")
    assert reduced.count(b"\n") == read_letor("a.txt").n_rows
    assert run(["select", "a.txt", *QUICK, "-o", "s.json"]) == 0
    capfdbinary.readouterr()
    assert printed(capfdbinary, "report s.json -o - --format md").startswith(b"# ")
    assert not (here / "-").exists()
    assert not (here / "-.db").exists()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("convert a.txt --to lightgbm -o -", "two files"),
        ("convert a.txt -o -", "give --to"),
        ("select a.txt --report -", "features go there"),
        ("graph a.txt --heatmap -", "the graph itself"),
    ],
)
def test_a_dash_is_refused_where_it_cannot_be(here, capfd, line, sentence):
    assert run(line.split()) == 2
    assert sentence in capfd.readouterr().err
    assert not (here / "-").exists()


@pytest.mark.parametrize("line", ["graph a.txt -o -", "convert a.txt --to parquet -o -"])
def test_bytes_do_not_go_to_a_terminal(here, capfd, monkeypatch, line):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert run(line.split()) == 2
    assert "would go to the terminal" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
def test_a_file_name_that_is_not_text_costs_no_result(here):
    odd = os.fsdecode(b"d\xe9j\xe0.txt")
    Path(odd).write_bytes(Path("a.txt").read_bytes())
    environment = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C.UTF-8"}
    program = [sys.executable, "-c", "from leanrank.cli import main; main()"]

    def call(*arguments):
        done = subprocess.run([*program, *arguments], env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    out = call("select", odd, *QUICK, "-o", f"{odd}.json", "--report", "r.html")
    assert b"> recommended" in out
    record = json.loads(Path(f"{odd}.json").read_bytes().decode())
    assert record["source"]["data"] == odd
    assert odd in record["source"]["command"]
    assert call("report", f"{odd}.json", "-o", "again.html")
    assert json.loads(call("order", odd, "--json"))["data"] == odd
    call("train", odd, "-o", f"{odd}.model")
    load_ranker(f"{odd}.model")
    assert call("predict", odd, "-m", f"{odd}.model")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_whose_name_is_not_text_is_one_sentence(here, capfd, ending):
    odd = os.fsdecode(b"d\xe9j\xe0.") + ending
    assert run(["convert", "a.txt", "-o", f"good.{ending}"]) == 0
    os.replace(f"good.{ending}", odd)
    for command in ("lint", "order"):
        assert run([command, odd]) == 2
    error = capfd.readouterr().err
    assert error.count("must be text in UTF-8: rename the file") == 2
    assert error.count("\n") == 2


def test_a_journal_that_vanishes_at_the_end_costs_no_result(here, capfd, monkeypatch):
    from leanrank.report import writing

    def vanish(*_, **__):
        for path in here.glob("s.json.db*"):
            path.unlink()

    monkeypatch.setattr(writing, "write_report", vanish)
    assert run(["select", "a.txt", *QUICK, "-o", "s.json", "--report", "r.html"]) == 0
    seen = capfd.readouterr()
    assert "> recommended" in seen.out
    assert len(json.loads((here / "s.json").read_text())["names"]) == 2
    warning = [line for line in seen.err.splitlines() if "journal" in line]
    assert warning == [
        "leanrank: the journal does not say where the result came from: s.json.db: there is no such journal."
    ]
    assert not (here / "s.json.db").exists()


def test_a_journal_that_cannot_be_written_at_the_end_costs_no_result(here, capfd, monkeypatch):
    import sqlite3

    from leanrank.evaluation.journal import Journal

    def fail(self, task, result, seconds=0.0):
        if task == {"task": "origin"}:
            raise sqlite3.OperationalError("disk I/O error")
        return put(self, task, result, seconds)

    put = Journal.put
    monkeypatch.setattr(Journal, "put", fail)
    assert run(["select", "a.txt", *QUICK, "-o", "s.json"]) == 0
    seen = capfd.readouterr()
    assert (here / "s.json").exists()
    assert "s.json.db: disk I/O error" in seen.err
