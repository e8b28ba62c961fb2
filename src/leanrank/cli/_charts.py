"""Charts to files: HTML with everything inlined, or pictures."""

from __future__ import annotations

from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from leanrank.data.whole_file import write_whole
from leanrank.errors import ParameterError

PICTURES = {".png": "png", ".svg": "svg", ".pdf": "pdf"}


def write_chart(chart: Any, path: Path) -> None:
    """Write an altair chart by the ending of `path`; the HTML needs no network."""
    suffix = path.suffix.lower()
    if suffix == ".html":
        text = StringIO()
        chart.save(text, format="html", inline=True)
        write_whole(path, text.getvalue())
    elif suffix == ".svg":
        text = StringIO()
        chart.save(text, format="svg")
        write_whole(path, text.getvalue())
    elif suffix in PICTURES:
        picture = BytesIO()
        chart.save(picture, format=PICTURES[suffix])
        write_whole(path, picture.getvalue())
    else:
        raise ParameterError(f"A chart is written as .html, .png, .svg or .pdf. Got {path.name!r}.")
