"""Sphinx settings of the documentation."""

from __future__ import annotations

import leanrank

project = "leanrank"
author = "The leanrank developers"
release = version = leanrank.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "numpydoc", "myst_parser"]
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_title = "leanrank"
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
myst_heading_anchors = 3
