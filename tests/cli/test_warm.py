"""After `leanrank warm` nothing is compiled; a terminal is told when something is."""

from __future__ import annotations

import json

import numpy as np
import pytest

from leanrank import RankingData, make_ranking, write_letor
from leanrank.cli.app import run
from leanrank.kernels._compiling import compiling

COMMANDS = [
    "lint a.txt",
    "graph a.txt -o g.npz",
    "order --graph g.npz -m gas -k 2",
    "order a.txt -m mrmr -k 2",
    "select a.txt --ranker ranksvm --effort quick --cv 3 -j 1 -o f.json --report r.html",
    "train a.txt --features f.json -o m.json",
    "predict a.txt -m m.json -o scores.txt",
    "evaluate a.txt --scores scores.txt --metric ndcg@10,map,mrr",
    "compare a.txt --methods fcbf --rankers ranksvm -k 2 --folds 3 -j 1 -o c.db",
    "reduce a.txt -k 2 -o reduced.csv",
    "convert a.txt -o a.csv",
    "lint a.csv",
    "order a.csv -m gas -k 2",
    "train a.csv -r listnet -o l.json",
]


def test_after_it_no_command_compiles(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["warm", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"compiled", "folder"}
    assert list(tmp_path.iterdir()) == []
    write_letor(make_ranking(25, n_informative=2, n_redundant=2, n_noise=1, random_state=5)[0], "a.txt")
    for line in COMMANDS:
        before = compiling.count
        assert run(line.split()) == 0, capsys.readouterr().err
        assert compiling.count == before, line


@pytest.mark.parametrize("watched", [True, False])
def test_a_terminal_is_told_once(watched, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.stderr.isatty", lambda: watched, raising=False)
    monkeypatch.chdir(tmp_path)
    write_letor(RankingData(np.eye(2), [0, 1], [0, 2]), "a.txt")

    def compile_twice(*_, **__):
        for _ in range(2):
            compiling.begin()
            compiling.end()
        raise KeyboardInterrupt

    monkeypatch.setattr("leanrank.stats.lint.lint", compile_twice)
    assert run(["lint", "a.txt"]) == 130
    assert capsys.readouterr().err.count("compiling for this machine, once") == int(watched)
    compiling.say = None
