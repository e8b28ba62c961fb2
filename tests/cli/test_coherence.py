"""All commands together: one set of habits for help, JSON, option names, exit codes, completion and pipes."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import leanrank
from leanrank import make_ranking, metric, write_letor
from leanrank.cli import _completion
from leanrank.cli._option_names import sentence
from leanrank.cli.app import app, run
from leanrank.errors import LeanRankError, ParameterError
from leanrank.rankers import registry as ranker_registry
from leanrank.selectors import registry

COMMANDS = get_command(app).commands
# what the tool is said to have, in the order of `leanrank --help`
PROMISED = (
    "import",
    "costs",
    "lint",
    "graph",
    "select",
    "diff",
    "order",
    "reduce",
    "train",
    "predict",
    "evaluate",
    "shadow",
    "compare",
    "reproduce",
    "report",
    "export",
    "convert",
    "demo",
    "warm",
)


def refuse(name):
    raise ValueError(f"{name} is not JSON")


def strict_json(text):
    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which a user has worked: data, a selection, a model, an engine's feature set, a comparison."""
    folder = tmp_path_factory.mktemp("coherence")
    data, _ = make_ranking(40, (5, 15), n_informative=2, n_redundant=2, n_noise=2, random_state=0)
    write_letor(data, folder / "train.txt")
    (folder / "full.json").write_text(json.dumps([{"name": f"f{j}", "class": "c"} for j in range(1, 7)]))
    document = {"id": "d", "[features]": "a=1.0,b=2.0"}
    (folder / "log.jsonl").write_text(json.dumps({"qid": 1, "response": {"response": {"docs": [document]}}}))
    (folder / "qrels.txt").write_text("1 0 d 2\n")
    (folder / "timings.csv").write_text("feature,milliseconds\na,1\n")
    return folder


def test_every_promised_command_is_there_and_no_other():
    assert tuple(COMMANDS) == PROMISED


@pytest.mark.parametrize("name", PROMISED)
def test_help_has_an_example_that_parses(name):
    example = re.search(r"Example: (leanrank .*)", COMMANDS[name].help)
    assert example
    program, command, *arguments = example.group(1).split()
    assert (program, command) == ("leanrank", name)
    COMMANDS[name].make_parser(COMMANDS[name].make_context(name, arguments, resilient_parsing=True))
    known = {text for p in COMMANDS[name].params for text in (*p.opts, *p.secondary_opts)}
    assert {text for text in arguments if text.startswith("-")} <= known


@pytest.mark.parametrize("name", PROMISED)
def test_options_share_their_names(name):
    options = {text: p for p in COMMANDS[name].params for text in p.opts if text.startswith("-")}
    assert "--json" in options
    assert all(p.help for p in COMMANDS[name].params)
    shared = {"-o": "--output", "-j": "--jobs", "-r": "--ranker", "--cv": "--folds"}
    for short, long in shared.items():
        if short in options or long in options:
            assert options[short] is options[long]


@pytest.mark.parametrize(
    "text", ["0 done", "1 a check failed", "2 bad input", "130 interrupted", "--json", "completion"]
)
def test_the_help_of_the_tool_tells_the_habits(text, capsys):
    assert run(["--help"]) == 0
    assert text in " ".join(capsys.readouterr().out.split())


# in the order in which a user would; each leaves what the next ones need
STEPS = {
    "import": "import log.jsonl --judgements qrels.txt -o log.csv",
    "costs": "costs timings.csv -o costs.csv",
    "lint": "lint train.txt",
    "graph": "graph train.txt -o graph.npz",
    "order": "order train.txt --method gas -k 3 -o three.json",
    "select": "select train.txt -r ranksvm --methods gas --folds 3 -o features.json",
    "diff": "diff three.json features.json --data train.txt --ranker ranksvm --folds 3",
    "reduce": "reduce train.txt -k 2 -o reduced.txt",
    "train": "train train.txt --features features.json -o model.json",
    "predict": "predict train.txt --model model.json -o scores.txt",
    "evaluate": "evaluate train.txt --scores scores.txt",
    "shadow": "shadow train.txt --full model.json --pruned model.json",
    "compare": "compare train.txt --methods gas,top-k --rankers ranksvm -k 2 --folds 3 -j 1 -o results.db",
    "report": "report features.json",
    "report of a comparison": "report results.db",
    "export": "export features.json --to solr --featureset full.json --by-position -m model.json -o pruned.json",
    "convert": "convert train.txt -o train.csv",
    "demo": "demo --queries 60",
}


def test_json_is_all_there_is_on_standard_output(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for step, line in STEPS.items():
        assert run([*line.split(), "--json"]) == 0, step
        seen = capsys.readouterr()
        record = strict_json(seen.out)
        assert isinstance(record, dict), step
        assert record, step
        assert "\x1b" not in seen.err, step
    elsewhere = {"reproduce", "warm"}  # needs real data; has tests of its own
    assert {line.split()[0] for line in STEPS.values()} == set(PROMISED) - elsewhere
    assert json.loads((folder / "features.json").read_text())["format"] == "leanrank-selection"


@pytest.mark.parametrize(
    "line", ["lint absent.txt", "select --nonsense", "nonsense", "train", "convert absent.txt -o x.y"]
)
def test_bad_input_exits_with_2(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert run(line.split()) == 2
    assert capsys.readouterr().out == ""


def test_a_failed_check_exits_with_1(tmp_path, capsys):
    (tmp_path / "bad.txt").write_text("0 qid:1 1:0.5 2:1\n0 qid:1 1:0.5 2:2\n")
    assert run(["lint", str(tmp_path / "bad.txt"), "--strict"]) == 1


def completed(words):
    environment = {**os.environ, "_LEANRANK_COMPLETE": "complete_bash", "COMP_WORDS": words}
    environment["COMP_CWORD"] = str(len(words.split(" ")) - 1)
    command = [sys.executable, "-c", "from leanrank.cli import main; main()"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


def test_the_shell_completes_commands_and_options():
    assert completed("leanrank re") == ["reduce", "reproduce", "report"]
    assert completed("leanrank select --max") == ["--max-loss", "--max-label"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("leanrank order a.txt --method fs", ["fs-scpr", "fsm-rank", "fsm-svm"]),
        ("leanrank select a.txt --methods gas,ms", ["gas,msd"]),
        ("leanrank train a.txt --ranker list", ["listnet"]),
        ("leanrank compare a.txt --rankers ranksvm,ada", ["ranksvm,adarank"]),
        ("leanrank select a.txt --metric rec", ["recall@5", "recall@10"]),
        ("leanrank evaluate a.txt --metric map,mr", ["map,mrr", "map,mrr@5", "map,mrr@10"]),
        ("leanrank reproduce rc", ["rcdr"]),
    ],
)
def test_the_shell_completes_names(words, offered):
    assert completed(words) == offered


def test_every_name_is_offered_and_none_twice():
    assert _completion.method_names("") == registry.names()
    assert _completion.ranker_names("") == ranker_registry.names()
    assert {metric(name).name for name in _completion.metric_names("")} >= {"ndcg@10", "map", "p@5", "kendall"}
    assert "gas,gas" not in _completion.method_lists("gas,")
    assert set(_completion.method_lists("gas,")) == {f"gas,{name}" for name in _completion.method_lists("")} - {
        "gas,gas"
    }


@pytest.mark.parametrize("name", PROMISED)
def test_options_that_take_names_of_methods_rankers_or_metrics_complete_them(name):
    named = {"method", "methods", "ranker", "rankers", "metric", "metrics", "validation"}
    for option in COMMANDS[name].params:
        if option.name in named and "--set" not in option.opts:
            assert option._custom_shell_complete is not None, option.opts


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("lint table.csv", "Say which column is the label, --label: no column"),
        ("graph table.csv --label a", "Say which column is the qid, --qid: no column"),
        ("reduce train.txt -k 99", "-k must be from 1 to"),
        ("order train.txt -k 99", "-k must be"),
        ("order train.txt --set c=-1", "--set c must be >= 0. Got -1 instead"),
        ("order train.txt --never 1,2,3,4,5,6", "--never names every feature"),
        ("order train.txt --never 1 --must-keep 1", "--never names feature '1', which must be kept"),
        ("train train.txt --set C=-1 -o m.json", "--set C must be"),
        ("select train.txt --folds 1", "--folds must be"),
        ("select train.txt --jobs -1", "--jobs must be"),
        ("compare train.txt --folds 1 -o x.db", "--folds must be"),
        ("train table.csv --qid b", "Say which column is the label, --label: no column"),
    ],
)
def test_errors_name_the_options_of_every_command(folder, monkeypatch, capfd, line, expected):
    monkeypatch.chdir(folder)
    (folder / "table.csv").write_text("a,b,c\n1,2,3\n")
    assert run(line.split()) == 2
    error = capfd.readouterr().err
    assert expected in error
    assert error.count("\n") == 1


def test_an_error_is_told_by_its_fields_not_by_its_words():
    options = COMMANDS["select"].params
    by_field = ParameterError("The 'cv' parameter of select must be 2.", owner="select", parameter="cv")
    assert sentence(by_field, options) == "--folds must be 2."
    assert sentence(ParameterError("The 'cv' parameter of select must be 2."), options).startswith("The 'cv'")
    wrapped = LeanRankError("file.csv: The 'cv' parameter of select must be 2.")
    wrapped.__cause__ = by_field
    assert sentence(wrapped, options) == "file.csv: --folds must be 2."
    assert sentence(LeanRankError("Too few queries.", owner="select", parameter="cv"), options) == (
        "--folds: Too few queries."
    )
    assert sentence(ParameterError.of("GAS", "c", ">= 0", -1), options) == str(
        ParameterError.of("GAS", "c", ">= 0", -1)
    )


def test_no_class_of_ours_and_no_keyword_is_in_what_people_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("rel,q,bm25,age\n1,1,2,\n0,1,1,4\n1,2,3,5\n0,2,0,1\n1,3,3,5\n0,3,0,1\n")
    columns = ["--label", "rel", "--qid", "q"]
    Path("apart.txt").write_text("1 qid:1 1:2\n0 qid:2 1:1\n1 qid:1 1:3\n")
    said = {
        "lint apart.txt": "or regroup them (--regroup).",
        "lint t.csv": "Say which column is the qid, --qid",
        "order t.csv -m rfe": "rfe cannot take missing values",
        "order t.csv -m importance+mrmr": "importance+mrmr cannot take missing values",
        "compare t.csv --folds 9 --methods gas --rankers ranksvm -k 1": "a query is never split. Use --folds <= 3.",
    }
    for line, words in said.items():
        assert run([*line.split(), *([] if line.startswith("lint") else columns)]) == 2
        error = capsys.readouterr().err
        assert words in error
        assert not re.search(r"FilteredRFE|RelevanceMRMR|QueryKFold|RankingData|Adapter|\w=(\.\.\.|True)", error)


def test_python_runs_the_package_as_the_command():
    done = subprocess.run([sys.executable, "-m", "leanrank", "--version"], capture_output=True, text=True, check=True)
    assert leanrank.__version__ in done.stdout


def test_the_demo_names_the_command_as_it_was_called(tmp_path, monkeypatch):
    """Where it is not on the path; a path of __main__.py is of no use to anyone."""
    called = []
    monkeypatch.setattr("leanrank.cli.app.run", lambda arguments, program: called.append(program) or 0)
    monkeypatch.setattr("leanrank.cli._signals.leave", lambda code: None)
    monkeypatch.setattr("leanrank.cli._signals.listen", lambda: None)
    runpy.run_module("leanrank", run_name="__main__")
    assert called == ["python -m leanrank"]


def test_what_the_demo_wrote_is_taken_by_the_next_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--queries", "40", "--json"]) == 0
    wrote = json.loads(capsys.readouterr().out)
    assert run(["train", wrote["data"], "--features", wrote["features"], "-o", "m.json"]) == 0
    assert run(["predict", wrote["data"], "-m", "m.json", "-o", "s.txt"]) == 0
    assert run(["report", wrote["features"], "--data", wrote["data"], "-o", "r.html"]) == 0
