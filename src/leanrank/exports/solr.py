"""Solr's Learning to Rank module: the feature store and `LinearModel`.

Features and models: https://solr.apache.org/guide/solr/latest/query-guide/learning-to-rank.html
LinearModel: https://solr.apache.org/docs/9_0_0/modules/ltr/org/apache/solr/ltr/model/LinearModel.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leanrank.data.text_file import parse_json
from leanrank.errors import DataError
from leanrank.exports.featureset import FullSet, Kept, names_of, to_json
from leanrank.exports.linear import Normalizer, weights_of
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
    if len({feature.get("store") for feature in features}) > 1:
        raise DataError(f"{source}: its features are of several stores; a model reads one: leave the others out.")
    return FullSet(names, features)


def feature_set(full: FullSet, kept: Sequence[Kept]) -> str:
    """The pruned list of features."""
    return to_json([full.content[feature.place] for feature in kept])


def model(ranker: Ranker, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], name: str) -> str:
    """A `LinearModel`; normalizers are Solr's `MinMaxNormalizer` and `StandardNormalizer`."""
    weights = weights_of(ranker, TITLE).tolist()
    store = full.content[0].get("store")
    features = [{"name": f.name, **_norm(normalizers.get(f.name))} for f in kept]
    return to_json(
        {
            **({} if store is None else {"store": store}),
            "class": "org.apache.solr.ltr.model.LinearModel",
            "name": name,
            "features": features,
            "params": {"weights": {f.name: weight for f, weight in zip(kept, weights, strict=True)}},
        }
    )


def _norm(given: Normalizer | None) -> dict[str, Any]:
    if given is None:
        return {}
    name, keys = ("MinMax", ("min", "max")) if given.kind == "min_max" else ("Standard", ("avg", "std"))
    # Solr's documentation gives the parameters as texts.
    params = {key: repr(value) for key, value in zip(keys, given.parameters, strict=True)}
    return {"norm": {"class": f"org.apache.solr.ltr.norm.{name}Normalizer", "params": params}}
