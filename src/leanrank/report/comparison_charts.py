"""The curves of a comparison: a metric against the number of features, one chart for each ranker."""

from __future__ import annotations

from typing import Any

import altair as alt

from leanrank.evaluation.records import ALL_FEATURES
from leanrank.report.chart_spec import Spec, spec_of


def comparison_charts(summary: dict[str, Any]) -> dict[str, Spec]:
    """Name -> specification; none for a ranker of which nothing is finished."""
    curves = {}
    for number, ranker in enumerate(summary["rankers"], start=1):
        rows = [
            {"method": row["method"], "k": row["k"], "metric": metric, "mean": round(score, 6)}
            for row in summary["means"]
            if row["ranker"] == ranker and row["k"] is not None
            for metric, score in row["scores"].items()
        ]
        whole = [
            {"metric": metric, "mean": round(score, 6)}
            for row in summary["means"]
            if row["ranker"] == ranker and row["method"] == ALL_FEATURES and row["k"] is None
            for metric, score in row["scores"].items()
        ]
        if rows:
            curves[f"curve-{number}"] = _curve(ranker, summary["metrics"], rows, whole)
    return curves


def _curve(ranker: str, metrics: list[str], rows: list[Any], whole: list[Any]) -> Spec:
    shown = alt.param(name="metric", value=metrics[-1], bind=alt.binding_select(options=metrics, name="metric "))
    picked = alt.selection_point(name="picked", fields=["method"], bind="legend")
    x = alt.X("k:Q", title=f"number of features ({ranker})", axis=alt.Axis(format="d", tickMinStep=1, grid=False))
    y = alt.Y("mean:Q", title="mean over folds", scale=alt.Scale(zero=False))
    legend = alt.Legend(orient="bottom", columns=4, labelLimit=180)
    few = len({row["method"] for row in rows}) <= 10  # ten colours are told apart best; more methods need more
    colours = alt.Scale(scheme="tableau10" if few else "tableau20")
    base = (
        alt.Chart(alt.NamedData("points"))
        .transform_filter("datum.metric == metric")
        .encode(
            x=x,
            y=y,
            color=alt.Color("method:N", title=None, scale=colours, legend=legend),
            opacity=alt.condition(picked, alt.value(1.0), alt.value(0.12)),
        )
    )
    lines = base.mark_line()
    dots = base.mark_point(size=50, filled=True).encode(
        shape=alt.Shape("method:N", legend=None),
        tooltip=["method:N", alt.Tooltip("k:Q", title="features"), alt.Tooltip("mean:Q", format=".4f")],
    )
    reference = (
        alt.Chart(alt.NamedData("reference"))
        .transform_filter("datum.metric == metric")
        .mark_rule(strokeDash=[6, 4], color="#8a8f98")
        .encode(y=y, tooltip=[alt.Tooltip("mean:Q", title=ALL_FEATURES, format=".4f")])
    )
    chart = alt.layer(reference, lines, dots.add_params(picked).properties(name="dots")).add_params(shown)
    return spec_of(chart, 320, points=rows, reference=whole)
