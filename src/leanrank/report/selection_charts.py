"""The charts of a report as altair charts of their own, for a notebook."""

from __future__ import annotations

from typing import Any

import altair as alt

from leanrank.errors import DataError
from leanrank.evaluation.select.selection import Selection
from leanrank.report._summary import summarize
from leanrank.report.charts import charts, pareto

#: How wide a chart is where no page says so.
WIDTH = 560


def chart_of(selection: Selection, name: str) -> Any:
    """The chart of this name in the selection's report, as an altair chart."""
    summary = summarize(selection)
    spec = pareto(summary) if name == "pareto" else charts(summary).get(name)
    if spec is None:
        raise DataError(f"This selection has no figures for the chart {name!r}: nothing of the kind was measured.")
    spec = {part: value for part, value in spec.items() if part not in ("usermeta", "autosize")}
    return alt.Chart.from_dict({**spec, "width": WIDTH})
