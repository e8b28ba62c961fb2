"""`leanrank select`, `order` and `graph` as a user runs them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from leanrank import make_ranking, write_letor
from leanrank.cli import main
from leanrank.cli import select as select_command
from leanrank.cli._reading import Reading
from leanrank.cli.app import run
from leanrank.errors import DataError
from leanrank.evaluation.select import run as select_features
from leanrank.evaluation.select.held_out import HeldOut
from leanrank.report import writing

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
    arguments = ["select", str(train), *QUICK, "--max-loss", "0.1", "-o", "features.json", "--test", str(train)]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "> recommended" in out
    assert "Test queries: " in out
    assert "leanrank train" in out
    record = json.loads((here / "features.json").read_text())
    assert record["indices"] == [i - 1 for i in record["ids"]]
    assert record["test"]["difference"]["n_queries"] > 10
    assert (here / "features.json.db").exists()


def test_where_nothing_smaller_is_proven_it_shows_what_there_is(train, here, capsys):
    arguments = ["select", str(train), *QUICK, "-o", "features.json", "--answer", "certified"]
    assert run([*arguments, "--max-loss=0"]) == 0
    out = capsys.readouterr().out
    assert "Keep all 7 features" in out
    assert "nothing smaller is proven to lose at most 0" in " ".join(out.split())
    assert json.loads((here / "features.json").read_text())["answers"]["certified"]["features"]
    least = _offered(out)[0]  # the largest set of the path
    assert run([*arguments, "--max-loss", least[-1]]) == 0
    kept = len(json.loads((here / "features.json").read_text())["names"])
    assert kept <= int(least[0])
    assert f"{kept} of 7 features keep" in capsys.readouterr().out
    assert run([*arguments, "--answer", "certfied"]) == 2
    assert "--answer: Unknown answer 'certfied': did you mean 'certified'" in capsys.readouterr().err


def test_the_next_command_can_be_copied(here, capsys):
    data, _ = make_ranking(40, n_informative=2, n_redundant=1, n_noise=3, random_state=0)
    frame = pd.DataFrame(data.dense(), columns=["f, 1", *"bcdef"]).assign(verdict=data.y, search=data.qid)
    frame.to_csv("the data's.csv", index=False)
    reading = ["--label", "verdict", "--qid", "search"]
    arguments = [
        "select",
        "the data's.csv",
        *reading,
        *QUICK,
        "-k",
        "2",
        "--must-keep",
        '"f, 1",b',
        "-o",
        "out put.json",
    ]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert sorted(json.loads((here / "out put.json").read_text())["names"]) == ["b", "f, 1"]
    assert run(shlex.split(out.split("Next: leanrank ")[1])) == 0
    assert (here / "model.json").exists()
    assert run([*arguments, "--format", "ids"]) == 0  # what train does not read is not offered to it
    assert "Next: leanrank train" not in capsys.readouterr().out
    assert run([*arguments, "--max-loss", "0.1"]) == 2
    assert "drop one of them" in capsys.readouterr().err


def test_a_journal_of_other_settings_is_moved_aside(train, here, capsys):
    arguments = ["select", str(train), *QUICK, "-o", "f.json"]
    assert run([*arguments, "-k", "2"]) == 0
    assert run([*arguments, "-k", "3"]) == 0
    assert "is now f.json.db.old" in capsys.readouterr().err
    assert run([*arguments, "-k", "2", "--resume", "f.json.db.old"]) == 0
    for k in "123":
        assert run([*arguments, "-k", k]) == 0
    assert sorted(path.name for path in here.glob("f.json.db*")) == ["f.json.db", "f.json.db.old"]  # no pile


def _offered(out):
    """The rows of the path before their commands: a size first, and last the --max-loss that certifies it."""
    rows, sizes = [], []
    for line in out.split("to take it")[1].splitlines():
        row, command, size = line.partition(" leanrank select --from ")
        if command:
            rows.append(row.split())
            sizes.append(size.split()[-1])
    assert rows
    assert [row[0] for row in rows] == sizes
    return rows


def test_every_size_of_the_path_can_be_had_for_its_loss(train, here, capsys):
    arguments = ["select", str(train), *QUICK, "-o", "f.json", "--answer", "certified"]
    assert run([*arguments, "--max-loss", "0.02"]) == 0
    out = capsys.readouterr().out
    for row in _offered(out)[-2:]:
        assert run([*arguments, "--max-loss", row[-1]]) == 0
        assert len(json.loads((here / "f.json").read_text())["names"]) <= int(row[0])
        assert json.loads((here / "f.json").read_text())["proven"]


def test_with_prices_smaller_sets_say_what_they_cost(train, here, capsys):
    (here / "costs.csv").write_text("feature,cost\n" + "".join(f"{j},{[1, 20, 2][j % 3]}\n" for j in range(1, 8)))
    arguments = ["select", str(train), *QUICK, "--costs", "costs.csv", "-o", "f.json", "--answer", "certified"]
    assert run([*arguments, "--max-loss", "0.01"]) == 0
    out = capsys.readouterr().out
    for row in _offered(out)[-3:]:
        assert run([*arguments, "--max-loss", row[-1]]) == 0
        record = json.loads((here / "f.json").read_text())
        assert record["proven"]
        k = record["answers"]["certified"]["measured_k"]
        point = next(p for p in record["curve"] if p["on_path"] and p["k"] == k)
        assert point["cost"] <= float(row[1])


def test_a_table_without_gaps_has_no_missing_values(here, capsys):
    data, _ = make_ranking(30, n_informative=2, n_redundant=1, n_noise=3, random_state=0)
    frame = pd.DataFrame(data.dense(), columns=list("abcdef")).assign(label=data.y, qid=data.qid)
    for gaps in (False, True):
        frame.loc[3, "a"] = np.nan if gaps else 0.5
        frame.to_csv("data.csv", index=False)
        assert run(["select", "data.csv", *QUICK, "-k", "2"]) == 0
        assert ("Values are missing" in capsys.readouterr().out) == gaps


def test_it_says_what_stood_for_missing_values_and_what_a_model_needs(here, capsys):
    data, _ = make_ranking(30, n_informative=2, n_redundant=1, n_noise=3, random_state=0)
    frame = pd.DataFrame(data.dense(), columns=list("abcdef")).assign(label=data.y, qid=data.qid)
    frame.loc[3, "a"] = np.nan
    frame.to_csv("data.csv", index=False)
    assert run(["select", "data.csv", *QUICK, "--must-keep", "a", "-k", "2"]) == 0
    stood = "Values are missing: the least of the feature in the query stood for them."
    assert f"{stood} A model has no query to look at: fill those of a before you train." in capsys.readouterr().out
    assert run(["select", "data.csv", *QUICK, "--never", "a", "-k", "2"]) == 0
    assert f"{stood}\n" in capsys.readouterr().out
    boosted = ["--ranker", "lightgbm", "--ranker-set", "n_estimators=3"]
    assert run(["select", "data.csv", *QUICK, *boosted, "-k", "2"]) == 0
    assert "Values are missing: lightgbm got them as they are" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe of a shell")
def test_a_reader_that_goes_early_is_no_failure(train, here):
    program = f"{sys.executable} -c 'from leanrank.cli import main; main()'"
    line = f"set -o pipefail; {program} select {train} {' '.join(QUICK)} -k 2 | head -1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_same_data_as_a_test_are_told(train, here, capsys):
    assert run(["select", str(train), *QUICK, "-k", "2", "--test", str(train)]) == 0
    assert "say nothing of other queries" in capsys.readouterr().err


def test_errors_name_options_not_parameters(train, here, capsys):
    for option, named in ((["-k", "50"], "-k must be"), (["--folds", "500"], "--folds must be"),
                          (["--must-keep", "nothing"], "Unknown feature in --must-keep")):  # fmt: skip
        assert run(["select", str(train), *QUICK[:4], *option]) == 2
        assert named in capsys.readouterr().err


def test_formats(train, here, capsys):
    assert run(["order", str(train), "--method", "gas", "-k", "3", "--format", "ids"]) == 0
    ids = capsys.readouterr().out.split()
    assert len(ids) == 3
    assert run(["order", str(train), "--method", "gas", "-k", "3", "--format", "ranklib"]) == 0
    assert capsys.readouterr().out.split() == sorted(ids, key=int)
    assert run(["order", str(train), "--method", "gas", "-k", "3", "-o", "f.json"]) == 0
    record = json.loads((here / "f.json").read_text())
    assert [str(i) for i in record["ids"]] == ids
    assert {"method", "version", "parameters", "scores", "trace", "seed", "fingerprint"} <= set(record)


def test_a_graph_computed_once_gives_the_same_selection(train, here, capsys):
    assert run(["graph", str(train), "-o", "graph.npz", "--heatmap", "heatmap.html"]) == 0
    assert "<script" in (here / "heatmap.html").read_text()
    capsys.readouterr()
    for name in ("gas", "fs-scpr", "mmr"):
        assert run(["order", str(train), "--method", name, "-k", "3", "--format", "ids"]) == 0
        direct = capsys.readouterr().out
        assert run(["order", "--graph", "graph.npz", "--method", name, "-k", "3", "--format", "ids"]) == 0
        assert capsys.readouterr().out == direct
    assert run(["order", "--graph", "graph.npz", "--method", "mrmr-f", "-k", "3"]) == 2
    assert "mrmr-f does not live on a feature graph" in capsys.readouterr().err


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
        (["-r", "ranksvn"], "did you mean 'ranksvm'"),
        (["--method", "gas", "-r", "ranksvn"], "did you mean 'ranksvm'"),
        (["--method", "gas", "-r", "ranksvm"], "gas does not take --ranker"),
        (["--method", "fcbf", "--costs", "costs.csv"], "fcbf does not take --costs"),
        (["--method", "hcas", "--budget", "3"], "hcas does not take --budget"),
        (["--method", "cfs", "--must-keep", "1"], "cfs does not take --must-keep"),
        (["--method", "relieff", "--never", "1"], "relieff does not take --never"),
        (["--method", "gas", "--costs", "none.csv"], "none.csv: cannot be read"),
        (["--method", "gas", "--must-keep", "nine"], "Unknown feature in --must-keep 'nine'"),
        (["--seed", "-1"], "--seed must be >= 0. Got -1"),
        (["--method", "gas", "--seed", "-1"], "--seed must be >= 0. Got -1"),
        (["--max-loss", "inf"], "--max-loss must be >= 0 and finite. Got inf"),
        (["--max-loss", "nan"], "--max-loss must be >= 0 and finite. Got nan"),
        (["--report", "nowhere/report.html"], "nowhere/report.html: cannot be written (No such file or directory)"),
        (["--report", ".html"], ".html: cannot be written (Is a directory)"),
        (["--test", "none.txt"], "There is no file none.txt"),
        (["--test", "other.csv"], "other.csv has 2 features, the training data 7"),
        (["--valid", "other.csv"], "of which it lacks '3'"),
    ],
)
def test_bad_usage_is_one_sentence_and_writes_nothing(train, here, capfd, monkeypatch, arguments, sentence):
    (here / "costs.csv").write_text("feature,cost\n" + "".join(f"{i},1\n" for i in range(1, 8)))
    (here / "other.csv").write_text("label,qid,1,2\n1,1,0,0.5\n0,1,1,0.3\n")
    (here / ".html").mkdir()
    monkeypatch.setattr(HeldOut, "measure", lambda *_, **__: pytest.fail("the run has begun"))
    command = "order" if "--method" in arguments else "select"
    assert run([command, str(train), *arguments, "-o", "out.json"]) == 2
    error = capfd.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
    assert not (here / "out.json").exists()


@pytest.mark.parametrize("option", [["--method", "gas"], ["-m", "auto"], ["--graph", "graph.npz"]])
def test_one_method_is_another_command(train, here, capfd, option):
    assert run(["select", str(train), *option, "-k", "2"]) == 2
    assert run(["select", *option]) == 2
    error = capfd.readouterr().err
    assert error.count("use leanrank order FILE --method NAME") == 2
    assert error.count("\n") == 2


def test_one_method_obeys_costs_and_rules(train, here, capsys):
    def ids(*arguments):
        assert run(["order", str(train), "--method", *arguments, "--format", "ids"]) == 0
        return [int(text) for text in capsys.readouterr().out.split()]

    best = ids("mrmr", "-k", "1")[0]
    last = ids("mrmr", "-k", "7")[-1]
    assert best not in ids("mrmr", "-k", "3", "--never", str(best))
    assert ids("mrmr", "-k", "3", "--must-keep", str(last))[0] == last
    assert len(ids("mrmr", "--budget", "4")) == 4
    assert len(ids("rank-wrapper", "-r", "ranksvm", "-k", "3")) == 3
    costs = (
        "feature,cost,group\n" + "".join(f"{i},{9 if i == best else 1},\n" for i in range(1, 7)) + "7,,slow\nslow,5,\n"
    )
    (here / "costs.csv").write_text(costs)
    found = ids("ranking-rfe", "--costs", "costs.csv", "--budget", "4", "-r", "ranksvm")
    assert len(found) == 4
    assert not {best, 7} & set(found)
    assert run(["graph", str(train), "-o", "graph.npz"]) == 0
    capsys.readouterr()
    assert run(["order", "--graph", "graph.npz", "--never", str(best), "-k", "3", "--format", "ids"]) == 0
    assert str(best) not in capsys.readouterr().out.split()


def test_rules_given_again_all_count(train, here, capsys):
    def ids(*arguments):
        assert run(["order", str(train), "--method", "gas", *arguments, "--format", "ids"]) == 0
        return capsys.readouterr().out.split()

    assert not {"1", "2", "3"} & set(ids("--never", "1,2", "--never", "3"))
    assert {"6", "7", "5"} == set(ids("-k", "3", "--must-keep", "6", "--must-keep", "5, 7"))


def test_a_feature_has_one_line_in_the_file_of_costs(train, here, capsys):
    command = ["order", str(train), "--method", "gas", "--costs", "costs.csv"]
    (here / "costs.csv").write_text("feature,cost\n" + "".join(f"{i},1\n" for i in range(1, 8)) + "3,2\n")
    assert run(command) == 2
    assert "costs.csv, line 9: feature '3' is listed a second time" in capsys.readouterr().err
    (here / "costs.csv").write_text("feature,cost,group\n1,1,a\n1,,b\n1,,a\n")
    assert run(command) == 2
    assert "costs.csv, line 4: feature '1' is listed a second time" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")  # as outside of tests
def test_other_files_may_leave_out_trailing_zeros_or_have_more(train, here, capsys):
    lines = train.read_text().splitlines()
    (here / "short.txt").write_text("".join(line.partition(" 7:")[0] + "\n" for line in lines))
    (here / "zeros.txt").write_text("".join(line.partition(" 7:")[0] + " 7:0\n" for line in lines))
    (here / "long.txt").write_text("".join(line.partition(" 7:")[0] + " 7:0 9:1\n" for line in lines))
    found = []
    for name in ("short", "zeros", "long"):
        options = ["--test", f"{name}.txt", "--valid", f"{name}.txt", "-o", f"{name}.json"]
        assert run(["select", str(train), *QUICK, *options]) == 0
        warned = "The data have 9 features, the choice was made among 7" in capsys.readouterr().err
        assert warned is (name == "long")
        record = json.loads((here / f"{name}.json").read_text())
        found.append((record["ids"], record["test"], record["curve"]))
    assert found[0] == found[1] == found[2]


def test_a_report_that_fails_leaves_the_features(train, here, monkeypatch):
    def fail(*_, **__):
        raise DataError("no report")

    monkeypatch.setattr(writing, "write_report", fail)
    assert run(["select", str(train), *QUICK, "-o", "f.json", "--report", "r.html"]) == 2
    assert json.loads((here / "f.json").read_text())["ids"]


@pytest.mark.parametrize(
    ("command", "where", "name"),
    [
        ("select", select_command, "check_outputs"),
        ("select", Reading, "read"),
        ("order", Reading, "read"),
    ],
)
def test_ctrl_c_at_the_start_is_one_line(train, here, capfd, monkeypatch, command, where, name):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(where, name, interrupt)
    assert run([command, str(train)]) == 130
    assert capfd.readouterr().err == "leanrank: interrupted before anything was finished, so nothing is lost.\n"


@pytest.mark.parametrize("old", [False, True])
def test_ctrl_c_before_the_journal_says_that_nothing_is_lost(train, here, capfd, monkeypatch, old):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    if old:  # of another run, whose journal has the default name
        assert run(["select", str(train), *QUICK, "-k", "2", "-o", "f.json"]) == 0
        capfd.readouterr()
    monkeypatch.setattr(select_features, "select", interrupt)
    assert run(["select", str(train), *QUICK, "-o", "f.json"]) == 130
    error = capfd.readouterr().err
    assert error == "leanrank: interrupted before anything was finished, so nothing is lost.\n"


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


def test_ctrl_c_while_the_program_is_loaded_is_one_line_too(monkeypatch, capsys):
    class Loading:
        @property
        def run(self):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "leanrank.cli.app", Loading())
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)  # of a program of its own
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr().err == "leanrank: interrupted before anything was started\n"


def test_ctrl_c_says_how_to_resume_and_resuming_gives_the_same(here):
    train = here / "many.txt"  # so many that it is not finished when it is interrupted
    write_letor(make_ranking(250, n_informative=8, n_redundant=8, n_noise=24, random_state=0)[0], train)
    program = [sys.executable, "-X", "faulthandler", "-c", "from leanrank.cli import main; main()"]
    command = [*program, "select", str(train)]
    options = ["--ranker", "ranksvm", "--cv", "5", "-o", "f.json"]
    child = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not os.path.exists("f.json.db-wal") and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.1)
    error = interrupted(child)
    assert child.returncode == 130, error
    assert "--resume f.json.db" in error
    assert not os.path.exists("f.json")
    resumed = subprocess.run([*command, *options, "--resume", "f.json.db"], capture_output=True, text=True, check=True)
    assert "> recommended" in resumed.stdout
    whole = json.loads((here / "f.json").read_text())
    subprocess.run([*command, *options[:-1], "g.json"], capture_output=True, check=True)
    fresh = json.loads((here / "g.json").read_text())
    assert {**whole, "seconds": 0} == {**fresh, "seconds": 0}
