"""The site: every name of a method leads to its page, and no page has an empty navigation beside it."""

from __future__ import annotations

import re
from pathlib import Path

from leanrank.selectors import registry

DOCS = Path(__file__).parents[2] / "docs"


def test_every_name_of_a_method_leads_to_its_page():
    text = (DOCS / "methods.rst").read_text()
    rows = dict(re.findall(r"\* - ``(\S+)``\n     - `(\w+)`", text))
    assert rows == {name: registry.selector_class(name).__name__ for name in registry.names()}


def test_pages_without_pages_below_them_have_no_navigation_of_a_section():
    contents = re.search(r"```\{toctree\}(.*?)```", (DOCS / "index.md").read_text(), re.DOTALL)[1]
    pages = [line for line in contents.splitlines() if re.fullmatch(r"[\w/]+", line)]
    alone = re.search(r"html_sidebars = .* for name in \((.*?)\)", (DOCS / "conf.py").read_text())[1]
    named = set(re.findall(r'"(\w+)"', alone))
    for page in pages:
        path = next((p for p in (DOCS / f"{page}.md", DOCS / f"{page}.rst") if p.exists()), None)
        text = path.read_text() if path else "toctree"  # the gallery is made, and has its examples below it
        assert ("toctree" not in text) == (page in named), page
