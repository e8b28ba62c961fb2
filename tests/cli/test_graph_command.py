"""`leanrank graph`: what it says of features that are copies or constant."""

from __future__ import annotations

import json

import numpy as np

from leanrank import RankingData, make_ranking, write_letor
from leanrank.cli.app import run


def test_copies_and_constants_are_named_and_no_pairs_of_constants(tmp_path, capsys):
    data = make_ranking(20, n_informative=2, n_redundant=0, n_noise=1, random_state=0)[0]
    X = np.column_stack([np.zeros((data.n_rows, 2)), data.X, np.exp(data.X[:, 0])])
    write_letor(RankingData(X, data.y, data.query_ptr), tmp_path / "data.txt")
    asked = ["graph", str(tmp_path / "data.txt"), "-o", str(tmp_path / "g.npz")]
    assert run(asked) == 0
    out = capsys.readouterr().out
    assert "methods take one of them: 3, 6" in out
    assert "Constant inside every query, and taken by no method: 1, 2" in out
    assert run([*asked, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["constant"] == ["1", "2"]
    assert said["copies"] == [["3", "6"]]
    assert said["strongest_pairs"][0] == ["3", "6", 1.0]
    assert not {"1", "2"} & {name for pair in said["strongest_pairs"] for name in pair[:2]}
