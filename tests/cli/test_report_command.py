"""`leanrank report` and `leanrank select --report`."""

from __future__ import annotations

import json

import pytest

from leanrank import make_ranking, write_letor
from leanrank.cli.app import run

SELECT = ["--ranker", "ranksvm", "--methods", "gas,mrmr", "--cv", "3", "--max-loss", "0.1"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with data, features.json, its journal and a report, as one command leaves it."""
    folder = tmp_path_factory.mktemp("report")
    data, _ = make_ranking(40, docs_per_query=10, n_informative=2, n_redundant=2, n_noise=4, random_state=0)
    write_letor(data, folder / "train.txt")
    write_letor(make_ranking(20, docs_per_query=10, n_informative=2, n_redundant=2, n_noise=4, random_state=1)[0],
                folder / "test.txt")  # fmt: skip
    arguments = ["select", str(folder / "train.txt"), *SELECT, "-o", str(folder / "features.json")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["leanrank", *arguments])
        assert run([*arguments, "--test", str(folder / "test.txt"), "--report", str(folder / "report.html")]) == 0
    return folder


def test_select_writes_a_report(made):
    page = (made / "report.html").read_text()
    assert "on test queries" in page
    assert f"leanrank select {made / 'train.txt'}" in page
    assert 'data-chart="heatmap"' in page


@pytest.mark.parametrize("source", ["features.json", "features.json.db"])
def test_the_same_report_can_be_made_later(made, tmp_path, source, capsys):
    assert run(["report", str(made / source), "-o", str(tmp_path / "again.html")]) == 0
    assert (tmp_path / "again.html").read_bytes() == (made / "report.html").read_bytes()
    assert "Written:" in capsys.readouterr().out


def test_pictures_markdown_and_json(made, tmp_path, capsys):
    target = str(tmp_path / "r.md")
    assert run(["report", str(made / "features.json"), "-o", target, "--charts", str(tmp_path / "charts")]) == 0
    assert len(list((tmp_path / "charts").iterdir())) == 10  # five charts: there are no prices, so no front
    assert (tmp_path / "r.md").read_text().startswith("# ")
    capsys.readouterr()
    assert run(["report", str(made / "features.json"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["test"]["difference"]["n_queries"] == 20
    assert summary["source"]["data"] == str(made / "train.txt")


def test_data_that_moved_or_changed_are_not_used(made, tmp_path, capsys):
    record = json.loads((made / "features.json").read_text())
    record["source"]["data"] = str(tmp_path / "gone.txt")
    moved = tmp_path / "moved.json"
    moved.write_text(json.dumps(record))
    assert run(["report", str(moved), "-o", str(tmp_path / "r.html")]) == 0
    assert "no longer in" in capsys.readouterr().err
    assert 'data-chart="heatmap"' not in (tmp_path / "r.html").read_text()
    assert run(["report", str(moved), "-o", str(tmp_path / "r.html"), "--data", str(made / "train.txt")]) == 0
    assert 'data-chart="heatmap"' in (tmp_path / "r.html").read_text()
    record["source"]["data"] = str(made / "test.txt")
    moved.write_text(json.dumps(record))
    assert run(["report", str(moved), "-o", str(tmp_path / "r.html")]) == 0
    assert "has changed since" in capsys.readouterr().err
    assert run(["report", str(moved), "-o", str(tmp_path / "r.html"), "--data", str(made / "test.txt")]) == 2
    assert "not the data the selection was made from" in capsys.readouterr().err


def test_bad_requests_are_refused_before_any_work(made, tmp_path, capsys):
    train = str(made / "train.txt")
    assert run(["select", train, "--report", "report.pdf"]) == 2
    assert "format of a report 'pdf'" in capsys.readouterr().err
    assert run(["order", train, "--method", "gas", "-o", str(tmp_path / "one.json")]) == 0
    assert run(["report", str(tmp_path / "one.json")]) == 2
    assert "the order of one method, which measured nothing" in capsys.readouterr().err
    assert run(["report", train]) == 2
    assert "neither a journal nor JSON" in capsys.readouterr().err
    assert run(["report", str(made / "features.json"), "-o", "x.doc"]) == 2
    assert "format of a report 'doc'" in capsys.readouterr().err


def test_a_table_is_read_as_select_read_it(tmp_path, capsys):
    """Also one that moved, and what is typed now wins."""
    rows = [(q, i, (7 * i + q) % 5, "ab"[i % 2], (i + q) % 3 + (i % 2)) for q in range(12) for i in range(6)]
    lines = [f"{query},{grade},{age},{depth},{brand}" for query, depth, age, brand, grade in rows]
    table = tmp_path / "judged.csv"
    table.write_text("\n".join(["query,grade,age,depth,brand", *lines]))
    reading = ["--label", "grade", "--qid", "query", "--categorical", "brand"]
    chosen, moved = tmp_path / "features.json", tmp_path / "moved.csv"
    assert run(["select", str(table), *reading, *SELECT, "-o", str(chosen)]) == 0
    capsys.readouterr()
    assert run(["report", str(chosen), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lint"]["n_queries"] == 12
    table.rename(moved)
    assert run(["report", str(chosen), "--data", str(moved), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lint"]["n_queries"] == 12
    assert run(["report", str(chosen), "--data", str(moved), "--label", "gradee"]) == 2
    assert "Unknown label column 'gradee'" in capsys.readouterr().err
