"""What every chart of a report ends as: a Vega-Lite specification with its data."""

from __future__ import annotations

from typing import Any

import altair as alt

Spec = dict[str, Any]


def spec_of(chart: Any, height: int, **datasets: list[Any]) -> Spec:
    """The specification of a chart as wide as its place, with its data; altair does not check every row again."""
    spec = bare(chart.properties(width="container", height=height))
    spec["datasets"] = datasets
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec


def bare(chart: Any) -> Spec:
    """The specification without its schema: the libraries that read it come from the same place as altair."""
    spec: Spec = chart.to_dict()
    spec.pop("$schema", None)
    return spec


def legend(columns: int = 4) -> alt.Legend:
    """Names above the chart, in so many columns."""
    return alt.Legend(orient="top", columns=columns, labelLimit=190, symbolOpacity=1, padding=0, offset=8)
