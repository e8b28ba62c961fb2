"""What a reader of the report may rely on, in Chromium: the first screen, tables, charts and their words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.browser.measures import OVERLAPS, STICKING_OUT
from tests.browser.test_report_page import column, slide
from tests.report.made_up import made_up

from leanrank.data.catalogue import Catalogue

NAMES = [f"bm25_of_field_{j}" for j in range(60)]


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """Forty of sixty features kept, two of them chosen by few folds; the other method raced at three sizes."""
    selection, data = made_up(NAMES, 40)
    few = [point for point in selection.curve if point.method == "mrmr"][3:6]
    often = {**selection.stability["frequency"], **dict.fromkeys(selection.features[:2], 0.2)}
    evidence = replace(selection.evidence, stability={**selection.stability, "frequency": often})
    curve = [replace(p, evidence=evidence) if p.method == "gas" else p for p in selection.curve]
    selection = replace(selection, curve=tuple(p for p in curve if p.method != "mrmr" or p in few))
    path = tmp_path_factory.mktemp("long") / "report.html"
    selection.report(path, data)
    return path


@pytest.fixture(scope="module")
def priced(tmp_path_factory):
    """A selection with prices in milliseconds."""
    selection, data = made_up(NAMES[:20], 6, costs=dict.fromkeys(NAMES[:20], 1.0))
    path = tmp_path_factory.mktemp("priced") / "report.html"
    replace(selection, source={"cost_unit": "ms"}).report(path, data)
    return path


@pytest.fixture(scope="module")
def catalogued(tmp_path_factory):
    """A selection whose features have names in a catalogue."""
    selection, data = made_up([str(j) for j in range(1, 31)], 6)
    known = {str(j): {"name": f"BM25 of field {j}", "description": f"what field {j} says"} for j in range(1, 31)}
    path = tmp_path_factory.mktemp("catalogued") / "report.html"
    replace(selection, catalogue=Catalogue.of_dict(known)).report(path, data)
    return path


def shown(page, table: str) -> int:
    return page.evaluate(
        "(id) => [...document.querySelectorAll(`#${id} tbody tr`)].filter((row) => row.checkVisibility()).length", table
    )


def test_the_first_screen_has_answer_names_and_how_sure(open_page, demo):
    page = open_page(demo, width=1280).page
    for what in ("#sentence", "#badge", "#tiles", "#names", "#copy", "#risk", "#reason"):
        box = page.locator(what).bounding_box()
        assert box["y"] + box["height"] <= 900, what
    assert page.inner_text("#names") == ", ".join(column(page, "kept", 2))


def test_the_names_can_be_copied(open_page, demo):
    page = open_page(demo).page
    taking = "{ value: { writeText: async (text) => { window.copied = text; } } }"
    page.evaluate(f"Object.defineProperty(navigator, 'clipboard', {taking})")
    slide(page, 2)
    page.click("#copy")
    page.wait_for_function("window.copied !== undefined")
    assert page.evaluate("window.copied") == ", ".join(column(page, "kept", 2))
    assert page.inner_text("#copy") == "copied"


def test_names_of_a_catalogue_are_shown_and_those_of_the_data_copied(open_page, catalogued):
    page = open_page(catalogued).page
    assert page.inner_text("#names") == ", ".join(name.split(":")[0] for name in column(page, "kept", 2))
    assert all("BM25 of field" in name for name in column(page, "kept", 2))
    slide(page, 9)
    assert page.inner_text("#names").count(",") == 8
    assert "BM25" not in page.inner_text("#names")
    assert len(page.locator("#described tbody tr").all()) == 30  # of all features, whatever the slider shows
    assert "what field 3 says" in column(page, "described", 3)


@pytest.mark.parametrize("which", ["demo", "sliced", "comparison"])
def test_the_table_of_contents_leads_to_every_section(open_page, request, which):
    page = open_page(request.getfixturevalue(which)).page
    links = page.evaluate("[...document.querySelectorAll('.contents a')].map((a) => a.getAttribute('href'))")
    sections = page.evaluate("[...document.querySelectorAll('main > section[id]')].map((s) => `#${s.id}`)")
    assert links == sections
    page.click(f".contents a[href='{links[-1]}']")
    page.wait_for_function("window.scrollY > 500")


def test_a_long_table_is_folded_can_be_searched_and_saved(open_page, long):
    page = open_page(long).page
    tools = page.locator("#features .tools").first
    assert shown(page, "kept") == 20
    names = column(page, "kept", 2)
    tools.locator("input").fill(names[30])
    assert shown(page, "kept") == sum(names[30] in row for row in page.locator("#kept tbody tr").all_text_contents())
    tools.locator("input").fill("")
    assert shown(page, "kept") == 20
    with page.expect_download() as download:
        tools.locator(".file").click()
    lines = download.value.path().read_text().splitlines()
    assert download.value.suggested_filename == "kept.csv"
    assert len(lines) == 41
    assert lines[1].split(",")[1] == names[0]
    assert tools.locator(".all").inner_text() == "all 40 rows"
    tools.locator(".all").click()
    assert shown(page, "kept") == 40
    slide(page, 10)
    assert not tools.is_visible()
    assert shown(page, "kept") == 10


def test_the_path_is_the_only_line_and_a_race_is_points(open_page, long):
    page = open_page(long).page
    curve = "[data-chart=curve] svg"
    assert page.locator(f"{curve} .mark-line path").count() == 1
    assert page.locator(f"{curve} .mark-symbol path[aria-label*='mrmr']").count() >= 3


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("which", ["long", "priced"])
def test_nothing_in_a_chart_collides(open_page, request, which, width):
    """The legend above the plot; titles of axes clear of their ticks; labels beside each other."""
    page = open_page(request.getfixturevalue(which), width=width).page
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate(STICKING_OUT) == []
    legend = page.locator("[data-chart=curve] .role-legend").first.bounding_box()
    plot = page.locator("[data-chart=curve] .mark-area").first.bounding_box()
    assert legend["y"] + legend["height"] <= plot["y"] + 1


def test_no_cost_is_spoken_of_unless_there_are_prices(open_page, demo, priced):
    page = open_page(demo).page
    for k in (1, 2, 5):
        slide(page, k)
        assert "cost" not in page.inner_text("body").lower()
    page = open_page(priced).page
    assert "cost of the features in milliseconds" in page.text_content("[data-chart=pareto] svg")
    assert "6 ms" in page.inner_text("#tiles")
    assert page.inner_text("#cost-says") == "Together they cost 6 ms of 20 ms."


@pytest.mark.parametrize("width", [390, 1280])
def test_the_heatmap_takes_the_full_width(open_page, long, width):
    page = open_page(long, width=width).page
    place = page.locator("[data-chart=heatmap]").bounding_box()["width"]
    drawn = page.locator("[data-chart=heatmap] svg, [data-chart=heatmap] canvas").first.bounding_box()["width"]
    assert drawn >= place - 40


def test_every_feature_has_its_values_by_label(open_page, long):
    page = open_page(long).page
    assert page.locator("#kept td.spread svg circle").count() >= 40
    page.click("#left-out summary")
    page.wait_for_selector("#left-out-table td.spread svg")


def test_where_folds_and_choice_disagree_the_reason_is_given(open_page, long):
    page = open_page(long).page
    for k in (40, 5):
        slide(page, k)
        lines = page.locator("#surprises tbody tr").all()
        rows = [line.locator("td").all_text_contents() for line in lines]
        folds = zip(column(page, "kept", 2), column(page, "kept", 5), strict=True)
        few = {name for name, share in folds if int(share.removesuffix("%")) < 50}
        assert len(few) == 2
        assert {row[0] for row in rows if row[1] == "kept"} == few
        assert all(int(row[2].removesuffix("%")) > 50 for row in rows if row[1] == "left out")
        assert all("place" in row[3] or "alike" in row[3] for row in rows)
    assert {row[1] for row in rows} == {"kept", "left out"}


@pytest.mark.parametrize(("which", "link"), [("demo", "#table-says a"), ("comparison", "td a")])
def test_a_link_to_a_method_opens_its_page(open_page, request, which, link):
    opened = open_page(request.getfixturevalue(which), width=390)
    page = opened.page
    assert page.locator("details.method[open]").count() == 0
    link = page.locator(link).first
    name, target = link.inner_text(), link.get_attribute("href")
    link.click()
    entry = page.locator(f"details.method[open]:has({target})")
    entry.wait_for()
    assert entry.locator("summary").inner_text().startswith(name)
    assert page.locator("details.method[open]").count() == 1
    page.wait_for_function(
        f"(() => {{ const y = document.querySelector('{target}').getBoundingClientRect().y;"
        " return y > 0 && y < innerHeight / 2; })()"
    )
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert opened.complaints == []


def test_a_method_is_read_without_any_script(browser, demo):
    """The browser itself unfolds what a link leads into."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{demo.as_uri()}#method-gas")
    assert page.locator("#method-gas").is_visible()
    assert not page.locator("#method-mrmr").is_visible()
    assert "SIGIR 2007" in page.inner_text("#method-gas")
    context.close()
