"""What a report says of prices and of time: the unit that the file of costs names, and the time of the whole job."""

from __future__ import annotations

import json
import sqlite3

import pytest

from leanrank import make_ranking, write_letor
from leanrank.cli._limits import cost_unit
from leanrank.cli.app import run
from leanrank.errors import DataError


def test_a_file_says_its_unit_or_nothing(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("feature,cost,unit\na,1,ms\nb,,\nc,2,ms\n")
    assert cost_unit(path) == {"cost_unit": "ms"}
    path.write_text("feature,cost\na,1\n")
    assert cost_unit(path) == {}
    assert cost_unit(None) == {}
    path.write_text("feature,cost,unit\na,1,ms\nb,2,s\n")
    with pytest.raises(DataError, match=r"in one unit to be added up\. Got ms, s"):
        cost_unit(path)


def test_prices_in_milliseconds_are_drawn_in_milliseconds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_letor(make_ranking(30, n_informative=2, n_redundant=1, n_noise=1, random_state=0)[0], "train.txt")
    (tmp_path / "timings.csv").write_text("feature,milliseconds\n" + "".join(f"{j},{j}.5\n" for j in range(1, 5)))
    assert run(["costs", "timings.csv", "-o", "costs.csv"]) == 0
    asked = ["--ranker", "ranksvm", "--methods", "gas", "--cv", "3", "-k", "2", "--costs", "costs.csv"]
    assert run(["select", "train.txt", *asked, "-o", "f.json"]) == 0
    assert json.loads((tmp_path / "f.json").read_text())["source"]["cost_unit"] == "ms"
    assert run(["report", "f.json", "-o", "r.html"]) == 0
    assert "cost of the features in milliseconds" in (tmp_path / "r.html").read_text()


def test_a_run_that_goes_on_tells_the_whole_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_letor(make_ranking(30, n_informative=2, n_redundant=1, n_noise=1, random_state=0)[0], "train.txt")
    asked = ["select", "train.txt", "--ranker", "ranksvm", "--methods", "gas", "--cv", "3", "-k", "2", "-o", "f.json"]
    assert run(asked) == 0
    first = json.loads((tmp_path / "f.json").read_text())["seconds"]
    database = sqlite3.connect("f.json.db")
    with database:  # as if the run before had taken an hour
        database.execute("UPDATE worked SET seconds = 3600.0")
    database.close()
    assert run([*asked, "--resume", "f.json.db"]) == 0
    assert 3600 < json.loads((tmp_path / "f.json").read_text())["seconds"] < 3600 + first + 60
    assert run(["report", "f.json", "-o", "r.md"]) == 0
    assert "in 1.0 hours" in (tmp_path / "r.md").read_text()
