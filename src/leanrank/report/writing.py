"""write_report: one file, in the format its name asks for."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Unpack

from leanrank.data.ranking_data import RankingData
from leanrank.data.whole_file import write_whole
from leanrank.errors import UnknownNameError
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.select.selection import Selection
from leanrank.report._summary import SummaryOptions, summarize
from leanrank.report.html import html
from leanrank.report.markdown import markdown

FORMATS = {"html": "html", "htm": "html", "md": "md", "markdown": "md", "json": "json"}


def write_report(
    results: Selection | Comparison,
    path: str | os.PathLike[str],
    data: RankingData | None = None,
    *,
    form: str | None = None,
    **options: Unpack[SummaryOptions],
) -> dict[str, Any]:
    """Write a report of one file, whole or not at all, and return its summary.

    Parameters
    ----------
    results : Selection or Comparison
    path : path
        Where to write; the HTML needs nothing beside itself, and no network.
    data : RankingData, default=None
        What the selection was made from, see `summarize`.
    form : {"html", "md", "json"}, default=None
        The format; by the ending of `path` if not given.
    test, metric, engine
        See `summarize`.

    Examples
    --------
    >>> import leanrank, tempfile
    >>> from leanrank.report import write_report
    >>> data, _ = leanrank.make_ranking(40, n_informative=2, n_redundant=2, n_noise=2, random_state=0)
    >>> chosen = leanrank.select(data, "ranksvm", methods=["gas"], n_features=2, progress=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = write_report(chosen, Path(folder, "report.html"), data)
    >>> summary["n_kept"], summary["graph"]["n_clusters"] >= 1
    (2, True)
    """
    renderer(form or form_of(path))  # an unknown format is refused before any work
    summary = summarize(results, data, **options)
    write_summary(summary, path, form)
    return summary


def write_summary(summary: dict[str, Any], path: str | os.PathLike[str], form: str | None = None) -> None:
    """Write a summary as a report."""
    text = renderer(form or form_of(path))(summary)
    # a name with half a surrogate pair cannot be written as UTF-8; its escape can
    write_whole(path, text.encode("utf-8", "backslashreplace"))


def form_of(path: str | os.PathLike[str]) -> str:
    """The format that the name of a file asks for."""
    return Path(path).suffix.lstrip(".").lower() or "html"


def renderer(form: str) -> Any:
    """The function from a summary to text."""
    if form not in FORMATS:
        raise UnknownNameError.of("format of a report", form, FORMATS)
    return {"html": html, "md": markdown, "json": as_json}[FORMATS[form]]


def as_json(summary: dict[str, Any]) -> str:
    """The summary itself."""
    return json.dumps(summary, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
