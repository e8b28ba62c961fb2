"""The parts of a report: agreement of the folds, values by label, the glossary, prices and their unit, constants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.report.made_up import made_up

from leanrank import RankingData
from leanrank.data import to_frame
from leanrank.data.catalogue import Catalogue
from leanrank.report import glossary as glossaries
from leanrank.report import tables
from leanrank.report._summary import summarize
from leanrank.report.agreement import Agreement
from leanrank.report.charts import charts, path_name
from leanrank.report.distributions import GROUPS, distributions
from leanrank.report.html import html
from leanrank.report.markdown import markdown

NAMES = [f"f{j}" for j in range(30)]


def raced(selection):
    """The same where the other method was measured at two sizes, as in a race."""
    mrmr = [point for point in selection.curve if point.method == "mrmr"][:2]
    return replace(selection, curve=tuple(p for p in selection.curve if p.method != "mrmr" or p in mrmr))


def test_a_method_that_raced_at_a_few_sizes_is_points():
    selection, _ = made_up(NAMES)
    summary = summarize(raced(selection))
    spec = charts(summary)["curve"]
    assert not any(row["walked"] for row in spec["datasets"]["points"])
    lines = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    assert len(lines) == 1
    assert lines[0]["mark"]["strokeWidth"] == 3
    assert {row["method"] for row in spec["datasets"]["points"] if row["own"]} == {path_name(summary)}
    everywhere = charts(summarize(selection))["curve"]
    assert {row["method"] for row in everywhere["datasets"]["points"] if row["walked"]} == {"mrmr"}


def test_nothing_costs_anything_unless_prices_were_given():
    selection, data = made_up(NAMES)
    summary = summarize(selection, data)
    assert "pareto" not in charts(summary)
    assert "cost" not in html(summary).split("<body>")[1].split('<script type="application/json"')[0].lower()
    assert "cost" not in markdown(summary).lower()
    assert "cost" not in repr(selection)
    selection.plot_pareto()  # against the number of features


def test_prices_in_milliseconds_are_called_so():
    selection, data = made_up(NAMES, costs=dict.fromkeys(NAMES, 0.5))
    summary = summarize(replace(selection, source={"cost_unit": "ms"}), data)
    assert charts(summary)["pareto"]["layer"][0]["encoding"]["x"]["title"] == "cost of the features in milliseconds"
    assert ("cost, ms", "number") in tables.feature_columns(summary)
    assert "5 ms" in [figure for what, figure, _ in tables.summary_facts(summary) if what == "cost"]
    without = summarize(selection, data)
    assert charts(without)["pareto"]["layer"][0]["encoding"]["x"]["title"] == "cost of the features"


def test_constants_are_a_line_and_in_no_picture():
    selection, data = made_up(NAMES)
    X = np.array(data.X)
    X[:, 3], X[:, 7] = 1.0, 0.0
    flat = RankingData(X, data.y, data.query_ptr, query_ids=data.query_ids, feature_names=NAMES)
    settings = {**selection.settings, "fingerprint": flat.fingerprint()}
    summary = summarize(replace(selection, settings=settings), flat)
    assert tables.constants(summary) == "2 features never vary within a query: f3, f7."
    assert not {3, 7} & set(summary["graph"]["heatmap"]["columns"])
    assert not {3, 7} & set(summary["graph"]["drawing"]["columns"])
    assert tables.constants(summarize(selection, data)) == ""


def test_the_folds_and_the_choice_may_disagree():
    names = ("a", "b", "c", "d", "e")
    features = [{"name": name, "position": j + 1, "nearest": []} for j, name in enumerate(names)]
    features[3]["nearest"] = [[0, 0.1], [1, 0.96]]  # d is like b
    features[4]["nearest"] = [[0, 0.2]]
    agreement = Agreement(features, [0, 1, 2, 3, 4], frozenset({"c"}), 0.5)
    said = agreement.surprises({0: 1.0, 1: 0.2, 2: 0.0, 3: 0.8, 4: 0.6}, 3)
    assert [(entry["feature"], entry["kept"], entry["share"]) for entry in said] == [
        ("b", True, 0.2),
        ("c", True, 0.0),
        ("d", False, 0.8),
        ("e", False, 0.6),
    ]
    assert said[0]["reason"] == "folds chose d in its place (80% of them), to which it is alike by 0.96"
    assert said[1]["reason"] == "it was to be kept in any case"
    assert said[2]["reason"] == "b is kept, to which it is alike by 0.96"
    assert said[3]["reason"] == "all queries together put it in place 5, behind the 3 kept"
    assert agreement.surprises({}, 3) == []
    blind = replace(agreement, alike_from=None, in_any_case=frozenset())
    assert "place 2 of the 3 kept" in blind.surprises({0: 1.0, 1: 0.2, 2: 1.0}, 3)[0]["reason"]


def test_only_unsteady_features_have_bars():
    selection, data = made_up(NAMES, 5)
    summary = summarize(selection, data)
    often = dict(selection.stability["frequency"])
    bars = charts(summary)["stability"]["datasets"]["features"]
    assert {bar["feature"] for bar in bars} == {name for name, share in often.items() if share < 1}
    assert "1 feature was chosen in every fold, 9 in some of them." in tables.stability_says(summary)


def test_values_by_label_and_what_is_missing():
    rng = np.random.default_rng(0)
    y = np.repeat([0.0, 1.0, 2.0], 20)
    X = np.column_stack([y + 0.01 * rng.normal(size=60), rng.normal(size=60), np.full(60, np.nan)])
    X[:6, 1] = np.nan
    order = rng.permutation(60)
    known = distributions(RankingData(X[order], y[order], [0, 30, 60], missing=True))
    assert known["labels"] == ["0", "1", "2"]
    assert known["missing"] == [0.0, 0.1, 1.0]
    medians = [quartiles[1] for quartiles in known["spread"][0]["quartiles"]]
    assert medians == pytest.approx([0, 1, 2], abs=0.01)
    first = X[:20, 1]
    np.testing.assert_allclose(
        known["spread"][1]["quartiles"][0], np.percentile(first[~np.isnan(first)], [25, 50, 75]), rtol=1e-3
    )
    assert known["spread"][2]["quartiles"] == [None] * 3


def test_many_labels_are_grouped_and_sparse_data_are_the_same():
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(1)
    X, y = np.round(rng.random((50, 70)), 2), np.arange(50.0)
    dense = distributions(RankingData(X, y, [0, 25, 50]))
    assert len(dense["labels"]) == GROUPS
    assert dense == distributions(RankingData(csr_matrix(X), y, [0, 25, 50]))


def test_many_documents_are_looked_at_one_in_some(monkeypatch):
    monkeypatch.setattr("leanrank.report.distributions.LOOKED_AT", 20)
    data = RankingData(np.arange(60.0)[:, None], np.zeros(60), [0, 60])
    known = distributions(data)
    assert known["step"] == 3
    assert known["spread"][0]["quartiles"][0][1] == np.median(np.arange(0, 60, 3))


def test_the_glossary_has_every_method_and_links_where_there_is_a_site(monkeypatch):
    selection, data = made_up(NAMES)
    entries = summarize(selection, data)["glossary"]
    assert [entry["name"] for entry in entries] == ["gas", "mrmr"]
    assert all(entry["what"] for entry in entries)
    assert glossaries.glossary(["gas-2"])[0]["class"] == "GAS"
    assert glossaries.glossary(["mine"])[0]["what"] == "a selector of your own"
    monkeypatch.setattr(glossaries, "documentation", lambda: "https://docs.invalid/leanrank")
    page = html(summarize(selection, data))
    assert '<a href="https://docs.invalid/leanrank/generated/leanrank.GAS.html">gas</a>' in page


def test_a_report_takes_the_data_as_select_took_them(tmp_path):
    selection, data = made_up(NAMES)
    frame = to_frame(data, "pandas")
    for ending in ("json", "html"):
        selection.report(tmp_path / f"one.{ending}", data)
        selection.report(tmp_path / f"other.{ending}", frame, label="label", qid="qid")
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"other.{ending}").read_bytes()


def test_where_nothing_is_chosen_no_fold_disagrees():
    """Copies that are kept are in no fold's reference: that is no disagreement, and every feature is in every fold."""
    selection, data = made_up(NAMES)
    last = selection.curve[-1]
    assert last.method == "all features"
    few = {**selection.stability, "frequency": dict.fromkeys(selection.safe.features[:5], 1.0)}
    evidence = replace(selection.evidence, stability=few)
    curve = (*selection.curve[:-1], replace(last, evidence=evidence))
    summary = summarize(replace(selection, curve=curve).with_answer("safe"), data)
    assert summary["everything"]
    assert summary["surprises"] == []
    assert charts(summary)["stability"]["datasets"]["features"] == []


def test_a_feature_that_the_catalogue_does_not_know_has_a_dash():
    selection, data = made_up(["1", "2", "3", "4"], 2)
    known = Catalogue.of_dict({"1": {"name": "BM25"}, "2": {"description": "clicks"}})
    page = html(summarize(replace(selection, catalogue=known), data))
    assert ">None<" not in page
    assert '<td data-v="">–</td>' in page
