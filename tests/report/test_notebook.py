"""What a notebook shows: cards of HTML without script where every name is text, frames, and altair charts."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from tests.report.made_up import HOSTILE, made_up

from leanrank import GAS, LeanSelector, RankingData, feature_graph
from leanrank.errors import UnknownNameError
from leanrank.evaluation import Comparison
from leanrank.evaluation.compare.run import compare
from leanrank.stats.lint import lint

SELECTION, DATA = made_up(list(HOSTILE), costs=None)


class Strict(HTMLParser):
    """Refuses everything but the few elements of a card, attributes that do something, and elements left open."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        assert tag in {"div", "table", "thead", "tbody", "tr", "th", "td"}, tag
        assert {name for name, _ in attrs} <= {"style", "class"}, attrs
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    parser = Strict()
    parser.feed(html)
    parser.close()
    assert not parser.open
    return "\n".join(parser.text)


def shown():
    return {
        "selection": SELECTION,
        "fitted selector": GAS(4).fit(DATA),
        "selector": LeanSelector("<script>alert(1)</script>"),
        "graph": feature_graph(DATA),
        "lint": lint(DATA),
    }


@pytest.mark.parametrize("what", shown())
def test_a_card_has_no_script_and_no_name_is_markup(what):
    html = shown()[what]._repr_html_()
    read(html)
    assert "<script" not in html
    assert "background:transparent" in html  # light or dark: the page's own paper, and its ink
    assert "color:inherit" in html


def test_a_selection_shows_the_answer_its_features_and_the_other_answers():
    text = read(SELECTION._repr_html_())
    assert SELECTION.sentence() in text
    assert SELECTION.chosen.risk in text
    assert "certified" in text
    for name in SELECTION.features:
        assert name[:119] in text
    assert "cost" not in text.split("\n")  # nobody gave prices


def test_a_selector_shows_what_it_took_and_a_notebook_asks_for_nothing_else():
    selector = GAS(2).fit(DATA)
    text = read(selector._repr_mimebundle_()["text/html"])
    assert "2 of 17 features" in text
    assert selector.trace_[0]["reason"] in text
    with sklearn.config_context(display="text"):
        assert list(selector._repr_mimebundle_()) == ["text/plain"]


def test_a_graph_shows_its_most_important_features_first():
    graph = feature_graph(DATA)
    text = read(graph._repr_html_())
    assert graph.strongest_pairs(1)[0][0][:119] in text
    assert "30 queries" in text
    assert graph.plot_heatmap().to_dict() == graph.heatmap().to_dict()


def test_lint_shows_its_findings():
    report = lint(RankingData([[7.0, 1.0], [7.0, 0.0]], [1, 0], [0, 2], feature_names=["<b>same</b>", "age"]))
    assert [finding.kind for finding in report.findings] == ["constant", "leaking"]
    assert "<b>same</b>" in read(report._repr_html_())
    assert all(finding.message in read(report._repr_html_()) for finding in report.findings)


def test_a_comparison_shows_its_means():
    small = made_up(["<b>one</b>", "two", "three"], 2)[1]
    result = compare(small, methods=["gas"], rankers=["ranksvm"], k=[2], metrics=["ndcg@10"], n_jobs=1)
    assert isinstance(result, Comparison)
    text = read(result._repr_html_())
    assert "gas" in text
    assert f"{result.means()[-1].scores['ndcg@10']:,.4g}" in text


def test_long_tables_say_how_much_is_left_out():
    selection, _ = made_up([f"f{j}" for j in range(60)], 45)
    assert "and 25 more" in read(selection._repr_html_())


@pytest.mark.parametrize(
    ("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_frames_of_every_part_in_every_library(library, frame):
    for part, n_rows in (("curve", len(SELECTION.curve)), ("features", len(HOSTILE)), ("answers", 3)):
        made = SELECTION.to_frame(part, library)
        assert isinstance(made, frame)
        assert len(made) == n_rows


def test_frames_say_what_the_selection_says():
    curve = SELECTION.to_frame()
    assert isinstance(curve, pd.DataFrame)  # what is installed
    assert curve["mean"].tolist() == [point.mean for point in SELECTION.curve]
    assert curve["chosen"].sum() == 1
    features = SELECTION.to_frame("features").sort_values("position")
    assert features["name"].tolist() == list(SELECTION.path)
    assert set(features["name"][features["kept"]]) == set(SELECTION.features)
    assert SELECTION.to_frame("answers")["k"].tolist() == [answer.k for answer in SELECTION.answers.values()]
    with pytest.raises(UnknownNameError, match="Unknown part of a selection 'curv': did you mean 'curve'"):
        SELECTION.to_frame("curv")


def test_frames_have_a_cost_only_where_there_are_prices():
    for part in ("curve", "features", "answers"):
        assert "cost" not in SELECTION.to_frame(part).columns
    names = ["one", "two", "three"]
    priced, _ = made_up(names, 2, costs=dict.fromkeys(names, 2.0))
    assert priced.to_frame()["cost"].tolist() == [point.cost for point in priced.curve]
    assert priced.to_frame("answers")["cost"].tolist() == [answer.cost for answer in priced.answers.values()]


@pytest.mark.parametrize("name", ["curve", "pareto", "stability"])
def test_charts_are_altair_charts_with_the_figures_in_them(name):
    import altair
    import vl_convert

    selection, _ = made_up([f"f{j}" for j in range(12)], 4, costs={f"f{j}": 2.0 for j in range(12)})
    chart = getattr(selection, f"plot_{name}")()
    assert isinstance(chart, altair.TopLevelMixin)
    assert chart.to_dict()["width"] == 560
    assert "<svg" in vl_convert.vegalite_to_svg(chart.to_dict())


def test_reading_a_card_needs_no_chart_library():
    code = (
        "import leanrank, sys; data, _ = leanrank.make_ranking(4, random_state=0);"
        "leanrank.feature_graph(data)._repr_html_(); assert 'altair' not in sys.modules and 'jinja2' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
