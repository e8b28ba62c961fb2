"""The Learning to Rank plugins of Elasticsearch and OpenSearch: feature sets and models.

Feature sets: https://elasticsearch-learning-to-rank.readthedocs.io/en/latest/building-features.html
Models: https://elasticsearch-learning-to-rank.readthedocs.io/en/latest/training-models.html
OpenSearch, the same formats: https://docs.opensearch.org/latest/search-plugins/ltr/working-with-features/
and https://docs.opensearch.org/latest/search-plugins/ltr/training-models/
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from leanrank.data.text_file import parse_json
from leanrank.errors import DataError
from leanrank.exports.featureset import FullSet, Kept, names_of, to_json
from leanrank.exports.linear import Normalizer, no_normalizers, weights_of
from leanrank.exports.target import Target
from leanrank.exports.trees.forest import forest_of, xgboost_dump
from leanrank.exports.unmatched import for_engine
from leanrank.rankers._base import Ranker

TITLES = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}
MODEL_SUFFIX = ".model.json"
_SCHEMA = 'a feature set {"featureset": {"features": [{"name": ..., "params": [...], "template": ...}]}}'


def parse(text: str, source: str) -> FullSet:
    """Read a feature set as it is sent (POST) or as the plugin gives it back (GET)."""
    content = parse_json(text, source)
    if isinstance(content, dict) and isinstance(content.get("_source"), dict):
        content = content["_source"]
        content = {"featureset": content["featureset"]} if "featureset" in content else content
    inner = content.get("featureset", content) if isinstance(content, dict) else None
    if not isinstance(inner, dict):
        raise DataError(f"{source}: expected {_SCHEMA}.")
    return FullSet(names_of(inner.get("features"), source, _SCHEMA), content)


def feature_set(full: FullSet, kept: Sequence[Kept], target: Target) -> str:
    """The pruned feature set, all else as it was."""
    inner = full.content.get("featureset", full.content)
    _check_derived(inner["features"], kept)
    pruned = {**inner, "features": [inner["features"][feature.place] for feature in kept]}
    return to_json({**full.content, "featureset": pruned} if "featureset" in full.content else pruned)


def model(
    ranker: Ranker, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], target: Target
) -> str:
    """The body of `POST _ltr/_featureset/SET/_createmodel`: `model/linear` or, of all trees, `model/xgboost+json`.

    A feature whose query does not match a document is 0 to a linear model. Trees get it as missing in newer versions,
    and say at each split where it goes.
    """
    names = [feature.name for feature in kept]
    forest = forest_of(ranker)
    inside: dict[str, Any]
    if forest is not None:
        no_normalizers(normalizers, "A model of trees")
        trees, unmatched = for_engine(forest, target)
        inside = {"type": "model/xgboost+json", "definition": json.dumps(xgboost_dump(trees, names, unmatched))}
    else:
        weights = dict(zip(names, weights_of(ranker, TITLES[target.engine]).tolist(), strict=True))
        inside = {"type": "model/linear"}
        if normalizers:
            inside["feature_normalizers"] = {key: _normalizer(value) for key, value in normalizers.items()}
        inside["definition"] = json.dumps(weights, ensure_ascii=False)
    return to_json({"model": {"name": target.name, "model": inside}})


def _normalizer(given: Normalizer) -> dict[str, Any]:
    if given.kind == "min_max" and given.offset >= 0:
        return {"min_max": dict(zip(("minimum", "maximum"), given.parameters, strict=True))}
    # The plugins refuse a negative minimum; "standard" subtracts and divides alike.
    return {"standard": {"mean": given.offset, "standard_deviation": given.scale}}


def _check_derived(features: list[Any], kept: Sequence[Kept]) -> None:
    """Refuse to drop a feature that a kept one is computed from."""
    there = {feature.name for feature in kept}
    dropped = {feature["name"] for feature in features} - there
    for feature in (features[k.place] for k in kept):
        if feature.get("template_language") not in ("derived_expression", "derived"):
            continue
        used = set(re.findall(r"[A-Za-z_]\w*", str(feature.get("template"))))
        for needed in sorted(used & dropped):
            raise DataError(
                f"Feature {feature['name']!r} is derived from {needed!r}, which is not selected. Select it as well, or "
                f"write {feature['name']!r} without it."
            )
