"""The charts of likeness from a summary: those of a feature graph, with what was kept."""

from __future__ import annotations

from typing import Any

import altair as alt

from leanrank.report.chart_spec import Spec, bare, spec_of
from leanrank.stats.graph_charts import NAMED, cells_of, drawing_of, heatmap_of, lines_of

#: The widths that names are placed for: a page or a picture, and a telephone; and the height of the drawing.
WIDE, NARROW, HEIGHT = 640, 340, 420
#: Space around the drawing, and what a name takes.
MARGIN, LETTER, LINE, LONGEST = 28, 6, 16, 120
#: With more nodes than this, only the features kept are named in the drawing.
LABELLED = 40


def heatmap(summary: dict[str, Any]) -> Spec:
    """Similarity of all pairs, like features beside each other.

    The cells are in `usermeta` as a matrix, and expanded by whoever draws: as rows they would be most of the report.
    """
    features, view = summary["features"], summary["graph"]["heatmap"]
    names = [features[j]["name"] for j in view["columns"]]
    signed = min(min(row) for row in view["similarity"]) < 0
    spec = bare(heatmap_of(alt.NamedData("cells"), names, signed=signed).properties(width=480, height=480))
    spec["usermeta"] = {"names": names, "matrix": view["similarity"], "canvas": len(names) > NAMED}
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
            "named": few or features[j]["kept"],
            "x": x,
            "y": y,
            "importance": features[j]["importance"],
            "cluster": features[j]["cluster"] or "none",
            "kept": features[j]["kept"],
        }
        for j, x, y in zip(view["columns"], view["x"], view["y"], strict=True)
    ]
    for label, width in (("label", WIDE), ("short", NARROW)):
        said = uncrowded(nodes, width)
        for i, node in enumerate(nodes):
            node[label] = node["feature"] if i in said else ""
    numbers = sorted({node["cluster"] for node in nodes if node["cluster"] != "none"})
    chart = drawing_of(alt.NamedData("nodes"), alt.NamedData("edges"), numbers)
    return spec_of(chart, HEIGHT, nodes=nodes, edges=lines_of(nodes, view["edges"]))


def uncrowded(nodes: list[dict[str, Any]], width: int) -> set[int]:
    """The nodes whose names can stand in a drawing so wide without piling up: the kept first, then the important.

    >>> here = {"x": 0.0, "y": 0.0, "importance": 0.5, "kept": False, "named": True}
    >>> far = {**here, "x": 1.0, "y": 1.0, "feature": "far"}
    >>> sorted(uncrowded([{**here, "feature": "b"}, {**here, "feature": "a", "kept": True}, far], 640))
    [1, 2]
    """
    xs, ys = ([node[axis] for node in nodes] for axis in ("x", "y"))
    across, down = (max(max(v) - min(v), 1e-12) for v in (xs, ys))
    taken: list[tuple[float, float, float]] = []
    said = set()
    worth = sorted(range(len(nodes)), key=lambda i: (not nodes[i]["kept"], -(nodes[i]["importance"] or 0.0), i))
    for i in (i for i in worth if nodes[i]["named"]):
        x = MARGIN + (xs[i] - min(xs)) / across * (width - 2 * MARGIN)
        y = MARGIN + (ys[i] - min(ys)) / down * (HEIGHT - 2 * MARGIN)
        half = min(LONGEST, LETTER * len(nodes[i]["feature"])) / 2
        if all(abs(x - x2) > half + half2 or abs(y - y2) > LINE for x2, y2, half2 in taken):
            taken.append((x, y, half))
            said.add(i)
    return said
