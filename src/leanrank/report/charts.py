"""The charts of a report as Vega-Lite specifications: drawn with altair, from the summary alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import altair as alt

from leanrank.report.chart_spec import (
    LOGARITHMIC,
    Spec,
    count_axis,
    legend,
    metric_axis,
    size_axis,
    size_scale,
    spec_of,
)
from leanrank.report.comparison_charts import comparison_charts
from leanrank.report.graph_charts import drawing, heatmap
from leanrank.report.shadow_charts import shadow_charts

#: Neutral on light and on dark paper.
GREY = "#8a8f98"
GAIN, LOSS, CHOSEN, FRONT = "#2b8a3e", "#c92a2a", "#d9480f", "#1971c2"
#: Features in the chart of frequencies at most.
MOST_BARS = 40
#: Colours of the methods beside the path.
OTHERS = ("#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#eeca3b", "#ff9da6", "#439894", "#79706e")
#: Sizes that a method races at; one that was measured at more is drawn as a line.
RACED = 3
#: The axis of costs by their unit.
COST_TITLES = {"ms": "cost of the features in milliseconds"}
#: Lines that are told apart at a glance.
LINES = 6
HEIGHT = 320


def charts(summary: dict[str, Any]) -> dict[str, Spec]:
    """Name -> specification, of every chart the summary has the figures for."""
    if summary["kind"] == "comparison":
        return comparison_charts(summary)
    if summary["kind"] == "shadow":
        return shadow_charts(summary)
    charts_of = {"curve": curve(summary)}
    if summary["has_costs"]:
        charts_of["pareto"] = pareto(summary)
    sizes = [summary, *summary["sizes"]]
    if any(sum(size["per_query"].get("counts", [])) for size in sizes):
        charts_of["queries"] = queries(summary)
    if any(size["frequency"] for size in summary["sizes"]):
        charts_of["stability"] = stability(summary)
    if summary["drift"] is not None and summary["drift"]["features"]:
        charts_of["drift"] = drift(summary)
    if summary["graph"] is not None:
        charts_of["heatmap"] = heatmap(summary)
        charts_of["graph"] = drawing(summary)
    return charts_of


def curve(summary: dict[str, Any]) -> Spec:
    """The metric against the number of features: the path strong, with its intervals, what else was tried faint.

    A method that raced at a few sizes is points; the line at `k` follows the slider.
    """
    metric, baseline = summary["metric"], summary["baseline"]["mean"]
    rows, path = _points(summary), path_name(summary)
    sizes = [row["k"] for row in rows] or [1]
    least, largest = min(sizes), max(sizes)
    k = alt.param(name="k", value=summary["n_kept"])
    picked = alt.selection_point(name="picked", fields=["method"], bind="legend")
    x = alt.X(
        "k:Q",
        title="number of features",
        scale=size_scale(summary["n_features"], least, largest),
        axis=size_axis(largest),
    )
    y = metric_axis("mean", f"{metric} on held-out queries")
    others = [name for name in dict.fromkeys(row["method"] for row in rows) if name != path]
    colours = [OTHERS[i % len(OTHERS)] for i in range(len(others))]
    scale = alt.Scale(domain=[path, *others], range=[FRONT, *colours])
    colour = alt.Color("method:N", title=None, scale=scale, legend=legend())
    shown = [
        alt.Tooltip("method:N"),
        alt.Tooltip("k:Q", title="features"),
        alt.Tooltip("mean:Q", title=metric, format=".4f"),
        alt.Tooltip("difference:Q", title="against all", format="+.4f"),
        alt.Tooltip("interval:N"),
    ]
    base = alt.Chart(alt.NamedData("points")).encode(x=x, color=colour)
    own, other = base.transform_filter("datum.own"), base.transform_filter("!datum.own")
    strong = alt.condition(picked, alt.value(1.0), alt.value(0.12))
    faint = alt.condition(picked, alt.value(0.6), alt.value(0.06))
    band = own.mark_area(opacity=0.2).encode(y=metric_axis("low", f"{metric} on held-out queries"), y2="high:Q")
    line = own.mark_line(strokeWidth=3).encode(y=y, opacity=strong)
    dots = own.mark_circle(size=44).encode(y=y, opacity=strong, tooltip=shown).add_params(picked)
    dots = dots.properties(name="dots")  # altair would number it, through all reports
    tried = other.mark_point(size=40, filled=True, shape="square").encode(y=y, opacity=faint, tooltip=shown)
    walked = other.transform_filter("datum.walked").mark_line(strokeWidth=1.3).encode(y=y, opacity=faint)
    beside = [walked] if any(row["walked"] for row in rows) else []
    star = (
        base.transform_filter("datum.chosen")
        .mark_point(shape="diamond", size=260, strokeWidth=2.5, filled=False, color=CHOSEN)
        .encode(y=y, color=alt.value(CHOSEN), tooltip=shown)
    )
    whole = (
        alt.Chart(alt.NamedData("baseline"))
        .mark_rule(strokeDash=[6, 4], color=GREY)
        .encode(y=y, tooltip=[alt.Tooltip("mean:Q", title="all features", format=".4f")])
    )
    marker = (
        alt.Chart(alt.NamedData("marker"))
        .transform_calculate(k="k")
        .mark_rule(color=CHOSEN, strokeWidth=1.5)
        .encode(x=alt.X("k:Q"))
    )
    chart = alt.layer(whole, band, marker, *beside, tried, line, dots, star).add_params(k)
    return spec_of(chart, HEIGHT, points=rows, baseline=[{"mean": round(baseline, 6)}], marker=[{"at": 0}])


def path_name(summary: dict[str, Any]) -> str:
    """What the path is called in the legend."""
    return f"the path: {summary['path_method']}"


def _points(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of the curve; `own` are those of the path, `walked` of a method with more sizes than a race has."""
    baseline, drawn = summary["baseline"]["mean"], [p for p in summary["curve"] if not p["all"] or p["chosen"]]
    sizes = Counter(point["method"] for point in drawn if not point["on_path"])
    return [
        {
            "method": path_name(summary) if point["on_path"] else point["method"],
            "k": point["k"],
            "mean": point["mean"],
            "low": round(baseline + point["low"], 6),
            "high": round(baseline + point["high"], 6),
            "difference": point["difference"],
            "interval": f"{point['low']:+.4f} to {point['high']:+.4f}",
            "own": point["on_path"],
            "walked": not point["on_path"] and sizes[point["method"]] > RACED,
            "chosen": point["chosen"],
        }
        for point in drawn
    ]


def pareto(summary: dict[str, Any]) -> Spec:
    """What the metric costs: all that was measured, and the front that nothing beats.

    Where features have no prices, their number stands for the cost.
    """
    metric, unit = summary["metric"], summary["cost_unit"]
    front = {(point["method"], point["k"]) for point in summary["pareto"]}
    rows = [
        {
            "method": point["method"],
            "k": point["k"],
            "cost": point["cost"],
            "mean": point["mean"],
            "front": (point["method"], point["k"]) in front,
            "chosen": point["chosen"],
        }
        for point in summary["curve"]
    ]
    costs = [row["cost"] for row in rows]
    priced = COST_TITLES.get(unit) or ("cost of the features" + (f", {unit}" if unit else ""))
    title = priced if summary["has_costs"] else "number of features"
    wide = max(costs) > LOGARITHMIC * max(min(costs), 1e-9) or max(costs) > LOGARITHMIC
    kind: Any = "linear" if not wide else "log" if min(costs) > 0 else "symlog"
    zero: dict[str, Any] = {"zero": False} if kind == "linear" else {}
    x = alt.X("cost:Q", title=title, scale=alt.Scale(type=kind, nice=False, padding=12, **zero))
    y = metric_axis("mean", metric)
    shown = [
        alt.Tooltip("method:N"),
        alt.Tooltip("k:Q", title="features"),
        *([alt.Tooltip("cost:Q", title=title, format=",.4~g")] * summary["has_costs"]),
        alt.Tooltip("mean:Q", title=metric, format=".4f"),
    ]
    base = alt.Chart(alt.NamedData("points")).encode(x=x, y=y)
    others = base.transform_filter("!datum.front").mark_circle(size=30, color=GREY, opacity=0.6).encode(tooltip=shown)
    best = base.transform_filter("datum.front")
    line = best.mark_line(interpolate="step-after", color=FRONT)
    dots = best.mark_circle(size=60, color=FRONT, opacity=1).encode(tooltip=shown)
    star = base.transform_filter("datum.chosen").mark_point(
        shape="diamond", size=260, strokeWidth=2.5, filled=False, color=CHOSEN
    )
    return spec_of(alt.layer(others, line, dots, star.encode(tooltip=shown)), HEIGHT, points=rows)


def queries(summary: dict[str, Any]) -> Spec:
    """How many queries gain and lose how much, without those that stay the same; the slider gives it other bins."""
    metric, edges = summary["metric"], summary["per_query"].get("edges", [])
    counts = summary["per_query"].get("counts", [])
    rows = [
        {
            "from": low,
            "to": high,
            "queries": count,
            "range": f"{low:+.4f} to {high:+.4f}",
            "change": "better" if low >= 0 else "worse",
        }
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    colours = alt.Scale(domain=["worse", "better"], range=[LOSS, GAIN])
    bars = (
        alt.Chart(alt.NamedData("bins"))
        .mark_bar(stroke=None)
        .encode(
            x=alt.X(
                "from:Q",
                bin="binned",
                title=f"change of {metric} of a query",
                axis=alt.Axis(labelOverlap="greedy", labelSeparation=8),
            ),
            x2="to:Q",
            y=alt.Y("queries:Q", title="queries", axis=count_axis(counts)),
            color=alt.Color("change:N", scale=colours, title=None, legend=legend()),
            tooltip=["range:N", "queries:Q"],
        )
    )
    return spec_of(bars, 240, bins=rows)


def stability(summary: dict[str, Any]) -> Spec:
    """The features that some folds chose and others not, the most frequent first; the slider gives it other bars."""
    # where the folds are not of one mind about a feature, or of another than the choice
    unsteady = [f for f in summary["features"] if (f["frequency"] < 1 if f["kept"] else f["frequency"] > 0)]
    often = sorted(
        unsteady,
        key=lambda feature: (-feature["frequency"], feature["position"] or 10**9, feature["id"]),
    )[:MOST_BARS]
    rows = [
        {"feature": f["name"], "share": f["frequency"], "final": "kept" if f["kept"] else "left out"} for f in often
    ]
    chart = (
        alt.Chart(alt.NamedData("features"))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X(
                "share:Q",
                axis=alt.Axis(format="%", tickCount=5),
                title="folds",
                scale=alt.Scale(domain=[0, 1]),
                stack=None,  # Vega stacks by name in a plain object, where "constructor" is taken
            ),
            y=alt.Y(
                "feature:N",
                title=None,
                sort=None,
                scale=alt.Scale(domain=[row["feature"] for row in rows]),
                axis=alt.Axis(labelLimit=150),
            ),
            color=alt.Color(
                "final:N",
                title=None,
                scale=alt.Scale(domain=["kept", "left out"], range=[FRONT, GREY]),
                legend=legend(),
            ),
            tooltip=["feature:N", alt.Tooltip("share:Q", format=".0%"), "final:N"],
        )
    )
    return spec_of(chart, 18 * len(rows) + 10, features=rows)


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
