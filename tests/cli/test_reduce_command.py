"""`leanrank reduce` as a user runs it."""

from __future__ import annotations

import json

import numpy as np

from leanrank import RCDR, make_ranking, read_letor, read_table, write_letor
from leanrank.cli.app import run


def test_reduced_data_are_the_transform(tmp_path, capsys):
    data, _ = make_ranking(20, n_informative=2, n_redundant=1, n_noise=2, random_state=0)
    path = tmp_path / "train.txt"
    write_letor(data, path)
    again = read_letor(path, dtype="float64")
    for name, read in (("r.txt", lambda p: read_letor(p, dtype="float64")), ("r.parquet", read_table)):
        out = tmp_path / name
        command = [
            "reduce",
            str(path),
            "-k",
            "2",
            "--kind",
            "kendall",
            "-o",
            str(out),
            "--weights",
            str(tmp_path / "w.json"),
        ]
        assert run(command) == 0
        assert "rcdr0" in capsys.readouterr().out
        expected = RCDR(2, kind="kendall").fit(again).transform(again)
        np.testing.assert_allclose(read(out).X, expected.X, atol=1e-5)
        weights = np.array(json.loads((tmp_path / "w.json").read_text())["components"])
        np.testing.assert_allclose(again.X @ weights.T, expected.X, atol=1e-5)


def test_bad_usage(tmp_path, capfd):
    path = tmp_path / "train.txt"
    path.write_text("1 qid:1 1:1 2:0\n0 qid:1 1:0 2:1\n")
    assert run(["reduce", str(path), "-k", "9"]) == 2
    assert "from 1 to 2" in capfd.readouterr().err
