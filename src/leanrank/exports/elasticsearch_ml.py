"""Elasticsearch's own learning to rank (8.12 and later): feature extractors, and models for `PUT _ml/trained_models`.

Deploying: https://www.elastic.co/guide/en/elasticsearch/reference/8.15/learning-to-rank-model-training.html
Models: https://www.elastic.co/guide/en/elasticsearch/reference/8.15/put-trained-models.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leanrank.data.text_file import parse_json
from leanrank.errors import DataError, ParameterError
from leanrank.exports.featureset import FullSet, Kept, names_of, to_json
from leanrank.exports.linear import Normalizer, no_normalizers
from leanrank.exports.target import Target
from leanrank.exports.trees.forest import LEAF, Tree, forest_of
from leanrank.exports.unmatched import for_engine
from leanrank.rankers._base import Ranker

MODEL_SUFFIX = ".model.json"
_KIND = "learning_to_rank"
_SCHEMA = '{"learning_to_rank": {"feature_extractors": [{"query_extractor": {"feature_name": ..., "query": ...}}]}}'


def parse(text: str, source: str) -> FullSet:
    """Read an inference configuration, alone, inside a model as it is sent, or as `GET _ml/trained_models` gives it."""
    content = parse_json(text, source)
    inner = content
    if isinstance(inner, dict) and isinstance(inner.get("trained_model_configs"), list):
        models = inner["trained_model_configs"]
        if len(models) != 1:
            raise DataError(f"{source}: expected one model, got {len(models)}: ask for it by its name.")
        inner = models[0]
    if isinstance(inner, dict):
        inner = inner.get("inference_config", inner)
    if isinstance(inner, dict):
        inner = inner.get(_KIND)
    if not isinstance(inner, dict) or not isinstance(inner.get("feature_extractors"), list):
        raise DataError(f"{source}: expected {_SCHEMA}.")
    named = [{"name": _name(extractor)} for extractor in inner["feature_extractors"]]
    return FullSet(names_of(named, source, _SCHEMA), inner)


def feature_set(full: FullSet, kept: Sequence[Kept], target: Target) -> str:
    """The inference configuration with the extractors of the selected features, all else as it was."""
    return to_json(_configuration(full, kept))


def model(
    ranker: Ranker, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], target: Target
) -> str:
    """The body of `PUT _ml/trained_models/NAME`: trees whose leaves add up, and the extractors of their features.

    A feature whose query does not match a document is missing there, and every split says where it goes. Up to 8.14 a
    model has to list its features as input, from 8.15 on it must not.
    """
    forest = forest_of(ranker)
    if forest is None:
        raise ParameterError(
            "Elasticsearch's own learning to rank knows trees alone: export a LightGBM, XGBoost or CatBoost model, or "
            "a linear one to the plugin (--to elasticsearch)."
        )
    no_normalizers(normalizers, "A model of trees")
    trees, unmatched = for_engine(forest, target)
    names = [feature.name for feature in kept]
    ensemble = {
        "feature_names": names,
        "target_type": "regression",
        "trained_models": [{"tree": _tree(tree, names, unmatched)} for tree in trees.trees],
        "aggregate_output": {"weighted_sum": {"weights": [1.0] * len(trees.trees)}},
    }
    return to_json(
        {
            "description": f"{target.name}: {len(names)} features",
            "model_type": "tree_ensemble",
            **({"input": {"field_names": names}} if target.before(8, 15) else {}),
            "inference_config": _configuration(full, kept),
            "definition": {"preprocessors": [], "trained_model": {"ensemble": ensemble}},
        }
    )


def _configuration(full: FullSet, kept: Sequence[Kept]) -> dict[str, Any]:
    extractors = [full.content["feature_extractors"][feature.place] for feature in kept]
    return {_KIND: {**full.content, "feature_extractors": extractors}}


def _name(extractor: Any) -> Any:
    """The name of an extractor, whatever its kind; what has none is told by `names_of`."""
    if isinstance(extractor, dict) and len(extractor) == 1:
        (inside,) = extractor.values()
        return inside.get("feature_name") if isinstance(inside, dict) else None
    return None


def _tree(tree: Tree, names: Sequence[str], unmatched: str) -> dict[str, Any]:
    """Nodes in their order; a value below the threshold goes left, as in the trees here.

    To Elasticsearch -0.0 is below 0.0 and not below -0.0, which is therefore what a threshold of 0 is written as.
    """
    missing_left = tree.unmatched_left(unmatched).tolist()
    nodes: list[dict[str, Any]] = []
    for node, feature in enumerate(tree.feature.tolist()):
        if feature == LEAF:
            nodes.append({"node_index": node, "leaf_value": float(tree.value[node])})
            continue
        nodes.append(
            {
                "node_index": node,
                "split_feature": feature,
                "decision_type": "lt",
                "threshold": float(tree.threshold[node]) or -0.0,
                "default_left": missing_left[node],
                "left_child": int(tree.left[node]),
                "right_child": int(tree.right[node]),
            }
        )
    return {"feature_names": list(names), "target_type": "regression", "tree_structure": nodes}
