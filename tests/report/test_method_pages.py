"""The page of a method inside a report: whole, escaped, and where every link of the report leads."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.report.made_up import HOSTILE, made_up

from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.report._summary import summarize
from leanrank.report.formulas import formula
from leanrank.report.glossary import anchors, glossary, pages
from leanrank.report.html import html
from leanrank.report.markdown import markdown
from leanrank.report.method_page import MethodPage, html_of
from leanrank.selectors import registry

NAMES = [f"f{j}" for j in range(12)]


def targets(page: str) -> tuple[set[str], list[str]]:
    """The places that links inside a page lead to, and the ids that there are."""
    written = page.split('<script type="application/json"')[0]
    return set(re.findall(r'href="#([^"]+)"', written)), re.findall(r' id="([^"]+)"', written)


@pytest.mark.parametrize("name", registry.names())
def test_every_method_has_a_page(name):
    [entry], page = glossary([name]), pages([name])[name]
    assert entry["what"]
    assert entry["made"].startswith(f"{entry['class']}(")
    assert len(page.text.striptags()) > 40
    assert len(page.parameters) > 0
    assert all(kind for _, kind, _ in page.parameters)
    assert "default=" in page.parameters[0][1]
    assert re.search(r"\b(19|20)\d\d\b|Technical report", page.references)
    whole = page.text + page.notes + page.references
    for _, _, text in page.parameters:
        whole += text
    for mark in (":math:", "``", ".. math", "----", "\\"):
        assert mark not in whole, mark


def test_a_report_links_every_method_to_its_page():
    selection, data = made_up(NAMES, costs=dict.fromkeys(NAMES, 2.0))
    page = html(summarize(selection, data))
    links, ids = targets(page)
    assert {"method-gas", "method-mrmr"} <= links <= set(ids)
    assert len(ids) == len(set(ids))
    gas = '<a href="#method-gas">gas</a>'
    for place in (
        "In order of selection by ",
        "What they do: ",
        "<dt>method chosen</dt><dd><bdi>",
        '<td data-v="gas">',
    ):
        assert place + gas in page
    assert "SIGIR 2007" in page
    assert "- methods tried: gas, mrmr\n" in markdown(summarize(selection, data))


def test_a_comparison_links_every_method_to_its_page():
    _, data = made_up(NAMES)
    settings = CompareSettings(n_splits=3)
    results = compare(data, methods=["gas", "mrmr"], rankers=["ranksvm"], k=[2], metrics=["ndcg@5"], settings=settings)
    page = html(summarize(results))
    links, ids = targets(page)
    assert links >= {"method-gas", "method-mrmr"}
    assert links <= set(ids)
    assert '<td data-v="all features">all features</td>' in page


def test_names_of_your_own_methods_are_inert_and_have_places_of_their_own():
    selection, data = made_up(NAMES)
    point = next(point for point in selection.curve if point.method == "mrmr")
    curve = (*selection.curve, *(replace(point, method=name) for name in (*HOSTILE, "gas>", "gas+", "gas-2")))
    page = html(summarize(replace(selection, curve=curve), data))
    links, ids = targets(page)
    assert links <= set(ids)
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", name) for name in ids)
    assert not set(HOSTILE[:4]) & set(re.findall(r"<(?:script|img|svg)[^>]*>.*", page.split("chart-data")[0]))
    assert len(anchors(list(HOSTILE))) == len(set(anchors(list(HOSTILE)).values()))


def test_a_docstring_is_text():
    class Mine:
        """One line.

        <script>alert(1)</script> & `<b>`, :math:`<i>_{<u>}`:

        .. math:: \\text{<img src=x>} \\foo

        Parameters
        ----------
        a : <b>
            <i>
        """

    page = MethodPage.of(Mine)
    whole = page.text + page.parameters[0][2]
    assert page.parameters[0][:2] == ("a", "<b>")  # plain, which the template escapes
    assert not re.search(r"<(script|b|i|u|img)\b", whole)
    assert "&lt;script&gt;" in whole
    assert "<mi>foo</mi>" in whole


def test_lists_and_code_of_a_docstring():
    text = "First::\n\n    a = 1\n    b < 2\n\nThen:\n\n1. one\n2. two\n   more\n\n- this\n- that"
    code, numbered = "<pre>a = 1\nb &lt; 2</pre>", '<ol start="1"><li>one</li><li>two more</li></ol>'
    assert html_of(text) == f"<p>First:</p>\n{code}\n<p>Then:</p>\n{numbered}\n<ul><li>this</li><li>that</li></ul>"


@pytest.mark.parametrize(
    ("latex", "drawn"),
    [
        ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\sqrt{a", "<msqrt><mrow><mi>a</mi></mrow></msqrt>"),
        (r"\hat\pi", '<mover accent="true"><mi>π</mi><mo>^</mo></mover>'),
        (r"\left[ 1 \right]", '<mo stretchy="false">[</mo><mn>1</mn><mo stretchy="false">]</mo>'),
        ("x_", "<msub><mi>x</mi></msub>"),
        (r"\frac", "<mfrac><mrow></mrow><mrow></mrow></mfrac>"),
        ("", ""),
    ],
)
def test_formulas(latex, drawn):
    assert formula(latex) == f"<math>{drawn}</math>"
