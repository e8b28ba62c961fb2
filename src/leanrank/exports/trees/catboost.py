"""CatBoost's JSON of a model, as a forest.

The format: https://catboost.ai/docs/en/concepts/json-model-format
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from leanrank.exports.trees.forest import LEAF, Forest, Tree, below, refuse_trees


def read(text: str) -> Forest:
    """Trees of a model's JSON: every level of an oblivious tree asks one question, `x > border`.

    An oblivious tree of depth d becomes a full binary tree of 2^d leaves. NaN is below or above all borders, as
    training has decided for each feature.
    """
    if not text:  # every feature was constant
        return Forest(())
    model = json.loads(text)
    if "oblivious_trees" not in model:
        raise refuse_trees("only CatBoost's symmetric trees can be (grow_policy='SymmetricTree')")
    floats = model["features_info"].get("float_features", [])
    column = {feature["feature_index"]: feature["flat_feature_index"] for feature in floats}
    nan_right = {feature["feature_index"]: feature["nan_value_treatment"] == "AsTrue" for feature in floats}
    scale, bias = float(model["scale_and_bias"][0]), float(np.ravel(model["scale_and_bias"][1])[0])
    trees = [
        _tree(tree, column, nan_right, scale, bias if number == 0 else 0.0)
        for number, tree in enumerate(model["oblivious_trees"])
    ]
    return Forest(tuple(trees), any(feature["has_nans"] for feature in floats))


def _tree(tree: dict[str, Any], column: dict[int, int], nan_right: dict[int, bool], scale: float, bias: float) -> Tree:
    questions = tree.get("splits") or []
    if any(question["split_type"] != "FloatFeature" for question in questions):
        raise refuse_trees("it uses CatBoost's categories; train on numbers")
    # The last question is asked at the root: answers are the bits of a leaf's number, the first one the lowest.
    questions = questions[::-1]
    depth, n_splits = len(questions), 2 ** len(questions) - 1
    leaves = np.asarray(tree["leaf_values"], dtype=np.float64)
    if len(leaves) != n_splits + 1:
        raise refuse_trees("its leaves hold several numbers")
    level = np.repeat(np.arange(depth), 2 ** np.arange(depth))
    borders = below(np.array([question["border"] for question in questions], dtype=np.float64))
    features = [question["float_feature_index"] for question in questions]
    n = 2 * n_splits + 1
    node = np.arange(n_splits)
    missing_left = np.array([not nan_right[feature] for feature in features], dtype=bool)
    return Tree(
        feature=_fill(n, LEAF, np.array([column[feature] for feature in features], dtype=np.int64)[level]),
        threshold=_fill(n, 0.0, borders[level]).astype(np.float32),
        left=_fill(n, 0, 2 * node + 1).astype(np.int64),
        right=_fill(n, 0, 2 * node + 2).astype(np.int64),
        missing_left=_fill(n, False, missing_left[level]).astype(bool),
        value=np.concatenate([np.zeros(n_splits), scale * leaves + bias]),
    )


def _fill(n: int, rest: Any, first: Any) -> Any:
    """`first`, and `rest` up to n entries."""
    return np.concatenate([first, np.full(n - len(first), rest)])
