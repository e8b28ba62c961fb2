"""`leanrank select --from`: another answer of a finished run."""

import json
import re
import shlex
import subprocess
import sys

import pytest

from leanrank import load_selection, make_ranking, write_letor
from leanrank.cli.app import run
from leanrank.data import to_frame


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder in which `select` has run; and what it said."""
    folder = tmp_path_factory.mktemp("again")
    data, _ = make_ranking(40, (6, 10), n_informative=3, n_redundant=2, n_noise=7, random_state=0)
    write_letor(data, folder / "train.txt")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        arguments = ["select", "train.txt", "-r", "ranksvm", "--methods", "gas", "--folds", "3", "-o", "features.json"]
        assert run(arguments) == 0
    return folder


@pytest.fixture
def inside(made, monkeypatch):
    monkeypatch.chdir(made)
    return load_selection("features.json")


def test_every_size_that_is_offered_has_its_command(inside, capsys):
    assert run(["select", "--from", "features.json"]) == 0
    commands = re.findall(r"leanrank select --from \S+ -k \d+", capsys.readouterr().out)
    assert len(commands) == min(6, len(inside.walked)) > 1
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "leanrank"
        assert run([*arguments, "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        k = int(arguments[-1])
        assert record["names"] == list(inside.path[:k])
        assert record["answers"]["asked"]["estimate"]["mean"] == inside.at(k).nested["mean"]


@pytest.mark.parametrize("finished", ["features.json", "features.json.db"])
def test_files_and_journals_answer_alike(inside, capsys, tmp_path, finished):
    few, report = tmp_path / "few.json", tmp_path / "few.html"
    assert run(["select", "--from", finished, "-k", "2", "-o", str(few), "--report", str(report)]) == 0
    assert load_selection(few).features == inside.path[:2]
    out = capsys.readouterr().out
    assert f"Next: leanrank train train.txt --features {few}" in out
    page = report.read_text()
    assert 'data-chart="heatmap"' in page  # the data were found again
    assert "leanrank select --from" in page
    assert run(["select", "--from", str(few), "--answer", "recommended", "--json"]) == 0  # and back again
    assert json.loads(capsys.readouterr().out)["names"] == list(inside.recommended.features)


def test_by_answer_loss_and_cost(inside, capsys):
    def chosen(*arguments):
        assert run(["select", "--from", "features.json", *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    assert chosen("--answer", "safe")["names"] == list(inside.safe.features)
    loss = max(point.certified_loss for point in inside.walked)
    record = chosen("--max-loss", str(loss))
    assert (record["answer"], record["settings"]["max_loss"]) == ("certified", loss)
    assert len(record["names"]) == min(point.k for point in inside.walked)
    assert chosen("--max-loss", str(loss), "--answer", "recommended")["answer"] == "recommended"
    assert chosen("--budget", "3")["cost"] <= 3


def test_the_screen_of_a_size_that_was_not_measured(inside, capsys):
    sizes = {point.k for point in inside.walked}
    k = next(k for k in range(2, 12) if k not in sizes)
    assert run(["select", "--from", "features.json", "-k", str(k)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"{k} of 12 features: what they do to NDCG@10 was not measured" in out
    assert "it lies between" in out
    assert "the same with -o FILE writes these features" in out


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("select", "Name a file of judged data, or a finished run with --from"),
        ("select train.txt --from features.json", "FILE belongs to measuring"),
        ("select --from features.json --ranker ranksvm", "--ranker belongs to measuring"),
        ("select --from features.json --folds 3", "--folds belongs to measuring"),
        ("select --from features.json -k 2 --budget 3", "One at a time"),
        ("select --from features.json -k 2 --answer safe", "One at a time"),
        ("select --from features.json -k 99", "-k must be a whole number from 1 to 12"),
        ("select --from features.json --budget 0.5", "--budget must be >= 1"),
        ("select --from features.json --answer sure", "Unknown answer 'sure'"),
        ("select --from features.json -k 2 -o features.json", "would be written over"),
        ("select --from train.txt -k 2", "neither a journal nor JSON"),
        ("select --from none.json -k 2", "cannot be read"),
    ],
)
def test_refusals(inside, capsys, line, sentence):
    assert run(line.split()) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_no_learner_and_no_compiler_is_even_loaded(inside):
    """What would take the time that a finished run saves."""
    code = (
        "import sys; from leanrank.cli.app import run; run(['select', '--from', 'features.json', '-k', '2', '--json']);"
        "sys.exit(bool({'lightgbm', 'xgboost', 'catboost', 'numba', 'altair', 'torch', 'pandas'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_nothing_is_trained(inside, capsys, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a ranker was trained")

    monkeypatch.setattr("leanrank.rankers._base.Ranker.fit", refuse)
    assert run(["select", "--from", "features.json", "-k", "2", "--json"]) == 0


def test_the_next_command_reads_and_trains_as_the_run_did(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data, _ = make_ranking(30, n_informative=2, n_redundant=1, n_noise=1, random_state=0)
    frame = to_frame(data, "pandas").rename(columns={"label": "grade", "qid": "query"})
    frame.assign(doc_id=range(len(frame))).to_csv("own.csv", index=False)
    read, ranker = ["--label", "grade", "--qid", "query", "--drop", "doc_id"], ["--ranker", "ranksvm"]
    assert run(["select", "own.csv", *read, *ranker, "--methods", "gas", "--cv", "3", "-o", "f.json"]) == 0
    assert run(["select", "--from", "f.json", "-k", "2", "-o", "two.json"]) == 0
    words = ["own.csv", *read, "--features", "two.json", *ranker, "-o", "model.json"]
    assert f"Next: leanrank train {' '.join(words)}" in capsys.readouterr().out
