"""`leanrank select --memory`: a file that is larger than the memory allowed."""

from __future__ import annotations

import json

import pytest

from leanrank import make_ranking, write_letor, write_parquet
from leanrank.cli.app import run
from leanrank.data import memory_size

SELECT = ["--ranker", "ranksvm", "--methods", "gas,mrmr", "--cv", "3", "--max-loss", "0.1", "-o", "features.json"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data, _ = make_ranking(80, docs_per_query=10, n_informative=2, n_redundant=2, n_noise=4, random_state=0)
    write_letor(data, "train.txt")
    (tmp_path / "judged").mkdir()
    for i, part in enumerate(data.blocks(300)):
        write_parquet(part, f"judged/{i}.parquet")
    return tmp_path


def said(capsys):
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("file", ["train.txt", "judged"])
def test_queries_are_drawn_and_the_answer_says_how_many(here, capsys, file):
    assert run(["select", file, *SELECT, "--memory", "100KB", "--report", "report.md"]) == 0
    sample = json.loads((here / "features.json").read_text())["sample"]
    assert sample["memory"] == 100_000
    assert 10 < sample["queries"] < sample["of_queries"] == 80
    expected = f"Selected and trained on {sample['queries']} of 80 queries, as many as 100 KB of memory allow"
    assert expected in said(capsys)
    assert expected in (here / "report.md").read_text()


def test_the_report_can_be_made_again(here):
    assert run(["select", "train.txt", *SELECT, "--memory", "100KB", "--report", "report.json"]) == 0
    for named in ([], ["--data", "train.txt"]):
        assert run(["report", "features.json", "-o", "again.json", *named]) == 0
        first, again = (json.loads((here / name).read_text()) for name in ("report.json", "again.json"))
        assert again["graph"] == first["graph"] is not None
        assert again["notes"] == first["notes"]


@pytest.mark.parametrize("file", ["train.txt", "judged"])
def test_a_file_too_large_for_the_free_memory_is_drawn_from_without_being_asked(here, capsys, monkeypatch, file):
    monkeypatch.setattr(memory_size, "free_memory", lambda: 2**17)
    assert run(["select", file, *SELECT]) == 0
    assert "65.5 KB of memory allow, half of what is free" in said(capsys)


def test_a_file_that_fits_is_read_whole(here, capsys):
    assert run(["select", "train.txt", *SELECT]) == 0
    assert "of memory allow" not in said(capsys)
    assert "sample" not in json.loads((here / "features.json").read_text())


@pytest.mark.parametrize(
    ("memory", "sentence"),
    [
        ("plenty", "--memory must be a size such as '2GB' or '500MB', or a number of bytes >= 1. Got 'plenty'"),
        ("200", "has 10 documents, which take"),
    ],
)
def test_a_limit_that_cannot_be_is_one_sentence(here, capsys, memory, sentence):
    assert run(["select", "train.txt", *SELECT, "--memory", memory]) != 0
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert not (here / "features.json").exists()
