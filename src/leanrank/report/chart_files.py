"""Charts outside a report: as PNG and SVG files, and as altair charts for a notebook."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError
from leanrank.evaluation.select.selection import Selection
from leanrank.report._summary import summarize
from leanrank.report.charts import charts, pareto
from leanrank.report.graph_charts import expanded

#: Width of a picture, where a report fills its page.
WIDTH = 640
PIXELS_PER_POINT = 2.0
#: How wide a chart is in a notebook.
NOTEBOOK_WIDTH = 560


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


def chart_of(selection: Selection, name: str) -> Any:
    """The chart of this name in the selection's report, as an altair chart."""
    summary = summarize(selection)
    spec = pareto(summary) if name == "pareto" else charts(summary).get(name)
    if spec is None:
        raise DataError(f"This selection has no figures for the chart {name!r}: nothing of the kind was measured.")
    spec = {part: value for part, value in spec.items() if part not in ("usermeta", "autosize")}
    return alt.Chart.from_dict({**spec, "width": NOTEBOOK_WIDTH})
