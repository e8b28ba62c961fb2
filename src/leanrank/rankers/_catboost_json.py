"""CatBoost's JSON of a model, checked before CatBoost sees it.

The format: https://catboost.ai/docs/en/concepts/json-model-format
"""

from __future__ import annotations

from typing import Any

from leanrank.data.json_shape import fault_in
from leanrank.data.text_file import parse_json
from leanrank.errors import DataError

_DEEPEST = 16
_LARGEST_FLOAT = 3.4028235e38
_FLOAT_FEATURE = {
    "borders?": ([float], None),
    "feature_id?": str,
    "feature_index": int,
    "flat_feature_index": int,
    "has_nans": bool,
    "nan_value_treatment": str,
}
_SPLIT = {"border": float, "float_feature_index": int, "split_index": int, "split_type": str}
_MODEL = {
    "features_info": {"float_features": [_FLOAT_FEATURE]},
    "scale_and_bias": [float, ([float], float)],
    "oblivious_trees?": [
        {"leaf_values": [float], "leaf_weights?": [float], "splits?": ([_SPLIT], None), "tree_info?": object}
    ],
    "trees?": [object],
}


def check_catboost(text: str, n_features: int) -> None:
    """Refuse a JSON that is not of trees over so many features, numbers all of them, one score a document."""
    model = parse_json(text, "the CatBoost model")
    _must(fault_in(model, _MODEL))
    if set(model["features_info"]) - {"float_features"} or "ctr_data" in model:
        raise _damaged("it has features that are no numbers")
    bias = model["scale_and_bias"][1]
    if isinstance(bias, list) and len(bias) != 1:
        raise _damaged("it has several scores for a document")
    splits = _splits(model["features_info"]["float_features"], n_features)
    symmetric, others = model.get("oblivious_trees"), model.get("trees")
    if bool(symmetric) == bool(others):
        raise _damaged("it has no trees, or trees of two kinds")
    for number, tree in enumerate(symmetric or ()):
        questions = tree.get("splits") or []
        n_leaves = 2 ** len(questions) if len(questions) <= _DEEPEST else 0
        if len(tree["leaf_values"]) != n_leaves or len(tree.get("leaf_weights", tree["leaf_values"])) != n_leaves:
            raise _damaged(f"tree {number} has {len(tree['leaf_values'])} leaves for {len(questions)} splits")
        for question in questions:
            _check_split(question, splits, number)
    for number, tree in enumerate(others or ()):
        _check_nodes(tree, splits, number)


def _splits(features: list[dict[str, Any]], n_features: int) -> list[tuple[int, float]]:
    """Every question that may be asked, feature and border, in the order in which they are numbered."""
    if len(features) != n_features:
        raise _damaged(f"it has {len(features):,} features, not {n_features:,}")
    splits = []
    for j, feature in enumerate(features):
        borders = feature.get("borders") or []
        if feature["feature_index"] != j or feature["flat_feature_index"] != j:
            raise _damaged(f"feature {j} is not where it should be")
        if feature["nan_value_treatment"] not in ("AsIs", "AsFalse", "AsTrue"):
            raise _damaged(f"missing values of feature {j} go nowhere")
        if borders != sorted(set(borders)) or any(abs(border) > _LARGEST_FLOAT for border in borders):
            raise _damaged(f"the borders of feature {j} do not ascend")
        splits += [(j, border) for border in borders]
    return splits


def _check_split(question: dict[str, Any], splits: list[tuple[int, float]], number: int) -> None:
    asked, place = (question["float_feature_index"], question["border"]), question["split_index"]
    if question["split_type"] != "FloatFeature" or not 0 <= place < len(splits) or splits[place] != asked:
        raise _damaged(f"tree {number} asks for a border that there is not")


def _check_nodes(tree: Any, splits: list[tuple[int, float]], number: int) -> None:
    """A tree that is not symmetric: splits with two sides, and leaves with a value."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if fault_in(node, {"split": _SPLIT, "left": {}, "right": {}}) is None:
            _check_split(node["split"], splits, number)
            stack += [node["left"], node["right"]]
        else:
            _must(fault_in(node, {"value": float, "weight?": float}, f"a leaf of tree {number}"))


def _must(fault: str | None) -> None:
    if fault is not None:
        raise _damaged(fault)


def _damaged(why: str) -> DataError:
    return DataError(f"the CatBoost model is damaged: {why}. Save it again.")
