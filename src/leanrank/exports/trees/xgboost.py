"""XGBoost's JSON of a model, as a forest.

The format: https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from leanrank.exports.trees.forest import LEAF, Forest, Tree, refuse_trees

# What XGBoost predicts with these is the plain sum of leaves and the base score.
_PLAIN_OBJECTIVES = ("rank:", "reg:squarederror", "reg:linear", "reg:absoluteerror", "binary:logitraw")


def read(text: str) -> Forest:
    """Trees of a model's JSON; the base score is added to the leaves of the first tree.

    Engines sum leaves and know no base score, so with it inside the trees their sums equal `predict`.
    """
    learner = json.loads(text)["learner"]
    objective, booster = str(learner["objective"]["name"]), learner["gradient_booster"]
    if booster["name"] != "gbtree":
        raise refuse_trees(f"it is XGBoost's {booster['name']!r}, not 'gbtree'")
    if not objective.startswith(_PLAIN_OBJECTIVES):
        raise refuse_trees(f"the scores of XGBoost's {objective!r} are no plain sums; use a rank objective")
    trees = [_tree(tree) for tree in booster["model"]["trees"]]
    base = float(str(learner["learner_model_param"]["base_score"]).strip("[]"))
    if trees:
        first = trees[0]
        trees[0] = replace(first, value=first.value + np.where(first.feature == LEAF, base, 0.0))
    return Forest(tuple(trees))


def _tree(tree: dict[str, Any]) -> Tree:
    if any(tree["split_type"]):
        raise refuse_trees("it splits by category, which engines cannot; train on numbers")
    if int(tree["tree_param"]["size_leaf_vector"]) > 1:
        raise refuse_trees("its leaves hold several numbers")
    left, right = (np.array(tree[f"{side}_children"], dtype=np.int64) for side in ("left", "right"))
    order = _parents_first(left.tolist(), right.tolist())
    place = np.zeros(len(left), dtype=np.int64)
    place[order] = np.arange(len(order))
    left, right = left[order], right[order]
    leaf = left < 0
    condition = np.array(tree["split_conditions"], dtype=np.float32)[order]
    return Tree(
        feature=np.where(leaf, LEAF, np.array(tree["split_indices"], dtype=np.int64)[order]),
        threshold=np.where(leaf, np.float32(0), condition),
        left=np.where(leaf, 0, place[left]),
        right=np.where(leaf, 0, place[right]),
        missing_left=np.where(leaf, False, np.array(tree["default_left"], dtype=bool)[order]),
        value=np.where(leaf, condition, 0.0).astype(np.float64),
    )


def _parents_first(left: list[int], right: list[int]) -> list[int]:
    """Nodes that are reached from the root (pruned ones are not), each behind its parent."""
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        if left[node] >= 0:
            stack += [right[node], left[node]]
    return order
