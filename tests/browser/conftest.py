"""A real browser. `make test-browser` runs these; plain `make test` leaves the folder alone.

Where they are asked for, a browser that is missing is a failure, not a skip.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.evaluation.shadow.logs import fill

from leanrank import RankSVM, drift, make_ranking, read_judged, select, shadow
from leanrank.cli.demo import PLANTED
from leanrank.data.side_columns import SideColumns
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.report.shadow_tables import summarize_shadow
from leanrank.report.writing import write_report, write_summary

ASKED_FOR = bool(os.environ.get("LEANRANK_BROWSER"))
collect_ignore_glob = [] if ASKED_FOR else ["test_*.py"]


@pytest.fixture(scope="session")
def browser():
    """Chromium, as the system has it."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("LEANRANK_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail("There is no Chromium: install the package 'chromium', or set LEANRANK_CHROMIUM to one.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


class Page:
    """A report opened without a network; remembers what it asked for and what it complained about."""

    def __init__(self, browser, path: Path, *, width: int = 1100, scheme: str = "light") -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True, accept_downloads=True
        )
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append("a dialog"), dialog.dismiss()))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def open_page(browser):
    """A function that opens a report; what it opened is closed again."""
    opened: list[Page] = []

    def open_one(path: Path, **options) -> Page:
        opened.append(Page(browser, path, **options))
        return opened[-1]

    yield open_one
    for page in opened:
        page.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory) -> Path:
    """The report of a selection on the demo's data."""
    data, _ = make_ranking(120, random_state=0, **PLANTED)
    selection = select(data, "ranksvm", methods=["mrmr", "rfe", "gas"], max_loss=0.05, cv=3, progress=False)
    path = tmp_path_factory.mktemp("demo") / "report.html"
    selection.report(path, data)
    return path


@pytest.fixture(scope="session")
def sliced(tmp_path_factory) -> Path:
    """The report of a selection with weights, slices and folds in time."""
    data, _ = make_ranking(90, 10, n_informative=3, n_redundant=2, n_noise=5, random_state=0)
    country = np.where(np.arange(90) % 3, "<i>de</i>", "fr")
    weight, names = 1.0 + np.arange(90) % 2, {"query_weight": "traffic"}
    beside = SideColumns(query_weight=weight, time=np.arange(90) // 3, slices={"country": country}, names=names)
    asked = {"methods": ["gas", "mrmr"], "max_loss": 0.3, "cv": "time:3", "effort": "quick", "progress": False}
    selection = select(replace(data, beside=beside), "ranksvm", **asked)
    path = tmp_path_factory.mktemp("sliced") / "report.html"
    selection.report(path)
    return path


@pytest.fixture(scope="session")
def comparison(tmp_path_factory) -> Path:
    """The report of a small comparison."""
    data, _ = make_ranking(24, docs_per_query=10, n_informative=2, n_redundant=2, n_noise=4, random_state=0)
    found = compare(
        data,
        methods=["gas", "mmr"],
        rankers=["ranksvm"],
        k=[2, 4],
        metrics=["ndcg@5", "map"],
        settings=CompareSettings(n_splits=3),
    )
    path = tmp_path_factory.mktemp("comparison") / "results.html"
    write_report(found, path)
    return path


@pytest.fixture(scope="session")
def shadowed(tmp_path_factory) -> Path:
    """The report of a pruned ranker beside the full one, with slices, an estimate and drift."""
    data, _ = make_ranking(120, docs_per_query=10, n_informative=2, n_redundant=2, n_noise=2, random_state=0)
    full, pruned = RankSVM().fit(data), RankSVM().fit(data.subset(data.feature_names[:3]))
    older, log = data.take_queries(range(60)), data.take_queries(range(60, 120))
    slices = dict.fromkeys(log.query_ids.tolist()[:20], "<b>head</b>")
    result = shadow(log, full, pruned, k=5, slices=slices)
    folder = tmp_path_factory.mktemp("shadowed")
    judged = read_judged(fill(result.ask(30).text(), folder / "judged.csv", log))
    summary = summarize_shadow(result, log, loss=result.loss(judged), drift=drift(older, log, full, pruned, k=5))
    write_summary(summary, folder / "shadow.html")
    return folder / "shadow.html"
