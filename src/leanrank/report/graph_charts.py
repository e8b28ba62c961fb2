"""The charts of likeness: the heatmap ordered by cluster, and the features drawn as a graph."""

from __future__ import annotations

from typing import Any

import altair as alt

Spec = dict[str, Any]

#: With more features than this, names along the heatmap cannot be read: the tooltip has them.
NAMED = 60
#: With more nodes than this, only the features kept are named in the drawing.
LABELLED = 40
#: With more clusters than this, the legend says less than the tooltip.
LEGEND = 12
COLOURS = (
    "#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#ff9da6", "#9d755d", "#439894",
    "#9ecae9", "#ffbf79", "#88d27a", "#d6a5c9", "#83bcb6", "#d8b5a5", "#b79a20", "#fcbfd2", "#79706e", "#bab0ac",
)  # fmt: skip
CHOSEN, GREY = "#d9480f", "#8a8f98"


def heatmap(summary: dict[str, Any]) -> Spec:
    """Similarity of all pairs, like features beside each other.

    The cells are in `usermeta` as a matrix, and expanded by whoever draws: as rows they would be most of the report.
    """
    features, view = summary["features"], summary["graph"]["heatmap"]
    names = [features[j]["name"] for j in view["columns"]]
    low = min(min(row) for row in view["similarity"])
    scale = alt.Scale(scheme="redblue", domain=[-1, 1]) if low < 0 else alt.Scale(scheme="viridis", domain=[0, 1])
    labels = alt.Axis(labels=len(names) <= NAMED, ticks=False, labelLimit=110, labelOverlap=True, domain=False)
    along: dict[str, Any] = {"title": None, "sort": None, "scale": alt.Scale(domain=names), "axis": labels}
    chart = (
        alt.Chart(alt.NamedData("cells"))
        .mark_rect()
        .encode(
            x=alt.X("other:N", **along),
            y=alt.Y("feature:N", **along),
            color=alt.Color(
                "similarity:Q",
                scale=scale,
                title="similarity",
                legend=alt.Legend(orient="bottom", gradientLength=160) if len(names) <= NAMED else None,
            ),
            tooltip=["feature:N", "other:N", alt.Tooltip("similarity:Q", format=".3f")],
        )
        .properties(width=480, height=480)
    )
    spec: Spec = chart.to_dict()
    spec.pop("$schema", None)
    spec["usermeta"] = {"names": names, "matrix": view["similarity"], "square": True, "canvas": len(names) > NAMED}
    return spec


def expanded(spec: Spec) -> Spec:
    """The specification with the matrix in `usermeta` as rows of data."""
    if "matrix" not in spec.get("usermeta", {}):
        return spec
    names, matrix = spec["usermeta"]["names"], spec["usermeta"]["matrix"]
    cells = [
        {"feature": a, "other": b, "similarity": value}
        for a, row in zip(names, matrix, strict=True)
        for b, value in zip(names, row, strict=True)
    ]
    return {**{name: part for name, part in spec.items() if name != "usermeta"}, "datasets": {"cells": cells}}


def drawing(summary: dict[str, Any]) -> Spec:
    """Nodes sized by importance and coloured by cluster, the kept ones ringed; edges between the most alike."""
    features, view = summary["features"], summary["graph"]["drawing"]
    few = len(view["columns"]) <= LABELLED
    nodes = [
        {
            "feature": features[j]["name"],
            "label": features[j]["name"] if few or features[j]["kept"] else "",
            "x": x,
            "y": y,
            "importance": features[j]["importance"],
            "cluster": features[j]["cluster"] or "none",
            "kept": features[j]["kept"],
        }
        for j, x, y in zip(view["columns"], view["x"], view["y"], strict=True)
    ]
    lines = [
        {
            "x": nodes[a]["x"],
            "y": nodes[a]["y"],
            "x2": nodes[b]["x"],
            "y2": nodes[b]["y"],
            "one": nodes[a]["feature"],
            "other": nodes[b]["feature"],
            "similarity": similarity,
        }
        for a, b, similarity in view["edges"]
    ]
    place: dict[str, Any] = {"axis": None, "scale": alt.Scale(zero=False, nice=False, padding=28)}
    x, y = alt.X("x:Q", **place), alt.Y("y:Q", **place)
    alike = (
        alt.Chart(alt.NamedData("edges"))
        .mark_rule(color=GREY)
        .encode(
            x=x,
            y=y,
            x2="x2:Q",
            y2="y2:Q",
            opacity=alt.Opacity("similarity:Q", scale=alt.Scale(range=[0.08, 0.7]), legend=None),
            tooltip=["one:N", "other:N", alt.Tooltip("similarity:Q", format=".3f")],
        )
    )
    base = alt.Chart(alt.NamedData("nodes")).encode(x=x, y=y)
    numbers = sorted({node["cluster"] for node in nodes if node["cluster"] != "none"})
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(numbers))]
    dots = base.mark_circle(opacity=0.95).encode(
        size=alt.Size("importance:Q", scale=alt.Scale(zero=False, range=[30, 500]), legend=None),
        color=alt.Color(
            "cluster:N",
            scale=alt.Scale(domain=[*numbers, "none"], range=[*colours, GREY]),
            legend=None if len(numbers) > LEGEND else alt.Legend(orient="bottom", columns=7),
        ),
        tooltip=["feature:N", alt.Tooltip("importance:Q", format=".4f"), "cluster:N", "kept:N"],
    )
    rings = (
        base.transform_filter("datum.kept")
        .mark_point(filled=False, stroke=CHOSEN, strokeWidth=2, opacity=1)
        .encode(size=alt.Size("importance:Q", scale=alt.Scale(zero=False, range=[30, 500]), legend=None))
    )
    names = base.mark_text(dy=-13, fontSize=10, limit=120).encode(text="label:N")
    chart = alt.layer(alike, dots, rings, names).properties(width="container", height=420)
    spec: Spec = chart.to_dict()
    spec.pop("$schema", None)
    spec["datasets"] = {"nodes": nodes, "edges": lines}
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec
