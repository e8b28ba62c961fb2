"""Pictures of the gallery: the last Altair chart that a block of an example makes, as PNG."""

from __future__ import annotations

import ast
from typing import Any

from sphinx_gallery.scrapers import figure_rst

SCALE = 1.5


def _get_sg_image_scraper() -> Any:
    """Sphinx-Gallery asks a module for its scraper by this name."""
    return scrape


def scrape(block: tuple[str, str, int], block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Draw the last chart that the block gives a name to; the ones before are its parts."""
    import altair as alt

    variables = block_vars["example_globals"]
    for name in reversed(_assigned(block[1])):
        if isinstance(variables.get(name), alt.TopLevelMixin):
            path = next(block_vars["image_path_iterator"])
            variables[name].save(path, format="png", scale_factor=SCALE)
            return str(figure_rst([path], gallery_conf["src_dir"]))
    return ""


def _assigned(code: str) -> list[str]:
    targets = [target for node in ast.parse(code).body if isinstance(node, ast.Assign) for target in node.targets]
    return [target.id for target in targets if isinstance(target, ast.Name)]
