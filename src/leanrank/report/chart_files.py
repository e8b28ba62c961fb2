"""Charts as pictures: PNG and SVG files of the same specifications that the report draws."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import vl_convert

from leanrank.data.whole_file import write_whole
from leanrank.report.charts import charts
from leanrank.report.graph_charts import expanded

#: Width of a picture, where a report fills its page.
WIDTH = 640
PIXELS_PER_POINT = 2.0


def write_charts(summary: dict[str, Any], folder: str | os.PathLike[str]) -> list[Path]:
    """Write every chart of a summary to `folder` as NAME.png and NAME.svg; returns the paths."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for name, spec in charts(summary).items():
        drawn = {**expanded(spec), "background": "white"}
        if drawn.get("width") == "container":
            drawn["width"] = WIDTH
        for suffix in ("png", "svg"):
            path = place / f"{name}.{suffix}"
            picture = (
                vl_convert.vegalite_to_png(drawn, scale=PIXELS_PER_POINT, allowed_base_urls=[])
                if suffix == "png"
                else vl_convert.vegalite_to_svg(drawn, allowed_base_urls=[])
            )
            write_whole(path, picture)
            written.append(path)
    return written
