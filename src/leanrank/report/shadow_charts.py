"""The chart of a shadow: the first place at which lists differ."""

from __future__ import annotations

from typing import Any

import altair as alt

from leanrank.report.chart_spec import Spec, spec_of


def shadow_charts(summary: dict[str, Any]) -> dict[str, Spec]:
    """Name -> specification; none where no list changes."""
    if not summary["n_changed"]:
        return {}
    rows = [
        {"place": place, "queries": n, "share": round(n / summary["n_queries"], 6)}
        for place, n in enumerate(summary["first_places"], start=1)
    ]
    chart = (
        alt.Chart(alt.NamedData("places"))
        .mark_bar(color="#1971c2")
        .encode(
            x=alt.X("place:O", title="first place that changes", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="share of all queries", axis=alt.Axis(format="%")),
            tooltip=["place:O", alt.Tooltip("queries:Q", format=","), alt.Tooltip("share:Q", format=".2%")],
        )
    )
    return {"places": spec_of(chart, 260, places=rows)}
