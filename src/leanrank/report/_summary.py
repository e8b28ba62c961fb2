"""The summary: one dict of plain values, the only input of every renderer."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypedDict, Unpack

import numpy as np

from leanrank import __version__
from leanrank.data.catalogue import Catalogue
from leanrank.data.ranking_data import RankingData
from leanrank.data.same_features import columns_of
from leanrank.errors import DataError, MissingValuesError
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.again import is_possible
from leanrank.evaluation.select.selection import CurvePoint, Selection
from leanrank.report.alike import alike, nearest_kept, stands_for
from leanrank.selectors.hybrids import IMPORTANCE, SIMILARITY
from leanrank.selectors.limits import Limits
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.lint import lint

FORMAT = "leanrank-report"
VERSION = 1
#: Packages whose versions a report names, where they are installed.
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "lightgbm", "xgboost", "catboost", "altair", "vl-convert-python")


class SummaryOptions(TypedDict, total=False):
    """What a report may say beside its results: keywords of `summarize` and of `write_report`."""

    test: dict[str, Any] | None
    metric: str | None
    engine: Any
    catalogue: Catalogue | None


def summarize(
    results: Selection | Comparison, data: RankingData | None = None, **options: Unpack[SummaryOptions]
) -> dict[str, Any]:
    """Everything a report says, as plain values that JSON can hold.

    Parameters
    ----------
    results : Selection or Comparison
    data : RankingData, default=None
        What a selection was made from. With it come importance, likeness and clusters of features, and lint findings.
    test : dict, default=None
        What a selection does to queries kept for a test, as `leanrank select --test` measures it.
    metric : str, default=None
        The metric of a comparison that is tested.
    engine : optional
        Where the feature graph is computed.
    catalogue : Catalogue, default=None
        Names of features; a selection has those that it was made with.
    """
    known = options.get("catalogue")
    if isinstance(results, Comparison):
        return _of_comparison(results, options.get("metric"), known)
    if known is not None:
        results = replace(results, catalogue=known)
    return _of_selection(results, data, options.get("test"), options.get("engine"))


def _of_selection(
    selection: Selection, data: RankingData | None, test: dict[str, Any] | None, engine: Any
) -> dict[str, Any]:
    settings = selection.settings
    column_of = {name: j for j, name in enumerate(selection.feature_names)}
    path = [column_of[name] for name in _path(selection)]
    features = _features(selection, path)
    graph, checked, notes = _of_data(selection, data, path, engine)
    if graph is not None:
        for feature, importance, cluster, nearest in zip(
            features, graph.pop("importance"), graph.pop("cluster"), graph.pop("nearest"), strict=True
        ):
            feature.update(importance=importance, cluster=cluster, nearest=nearest)
        _say_what_is_replaced(features, path, selection.n_features)
    sizes = _sizes(selection, test)
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "kind": "selection",
        **_of_answer(selection, test),
        "answers": [
            {**answer.to_dict(), "labels": [selection.label(name) for name in answer.features]}
            for answer in selection.answers.values()
        ],
        "forecast": selection.forecast.to_dict(),
        "path_method": selection.path_method,
        "metrics": [{"name": name.upper(), "max_loss": loss} for name, loss in selection.max_losses.items()],
        "slices": [one.to_dict() for one in selection.slices],
        "drift": None if selection.drift is None else selection.drift.to_dict(),
        "metric": settings["metric_name"].upper(),
        "n_features": len(selection.feature_names),
        "kept": list(selection.features),
        "catalogue": {} if selection.catalogue is None else selection.catalogue.to_dict(),
        "has_costs": settings["costs"] is not None,
        "baseline": selection.baseline,
        "path": path,
        "features": features,
        "curve": [_point(point, selection) for point in selection.curve],
        "pareto": [_point(point, selection) for point in selection.pareto],
        "sentences": [{"k": size["n_kept"], "sentence": size["sentence"]} for size in sizes],
        "sizes": sizes,
        "graph": graph,
        "lint": checked,
        "notes": [*([f"{selection.sample['sentence']}."] if selection.sample else []), *selection.copies, *notes],
        "settings": settings,
        "seconds": round(selection.seconds, 1),
        "source": selection.source,
        "versions": versions(),
    }


def _of_answer(selection: Selection, test: dict[str, Any] | None) -> dict[str, Any]:
    """What a report says of the features that were asked for: of others it would say something else."""
    return {
        "sentence": selection.sentence(),
        "proven": selection.proven,
        "measured": selection.chosen.is_measured,
        "reason": selection.reason,
        "risk": selection.chosen.risk,
        "answer": selection.answer,
        "everything": selection.chosen.is_everything,
        "method": selection.method,
        "n_kept": selection.n_features,
        "cost": selection.cost,
        "versus_all": selection.versus_all,
        "nested": selection.nested,
        "test": test,
        "per_query": selection.per_query,
        "losers": list(selection.losers),
        "stability": {name: selection.stability[name] for name in ("nogueira", "low", "high")},
    }


def _sizes(selection: Selection, test: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The same of every measured size of the path, the smallest first, and of the features that were asked for.

    With each `frequency`: in what share of the folds features were chosen, as (column, share) pairs.
    """
    column_of = {name: j for j, name in enumerate(selection.feature_names)}
    order = _path(selection)
    known = {point.k for point in selection.curve if point.on_path and point.k <= len(selection.path)}
    views: dict[int, tuple[Selection, dict[str, Any] | None]] = {
        k: (selection.at(k), None) for k in known if is_possible(selection, k)
    }
    # where features that no ranker uses are left out, the page may have others at a size than were measured
    views = {k: view for k, view in views.items() if set(order[:k]) == set(view[0].features)}
    views[selection.n_features] = (selection, test)
    return [
        {
            **_of_answer(at, tested),
            "frequency": [[column_of[name], share] for name, share in at.stability["frequency"].items()],
        }
        for _, (at, tested) in sorted(views.items())
    ]


def _path(selection: Selection) -> list[str]:
    """The features in order; those that are kept come first."""
    kept = set(selection.features)
    return [*selection.features, *(name for name in selection.path if name not in kept)]


def _features(selection: Selection, path: list[int]) -> list[dict[str, Any]]:
    """One record per column of the data: its name, its place on the path, its cost, how often folds chose it."""
    settings, names = selection.settings, selection.feature_names
    limits = Limits(settings["costs"], settings["groups"]).bound("select", names)
    cost = limits.marginal(np.zeros(len(names), dtype=bool))
    frequency = selection.stability["frequency"]
    features: list[dict[str, Any]] = [
        {
            "name": selection.label(name),  # as it is shown; the names in the data are those of `kept`
            "id": j + 1,
            "position": None,
            "kept": False,
            "cost": float(cost[j]),
            "frequency": frequency.get(name, 0.0),
            "importance": None,
            "cluster": None,
            "nearest": [],
            "replaces": None,
        }
        for j, name in enumerate(names)
    ]
    taken = np.zeros(len(names), dtype=bool)
    for position, j in enumerate(path):
        features[j]["position"] = position + 1
        features[j]["kept"] = position < selection.n_features
        features[j]["cost"] = float(limits.marginal(taken)[j])  # of a group that is paid already, less
        taken[j] = True
    return features


def _say_what_is_replaced(features: list[dict[str, Any]], path: list[int], n_kept: int) -> None:
    replaced = stands_for(features, path, n_kept)
    for j, feature in enumerate(features):
        if j in replaced:
            others = [{"name": features[other]["name"], "similarity": s} for s, other in replaced[j]]
            feature["replaces"] = {"n": len(others), "nearest": others[:5]}
        else:
            position, similarity = nearest_kept(feature["nearest"], n_kept)
            feature["nearest_kept"] = {"name": features[path[position]]["name"], "similarity": similarity}


def _of_data(
    selection: Selection, data: RankingData | None, path: list[int], engine: Any
) -> tuple[dict[str, Any] | None, dict[str, Any] | None, list[str]]:
    """The graph and the lint report where there are data, and a note on what is left out."""
    if data is None:
        return None, None, ["Importance, likeness and clusters of features and the check of the data need the data."]
    columns_of(data, selection.feature_names, "the selection", len(selection.feature_names))
    if data.fingerprint() != selection.settings["fingerprint"]:
        raise DataError(
            f"These are not the data the selection was made from: their fingerprint is {data.fingerprint()}, the "
            f"selection's {selection.settings['fingerprint']}. Name the file it was made from, or none."
        )
    checked = json.loads(json.dumps(lint(data, engine).to_dict()))  # tuples as lists: plain values
    for finding in checked["findings"]:
        finding["features"] = [selection.label(name) for name in finding["features"]]
    try:
        graph = feature_graph(data, IMPORTANCE, SIMILARITY, engine)
    except MissingValuesError as error:
        return None, checked, [f"There is no feature graph: {error}"]
    return alike(graph, np.array(path, dtype=np.int64), selection.n_features), checked, []


def _point(point: CurvePoint, selection: Selection) -> dict[str, Any]:
    """A point of the curve; `low` and `high` are differences to all features, as `difference` is.

    One of the path has what it is certified at and its evidence; its features are the first of the path.
    """
    chosen = point.on_path and point.method == selection.method and point.k == selection.measured_k
    known = point.to_dict()
    return {
        **{name: known[name] for name in ("on_path", "certified_loss", "evidence")},
        "method": point.method,
        "k": point.k,
        "cost": point.cost,
        "mean": round(point.mean, 6),
        "difference": point.difference,
        "low": point.low,
        "high": point.high,
        "chosen": chosen,
        "all": point.method == ALL_FEATURES,
        "metrics": [one.to_dict() for one in point.metrics],
    }


def _of_comparison(comparison: Comparison, metric: str | None, catalogue: Catalogue | None) -> dict[str, Any]:
    tables = comparison.to_dict(metric)
    if catalogue is not None:
        for row in tables["features"]:
            row["repetition"]["most"] = [(catalogue.label(str(name)), n) for name, n in row["repetition"]["most"]]
    about = tables.pop("about")
    methods = list(dict.fromkeys(row["method"] for row in tables["means"]))
    rankers = list(dict.fromkeys(row["ranker"] for row in tables["means"]))
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "kind": "comparison",
        "sentence": _leader(tables, methods),
        "n_methods": len(methods),
        "rankers": rankers,
        "metrics": comparison.metrics,
        **tables,
        "settings": {name: value for name, value in about.items() if name != "feature_names"},
        "versions": versions(),
    }


def _leader(tables: dict[str, Any], methods: list[str]) -> str:
    """Who leads, in one sentence."""
    if not tables["means"]:
        return "Nothing is finished yet."
    unified = tables["unified"]
    if not unified:
        return f"{len(methods)} methods compared; none is in every column, so there is no common ranking."
    ranked = [row for row in unified if row["method"] != ALL_FEATURES]
    if not ranked:
        return f"{len(methods)} methods compared; none is in every column, so there is no common ranking."
    best = max(ranked, key=lambda row: row["rank"])
    columns = sum(best["counts"])
    noun = "method" if len(ranked) == 1 else "methods"
    return (
        f"{best['method']} is the best of {len(ranked)} {noun}: {best['rank']:.2f} of at most {columns} in the unified "
        "ranking over rankers, sizes and metrics"
    )


def versions() -> dict[str, str]:
    """What this report is written with."""
    versions_of = {"leanrank": __version__, "Python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions_of[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions_of
