"""The tables of a report: headings, kinds of columns and values, from the summary; how they look is the renderer's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from leanrank.data.weights import weighting_said
from leanrank.evaluation.clock import spoken
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.stats.like_findings import Finding, like_findings

#: How the values of a column are written; every kind but "text", "name", "method", "spread" and "stands" is a number.
FORMATS = {
    "whole": "{:,}",
    "figure": "{:.4f}",
    "signed": "{:+.4f}",
    "share": "{:.0%}",
    "percent": "{:.1%}",
    "number": "{:g}",
    "two": "{:.2f}",
    "seconds": "{:.3f}",
}
#: Names that a finding lists at most.
LISTED = 12


@dataclass(frozen=True)
class Table:
    """Columns are (heading, kind) pairs; a row is as many values, None where there is nothing to say."""

    title: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    best: frozenset[tuple[int, int]] = field(default=frozenset())  # (row, column) of values to stand out
    name: str = ""  # by which the script of a page knows it


def shown(value: Any, kind: str) -> str:
    """A value as text.

    >>> shown(-0.00081, "signed"), shown(None, "figure"), shown({"n": 2, "nearest": "tf", "similarity": 0.98}, "stands")
    ('-0.0008', '–', '2 features, nearest tf 0.98')
    """
    if value is None:
        return "–"
    if kind == "spread":
        return " / ".join("–" if middle is None else f"{middle[1]:g}" for middle in value["quartiles"])
    if kind == "stands":
        if not value["n"]:
            return "nothing"
        return f"{value['n']} feature{'s' * (value['n'] != 1)}, nearest {value['nearest']} {value['similarity']:.2f}"
    return FORMATS[kind].format(value) if kind in FORMATS else str(value)


def is_number(kind: str) -> bool:
    """Whether values of this kind are numbers, to be aligned right."""
    return kind in FORMATS


def kept(summary: dict[str, Any]) -> Table:
    """The features kept, in order of selection, and those left out that are close to each."""
    columns = feature_columns(summary)
    rows = []
    for position in range(summary["n_kept"]):
        feature = summary["features"][summary["path"][position]]
        known = {**feature, "#": position + 1, cost_heading(summary): feature["cost"]}
        known["close to it"] = _stands(feature["replaces"]) if feature["replaces"] else None
        rows.append([known[_FIELDS.get(heading, heading)] for heading, _ in columns])
    return Table("Features kept", columns, rows)


#: What a heading of the table of features is called in the summary, where that is another name.
_FIELDS = {"feature": "name", "in folds": "frequency", "values by label": "spread"}


def feature_columns(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The headings of the table of kept features: of what is known, and of prices only where there are any."""
    with_graph = summary["graph"] is not None
    missing = any(feature["missing"] for feature in summary["features"])
    return [
        ("#", "whole"),
        ("feature", "name"),
        *([("importance", "figure"), ("cluster", "whole")] if with_graph else []),
        *([(cost_heading(summary), "number")] if summary["has_costs"] else []),
        ("in folds", "share"),
        *([("missing", "percent")] if missing else []),
        *([("values by label", "spread")] if summary["label_groups"] else []),
        *([("close to it", "stands")] if with_graph else []),
    ]


def left_out_columns(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The headings of the table of features left out, which the page fills."""
    known = [column for column in feature_columns(summary) if column[0] not in ("#", "close to it")]
    known = [column for column in known if column[0] != cost_heading(summary)]
    nearest = [("nearest kept", "name"), ("similarity", "two")] if summary["graph"] is not None else []
    return [*known, *nearest]


def in_csv(names: Sequence[str]) -> str:
    """Names in a line, as `--only` takes them: one with a comma or a quotation mark is quoted.

    >>> in_csv(["bm25", "tf, title"])
    'bm25, "tf, title"'
    """
    marks = frozenset(',"\n\r')
    return ", ".join('"' + name.replace('"', '""') + '"' if marks & set(name) else name for name in names)


def constants(summary: dict[str, Any]) -> str:
    """The features that never vary within a query, in a line; nothing where there are none."""
    names = [feature["name"] for feature in summary["features"] if feature["constant"]]
    if not names:
        return ""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    one = len(names) == 1
    said = f"{len(names):,} feature{'s' * (not one)} never var{'ies' if one else 'y'} within a query"
    return f"{said}: {', '.join(names[:LISTED])}{more}."


def colours(summary: dict[str, Any]) -> str:
    """What the colours of the heatmap mean, where there is no legend."""
    if min(map(min, summary["graph"]["heatmap"]["similarity"])) < 0:
        return "Blue is alike, white is unlike, red is alike in reverse."
    return "Light is alike, dark is unlike."


def surprises(summary: dict[str, Any]) -> Table:
    """Where the folds and the choice disagree."""
    columns = [("feature", "name"), ("choice", "text"), ("in folds", "share"), ("why", "text")]
    rows = [[s["feature"], "kept" if s["kept"] else "left out", s["share"], s["reason"]] for s in summary["surprises"]]
    return Table("Kept though few folds chose it, or left out though most did", columns, rows)


def methods(summary: dict[str, Any]) -> Table:
    """What the methods that were tried do."""
    rows = [[entry["name"], entry["class"], entry["what"]] for entry in summary["glossary"]]
    return Table("The methods that were tried", [("method", "text"), ("class", "text"), ("what it does", "text")], rows)


def described(summary: dict[str, Any]) -> Table:
    """What the features are, where a catalogue says so, in the order of the path."""
    rows = []
    for name in (summary["columns"][column] for column in summary["path"]):
        facts = summary["catalogue"].get(name, {})
        rows.append([name, *(facts.get(column) for column in ("name", "description", "family"))])
    columns = [("feature", "name"), ("name", "name"), ("description", "name"), ("family", "text")]
    return Table("What the features are", columns, rows if summary["catalogue"] else [])


def _stands(replaces: dict[str, Any]) -> dict[str, Any]:
    nearest = replaces["nearest"][0] if replaces["nearest"] else {"name": None, "similarity": None}
    return {"n": replaces["n"], "nearest": nearest["name"], "similarity": nearest["similarity"]}


def front(summary: dict[str, Any]) -> Table:
    """The Pareto front."""
    columns = [("method", "method"), ("features", "whole"), (cost_heading(summary), "number")]
    columns += [(summary["metric"], "figure")]
    columns += [("against all", "signed"), ("from", "signed"), ("to", "signed")]
    others = summary["metrics"][1:]
    columns += [column for other in others for column in ((other["name"], "figure"), ("against all", "signed"))]
    names = ("method", "k", "cost", "mean", "difference", "low", "high")
    rows = [
        [
            *(point[name] for name in names),
            *(value for one in point["metrics"][1:] for value in (one["mean"], one["difference"])),
        ]
        for point in summary["pareto"]
    ]
    return Table("The Pareto front", columns, rows)


def cost_heading(summary: dict[str, Any]) -> str:
    """The heading of costs, with their unit where it is known."""
    return f"cost, {summary['cost_unit']}" if summary["cost_unit"] else "cost"


def losers(summary: dict[str, Any]) -> Table:
    """The queries that lose most."""
    columns = [("query", "name"), ("all features", "figure"), ("kept features", "figure"), ("change", "signed")]
    rows = [
        [q["query"], q["all_features"], q["selected"], q["selected"] - q["all_features"]] for q in summary["losers"]
    ]
    return Table("The queries that lose most", columns, rows)


def findings(summary: dict[str, Any]) -> Table:
    """What lint says."""
    every = [Finding(**finding) for finding in summary["lint"]["findings"]]
    rows = [[like.severity, like.kind, like.where, like.message] for like in like_findings(every)]
    columns = [("level", "text"), ("finding", "text"), ("where", "name"), ("what it means", "text")]
    return Table("Findings", columns, rows)


def data_facts(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """What is in the data."""
    facts = summary["lint"]
    size, labels = facts["documents_per_query"], facts["labels"]
    parts = [f"{level}: {count:,}" for level, count in labels.items()]
    more = f", ... ({len(parts)} levels)" if len(parts) > LISTED else ""
    return [
        ("documents", f"{facts['n_rows']:,}"),
        ("queries", f"{facts['n_queries']:,}"),
        ("features", f"{facts['n_features']:,}"),
        ("documents a query", f"{size['min']:,} to {size['max']:,}, median {size['median']:g}"),
        ("documents of each label", ", ".join(parts[:LISTED]) + more),
        ("missing values", f"{facts['missing_values']:,}"),
    ]


def run_facts(summary: dict[str, Any]) -> list[tuple[str, str | tuple[str, ...]]]:
    """How the selection was made; several names are those of methods, which a page links."""
    s = summary["settings"]
    facts: list[tuple[str, str | tuple[str, ...]]] = [
        ("method chosen", (summary["method"],)),
        ("methods tried", tuple(s["methods"])),
        ("ranker", s["ranker"]),
        ("metric", s["metric"]),
        ("folds", str(s["cv"])),
        *([("weights", weighting_said(s))] if weighting_said(s) else []),
        *([("other metrics", ", ".join(s["other_metrics"].values()))] if "other_metrics" in s else []),
        ("seed", str(s["random_state"])),
        ("stop rule", _stop_rule(s)),
        *([("costs", _costs(s))] if summary["has_costs"] else []),
        ("always kept", ", ".join(map(str, s["must_keep"])) or "none named"),
        ("never taken", ", ".join(map(str, s["never"])) or "none named"),
        ("made with", f"leanrank {s['version']}, in {spoken(summary['seconds'])}"),
        ("fingerprint of the data", s["fingerprint"]),
    ]
    if summary["source"].get("data"):
        facts.append(("data", summary["source"]["data"]))
    facts.append(("report written with", ", ".join(f"{name} {v}" for name, v in summary["versions"].items())))
    return facts


def _stop_rule(s: dict[str, Any]) -> str:
    if s["n_features"] is not None:
        return f"none: {s['n_features']} features asked for"
    return f"certified: a loss of at most {_allowed(s)}, at a level of {100 * s['level']:g}%"


def _allowed(s: dict[str, Any]) -> str:
    """The loss asked for, of every metric, and whether in every slice."""
    of_each = " and ".join(f"{loss:g} of {name.upper()}" for name, loss in s.get("max_losses", {}).items())
    return (of_each or f"{s['max_loss']:g}") + (" in every slice" if s.get("certify_slices") else "")


def badge(summary: dict[str, Any]) -> tuple[bool, str]:
    """Whether to be glad, and how sure the answer is."""
    s = summary["settings"]
    if not summary["measured"]:
        return False, "Not measured: nothing is known of so many features"
    if summary["everything"] and summary["answer"] == "asked":
        return False, "Nothing that can be used is dropped"
    if summary["everything"]:
        return False, f"Nothing smaller: {summary['reason']}" if summary["answer"] != "safe" else "Changes nothing"
    if summary["proven"]:
        return True, f"Proven at {100 * s['level']:g}% to lose at most {_allowed(s)}"
    return False, f"An estimate, not proven to lose at most {_allowed(s)}"


def answers(summary: dict[str, Any]) -> Table:
    """The three answers, with their features by name."""
    columns = [("answer", "text"), ("features", "whole"), ("against all", "signed"), ("interval", "text")]
    columns += [("proven loss", "figure"), ("which", "name")]
    rows = []
    for answer in summary["answers"]:
        estimate, names = answer["estimate"], answer["labels"]
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        everything = answer["method"] == ALL_FEATURES
        mark = " (this page)" if answer["name"] == summary["answer"] else ""
        rows.append(
            [
                answer["name"] + mark,
                len(names),
                estimate.get("mean"),
                f"{estimate['low']:+.4f} to {estimate['high']:+.4f}" if estimate and not everything else None,
                answer["certified_loss"],
                ", ".join(names[:LISTED]) + more,
            ]
        )
    title = "Three answers" if len(rows) == 3 else "The answers"
    return Table(title, columns, rows, note=f"{summary['forecast']['sentence']}.")


def _costs(s: dict[str, Any]) -> str:
    budget = "" if s["budget"] is None else f", budget {s['budget']:g}"
    return ("groups alone" if s["costs"] is None else "given, see the table of features") + budget


def summary_facts(summary: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The figures at a glance: what, the figure, what it is beside."""
    before, d, n, s = summary["baseline"], summary["versus_all"], summary["nested"], summary["stability"]
    metric = summary["metric"]
    facts = [("features kept", f"{summary['n_kept']:,}", f"of {summary['n_features']:,}")]
    if summary["measured"]:
        where = "on the curve, for all sizes at once" if summary["answer"] == "asked" else "where it did not choose"
        facts.append((f"{metric} against all", f"{n['mean']:+.4f}", f"{n['low']:+.4f} to {n['high']:+.4f}, {where}"))
        change = f"{before['mean']:.4f} to {before['mean'] + d['mean']:.4f}"
        facts.append(("where it chose", f"{d['mean']:+.4f}", f"optimistic: {change}"))
    else:
        facts.append((f"{metric} against all", "not measured", "no ranker was trained on so many"))
    if summary["test"] is not None:
        t = summary["test"]["difference"]
        facts.append(("on test queries", f"{t['mean']:+.4f}", f"{t['low']:+.4f} to {t['high']:+.4f}"))
    if summary["has_costs"]:
        unit = f" {summary['cost_unit']}" if summary["cost_unit"] else ""
        facts.append(("cost", f"{summary['cost']:g}{unit}", f"of {before['cost']:g}{unit}"))
    if s["nogueira"] is not None:
        facts.append(("stability", f"{s['nogueira']:.2f}", _interval(s)))
    return facts


def queries_changed(summary: dict[str, Any]) -> str:
    """How many queries gain and lose."""
    changes = summary["per_query"]
    if not changes:
        return "Which queries gain and lose was not measured with so many features."
    said = f"{changes['better']:,} queries are better with these features, {changes['worse']:,} worse"
    return f"{said}, {changes['same']:,} the same." + ("" if summary["losers"] else " No query loses.")


def stability_says(summary: dict[str, Any]) -> str:
    """How alike the sets of the folds are."""
    s = summary["stability"]
    if not summary["measured"]:
        return "Sets of this size were not chosen in the folds."
    if s["nogueira"] is None:
        return "Stability is not defined where every feature is kept."
    between = "" if s["low"] is None else f", between {s['low']:.2f} and {s['high']:.2f} at 95%"
    cv = summary["settings"]["cv"]
    which = f"the {cv} folds" if isinstance(cv, int) else "the folds in time"
    folds = f"The sets of {which} agree to {s['nogueira']:.2f}"
    return f"{folds} (Nogueira; 1: all the same, 0: as if drawn at random){between}. {_steady(summary)}"


def _steady(summary: dict[str, Any]) -> str:
    """How many features all folds chose, and how many only some."""
    shares = [share for _, share in summary["frequency"] if share > 0]
    every = sum(share == 1 for share in shares)
    some = len(shares) - every
    all_of_them = f"{every:,} feature{'s were' if every != 1 else ' was'} chosen in every fold"
    return f"{all_of_them}, {some:,} in some of them." if some else f"{all_of_them}, no other in any."


def _interval(s: dict[str, Any]) -> str:
    known = s["low"] is not None and s["high"] is not None
    return f"{s['low']:.2f} to {s['high']:.2f}; 1: all folds chose the same" if known else "1: all folds chose the same"


def how_to_repeat(summary: dict[str, Any]) -> str:
    """The command line, or the call in Python for a selection that was made there."""
    command = summary["source"].get("command")
    if command:
        again = summary["source"].get("again")
        return f"{command} -o features.json" + (f"\n{again}" if again else "")
    s = summary["settings"]
    several = [s["metric_name"], *s.get("other_metrics", {})]
    metric = f"metric={s['metric_name']!r}" if len(several) == 1 else f"metrics={several!r}"
    arguments = [f"ranker={s['ranker']}", metric, f"methods={s['methods']!r}"]
    arguments += [f"{name}={s[name]!r}" for name in ("n_features", "budget") if s[name] is not None]
    losses = list(s.get("max_losses", {}).values()) or s["max_loss"]
    arguments += [f"max_loss={losses!r}", *(f"{name}={s[name]!r}" for name in ("level", "cv", "random_state"))]
    arguments += ["certify_slices=True"] if s.get("certify_slices") else []
    arguments += [f"{name}={s[name]!r}" for name in ("must_keep", "never") if s[name]]
    arguments += [f"{name}=..." for name in ("costs", "groups", "valid") if s[name] is not None]
    return "leanrank.select(\n    data,\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
