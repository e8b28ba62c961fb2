"""Links of the README and of the documentation: those inside lead somewhere, those outside are well formed."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted(
    {ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")}
    - {path for part in ("_build", "generated", "gallery") for path in (ROOT / "docs" / part).rglob("*")}
)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
URL = re.compile(r"https?://[^\s)>\]\"'`]+")
# written by commands that take long; they are there in a release
GENERATED = {"gallery/index.rst"}


def targets(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return LINK.findall(text)


def slug(heading):
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_lead_somewhere(page):
    for target in targets(page):
        if urlsplit(target).scheme:
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not path or str(Path(path)) not in GENERATED:
            assert there.exists(), f"{page.name} links to {target}, which is not there"
        if anchor and there.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, f"{page.name} links to {target}: no such heading"


def test_links_outside_are_https_and_well_formed():
    sources = [*PAGES, *(ROOT / "docs").glob("*.rst"), *(ROOT / "src").rglob("*.py")]
    found = {(url.rstrip(".,;:"), path) for path in sources for url in URL.findall(path.read_text(encoding="utf-8"))}
    assert len(found) > 10
    for url, path in found:
        parts = urlsplit(url)
        assert parts.scheme == "https", f"{path}: {url}"
        assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc), f"{path}: {url}"


def test_every_page_is_in_a_table_of_contents():
    named = set()
    for page in (ROOT / "docs").rglob("*.md"):
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            for entry in block.splitlines():
                if entry and not entry.startswith(":"):
                    named |= {found.resolve() for found in page.parent.glob(entry + ".*")}
    pages = {path for path in PAGES if path.is_relative_to(ROOT / "docs")} | set((ROOT / "docs").glob("*.rst"))
    lost = sorted(
        path.name for path in pages - named - {ROOT / "docs" / "index.md", ROOT / "docs/sg_execution_times.rst"}
    )
    assert not lost, f"in no table of contents: {', '.join(lost)}"
