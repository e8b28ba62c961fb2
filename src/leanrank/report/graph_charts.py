"""The charts of likeness from a summary: those of a feature graph, with what was kept."""

from __future__ import annotations

from typing import Any

import altair as alt

from leanrank.stats.graph_charts import NAMED, cells_of, drawing_of, heatmap_of, lines_of

Spec = dict[str, Any]

#: With more nodes than this, only the features kept are named in the drawing.
LABELLED = 40


def heatmap(summary: dict[str, Any]) -> Spec:
    """Similarity of all pairs, like features beside each other.

    The cells are in `usermeta` as a matrix, and expanded by whoever draws: as rows they would be most of the report.
    """
    features, view = summary["features"], summary["graph"]["heatmap"]
    names = [features[j]["name"] for j in view["columns"]]
    signed = min(min(row) for row in view["similarity"]) < 0
    spec = _spec(heatmap_of(alt.NamedData("cells"), names, signed=signed).properties(width=480, height=480))
    spec["usermeta"] = {"names": names, "matrix": view["similarity"], "square": True, "canvas": len(names) > NAMED}
    return spec


def expanded(spec: Spec) -> Spec:
    """The specification with the matrix in `usermeta` as rows of data."""
    if "matrix" not in spec.get("usermeta", {}):
        return spec
    cells = cells_of(spec["usermeta"]["names"], spec["usermeta"]["matrix"])
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
    numbers = sorted({node["cluster"] for node in nodes if node["cluster"] != "none"})
    chart = drawing_of(alt.NamedData("nodes"), alt.NamedData("edges"), numbers)
    spec = _spec(chart.properties(width="container", height=420))
    spec["datasets"] = {"nodes": nodes, "edges": lines_of(nodes, view["edges"])}
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec


def _spec(chart: Any) -> Spec:
    spec: Spec = chart.to_dict()
    spec.pop("$schema", None)
    return spec
