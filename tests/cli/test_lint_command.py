"""`leanrank lint` as a user runs it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest

from leanrank.cli.app import run

GOOD = "2 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:1\n1 qid:2 1:0.9 2:1\n0 qid:2 1:0.2 2:1\n"


def test_table_on_a_plain_terminal(tmp_path, capsys):
    path = tmp_path / "train.txt"
    path.write_text(GOOD)
    assert run(["lint", str(path)]) == 0
    out = capsys.readouterr().out
    assert "constant" in out
    assert "leaking" in out


def test_json_and_strict(tmp_path, capsys):
    path = tmp_path / "train.txt"
    path.write_text(GOOD)
    assert run(["lint", str(path), "--json", "--strict"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["n_rows"] == 4
    assert report["ok"] is False
    assert {f["kind"] for f in report["findings"]} == {"constant", "leaking"}


def test_csv_and_parquet(tmp_path, capsys):
    csv = tmp_path / "train.csv"
    csv.write_text("label,qid,bm25,age\n2,a,3,1\n0,a,1,4\n1,b,0,2\n0,b,7,9\n")
    assert run(["lint", str(csv), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_features"] == 2
    from leanrank import read_table, write_parquet

    parquet = tmp_path / "train.parquet"
    write_parquet(read_table(csv, label="label", qid="qid"), parquet)
    assert run(["lint", str(parquet), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_queries"] == 2


def test_feature_names_are_not_markup(tmp_path, capsys):
    csv = tmp_path / "train.csv"
    csv.write_text("label,qid,[red]x[/nothing],z\n2,a,3,1\n0,a,3,4\n")
    assert run(["lint", str(csv)]) == 0
    assert "[red]x[/nothing]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"1 1:0.5\n", "qid"),
        (b"x qid:1 1:0.5\n", "line 1"),
        (b"1 qid:1 3:abc\n", "line 1"),
        (b"1 qid:1 1:1\n0 qid:2 1:1\n0 qid:1 1:2\n", "line 3"),
        (b"1 qid:1 0:1\n", "line 1"),
        (b"1 qid:1 1:1 1:2\n", "line 1"),
        (b"1 qid:1 1:inf\n", "line 1"),
        (b"\x1f\x8b\x08\x00junk", "bad.txt"),
        (random.Random(0).randbytes(300).replace(b"\n", b"x"), "bad.txt"),
        (b"1 qid:1\n", "feature"),
    ],
    ids=range(11),
)
def test_bad_files_are_one_sentence_and_exit_code_2(tmp_path, capfd, content, sentence):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    assert run(["lint", str(path)]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("leanrank: ")
    assert captured.err.count("\n") == 1
    assert sentence in captured.err


def test_missing_file_and_unknown_command(tmp_path, capfd):
    assert run(["lint", str(tmp_path / "none.txt")]) == 2
    assert "none.txt" in capfd.readouterr().err
    assert run(["lnt"]) == 2


def test_help_and_version(capfd):
    assert run(["lint", "--help"]) == 0
    assert "Example" in capfd.readouterr().out
    assert run(["--version"]) == 0
    assert capfd.readouterr().out.startswith("leanrank ")


def test_a_closed_pipe_is_quiet(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text(GOOD)
    command = f'"{sys.executable}" -c "from leanrank.cli import main; main()" lint "{path}" | true'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_lint_of_ohsumed_is_quick_once_compiled(data_dir):
    command = [
        sys.executable,
        "-c",
        "from leanrank.cli import main; main()",
        "lint",
        str(data_dir / "ohsumed/S1.txt.gz"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    before = os.times()
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    # seconds of a processor: seconds of a clock would count the other tests on this machine
    assert after.children_user + after.children_system - before.children_user - before.children_system < 3
