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
from leanrank.data.weights import weighting_said
from leanrank.errors import DataError, LeanRankError
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.again import is_possible
from leanrank.evaluation.select.selection import CurvePoint, Selection
from leanrank.evaluation.select.selection_views import holds_for
from leanrank.evaluation.training import filled
from leanrank.report.agreement import Agreement
from leanrank.report.alike import STANDS_FOR, alike, nearest_kept, stands_for
from leanrank.report.distributions import distributions
from leanrank.report.glossary import glossary
from leanrank.selectors.hybrids import IMPORTANCE, SIMILARITY
from leanrank.selectors.limits import Limits
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.importance import Importance
from leanrank.stats.lint import lint

FORMAT = "leanrank-report"
VERSION = 1
#: Packages whose versions a report names, where they are installed.
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "lightgbm", "xgboost", "catboost", "altair", "vl-convert-python")
_FILLED = "Values are missing: for importance and likeness the least of the feature in the query stands for them."


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
    graph, of_data, notes = _of_data(selection, data, path, engine)
    for name in ("importance", "cluster", "nearest", "constant"):
        for feature, value in zip(features, graph.pop(name) if graph else [], strict=False):
            feature[name] = value
    for feature, missing, spread in zip(features, of_data["missing"], of_data["spread"], strict=False):
        feature.update(missing=missing, spread=spread)
    if graph is not None:
        _say_what_is_replaced(features, path, selection.n_features)
    agreement = Agreement(
        features, path, frozenset(map(selection.label, settings["must_keep"])), STANDS_FOR if graph else None
    )
    sizes = _sizes(selection, test, agreement)
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "kind": "selection",
        **_of_answer(selection, test, agreement),
        "answers": [
            {**answer.to_dict(), "labels": [selection.label(name) for name in answer.features]}
            for answer in selection.answers.values()
        ],
        "forecast": selection.forecast.to_dict(),
        "holds_for": holds_for(selection),
        "path_method": selection.path_method,
        "metrics": [{"name": name.upper(), "max_loss": loss} for name, loss in selection.max_losses.items()],
        "drift": None if selection.drift is None else selection.drift.to_dict(),
        "metric": settings["metric_name"].upper(),
        "n_features": len(selection.feature_names),
        "kept": list(selection.features),
        "columns": list(selection.feature_names),
        "catalogue": {} if selection.catalogue is None else selection.catalogue.to_dict(),
        "has_costs": selection.priced,
        "cost_unit": selection.source.get("cost_unit", ""),
        "baseline": selection.baseline,
        "path": path,
        "features": features,
        "label_groups": of_data["labels"],
        "documents_looked_at": of_data["step"],
        "curve": [_point(point, selection) for point in selection.curve],
        "pareto": [_point(point, selection) for point in selection.pareto],
        "sentences": [{"k": size["n_kept"], "sentence": size["sentence"]} for size in sizes],
        "sizes": sizes,
        "graph": graph,
        "lint": of_data["lint"],
        "notes": [*_of_queries(selection), *selection.copies, *notes],
        "glossary": glossary([point.method for point in selection.curve if point.method != ALL_FEATURES]),
        "settings": settings,
        "seconds": round(selection.seconds, 1),
        "source": selection.source,
        "versions": versions(),
    }


def _of_queries(selection: Selection) -> list[str]:
    """Notes on the queries: where not all took part, and where some count more than others."""
    weighting = weighting_said(selection.settings)
    sampled = [f"{selection.sample['sentence']}."] if selection.sample else []
    more = "means, intervals and certificates are weighted."
    return [*sampled, *([f"{weighting[:1].upper()}{weighting[1:]}: {more}"] if weighting else [])]


def _of_answer(selection: Selection, test: dict[str, Any] | None, agreement: Agreement) -> dict[str, Any]:
    """What a report says of the features that were asked for: of others it would say something else.

    With it `frequency`: in what share of the folds features were chosen, as (column, share) pairs.
    """
    column_of = {name: j for j, name in enumerate(selection.feature_names)}
    frequency = {column_of[name]: share for name, share in selection.stability["frequency"].items()}
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
        "slices": [one.to_dict() for one in selection.slices],
        "stability": {name: selection.stability[name] for name in ("nogueira", "low", "high")},
        "frequency": [[column, share] for column, share in frequency.items()],
        "surprises": agreement.surprises(frequency, selection.n_features),
    }


def _sizes(selection: Selection, test: dict[str, Any] | None, agreement: Agreement) -> list[dict[str, Any]]:
    """The same of every measured size of the path, the smallest first, and of the features that were asked for."""
    order = _path(selection)
    known = {point.k for point in selection.curve if point.on_path and point.k <= len(selection.path)}
    views: dict[int, tuple[Selection, dict[str, Any] | None]] = {
        k: (selection.at(k), None) for k in known if is_possible(selection, k)
    }
    # where features that no ranker uses are left out, the page may have others at a size than were measured
    views = {k: view for k, view in views.items() if set(order[:k]) == set(view[0].features)}
    views[selection.n_features] = (selection, test)
    return [_of_answer(at, tested, agreement) for _, (at, tested) in sorted(views.items())]


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
            "constant": False,
            "missing": None,
            "spread": None,
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
) -> tuple[dict[str, Any] | None, dict[str, Any], list[str]]:
    """The graph, the distributions and the lint report where there are data, and a note on what is left out or filled.

    Missing values are filled as `select` fills them for its methods.
    """
    if data is None:
        nothing = {"labels": [], "spread": [], "missing": [], "step": 1, "lint": None}
        return None, nothing, ["Importance, likeness and values of features and the check of the data need the data."]
    columns_of(data, selection.feature_names, "the selection", len(selection.feature_names))
    if data.fingerprint() != selection.settings["fingerprint"]:
        raise DataError(
            f"These are not the data the selection was made from: their fingerprint is {data.fingerprint()}, the "
            f"selection's {selection.settings['fingerprint']}. Name the file it was made from, or none."
        )
    checked = json.loads(json.dumps(lint(data, engine).to_dict()))  # tuples as lists: plain values
    for finding in checked["findings"]:
        finding["features"] = [selection.label(name) for name in finding["features"]]
    of_data = {**distributions(data), "lint": checked}
    graph = feature_graph(filled(data), _importance(selection.settings["metric_name"]), SIMILARITY, engine)
    notes = [_FILLED] if data.missing_counts().any() else []
    place = {name: j for j, name in enumerate(selection.feature_names)}
    copies = [[place[name] for name in (kept, *others)] for kept, others in selection.stands_for.items()]
    return alike(graph, np.array(path, dtype=np.int64), selection.n_features, copies), of_data, notes


def _importance(metric_name: str) -> Importance:
    """Importance in the metric of the selection; in MAP where that is not one of ours."""
    try:
        return Importance(metric_name, direction="max")
    except LeanRankError:
        return IMPORTANCE


def _point(point: CurvePoint, selection: Selection) -> dict[str, Any]:
    """A point of the curve; `low` and `high` are differences to all features, as `difference` is.

    One of the path has what it is certified at and its evidence; its features are the first of the path.
    """
    known = {name: value for name, value in point.to_dict().items() if name not in ("per_fold", "slices")}
    return {
        **known,
        "mean": round(point.mean, 6),
        "chosen": point.on_path and point.method == selection.method and point.k == selection.measured_k,
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
        "glossary": glossary([name for name in methods if name != ALL_FEATURES]),
        "settings": {name: value for name, value in about.items() if name != "feature_names"},
        "versions": versions(),
    }


def _leader(tables: dict[str, Any], methods: list[str]) -> str:
    """Who leads, in one sentence."""
    if not tables["means"]:
        return "Nothing is finished yet."
    ranked = [row for row in tables["unified"] or () if row["method"] != ALL_FEATURES]
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
