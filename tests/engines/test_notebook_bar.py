"""The bar in a notebook, with a kernel that is made up: it is drawn, its texts are escaped, it goes away."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from leanrank import RankingData, feature_graph
from leanrank.engines import progress
from leanrank.engines.progress import ProgressBar, is_watched


class Handle:
    def __init__(self, shown):
        self.shown = shown

    def update(self, html):
        self.shown.append(html)


@pytest.fixture
def kernel(monkeypatch):
    """IPython as a notebook has it; what is displayed is in the list."""
    shown = []
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = type("ZMQInteractiveShell", (), {})
    ipython.display = display
    display.HTML = str
    display.display = lambda html, display_id: shown.append(html) or Handle(shown)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress, "_PAUSE", 0.0)
    return shown


def test_a_terminal_of_ipython_is_no_notebook(monkeypatch):
    ipython = ModuleType("IPython")
    ipython.get_ipython = type("TerminalInteractiveShell", (), {})
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert not progress.in_notebook()


def test_stages_and_steps_are_drawn_and_the_end_leaves_nothing(kernel):
    assert is_watched()
    with ProgressBar() as bar:
        bar.stage("<paths>", 4)
        bar.step(3)
        bar.stage("race", None)
    assert '&lt;paths&gt; <progress value="0.750"></progress> ' in kernel
    assert "race <progress></progress> " in kernel
    assert kernel[0] == kernel[-1] == ""
    assert not any("<paths>" in html for html in kernel)


def test_a_plan_tells_the_time_left(kernel):
    with ProgressBar() as bar:
        bar.plan()
        bar.stage("curve", 7)
        bar.at(0.5, 61.0)
    assert 'curve <progress value="0.500"></progress> 0:01:01 left' in kernel


def test_a_graph_is_the_same_with_the_bar(kernel):
    data = RankingData(np.arange(12.0).reshape(6, 2) % 5, [0, 1, 0, 1, 0, 1], [0, 3, 6])
    quiet = feature_graph(data)
    assert not kernel
    np.testing.assert_array_equal(feature_graph(data, progress=True).similarity, quiet.similarity)
    assert kernel[-1] == ""
