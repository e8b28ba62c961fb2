"""The report as one HTML file: template, style, script and the chart libraries inside."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import jinja2
import vl_convert

from leanrank.report import comparison_tables, shadow_tables, tables
from leanrank.report.charts import MOST_BARS, charts
from leanrank.report.glossary import anchors, pages
from leanrank.report.side_tables import side_tables, slices
from leanrank.report.tables import how_to_repeat

_TEMPLATES = "leanrank.report"
#: What the page's own script needs of a feature.
_OF_A_FEATURE = ("name", "id", "position", "importance", "cluster", "cost", "nearest", "constant", "missing", "spread")
#: The page's own script, in parts that follow each other.
_SCRIPTS = ("charts.js", "tables.js", "page.js")
#: The sections of the report of a selection, by their ids, as the table of contents names them.
_SECTIONS = (
    ("curve", "Curve"),
    ("features", "Features"),
    ("costs", "Costs"),
    ("alike", "Alike"),
    ("queries", "Queries"),
    ("stability", "Stability"),
    ("data", "Data"),
    ("methods", "Methods"),
    ("made", "How it was made"),
)
#: The tables of a summary by its kind; its template is called like the kind.
_TABLES = {"selection": tables, "comparison": comparison_tables, "shadow": shadow_tables}


def html(summary: dict[str, Any]) -> str:
    """The report of a summary as HTML.

    Names of features, queries and files are data: the template escapes them, the script sets them as text, and the
    page's policy runs no script but the two whose hashes it carries.
    """
    # the script of the page has a scope of its own
    own = '"use strict";\n(() => {\n' + "\n".join(_read(name) for name in _SCRIPTS) + "})();\n"
    scripts = [libraries(), own]
    hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    kind, is_selection = summary["kind"], summary["kind"] == "selection"
    methods = [entry["name"] for entry in summary.get("glossary", ())]
    text: str = (
        _environment()
        .get_template(f"{kind}.html")
        .render(
            summary=summary,
            style=_read("style.css"),
            scripts=scripts,
            hashes=" ".join(f"'sha256-{one}'" for one in hashes),
            charts=embedded(charts(summary)),
            page=embedded(_for_script(summary) if is_selection else None),
            tables=_TABLES[kind],
            shown=tables.shown,
            is_number=tables.is_number,
            anchors=anchors(methods),
            pages=pages(methods),
            **(_of_selection(summary) if is_selection else {}),
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


def _of_selection(summary: dict[str, Any]) -> dict[str, Any]:
    """What only the report of a selection shows."""
    absent = {"costs": not summary["has_costs"], "alike": summary["graph"] is None}
    beside = side_tables(summary)
    more = {"stability": [(f"side-{number}", one.title) for number, one in enumerate(beside, start=1)]}
    return {
        "repeat": how_to_repeat(summary),
        "names": tables.in_csv(summary["kept"]),
        "side_tables": beside,
        "sections": [
            section
            for name, title in _SECTIONS
            if not absent.get(name)
            for section in (*more.get(name, []), (name, title))  # they stand before it
        ],
    }


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
        "cost_unit": summary["cost_unit"],
        "has_missing": any(feature["missing"] for feature in summary["features"]),
        "has_spread": bool(summary["label_groups"]),
        "columns": list(summary["columns"]) if summary["catalogue"] else None,
        "fields": _OF_A_FEATURE,
        "features": [[*_of_a_feature(feature)] for feature in summary["features"]],
    }


def _of_a_feature(feature: dict[str, Any]) -> Iterator[Any]:
    for name in _OF_A_FEATURE:
        spread = feature[name] if name == "spread" else None
        yield feature[name] if spread is None else [spread["low"], spread["high"], spread["quartiles"]]


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
        "slices": slices(at).rows,
        "slices_note": slices(at).note,
        "stability": tables.stability_says(at),
        "frequency": size["frequency"],
        "surprises": tables.surprises(at).rows,
    }


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
