"""A metric with a cutoff looks like the address of a letter; in the built pages it is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

core = pytest.importorskip("docutils.core")


def test_a_metric_is_no_address(monkeypatch):
    from docutils import nodes

    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs" / "_ext"))
    import docstrings

    tree = core.publish_doctree("Take ndcg@10 or map; see https://example.org for more.")
    assert any("mailto" in link["refuri"] for link in tree.findall(nodes.reference))
    docstrings.no_mail(None, tree)
    assert [link["refuri"] for link in tree.findall(nodes.reference)] == ["https://example.org"]
    assert tree.astext() == "Take ndcg@10 or map; see https://example.org for more."
    sys.modules.pop("docstrings")
