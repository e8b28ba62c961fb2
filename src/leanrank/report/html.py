"""The report as one HTML file: template, style, script and the chart libraries inside."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import jinja2
import vl_convert

from leanrank.report import comparison_tables, shadow_tables, tables
from leanrank.report.charts import MOST_BARS, charts
from leanrank.report.side_tables import side_tables
from leanrank.report.tables import how_to_repeat

_TEMPLATES = "leanrank.report"
#: What the page's own script needs of a feature.
_OF_A_FEATURE = ("name", "id", "position", "importance", "cluster", "cost", "frequency", "nearest")
#: The tables of a summary by its kind; its template is called like the kind.
_TABLES = {"selection": tables, "comparison": comparison_tables, "shadow": shadow_tables}


def html(summary: dict[str, Any]) -> str:
    """The report of a summary as HTML.

    Names of features, queries and files are data: the template escapes them, the script sets them as text, and the
    page's policy runs no script but the two whose hashes it carries.
    """
    scripts = [libraries(), _read("page.js")]
    kind, is_selection = summary["kind"], summary["kind"] == "selection"
    text: str = (
        _environment()
        .get_template(f"{kind}.html")
        .render(
            summary=summary,
            style=_read("style.css"),
            scripts=scripts,
            hashes=" ".join(f"'sha256-{_hash(script)}'" for script in scripts),
            charts=embedded(charts(summary)),
            page=embedded(_for_script(summary) if is_selection else None),
            tables=_TABLES[kind],
            side_tables=side_tables(summary) if is_selection else [],
            shown=tables.shown,
            is_number=tables.is_number,
            repeat=how_to_repeat(summary) if is_selection else None,
        )
    )
    return text


def embedded(value: Any) -> str:
    """JSON that no HTML parser can mistake for the end of its element.

    >>> embedded("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@cache
def libraries() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed; window.vega = vega;")
    if "</script" in script.lower() or "<!--" in script:
        raise RuntimeError("This version of vl-convert-python has libraries that cannot stand inside HTML.")
    return script.replace("\r\n", "\n")


def _for_script(summary: dict[str, Any]) -> dict[str, Any]:
    return {
        "n_features": summary["n_features"],
        "n_kept": summary["n_kept"],
        "path": summary["path"],
        "metric": summary["metric"],
        "has_costs": summary["has_costs"],
        "most_bars": MOST_BARS,
        "sizes": [_size(summary, size) for size in summary["sizes"]],
        "total_cost": summary["baseline"]["cost"],
        "has_graph": summary["graph"] is not None,
        "stands_for_from": summary["graph"]["stands_for_from"] if summary["graph"] else None,
        "features": [[feature[name] for name in _OF_A_FEATURE] for feature in summary["features"]],
    }


def _size(summary: dict[str, Any], size: dict[str, Any]) -> dict[str, Any]:
    """What the page says of the features of one size, in the words of its first state."""
    at = {**summary, **size}
    glad, sure = tables.badge(at)
    return {
        "k": size["n_kept"],
        "sentence": size["sentence"],
        "reason": f"Why: {size['reason']}.",
        "risk": f"Risk: {size['risk']}",
        "glad": glad,
        "sure": sure,
        "difference": size["nested"].get("mean"),
        "tiles": tables.summary_facts(at),
        "queries": tables.queries_changed(at),
        "bins": [size["per_query"][name] for name in ("edges", "counts")] if size["per_query"] else None,
        "losers": tables.losers(at).rows,
        "stability": tables.stability_says(at),
        "frequency": size["frequency"],
    }


def _hash(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


@cache
def _read(name: str) -> str:
    return files(_TEMPLATES).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
