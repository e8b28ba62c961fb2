"""The pictures of the report in docs/images, from data that are made here: python -m benchmarks.screenshots

Needs Chromium and the packages of the extra "browser".
"""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright

from leanrank import RankingData, make_ranking, select

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FIELDS = ("title", "body", "anchor", "url", "headings", "whole_page")
SCORES = ("bm25", "tfidf", "lm_dirichlet", "terms_covered", "length")
OTHERS = ("clicks_30d", "age_days")
#: File, width and height of the window, scheme, and what is scrolled to.
PICTURES = (
    ("report.png", 1280, 900, "light", "body"),
    ("report_dark.png", 1280, 620, "dark", "#curve"),
)
#: Colours that a picture keeps: it is text and lines.
COLOURS = 256


def searched() -> RankingData:
    """Made data under the names that features of a search engine have."""
    names = [*(f"{score}_{field}" for field in FIELDS for score in SCORES), *OTHERS]
    planted = {"n_informative": 6, "n_redundant": 12, "n_noise": 12, "n_query_level": 1, "n_constant": 1}
    data, _ = make_ranking(400, random_state=0, **planted)
    return RankingData(data.X, data.y, data.query_ptr, query_ids=data.query_ids, feature_names=names)


def main() -> None:
    data = searched()
    selection = select(data, "ranksvm", max_loss=0.02)
    print(selection)
    chromium = os.environ.get("LEANRANK_CHROMIUM") or shutil.which("chromium")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder, "report.html")
        selection.report(report, data)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, width, height, scheme, place in PICTURES:
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(report.as_uri())
            page.wait_for_selector("html[data-ready]", state="attached")
            page.evaluate("(place) => document.querySelector(place).scrollIntoView()", place)
            taken = Image.open(io.BytesIO(page.screenshot()))
            taken.convert("RGB").quantize(COLOURS).save(IMAGES / name, optimize=True)
            print(f"{name}: {(IMAGES / name).stat().st_size // 1024} KiB")
        browser.close()


if __name__ == "__main__":
    main()
