"""`leanrank select` and `compare` with several metrics, slices, groups and folds in time."""

from __future__ import annotations

import json

import numpy as np
import pytest

from leanrank import make_ranking
from leanrank.cli.app import run as run_command
from leanrank.data import to_frame

QUICK = ["--ranker", "ranksvm", "--methods", "gas", "--effort", "quick", "-j", "1"]
COLUMNS = ["--label", "label", "--qid", "qid", "--time", "day", "--query-group", "text", "--slice", "country"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    data = make_ranking(60, 8, n_informative=2, n_redundant=0, n_noise=4, random_state=0)[0]
    rows = np.repeat(np.arange(60), data.query_sizes)
    frame = to_frame(data, "pandas")
    frame["day"], frame["text"], frame["country"] = rows // 2, rows // 3, np.where(rows % 3, "de", "fr")
    place = tmp_path_factory.mktemp("slices")
    frame.to_csv(place / "judged.csv", index=False)
    return place


@pytest.fixture
def run(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def command(*arguments):
        code = run_command(list(arguments))
        said = capsys.readouterr()
        return code, " ".join((said.out + said.err).split())

    return command


def test_several_metrics_and_slices(run, folder):
    more = ["--metric", "ndcg@10,map", "--max-loss", "0.5,0.4", "--certify-slices", "--folds", "3"]
    code, said = run("select", "judged.csv", *COLUMNS, *QUICK, *more, "-o", "features.json", "--report", "report.md")
    assert code == 0
    assert "Also: MAP" in said
    assert "In slices: country=" in said
    assert "60 judged queries in 20 groups" in said
    record = json.loads((folder / "features.json").read_text())
    assert record["settings"]["max_losses"] == {"ndcg@10": 0.5, "map": 0.4}
    assert record["settings"]["certify_slices"] is True
    report = (folder / "report.md").read_text()
    assert "## Every metric" in report
    assert "## Slices of the queries" in report
    code, said = run("select", "--from", "features.json", "--max-loss", "0.9,0.9", "-o", "other.json")
    assert code == 0
    assert json.loads((folder / "other.json").read_text())["settings"]["max_losses"] == {"ndcg@10": 0.9, "map": 0.9}


def test_folds_in_time(run, folder):
    code, said = run("select", "judged.csv", *COLUMNS, *QUICK, "--folds", "time:2", "-k", "2", "-o", "time.json")
    assert code == 0
    assert "earliest are never tested" in said
    assert json.loads((folder / "time.json").read_text())["settings"]["cv"] == "time:2"
    compared = ["--methods", "gas", "--rankers", "ranksvm", "-k", "2", "--metrics", "map", "-j", "1", "-o", "time.db"]
    code, said = run("compare", "judged.csv", *COLUMNS, *compared, "--folds", "time:2", "--json")
    assert code == 0
    tables = json.loads(said[said.index("{") :])
    assert len(tables["about"]["folds"]) == 2
    [row] = tables["tests"]["rows"]
    assert tables["tests"]["over"] == "groups of queries"
    assert row["t"]["n"] == 10  # groups, of the queries in the last two windows


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--folds", "time"], "needs the time of every query, and these data have no such column"),
        (["--folds", "soon"], "--folds must be a number, or time, or time:4 for so many folds. Got 'soon'"),
        (["--certify-slices"], "certify_slices needs slices, and these data have none"),
        (["--max-loss", "0.1,0.2"], "--max-loss must be one number, or one for each of the 1 metrics"),
        (["--max-loss", "little"], "--max-loss must be a number, or several with commas. Got 'little'"),
        (["--metric", "map,map"], "one or more metrics of different names"),
    ],
)
def test_what_cannot_be_is_refused(run, arguments, said):
    code, message = run(
        "select", "judged.csv", *COLUMNS[:4], "--comments", "country", *QUICK, *arguments, "-o", "x.json"
    )
    assert code == 2
    assert said in message
