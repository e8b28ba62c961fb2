"""Charts of a feature graph: the clustered heatmap and the drawing of nodes and edges; the report's are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leanrank._lazy import require
from leanrank.stats.graph_layout import cluster_order, clusters, drawn_edges, layout

if TYPE_CHECKING:
    import altair

    from leanrank.stats.feature_graph import FeatureGraph

#: With more features than this, names along the heatmap cannot be read: the tooltip has them.
NAMED = 60
#: With more clusters than this, the legend says less than the tooltip.
LEGEND = 12
COLOURS = (
    "#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#ff9da6", "#9d755d", "#439894",
    "#9ecae9", "#ffbf79", "#88d27a", "#d6a5c9", "#83bcb6", "#d8b5a5", "#b79a20", "#fcbfd2", "#79706e", "#bab0ac",
)  # fmt: skip
CHOSEN, GREY = "#d9480f", "#8a8f98"


def heatmap(graph: FeatureGraph) -> altair.Chart:
    """Similarity of all pairs, like features beside each other."""
    alt = require("altair", "A chart of the feature graph")
    order = cluster_order(graph.similarity)
    names = [graph.feature_names[j] for j in order]
    cells = cells_of(names, graph.similarity[np.ix_(order, order)].round(6).tolist())
    side = max(240, min(900, 14 * graph.n_features))
    chart: altair.Chart = heatmap_of(alt.Data(values=cells), names, signed=bool((graph.similarity < 0).any()))
    return chart.properties(title=_title(graph), width=side, height=side)


def draw(graph: FeatureGraph, *, n_clusters: int | None = None, sigma: float | None = None) -> altair.LayerChart:
    """Nodes sized by importance and coloured by cluster, joined where similarity is above `sigma`.

    Without `sigma`, each feature's strongest edge is drawn, and the strongest of all others: twice as many edges
    as features.
    """
    alt = require("altair", "A chart of the feature graph")
    position, cluster = layout(graph.similarity), clusters(graph.similarity, n_clusters)
    nodes = [
        {
            "feature": name,
            "label": name,
            "x": x,
            "y": y,
            "importance": importance,
            "cluster": int(number),
            "kept": False,
        }
        for name, (x, y), importance, number in zip(
            graph.feature_names, position.round(6).tolist(), graph.importance.tolist(), cluster, strict=True
        )
    ]
    edges = [(i, j, round(float(graph.similarity[i, j]), 6)) for i, j in drawn_edges(graph.similarity, sigma)]
    lines, numbers = alt.Data(values=lines_of(nodes, edges)), sorted(set(cluster.tolist()))
    chart: altair.LayerChart = drawing_of(alt.Data(values=nodes), lines, numbers)
    return chart.properties(title=_title(graph), width=640, height=480)


def cells_of(names: Sequence[str], matrix: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    """The rows of data of a heatmap."""
    return [
        {"feature": a, "other": b, "similarity": value}
        for a, row in zip(names, matrix, strict=True)
        for b, value in zip(names, row, strict=True)
    ]


def heatmap_of(cells: Any, names: Sequence[str], *, signed: bool) -> Any:
    """A heatmap of altair data made of `cells_of`, features in the order of `names`."""
    alt = require("altair", "A chart of the feature graph")
    scale = alt.Scale(scheme="redblue", domain=[-1, 1]) if signed else alt.Scale(scheme="viridis", domain=[0, 1])
    labels = alt.Axis(labels=len(names) <= NAMED, ticks=False, labelLimit=110, labelOverlap=True, domain=False)
    along: dict[str, Any] = {"title": None, "sort": None, "scale": alt.Scale(domain=list(names)), "axis": labels}
    legend = alt.Legend(orient="bottom", gradientLength=160) if len(names) <= NAMED else None
    return (
        alt.Chart(cells)
        .mark_rect()
        .encode(
            x=alt.X("other:N", **along),
            y=alt.Y("feature:N", **along),
            color=alt.Color("similarity:Q", scale=scale, title="similarity", legend=legend),
            tooltip=["feature:N", "other:N", alt.Tooltip("similarity:Q", format=".3f")],
        )
    )


def lines_of(nodes: Sequence[dict[str, Any]], edges: Iterable[tuple[int, int, float]]) -> list[dict[str, Any]]:
    """The rows of data of the edges (a, b, similarity) of a drawing."""
    return [
        {
            "x": nodes[a]["x"],
            "y": nodes[a]["y"],
            "x2": nodes[b]["x"],
            "y2": nodes[b]["y"],
            "one": nodes[a]["feature"],
            "other": nodes[b]["feature"],
            "similarity": similarity,
        }
        for a, b, similarity in edges
    ]


def drawing_of(nodes: Any, lines: Any, numbers: Sequence[int]) -> Any:
    """Nodes sized by importance and coloured by cluster, the kept ones ringed; lines between the most alike.

    `nodes` and `lines` are altair data: of feature, label, x, y, importance, cluster and kept, and of `lines_of`;
    `numbers` are those of the clusters.
    """
    alt = require("altair", "A chart of the feature graph")
    place: dict[str, Any] = {"axis": None, "scale": alt.Scale(zero=False, nice=False, padding=28)}
    x, y = alt.X("x:Q", **place), alt.Y("y:Q", **place)
    alike = (
        alt.Chart(lines)
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
    base = alt.Chart(nodes).encode(x=x, y=y)
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(numbers))]
    size = alt.Size("importance:Q", scale=alt.Scale(zero=False, range=[30, 500]), legend=None)
    dots = base.mark_circle(opacity=0.95).encode(
        size=size,
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
        .encode(size=size)
    )
    names = base.mark_text(dy=-13, fontSize=10, limit=120).encode(text="label:N")
    return alt.layer(alike, dots, rings, names)


def _title(graph: FeatureGraph) -> str:
    queries = f" over {graph.n_queries:,} queries" if graph.n_queries else ""
    return f"{graph.n_features:,} features{queries}"
