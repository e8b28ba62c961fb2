"""`leanrank select` and `leanrank graph` as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from leanrank import make_ranking, write_letor
from leanrank.cli.app import run

QUICK = ["--ranker", "ranksvm", "--methods", "gas,mrmr", "--cv", "3"]


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    path = tmp_path_factory.mktemp("select") / "train.txt"
    write_letor(make_ranking(60, n_informative=2, n_redundant=2, n_noise=3, random_state=0)[0], path)
    return path


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_main_job_writes_features_and_says_what_to_do_next(train, here, capsys):
    assert run(["select", str(train), *QUICK, "-o", "features.json", "--test", str(train)]) == 0
    out = capsys.readouterr().out
    assert "Before and after" in out
    assert "leanrank train" in out
    record = json.loads((here / "features.json").read_text())
    assert record["indices"] == [i - 1 for i in record["ids"]]
    assert record["test"]["difference"]["n_queries"] > 10
    assert (here / "features.json.db").exists()


def test_formats(train, here, capsys):
    assert run(["select", str(train), "--method", "gas", "-k", "3", "--format", "ids"]) == 0
    ids = capsys.readouterr().out.split()
    assert len(ids) == 3
    assert run(["select", str(train), "--method", "gas", "-k", "3", "--format", "ranklib"]) == 0
    assert capsys.readouterr().out.split() == sorted(ids, key=int)
    assert run(["select", str(train), "--method", "gas", "-k", "3", "-o", "f.json"]) == 0
    record = json.loads((here / "f.json").read_text())
    assert [str(i) for i in record["ids"]] == ids
    assert {"method", "version", "parameters", "scores", "trace", "seed", "fingerprint"} <= set(record)


def test_a_graph_computed_once_gives_the_same_selection(train, here, capsys):
    assert run(["graph", str(train), "-o", "graph.npz", "--heatmap", "heatmap.html"]) == 0
    assert "<script" in (here / "heatmap.html").read_text()
    capsys.readouterr()
    for name in ("gas", "fs-scpr", "mmr"):
        assert run(["select", str(train), "--method", name, "-k", "3", "--format", "ids"]) == 0
        direct = capsys.readouterr().out
        assert run(["select", "--graph", "graph.npz", "--method", name, "-k", "3", "--format", "ids"]) == 0
        assert capsys.readouterr().out == direct


def test_costs_from_a_file(train, here, capsys):
    (here / "costs.csv").write_text("feature,cost,group\n" + "".join(f"{i},1,\n" for i in range(1, 7)) + "7,9,slow\n")
    command = ["select", str(train), *QUICK, "--costs", "costs.csv", "--budget", "3", "--format", "json"]
    assert run(command) == 0
    assert json.loads(capsys.readouterr().out)["cost"] <= 3
    (here / "costs.csv").write_text("feature,cost\n1,cheap\n")
    assert run(command) == 2
    assert "line 2: the cost 'cheap' is not a number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--method", "gaz"], "did you mean 'gas'"),
        (["--method", "gas", "-k", "99"], "from 1 to 7"),
        (["--method", "gas", "--set", "c"], "NAME=VALUE"),
        (["--method", "gas", "--set", "d=1"], "Unknown parameter of GAS 'd'"),
        (["--resume", "none.db"], "no journal 'none.db'"),
        (["--metric", "ncdg@10"], "did you mean"),
        (["-k", "0"], "from 1 to 7"),
    ],
)
def test_bad_usage_is_one_sentence_and_writes_nothing(train, here, capfd, arguments, sentence):
    assert run(["select", str(train), *arguments, "-o", "out.json"]) == 2
    error = capfd.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
    assert not (here / "out.json").exists()


def interrupted(child):
    """What it says when interrupted; pressed again where Python lost the first in a callback, as a person would."""
    for _ in range(6):
        child.send_signal(signal.SIGINT)
        try:
            return child.communicate(timeout=10)[1]
        except subprocess.TimeoutExpired:
            pass
    child.kill()
    return child.communicate()[1]


def test_ctrl_c_says_how_to_resume_and_resuming_gives_the_same(train, here):
    program = [sys.executable, "-X", "faulthandler", "-c", "from leanrank.cli import main; main()"]
    command = [*program, "select", str(train)]
    options = ["--ranker", "ranksvm", "--cv", "5", "-o", "f.json"]
    child = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not os.path.exists("f.json.db-wal") and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    error = interrupted(child)
    assert child.returncode == 130, error
    assert "--resume f.json.db" in error
    assert not os.path.exists("f.json")
    resumed = subprocess.run([*command, *options, "--resume", "f.json.db"], capture_output=True, text=True, check=True)
    assert "Before and after" in resumed.stdout
    whole = json.loads((here / "f.json").read_text())
    subprocess.run([*command, *options[:-1], "g.json"], capture_output=True, check=True)
    fresh = json.loads((here / "g.json").read_text())
    assert {**whole, "seconds": 0} == {**fresh, "seconds": 0}
