"""`select` of a frame names the columns beside the features, and all results say that queries were weighted."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from leanrank import make_ranking, scan_parquet, select, write_parquet
from leanrank.cli._tables import show_comparison, show_selection
from leanrank.data import from_frame, to_frame
from leanrank.data.side_columns import SideColumns, joined
from leanrank.errors import DataError
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.records import ALL_FEATURES, FoldRecord
from leanrank.evaluation.select.saved_selection import load_selection
from leanrank.evaluation.significance import paired_t_test
from leanrank.report._summary import summarize
from leanrank.report.html import html
from leanrank.report.markdown import markdown

QUICK = {"ranker": "ranksvm", "methods": ["gas"], "effort": "quick", "cv": 3, "n_features": 2, "progress": False}
COLUMNS = {"query_weight": "traffic", "slices": ["country"], "time": "day", "query_group": "text"}
SAID = "queries count by their weights in 'traffic', from 0.5 to 4"


@pytest.fixture(scope="module")
def frame():
    data = make_ranking(40, 6, n_informative=2, n_redundant=1, n_noise=3, random_state=0)[0]
    query = np.repeat(np.arange(40), data.query_sizes)
    kinds = {"traffic": np.where(query % 4, 0.5, 4.0), "country": np.where(query % 2, "de", "fr"), "day": query // 5}
    return to_frame(data, "pandas").assign(**kinds, text=query // 2, brand=np.where(query % 3, "x", "y"))


@pytest.fixture(scope="module")
def selection(frame):
    return select(frame, label="label", qid="qid", **COLUMNS, categorical=["brand"], **QUICK)


def test_the_same_as_from_frame(frame, selection):
    data = from_frame(frame, label="label", qid="qid", **COLUMNS, categorical=["brand"])
    again = select(data, **QUICK)
    for name in ("answers", "curve", "settings"):
        assert again.to_dict()[name] == selection.to_dict()[name]
    assert {one.slice for one in selection.slices} == {"country"}
    assert "brand" in selection.feature_names
    assert "traffic" not in selection.feature_names


def test_what_is_complete_takes_no_columns(frame, tmp_path):
    data = from_frame(frame, label="label", qid="qid", **COLUMNS, features=["f01", "f02"])
    with pytest.raises(DataError, match=r"A RankingData is complete: leave out query_weight="):
        select(data, query_weight="traffic", **QUICK)
    write_parquet(data, tmp_path / "data.parquet")
    with pytest.raises(DataError, match=r"A source is complete: leave out slices="):
        select(scan_parquet(tmp_path / "data.parquet"), slices=["country"], **QUICK)
    with pytest.raises(TypeError, match="unexpected keyword argument 'slice': did you mean 'slices'"):
        select(frame, slice="country", **QUICK)


def test_results_say_that_queries_were_weighted(frame, selection, tmp_path):
    told = f"{SAID[:1].upper()}{SAID[1:]}: means, intervals and certificates are weighted."
    screen = io.StringIO()
    show_selection(selection, None, Console(file=screen, width=300), tmp_path / "run.db")
    assert f"Mind: {SAID}: means" in screen.getvalue()
    assert f"weights   {SAID}" in repr(selection)
    assert "queries count by their weights" in selection._repr_html_()
    summary = summarize(selection)
    assert told in summary["notes"]
    assert told.replace("'", "&#39;") in html(summary)
    assert "Queries count by their weights" in markdown(summary)
    selection.save(tmp_path / "features.json")
    assert f"weights   {SAID}" in repr(load_selection(tmp_path / "features.json"))
    named = {**COLUMNS, "categorical": ["brand"]}
    selection.report(tmp_path / "report.md", frame, label="label", qid="qid", **named)
    assert "Queries count by their weights" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_a_comparison_says_it_too(frame):
    data = from_frame(frame, label="label", qid="qid", query_weight="traffic", features=["f01", "f02", "f03"])
    settings = CompareSettings(n_splits=3)
    table = compare(data, methods=["gas"], rankers=["ranksvm"], k=[1], metrics=["map"], n_jobs=1, settings=settings)
    assert "queries count by their weights" in table._repr_html_()
    assert SAID in markdown(summarize(table))
    screen = io.StringIO()
    show_comparison(table, None, Console(file=screen, width=300))
    assert f"Mind: {SAID}: means and tests are weighted." in screen.getvalue()


def test_a_comparison_has_slices(frame):
    more = {"query_weight": "traffic", "slices": ["country"], "features": ["f01", "f02", "f03"]}
    data, settings = from_frame(frame, label="label", qid="qid", **more), CompareSettings(n_splits=3)
    asked = {"methods": ["gas"], "rankers": ["ranksvm"], "k": [1], "metrics": ["map"], "n_jobs": 1}
    table = compare(data, **asked, settings=settings)
    rows = {row.title: row for row in table.slices()}
    assert list(rows) == ["country=de", "country=fr"]
    of_all, chosen = (table.runs["ranksvm", k, method] for k, method in ((None, ALL_FEATURES), (1, "gas")))
    d, weight = chosen.per_query("map") - of_all.per_query("map"), chosen.query_weights
    for title, row in rows.items():
        here = (chosen.query_slices["country"] == title[-2:]) & ~np.isnan(d)
        assert row.difference == pytest.approx(np.average(d[here], weights=weight[here]))
        assert row.n_queries == here.sum()
        both = paired_t_test(d[here], 0 * d[here], weight=weight[here], confidence=0.975)  # two slices
        assert (row.low, row.high) == pytest.approx((both.low, both.high))
    assert "in slices of the queries" in markdown(summarize(table))
    again = FoldRecord.from_dict(chosen.records[0].to_dict())
    assert again == chosen.records[0]
    damaged = {**again.to_dict(), "query_slices": {"country": ["de"]}}
    with pytest.raises(DataError, match="a fold has 1 country of its queries"):
        FoldRecord.from_dict(damaged)
    plain = compare(replace(data, beside=SideColumns()), **asked, settings=settings)
    assert plain.slices() == []
    assert "slices" not in plain.to_dict()


def test_without_weights_nothing_is_said(frame):
    few = frame[["label", "qid", "f01", "f02", "f03"]]
    plain = select(few, label="label", qid="qid", **QUICK)
    assert "query_weights" not in plain.settings
    assert "weight" not in repr(plain)


def test_names_of_columns_stay_with_them():
    side = SideColumns(query_weight=np.array([1.0, 2.0]), names={"query_weight": "traffic"})
    assert side.taken(slice(0, 1), slice(0, 1)).names == side.names
    assert joined([side, SideColumns(query_weight=np.array([1.0]))]).names == side.names
    assert side.equals(SideColumns(query_weight=np.array([1.0, 2.0])))
