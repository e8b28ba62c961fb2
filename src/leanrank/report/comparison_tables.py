"""The tables of a comparison: means, ranks, the unified ranking, tests, repetition and stability of features."""

from __future__ import annotations

from typing import Any

from leanrank.data.weights import weighting_said
from leanrank.evaluation.compare.comparison import DECIMALS
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.report.tables import Table


def comparison_tables(summary: dict[str, Any], *, ranks_shown: int | None = None) -> list[Table]:
    """Every table that has rows; `ranks_shown` is how many ranks have a column of their own in the unified ranking."""
    tables = [means(summary, ranker) for ranker in summary["rankers"]]
    tables += [ranks(summary, ranker) for ranker in summary["rankers"]]
    tables.append(unified(summary, ranks_shown))
    tables += [tests(summary, ranker) for ranker in summary["rankers"]]
    tables += [slices(summary, ranker) for ranker in summary["rankers"]]
    tables += [stability(summary), repeated(summary)]
    return [table for table in tables if table.rows]


def means(summary: dict[str, Any], ranker: str) -> Table:
    """Mean over folds of every metric; the best of each size stands out."""
    metrics = summary["metrics"]
    of_ranker = [row for row in summary["means"] if row["ranker"] == ranker]
    rows = [
        [
            row["k"],
            row["method"],
            *(row["scores"][m] for m in metrics),
            row["n_features"],
            row["selection_seconds"],
            row["training_seconds"],
        ]
        for row in of_ranker
    ]
    best = set()
    for column in range(2, 2 + len(metrics)):
        for k in {row[0] for row in rows if row[0] is not None}:
            figures = {r: round(row[column], DECIMALS) for r, row in enumerate(rows) if row[0] == k}
            best |= {(r, column) for r, figure in figures.items() if figure == max(figures.values())}
    columns = [("k", "whole"), ("method", "method"), *((m, "figure") for m in metrics)]
    columns += [("features", "number"), ("select s", "seconds"), ("train s", "seconds")]
    n_folds = len(summary["settings"]["folds"])
    return Table(f"{ranker}: mean over {n_folds} folds", columns, rows, best=frozenset(best))


def ranks(summary: dict[str, Any], ranker: str) -> Table:
    """Competition ranks by the printed figures."""
    of = {(row["k"], row["metric"]): row["ranks"] for row in summary["ranks"] if row["ranker"] == ranker}
    metrics = summary["metrics"]
    rows = [
        [k, method, *(of[k, m][method] for m in metrics)]
        for k in dict.fromkeys(k for k, _ in of)
        for method in of[k, metrics[0]]
    ]
    columns = [("k", "whole"), ("method", "method"), *((m, "whole") for m in metrics)]
    return Table(f"{ranker}: competition ranks", columns, rows)


def unified(summary: dict[str, Any], ranks_shown: int | None = None) -> Table:
    """Over all columns: Rank, and how often each rank was taken."""
    rows = sorted(summary["unified"] or [], key=lambda row: -row["rank"])
    most = len(rows) if ranks_shown is None else min(ranks_shown, len(rows))
    columns = [("method", "method"), ("Rank", "two"), *((f"R{r}", "whole") for r in range(1, most + 1))]
    values = [[row["method"], row["rank"], *row["counts"][:most]] for row in rows]
    if most < len(rows):
        columns.append(("below", "whole"))
        values = [[*value, sum(row["counts"][most:])] for value, row in zip(values, rows, strict=True)]
    note = f"Over {sum(rows[0]['counts'])} columns (ranker, k, metric)." if rows else ""
    return Table("Unified ranking", columns, values, note=note)


def tests(summary: dict[str, Any], ranker: str) -> Table:
    """Every method against all features; what is significant after correction stands out."""
    every = summary["tests"]["rows"]
    of_ranker = [row for row in every if row["ranker"] == ranker]
    rows = []
    for row in of_ranker:
        t, b = row["t"], row["bootstrap"]
        figures = (t["difference"], b["low"], b["high"], t["statistic"], t["p"], row["t_holm"])
        rows.append([row["k"], row["method"], *figures, b["p"], row["bootstrap_holm"]])
    columns = [("k", "whole"), ("method", "method"), ("change", "signed"), ("from", "signed"), ("to", "signed")]
    columns += [("t", "two"), ("p", "figure"), ("Holm", "figure"), ("boot. p", "figure"), ("Holm ", "figure")]
    n = of_ranker[0]["t"]["n"] if of_ranker else 0
    over = summary["tests"].get("over", "queries")
    title = f"{ranker}: {summary['tests']['metric']} against {ALL_FEATURES}, paired tests over {n} {over}, two-sided"
    note = f"Intervals of 95% by the bootstrap; Holm: p corrected for all {len(every)} comparisons."
    best = frozenset((r, 2) for r, row in enumerate(of_ranker) if row["t_holm"] is not None and row["t_holm"] < 0.05)
    return Table(title, columns, rows, note=note, best=best)


def slices(summary: dict[str, Any], ranker: str) -> Table:
    """Every method against all features in each slice; what is shown to lose stands out."""
    of_ranker = [row for row in summary.get("slices", []) if row["ranker"] == ranker]
    names = ("k", "method", "title", "n_queries", "difference", "low", "high")
    rows = [[row[name] for name in names] for row in of_ranker]
    columns = [("k", "whole"), ("method", "method"), ("slice", "name"), ("queries", "whole"), ("change", "signed")]
    columns += [("from", "signed"), ("to", "signed")]
    title = f"{ranker}: {summary['tests']['metric']} against {ALL_FEATURES}, in slices of the queries"
    note = (
        "Intervals of a t-test, which hold for all slices of a method at once (Bonferroni); a slice of fewer than ten "
        "queries, or groups of them, has none."
    )
    best = frozenset((r, 4) for r, row in enumerate(of_ranker) if row["high"] is not None and row["high"] < 0)
    return Table(title, columns, rows, note=note, best=best)


def stability(summary: dict[str, Any]) -> Table:
    """How many features are in how many of the folds' sets, and how stable the sets are."""
    times = range(len(summary["settings"]["folds"]), 0, -1)
    rows = []
    for row in summary["features"]:
        sizes, counts, s = row["repetition"]["sizes"], row["repetition"]["counts"], row["stability"]
        size = " ".join(map(str, sizes if len(set(sizes)) > 1 else sizes[:1]))
        measures = (s[name] for name in ("nogueira", "low", "high", "kuncheva", "jaccard"))
        rows.append([row["k"], row["method"], size, *reversed(counts), *measures])
    columns = [("k", "whole"), ("method", "method"), ("sizes", "name"), *((f"{r}x", "whole") for r in times)]
    columns += [(name, "two") for name in ("Nogueira", "from", "to", "Kuncheva", "Jaccard")]
    note = "nx: features that are in n of the sets. Nogueira (with its interval), Kuncheva, Jaccard: 1 is identical."
    return Table("Features over folds", columns, rows, note=note)


def repeated(summary: dict[str, Any]) -> Table:
    """Which features most folds chose."""
    rows = []
    for row in summary["features"]:
        times: dict[int, list[str]] = {}
        for name, n in row["repetition"]["most"][: max(row["repetition"]["sizes"])]:
            times.setdefault(n, []).append(str(name))
        rows.append([row["k"], row["method"], "; ".join(f"{n}x {', '.join(of)}" for n, of in times.items())])
    columns = [("k", "whole"), ("method", "method"), ("features", "name")]
    return Table("Features that most folds chose", columns, rows)


def comparison_facts(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """What was compared, and how."""
    s = summary["settings"]
    return [
        ("folds", ", ".join(str(name) for name, _ in s["folds"])),
        ("features", f"{s['n_features']:,}"),
        *([("weights", weighting_said(s))] if weighting_said(s) else []),
        ("metrics", "; ".join(definition for _, definition in s["metrics"])),
        ("settings chosen by", s["validation"]),
        ("feature graph", f"importance {s['importance']}, similarity {s['similarity']}"),
        ("selectors tuned", "yes" if s["tune"] else "no"),
        ("scaled by", s["scaler"] or "nothing"),
        ("seed", str(s["random_state"])),
        ("fingerprints of the test data", ", ".join(fingerprint for _, fingerprint in s["folds"])),
        ("unfinished", f"{summary['unfinished']} combinations, in no table"),
        ("report written with", ", ".join(f"{name} {v}" for name, v in summary["versions"].items())),
    ]
