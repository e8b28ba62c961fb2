"""`-` is standard input and standard output of every command that reads or writes a file."""

from __future__ import annotations

import gzip
import inspect
import io
import json
import typing
from pathlib import Path

import pytest
import typer

from leanrank import make_ranking, read, write_letor
from leanrank.cli._standard_input import READ, is_input
from leanrank.cli.app import app, run
from leanrank.data.reading import write

#: What is written, by parameter; `-` is standard output of those with a line below, others refuse it in a sentence.
WRITTEN = frozenset(
    (
        "ask", "chart", "charts", "draw", "folder", "heatmap", "journal", "markdown", "model_output", "output",
        "per_query", "report", "resume", "table", "weights",
    )
)  # fmt: skip
QUICK = "--ranker ranksvm --methods gas --cv 3 -k 2"


def files_of(command: typer.models.CommandInfo) -> list[str]:
    """The parameters of a command that are paths."""
    hints = inspect.signature(command.callback).parameters.values()
    return [p.name for p in hints if "Path" in str(typing.get_args(p.annotation) or p.annotation)]


def test_every_file_of_every_command_is_known_to_be_read_or_written():
    for command in app.registered_commands:
        name = command.name or command.callback.__name__
        for parameter in files_of(command):
            if (name, parameter) == ("reproduce", "data"):  # a folder
                continue
            assert is_input(name, parameter) != (parameter in WRITTEN or (name, parameter) == ("predict", "qrels")), (
                f"{name} {parameter}: say in _standard_input.py whether it is read, or here that it is written"
            )
    assert READ.isdisjoint(WRITTEN)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dash")
    write_letor(make_ranking(20, n_informative=2, n_redundant=1, n_noise=2, random_state=0)[0], folder / "a.txt")
    data = read(folder / "a.txt")
    write(data, folder / "a.csv")
    write(data, folder / "a.parquet")
    (folder / "a.txt.gz").write_bytes(gzip.compress((folder / "a.txt").read_bytes()))
    (folder / "c.csv").write_text("id,name\n1,BM25 of title\n")
    (folder / "costs.csv").write_text("feature,cost\n1,1\n2,1\n3,1\n4,1\n5,2\n")
    for line in (
        "train a.txt -o m.json",
        "train a.txt -o n.json --only 1,2",
        "graph a.txt -o g.npz",
        "order a.txt -k 2 -o f.json",
        f"select a.txt {QUICK} -o s.json",
        "predict a.txt -m m.json -o p.txt --trec --qrels q.txt",
        "predict a.txt -m m.json -o scores.txt",
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            assert run(line.split()) == 0
    (folder / "full.txt").write_text("1\n2\n3\n4\n5\n")
    hit = {"hits": {"hits": [{"_id": "d", "fields": {"_ltrlog": [{"log_entry1": [{"name": "tf", "value": 1.0}]}]}}]}}
    (folder / "logs.jsonl").write_text(json.dumps({"qid": "1", "response": hit}) + "\n")
    (folder / "judged.txt").write_text("1 0 d 1\n")
    (folder / "times.csv").write_text("feature,milliseconds\ntf,1\ntf,2\n")
    return folder


@pytest.fixture
def there(made, monkeypatch):
    monkeypatch.chdir(made)
    return made


def piped(monkeypatch, line: str, content: bytes) -> int:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    return run(line.split())


#: A line for every command that reads something, and the file that comes in by standard input.
READING = [
    ("lint - --json", "a.txt"),
    ("lint - --json", "a.txt.gz"),
    ("lint - --json --label label --qid qid", "a.csv"),
    ("lint - --json --label label --qid qid", "a.parquet"),
    ("lint a.txt --json --catalogue -", "c.csv"),
    ("graph - -o out.npz --json", "a.txt"),
    ("order - -k 2 --json", "a.txt"),
    ("order - -k 2 --json --label label --qid qid", "a.parquet"),
    ("order --graph - -k 2 --json", "g.npz"),
    ("order a.txt --costs - -k 2 --json", "costs.csv"),
    (f"select - {QUICK} --json --journal one.db", "a.txt"),
    (f"select a.txt {QUICK} --test - --json --journal two.db", "a.txt"),
    ("select --from - --answer safe --json", "s.json"),
    ("diff - s.json --json", "f.json"),
    ("diff f.json s.json --data - --json", "a.txt"),
    ("reduce - -k 2 --json", "a.txt"),
    ("train - -o out.json --json", "a.txt"),
    ("train a.txt --features - -o out.json --json", "f.json"),
    ("predict - -m m.json", "a.txt"),
    ("predict a.txt -m -", "m.json"),
    ("evaluate - --model m.json --json", "a.txt"),
    ("evaluate a.txt --scores - --json", "scores.txt"),
    ("evaluate --run - --qrels q.txt --json", "p.txt"),
    ("shadow - --full m.json --pruned n.json --json", "a.txt"),
    ("compare - --methods gas --rankers ranksvm -k 2 --folds 3 --metrics map -o out.db --json -j 1", "a.txt"),
    ("report - -o out.html", "s.json"),
    ("export - --to ranklib --featureset full.txt -o out.txt --json", "f.json"),
    ("export f.json --to ranklib --featureset - -o out.txt --json", "full.txt"),
    ("convert - -o out.csv --json", "a.txt"),
    ("import - --judgements judged.txt -o out.csv --json", "logs.jsonl"),
    ("import logs.jsonl --judgements - -o out.csv --json", "judged.txt"),
    ("costs - -o out.csv --json", "times.csv"),
]


def test_the_lines_read_with_every_command_that_reads():
    reads = {(c.name or c.callback.__name__) for c in app.registered_commands if READ.intersection(files_of(c))}
    assert reads - {"reproduce"} == {line.split()[0] for line, _ in READING}


@pytest.mark.parametrize(("line", "file"), READING)
def test_a_dash_is_standard_input(there, monkeypatch, capfd, line, file):
    assert piped(monkeypatch, line, (there / file).read_bytes()) == 0, capfd.readouterr().err
    out = capfd.readouterr().out
    if "--json" in line:
        record = json.loads(out)
        assert "/stdin" not in out
        assert record.get("file", line.split()[1]) == line.split()[1]
    assert not (there / "-").exists()


#: A line for every command that writes something to a file, and how what is printed begins.
WRITING = [
    (f"select a.txt {QUICK} -o - --journal three.db", "{"),
    ("order a.txt -k 2 -o -", "{"),
    ("graph a.txt -o -", "pk"),
    ("reduce a.txt -k 2 -o -", ""),
    ("train a.txt -o -", "{"),
    ("predict a.txt -m m.json -o -", ""),
    ("evaluate a.txt --model m.json --per-query -", "qid\t"),
    ("shadow a.txt --full m.json --pruned n.json --ask -", '"qid","document"'),
    ("report s.json -o -", "<!doctype"),
    ("convert a.txt --to csv -o -", '"label","qid"'),
    ("import logs.jsonl --judgements judged.txt -o -", "label,qid,tf"),
    ("costs times.csv -o -", "feature,cost"),
]
#: Commands whose output is more than one file, and what they say.
SEVERAL = [
    ("export f.json --to ranklib --featureset full.txt -o -", "an export is several files"),
    ("compare a.txt -o -", "tables for people go there"),
    ("reproduce gas -o -", "the figures go there"),
    ("convert a.txt --to lightgbm -o -", "two files"),
]


def test_the_lines_write_with_every_command_that_writes():
    writes = {(c.name or c.callback.__name__) for c in app.registered_commands if WRITTEN.intersection(files_of(c))}
    assert writes - {"demo"} == {line.split()[0] for line, _ in (*WRITING, *SEVERAL)}


@pytest.mark.parametrize(("line", "begins"), WRITING)
def test_a_dash_is_standard_output_and_nothing_else_goes_there(there, capfdbinary, line, begins):
    assert run(line.split()) == 0
    out = capfdbinary.readouterr().out
    assert out.lower().startswith(begins.encode())
    assert b"Written" not in out
    if begins == "{":
        json.loads(out)
    assert not (there / "-").exists()


@pytest.mark.parametrize(("line", "says"), SEVERAL)
def test_where_several_files_are_written_a_dash_is_refused(there, capfd, line, says):
    assert run(line.split()) == 2
    assert says in capfd.readouterr().err


def test_a_model_of_two_files_does_not_go_to_standard_output(there, capfd, monkeypatch):
    monkeypatch.setattr("leanrank.rankers._saving.BIG", 2)
    assert run(["train", "a.txt", "-o", "-"]) == 2
    assert "this model is two files: name a file" in capfd.readouterr().err


def test_standard_input_is_read_once_and_not_from_a_terminal(there, capfd, monkeypatch):
    assert piped(monkeypatch, "train - --valid -", b"") == 2
    assert "standard input, which can be read once" in capfd.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert run(["lint", "-"]) == 2
    assert "nothing is piped into it" in capfd.readouterr().err


def test_errors_call_it_standard_input(there, capfd, monkeypatch):
    assert piped(monkeypatch, "lint -", b"1 qid:1 1:0.5\n2 qid:1 1:x\n") == 2
    error = capfd.readouterr().err
    assert "standard input, line 2" in error
    assert "/tmp" not in error


def test_commands_can_be_joined(there, capfd, monkeypatch):
    assert run(["order", "a.txt", "-k", "2", "-o", "-"]) == 0
    features = capfd.readouterr().out.encode()
    assert piped(monkeypatch, "train a.txt --features - -o -", features) == 0
    model = capfd.readouterr().out.encode()
    assert piped(monkeypatch, "evaluate a.txt --model - --json", model) == 0
    assert json.loads(capfd.readouterr().out)["n_queries"] == 20
    assert not Path("-").exists()
