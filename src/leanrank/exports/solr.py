"""Solr's Learning to Rank module: the feature store, `LinearModel` and `MultipleAdditiveTreesModel`.

Features and models: https://solr.apache.org/guide/solr/latest/query-guide/learning-to-rank.html
LinearModel: https://solr.apache.org/docs/9_0_0/modules/ltr/org/apache/solr/ltr/model/LinearModel.html
Trees: https://solr.apache.org/docs/9_0_0/modules/ltr/org/apache/solr/ltr/model/MultipleAdditiveTreesModel.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.text_file import parse_json
from leanrank.errors import DataError
from leanrank.exports.featureset import FullSet, Kept, names_of, to_json
from leanrank.exports.linear import Normalizer, no_normalizers, weights_of
from leanrank.exports.target import Target
from leanrank.exports.trees.forest import Forest, Tree, forest_of
from leanrank.exports.unmatched import for_engine, tells_missing
from leanrank.rankers._base import Ranker

TITLE = "Solr"
MODEL_SUFFIX = ".model.json"
_SCHEMA = 'a list of features [{"store": ..., "name": ..., "class": ..., "params": {...}}]'


def parse(text: str, source: str) -> FullSet:
    """Read features as they are uploaded (a list), or as the feature store gives them back ({"features": [...]})."""
    content = parse_json(text, source)
    features: Any = content.get("features") if isinstance(content, dict) else content
    names = names_of(features, source, _SCHEMA)
    for feature in features:
        if not isinstance(feature.get("class"), str):
            raise DataError(f"{source}: feature {feature['name']!r} has no 'class'; expected {_SCHEMA}.")
    if len({str(feature.get("store")) for feature in features}) > 1:
        raise DataError(f"{source}: its features are of several stores; a model reads one: leave the others out.")
    return FullSet(names, features)


def feature_set(full: FullSet, kept: Sequence[Kept], target: Target) -> str:
    """The pruned list of features; with a default of NaN where trees are to know a missing value from 0."""
    features = [full.content[feature.place] for feature in kept]
    if target.unmatched == "missing" and tells_missing(target):
        features = [{**f, "params": {**(f.get("params") or {}), "defaultValue": "NaN"}} for f in features]
    return to_json(features)


def model(
    ranker: Ranker, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], target: Target
) -> str:
    """A `LinearModel`, its normalizers Solr's `MinMaxNormalizer` and `StandardNormalizer`; or, of trees, a
    `MultipleAdditiveTreesModel`.
    """
    store = full.content[0].get("store")
    forest = forest_of(ranker)
    params: dict[str, Any]
    if forest is not None:
        no_normalizers(normalizers, "A model of trees")
        kind, params = "MultipleAdditiveTreesModel", _trees(forest, [feature.name for feature in kept], target)
    else:
        weights = weights_of(ranker, TITLE).tolist()
        kind, params = "LinearModel", {"weights": {f.name: w for f, w in zip(kept, weights, strict=True)}}
    return to_json(
        {
            **({} if store is None else {"store": store}),
            "class": f"org.apache.solr.ltr.model.{kind}",
            "name": target.name,
            "features": [{"name": f.name, **_norm(normalizers.get(f.name))} for f in kept],
            "params": params,
        }
    )


def _trees(forest: Forest, names: Sequence[str], target: Target) -> dict[str, Any]:
    forest, unmatched = for_engine(forest, target)
    says_missing = unmatched == "missing" and tells_missing(target)

    def root(tree: Tree) -> Any:
        features, values = tree.feature.tolist(), tree.value.astype(np.float32)
        thresholds, missing_left = _thresholds(tree.threshold), tree.missing_left.tolist()

        def split(node: int, left: Any, right: Any) -> dict[str, Any]:
            missing = {"missing": "left" if missing_left[node] else "right"} if says_missing else {}
            there = {"feature": names[features[node]], "threshold": str(thresholds[node])}
            return {**there, **missing, "left": left, "right": right}

        return tree.nested(split, lambda node: {"value": str(values[node])})

    trees = [{"weight": "1", "root": root(tree)} for tree in forest.trees]
    return {**({"isNullSameAsZero": False} if says_missing else {}), "trees": trees}


def _thresholds(thresholds: NDArray[np.float32]) -> NDArray[np.float32]:
    """What to write so that Solr's test, `x <= written + 0.000001` in single precision, says `x < threshold`.

    Where no number does exactly, the nearest that keeps the threshold itself on the right side; but where only the last
    number below it would go wrong, as for `x <= -1`, that of the two which has more digits does: features have values
    of few.
    """
    below, slack = -np.finfo(np.float32).max, np.float32(1e-6)
    highest_left = np.nextafter(thresholds, below)
    written = highest_left - slack
    for _ in range(2):  # the difference is off by at most a rounding each way
        higher = np.nextafter(written, np.float32(np.inf))
        written = np.where(higher + slack <= highest_left, higher, written)
    for _ in range(2):
        written = np.where(written + slack > highest_left, np.nextafter(written, below), written)
    higher = np.nextafter(written, np.float32(np.inf))
    between = (written + slack < highest_left) & (higher + slack == thresholds)
    shorter = np.array([len(str(a)) < len(str(b)) for a, b in zip(highest_left, thresholds, strict=True)], dtype=bool)
    return np.asarray(np.where(between & shorter, higher, written), dtype=np.float32)


def _norm(given: Normalizer | None) -> dict[str, Any]:
    if given is None:
        return {}
    name, keys = ("MinMax", ("min", "max")) if given.kind == "min_max" else ("Standard", ("avg", "std"))
    # Solr's documentation gives the parameters as texts.
    params = {key: repr(value) for key, value in zip(keys, given.parameters, strict=True)}
    return {"norm": {"class": f"org.apache.solr.ltr.norm.{name}Normalizer", "params": params}}
