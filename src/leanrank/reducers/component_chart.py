"""A chart of components: which features each is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leanrank._lazy import require
from leanrank.errors import DataError

if TYPE_CHECKING:
    import altair


def component_chart(components: list[dict[str, Any]]) -> altair.Chart:
    """Bars of the named weights, one panel per component; `components` as `RCDR.top_attributes` gives them."""
    if not components:
        raise DataError("There is no component to draw: RCDR found none.")
    alt = require("altair", "A chart of components")
    rows = [
        {
            "component": f"{entry['component']} (norm {entry['norm']:.3f})",
            "attribute": name,
            "weight": round(weight, 6),
            "order": place,
        }
        for entry in components
        for place, (name, weight) in enumerate(entry["attributes"])
    ]
    bars = (
        alt.Chart(width=240)
        .mark_bar()
        .encode(
            x=alt.X("weight:Q", scale=alt.Scale(domain=[-1, 1]), title="weight (right: more is better)"),
            y=alt.Y("attribute:N", sort=alt.EncodingSortField("order"), title=None),
            color=alt.condition("datum.weight < 0", alt.value("#b2182b"), alt.value("#2166ac")),
            tooltip=["component:N", "attribute:N", "weight:Q"],
        )
    )
    chart: altair.Chart = (
        bars.properties(data=alt.Data(values=rows))
        .facet(column=alt.Column("component:N", title=None, sort=[row["component"] for row in rows]))
        .resolve_scale(y="independent")
    )
    return chart
