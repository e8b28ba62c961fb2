"""Sphinx settings of the documentation."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import leanrank

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "leanrank"
author = "The leanrank developers"
release = version = leanrank.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "mathml",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "command_help",
    "docstrings",
]
exclude_patterns = ["_build", "_ext", "_static", "_templates", "examples/README.rst"]
templates_path = ["_templates"]
# Every reference must lead somewhere: with -W a dead one fails the build.
nitpicky = True

html_theme = "pydata_sphinx_theme"
html_title = "leanrank"
html_math_renderer = "mathml"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False, "header_links_before_dropdown": 7}
html_show_sourcelink = False
# These have no pages below them: an empty "Section Navigation" beside them says nothing.
html_sidebars = {name: [] for name in ("index", "start", "command_line", "stability", "genindex", "search")}
html_static_path = ["_static"]
html_css_files = ["site.css"]

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
# `name` in a docstring is a link where there is such a name (see _ext/docstrings.py).
default_role = "py:obj"

myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "image_scrapers": ("altair_scraper",),
    "reset_modules": (),
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
}
# Links that are only followed by `make linkcheck`.
linkcheck_anchors = False
linkcheck_timeout = 20


def leave_out_absent(app: Any, docname: str, source: list[str]) -> None:
    """A page that a long command writes may not be there yet: "name*" stands for it where it is."""
    if docname == "measured":
        here = Path(app.srcdir)
        lines = source[0].splitlines()
        source[0] = "\n".join(x for x in lines if not re.fullmatch(r"\w+\*", x) or any(here.glob(f"{x}.md")))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", leave_out_absent)
