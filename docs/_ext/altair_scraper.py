"""Pictures of the gallery: every Altair chart that a block of an example makes, as PNG."""

from __future__ import annotations

from typing import Any

from sphinx_gallery.scrapers import figure_rst

SCALE = 1.5


def _get_sg_image_scraper() -> Any:
    """Sphinx-Gallery asks a module for its scraper by this name."""
    return scrape


def scrape(block: tuple[str, str, int], block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Draw the charts among the example's variables that no block before has drawn."""
    import altair as alt

    variables = block_vars["example_globals"]
    drawn = variables.setdefault("__drawn__", [])
    pictures = []
    for name, value in list(variables.items()):
        if isinstance(value, alt.TopLevelMixin) and not any(value is other for other in drawn):
            drawn.append(value)
            path = next(block_vars["image_path_iterator"])
            value.save(path, format="png", scale_factor=SCALE)
            pictures.append((path, name))
    return figure_rst([path for path, _ in pictures], gallery_conf["src_dir"])
