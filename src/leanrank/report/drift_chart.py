"""The chart of importance over time: a line for each of the features whose shares change most."""

from __future__ import annotations

from typing import Any

import altair as alt

from leanrank.report.chart_spec import Spec, legend, spec_of

#: Lines that are told apart at a glance.
LINES = 6


def drift(summary: dict[str, Any]) -> Spec:
    """The share of a feature against the last time that its ranker learned from."""
    known = summary["drift"]
    features = known["features"][:LINES]
    rows = [
        {"feature": name, "until": last, "share": share}
        for name, shares in zip(features, known["shares"], strict=False)
        for (_, last), share in zip(known["windows"], shares, strict=True)
    ]
    base = alt.Chart(alt.NamedData("shares")).encode(
        x=alt.X(
            "until:Q",
            title="trained on queries until",
            scale=alt.Scale(zero=False, padding=12),
            axis=alt.Axis(values=[last for _, last in known["windows"]], labelOverlap="greedy", labelSeparation=8),
        ),
        y=alt.Y("share:Q", title="share in the ranker", axis=alt.Axis(format="%")),
        color=alt.Color("feature:N", title=None, sort=features, scale=alt.Scale(scheme="tableau10"), legend=legend(3)),
        tooltip=["feature:N", alt.Tooltip("until:Q"), alt.Tooltip("share:Q", format=".1%")],
    )
    chart = alt.layer(base.mark_line(strokeWidth=2), base.mark_circle(size=50))
    return spec_of(chart, 220, shares=rows)
