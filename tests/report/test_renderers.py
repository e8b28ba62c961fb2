"""HTML, Markdown and JSON of one summary: complete, inert, whole."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.report.made_up import HOSTILE, made_up

from leanrank.errors import DataError, UnknownNameError
from leanrank.report._summary import summarize
from leanrank.report.chart_files import write_charts
from leanrank.report.charts import charts
from leanrank.report.graph_charts import expanded
from leanrank.report.html import embedded, html
from leanrank.report.markdown import escaped, markdown
from leanrank.report.tables import how_to_repeat
from leanrank.report.writing import write_report


class Seen(HTMLParser):
    """Tags, script bodies and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: dict[str, str] = {}
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self._inside.append(dict(attributes).get("id") or tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._inside.pop()

    def handle_data(self, data):
        if self._inside:
            self.scripts[self._inside[-1]] = self.scripts.get(self._inside[-1], "") + data
        else:
            self.text.append(data)


@pytest.fixture(scope="module")
def hostile():
    selection, data = made_up([*HOSTILE, *(f"f{j}" for j in range(20))], 15)
    return summarize(selection, data)


@pytest.fixture(scope="module")
def page(hostile):
    return html(hostile)


def test_hostile_names_make_no_tags_and_no_attributes(page):
    seen = Seen(page)
    plain = Seen(html(summarize(*made_up([f"n{j}" for j in range(len(HOSTILE) + 20)], 15))))
    assert [tag for tag, _ in seen.tags] == [tag for tag, _ in plain.tags]
    assert not any(name.startswith("on") for _, attributes in seen.tags for name in attributes)
    shown = " ".join(seen.text)
    for feature in json.loads(seen.scripts["page-data"])["features"][: len(HOSTILE)]:
        assert feature[0] in HOSTILE
    kept = [name for name in HOSTILE if name in shown]
    assert kept  # as text


def test_the_page_asks_nobody_for_anything(page):
    seen = Seen(page)
    addresses = [
        attributes.get(name) for _, attributes in seen.tags for name in ("src", "href") if attributes.get(name)
    ]
    assert [address for address in addresses if not address.startswith("#")] == ["data:,"]
    places = {attributes.get("id") for _, attributes in seen.tags}
    assert {address[1:] for address in addresses if address.startswith("#")} <= places
    policy = next(a["content"] for t, a in seen.tags if t == "meta" and "http-equiv" in a)
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert policy.count("sha256-") == 2
    assert "@import" not in seen.scripts["style"]
    assert "url(" not in seen.scripts["style"]


def test_the_data_of_the_page_are_json(page, hostile):
    seen = Seen(page)
    script = json.loads(seen.scripts["page-data"])
    assert script["n_kept"] == 15
    assert [row[0] for row in script["features"]] == [f["name"] for f in hostile["features"]]
    assert set(json.loads(seen.scripts["chart-data"])) == {
        "curve", "queries", "stability", "heatmap", "graph"
    }  # fmt: skip


@pytest.mark.parametrize("text", ["</script>", "<!--", "\u2028", "\u2029", "a<b"])
def test_embedded_json_cannot_end_its_element(text):
    written = embedded({"name": text})
    assert json.loads(written) == {"name": text}
    assert not re.search("[<\u2028\u2029]", written)


def test_two_reports_of_one_selection_are_equal(tmp_path):
    selection, data = made_up([f"f{j}" for j in range(12)], 4)
    first, second = tmp_path / "a.html", tmp_path / "b.html"
    selection.report(first, data)
    selection.report(second, data)
    assert first.read_bytes() == second.read_bytes()
    assert list(tmp_path.iterdir()) in ([first, second], [second, first])  # nothing half written left


def test_a_report_without_data_has_no_empty_places(tmp_path):
    selection, _ = made_up([f"f{j}" for j in range(12)], 4)
    page = html(summarize(selection))
    assert 'data-chart="heatmap"' not in page
    assert "close to it" not in Seen(page).text
    assert "need the data" in page


def test_every_feature_kept(tmp_path):
    selection, data = made_up(["a", "b", "c"], 2)
    alone = (selection.curve[-1],)
    everything = replace(selection, answer="certified", path_method="all features", curve=alone, pareto=alone)
    summary = summarize(everything, data)
    page = html(summary)
    assert 'type="range"' not in page  # there is no path to slide along
    assert "No query loses" in page
    assert "not defined where every feature is kept" in page
    assert "queries" not in charts(summary)
    assert markdown(summary).startswith("# Keep all 3 features")


def test_markdown_is_one_line_a_row_and_shows_names_as_they_are(hostile):
    text = markdown(hostile)
    assert text.startswith("# 15 of 37 features keep NDCG@10")
    table = text[text.index("## Features kept") :].split("\n\n")[1].splitlines()
    assert len(table) == 2 + 15
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {8}  # no cost, but values by label
    assert "<script" not in text
    assert "<img" not in text
    assert escaped("a|b\n*c*") == r"a\|b \*c\*"


def test_json_is_the_summary(tmp_path, hostile):
    selection, data = made_up([*HOSTILE, *(f"f{j}" for j in range(20))], 15)
    path = tmp_path / "report.json"
    summary = write_report(selection, path, data)
    assert json.loads(path.read_text(encoding="utf-8")) == summary == hostile


def test_half_a_character_can_be_written(tmp_path):
    selection, _ = made_up(["a", "b", "c", "d"], 2)
    broken = replace(selection, recommended=replace(selection.recommended, reason="half \ud800 a character"))
    for name in ("r.html", "r.md", "r.json"):
        broken.report(tmp_path / name)
        assert r"half \ud800" in (tmp_path / name).read_text(encoding="utf-8").replace("\\\\", "\\")


def test_formats_are_by_name_and_others_are_refused(tmp_path):
    selection, _ = made_up(["a", "b", "c", "d"], 2)
    write_report(selection, tmp_path / "text.txt", form="md")
    assert (tmp_path / "text.txt").read_text().startswith("# 2 of 4")
    with pytest.raises(UnknownNameError, match="format of a report 'pdf'"):
        selection.report(tmp_path / "report.pdf")
    with pytest.raises(DataError, match="cannot be written"):
        selection.report(tmp_path / "none" / "report.md")


def test_every_chart_becomes_a_picture(tmp_path, hostile):
    import xml.etree.ElementTree as ET

    names = {path.name for path in write_charts(hostile, tmp_path / "charts")}
    wanted = ("curve", "queries", "stability", "heatmap", "graph")
    assert names == {f"{name}.{suffix}" for name in wanted for suffix in ("png", "svg")}
    for name in wanted:
        assert (tmp_path / "charts" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        ET.parse(tmp_path / "charts" / f"{name}.svg")


def test_the_curve_has_every_point_and_its_interval(hostile):
    spec = charts(hostile)["curve"]
    points = spec["datasets"]["points"]
    measured = [p for p in hostile["curve"] if not p["all"]]
    assert [(p["method"].removeprefix("the path: "), p["k"]) for p in points] == [
        (p["method"], p["k"]) for p in measured
    ]
    for drawn, point in zip(points, measured, strict=True):
        assert drawn["low"] == pytest.approx(0.5 + point["low"], abs=1e-6)
        assert drawn["low"] <= drawn["mean"] <= drawn["high"]
    assert [p["k"] for p in points if p["chosen"]] == [15]


def test_the_heatmap_is_the_similarity(hostile):
    spec = expanded(charts(hostile)["heatmap"])
    cells = spec["datasets"]["cells"]
    assert len(cells) == 37**2
    assert all(cell["similarity"] == 1 for cell in cells if cell["feature"] == cell["other"])
    both = {(c["feature"], c["other"]): c["similarity"] for c in cells}
    assert all(both[b, a] == value for (a, b), value in both.items())


def test_how_to_repeat_a_call():
    selection, _ = made_up(["a", "b", "c", "d"], 2)
    assert "methods=['gas', 'mrmr']" in how_to_repeat(summarize(selection))
    assert "random_state=0" in how_to_repeat(summarize(selection))


def test_the_forecast_stands_on_the_page_once(tmp_path):
    selection, data = made_up([f"f{j}" for j in range(20)])
    for ending in ("html", "md"):
        path = tmp_path / f"report.{ending}"
        selection.report(path, data)
        assert path.read_text().split("<script")[0].count(f"{selection.forecast.sentence()}.") == 1
