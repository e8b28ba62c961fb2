"""What the charts of a report share: their axes, and the Vega-Lite specification with its data that each ends as."""

from __future__ import annotations

from typing import Any

import altair as alt

Spec = dict[str, Any]

#: From this many features on, sizes are drawn on a logarithmic axis.
LOGARITHMIC = 40
#: Numbers of features where a logarithmic axis has its ticks.
TICKS = tuple(digit * 10**power for power in range(7) for digit in (1, 2, 5))


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


def metric_axis(field: str, title: str) -> alt.Y:
    """The axis of the metric, its title clear of the ticks."""
    return alt.Y(f"{field}:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(titlePadding=12, tickCount=6))


def count_axis(counts: list[int]) -> alt.Axis:
    """Ticks at whole numbers, where there are so few that others would be between."""
    most = max(counts, default=0)
    return alt.Axis(values=list(range(most + 1)), format="d") if most <= 5 else alt.Axis(format=",d")


def size_scale(n_features: int, least: int, largest: int) -> alt.Scale:
    """From a round number on; the slider may stand outside, at the edge."""
    top = max(largest, min(n_features, largest + 1))
    if largest > LOGARITHMIC:
        first = max(tick for tick in TICKS if tick <= max(least, 1))
        return alt.Scale(type="log", domain=[first, top], nice=False, padding=6, clamp=True)
    return alt.Scale(domain=[0, top], nice=False)


def size_axis(largest: int) -> alt.Axis:
    """Ticks at whole numbers."""
    if largest > LOGARITHMIC:
        return alt.Axis(values=[tick for tick in TICKS if tick <= largest], format="d", grid=False)
    return alt.Axis(format="d", tickMinStep=1, tickCount=min(largest, 8), grid=False)
