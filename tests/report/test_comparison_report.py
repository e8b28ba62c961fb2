"""Reports of `compare`, and what else a report can be made of."""

from __future__ import annotations

import json

import pytest

from leanrank import make_ranking, select
from leanrank.errors import DataError
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.journal import Journal
from leanrank.report._summary import summarize
from leanrank.report.charts import charts
from leanrank.report.comparison_tables import comparison_tables
from leanrank.report.html import html
from leanrank.report.loading import load_results
from leanrank.report.markdown import markdown


@pytest.fixture(scope="module")
def data():
    return make_ranking(20, docs_per_query=10, n_informative=2, n_redundant=2, n_noise=4, random_state=0)[0]


@pytest.fixture(scope="module")
def results(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("compare") / "results.db"
    what = {"methods": ["gas", "mmr"], "rankers": ["ranksvm"], "k": [2, 4], "metrics": ["ndcg@5", "map"]}
    compare(data, **what, journal=path, settings=CompareSettings(n_splits=3))
    return path


def test_every_table_is_in_the_report(results):
    found = load_results(results).results
    assert isinstance(found, Comparison)
    summary = summarize(found)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    tables = {table.title: table for table in comparison_tables(summary)}
    means = tables["ranksvm: mean over 3 folds"]
    expected = {(row.k, row.method): row.scores["map"] for row in found.means()}
    assert {(row[0], row[1]): row[3] for row in means.rows} == expected
    for k in (2, 4):
        best = max(round(value, 4) for (size, _), value in expected.items() if size == k)
        standing_out = [means.rows[r][3] for r, c in means.best if c == 3 and means.rows[r][0] == k]
        assert {round(value, 4) for value in standing_out} == {best}
    assert len(tables["ranksvm: map against all features, paired tests over 20 queries, two-sided"].rows) == 4
    assert len(tables["Features over folds"].rows) == 4
    assert "Unified ranking" in tables
    assert summary["sentence"].split()[0] in ("gas", "mmr")
    page, text = html(summary), markdown(summary)
    for title in tables:
        assert title in page
        assert title.split(":")[-1] in text.replace("\\", "")
    assert list(charts(summary)) == ["curve-1"]
    assert len(charts(summary)["curve-1"]["datasets"]["points"]) == 2 * 2 * 2


def test_a_comparison_of_which_nothing_is_finished(results):
    about = Comparison.load(results).about
    with Journal(None, about) as journal:
        summary = summarize(Comparison.of(journal, about))
    assert summary["sentence"] == "Nothing is finished yet."
    assert "Nothing is finished yet." in html(summary)
    assert charts(summary) == {}
    assert markdown(summary).startswith("# Nothing is finished yet.")


def test_a_journal_of_select_holds_its_answer(tmp_path, data):
    path = tmp_path / "run.db"
    selection = select(data, "ranksvm", methods=["gas"], n_features=2, cv=3, progress=False, journal=path)
    loaded = load_results(path).results
    assert loaded.to_dict() == json.loads(selection.to_json())
    selection.save(tmp_path / "features.json")
    assert load_results(tmp_path / "features.json").results.to_dict() == loaded.to_dict()


def test_what_no_report_can_be_made_of(tmp_path, data):
    with Journal(tmp_path / "open.db", {"seed": 1}) as journal:
        journal.put({"task": "path"}, 1)
    with pytest.raises(DataError, match=r"not finished. Repeat its command with --resume .*open.db"):
        load_results(tmp_path / "open.db")
    (tmp_path / "text.txt").write_text("0 qid:1 1:0.5\n")
    with pytest.raises(DataError, match="neither a journal nor JSON"):
        load_results(tmp_path / "text.txt")
    (tmp_path / "one.json").write_text('{"method": "GAS", "names": ["f01"], "ids": [1]}')
    with pytest.raises(DataError, match="order of one method"):
        load_results(tmp_path / "one.json")
    (tmp_path / "report.json").write_text('{"format": "leanrank-report"}')
    with pytest.raises(DataError, match="is a report already"):
        load_results(tmp_path / "report.json")
    with pytest.raises(DataError, match="cannot be read"):
        load_results(tmp_path / "none.json")
