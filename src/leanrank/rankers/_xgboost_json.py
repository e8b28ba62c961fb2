"""XGBoost's JSON of a model, checked before XGBoost sees it: its reader believes what it is given.

The format: https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.text_file import fault_in, parse_json
from leanrank.errors import DataError

_NO_PARENT = 2**31 - 1
_LARGEST_FLOAT = 3.4028235e38
_TREE = {
    "base_weights": [float],
    "categories": [int],
    "categories_nodes": [int],
    "categories_segments": [int],
    "categories_sizes": [int],
    "default_left": [(int, bool)],
    "id": int,
    "left_children": [int],
    "loss_changes": [float],
    "parents": [int],
    "right_children": [int],
    "split_conditions": [float],
    "split_indices": [int],
    "split_type": [int],
    "sum_hessian": [float],
    "tree_param": {"num_deleted": str, "num_feature": str, "num_nodes": str, "size_leaf_vector": str},
}
_NODES = (
    *("base_weights", "default_left", "loss_changes", "parents", "split_conditions", "split_indices", "split_type"),
    *("sum_hessian", "left_children", "right_children"),
)
_FLOATS = ("base_weights", "loss_changes", "split_conditions", "sum_hessian")
_TREES = {
    "cats?": {"enc": [()], "feature_segments": [()], "sorted_idx": [()]},
    "gbtree_model_param": {"num_parallel_tree": str, "num_trees": str},
    "iteration_indptr?": [int],
    "tree_info": [int],
    "trees": [_TREE],
}
_LEARNER = {
    "attributes": {str: str},
    "feature_names": [str],
    "feature_types": [str],
    "gradient_booster": {"name": str},
    "learner_model_param": {"base_score": str, "num_class": str, "num_feature": str, "num_target?": str},
    "objective": {"name": str},
}


def check_xgboost(text: str, n_features: int) -> None:
    """Refuse a JSON that is not of a booster over so many features, one score a document."""
    document = parse_json(text, "the XGBoost model")
    _must(fault_in(document, {"learner": _LEARNER, "version": [int, int, int]}))
    learner = document["learner"]
    param = learner["learner_model_param"]
    _must_be(param, "num_feature", str(n_features))
    _must_be(param, "num_class", "0", "1")
    _must_be({"num_target": "1"} | param, "num_target", "1")
    for name in ("feature_names", "feature_types"):
        if len(learner[name]) not in (0, n_features) or not all(map(str.isprintable, learner[name])):
            raise _damaged(f"its {name!r} are not {n_features:,}")
    if not re.fullmatch(r"\[?[-+0-9.eE]{1,30}\]?", param["base_score"]):
        raise _damaged("its 'base_score' is no number")
    _check_objective(learner["objective"])
    booster = learner["gradient_booster"]
    name = booster["name"]
    if name == "gblinear":
        _must(fault_in(booster, {"model": {"weights": [float]}}))
        if len(booster["model"]["weights"]) != n_features + 1:
            raise _damaged("its weights are not those of its features")
    elif name == "dart":
        _must(fault_in(booster, {"gbtree": {"model": _TREES}, "weight_drop": [float]}))
        if len(booster["weight_drop"]) != len(booster["gbtree"]["model"]["trees"]):
            raise _damaged("its weights are not those of its trees")
        _check_trees(booster["gbtree"]["model"], n_features)
    elif name == "gbtree":
        _must(fault_in(booster, {"model": _TREES}))
        _check_trees(booster["model"], n_features)
    else:
        raise _damaged(f"{name[:20]!r} is no booster of XGBoost")


def _check_objective(objective: dict[str, Any]) -> None:
    for key, value in objective.items():
        texts = [value] if key == "name" else list(value.values()) if isinstance(value, dict) else [None]
        if not all(isinstance(text, str) and re.fullmatch(r"[\w.:+-]*", text) for text in texts):
            raise _damaged(f"{key[:20]!r} of its objective is no setting")


def _check_trees(model: dict[str, Any], n_features: int) -> None:
    trees, param = model["trees"], model["gbtree_model_param"]
    _must_be(param, "num_trees", str(len(trees)))
    if not re.fullmatch(r"[1-9]\d{0,5}", param["num_parallel_tree"]):
        raise _damaged("its 'num_parallel_tree' is no number of trees")
    if model["tree_info"] != [0] * len(trees):
        raise _damaged("its 'tree_info' is not that of its trees")
    bounds = np.array(model.get("iteration_indptr", [0, len(trees)]), dtype=object)
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != len(trees) or (np.diff(bounds) < 0).any():
        raise _damaged("its 'iteration_indptr' is not that of its trees")
    for number, tree in enumerate(trees):
        _check_tree(tree, n_features, number)


def _check_tree(tree: dict[str, Any], n_features: int, number: int) -> None:
    where, n = f"tree {number}", len(tree["left_children"])
    for name, value in (("num_nodes", n), ("num_feature", n_features), ("size_leaf_vector", 1)):
        _must_be(tree["tree_param"], name, str(value), *(["0"] if name == "size_leaf_vector" else []))
    if not re.fullmatch(r"\d{1,9}", tree["tree_param"]["num_deleted"]) or tree["id"] != number:
        raise _damaged(f"{where} is not what it says it is")
    if not n or any(len(tree[name]) != n for name in _NODES):
        raise _damaged(f"the nodes of {where} are not {n:,} everywhere")
    if any(abs(value) > _LARGEST_FLOAT for name in _FLOATS for value in tree[name]):
        raise _damaged(f"{where} has a number that is none")
    splits = _splits(tree, where)
    if any(not 0 <= tree["split_indices"][node] < n_features for node in splits) or set(tree["split_type"]) - {0, 1}:
        raise _damaged(f"{where} splits by a feature or in a way that there is not")
    if set(map(int, tree["default_left"])) - {0, 1}:
        raise _damaged(f"{where} sends missing values nowhere")
    _check_categories(tree, [node for node in splits if tree["split_type"][node] == 1], where)


def _splits(tree: dict[str, Any], where: str) -> list[int]:
    """The nodes with children, all reached once from the root and known to them; pruned nodes are not reached."""
    left, right, parents, n = tree["left_children"], tree["right_children"], tree["parents"], len(tree["parents"])
    seen, stack = set[int](), [(0, _NO_PARENT)]
    while stack:
        node, parent = stack.pop()
        if not 0 <= node < n or node in seen or parents[node] != parent:
            raise _damaged(f"the children of {where} are not those of a tree")
        seen.add(node)
        if left[node] != -1 or right[node] != -1:
            stack += [(left[node], node), (right[node], node)]
    unreached = [node for node in range(n) if node not in seen]
    if len(unreached) > int(tree["tree_param"]["num_deleted"]) or any(left[node] != -1 for node in unreached):
        raise _damaged(f"{where} has nodes that no way leads to")
    return sorted(node for node in seen if left[node] != -1)


def _check_categories(tree: dict[str, Any], by_category: list[int], where: str) -> None:
    nodes, sizes = _ints(tree["categories_nodes"]), _ints(tree["categories_sizes"])
    begins, values = _ints(tree["categories_segments"]), _ints(tree["categories"])
    fits = len(nodes) == len(sizes) == len(begins) and tree["categories_nodes"] == by_category and (sizes > 0).all()
    if not fits or not np.array_equal(begins, np.cumsum(sizes) - sizes) or sizes.sum() != len(values):
        raise _damaged(f"{where} has sets of categories that are none")
    if ((values < 0) | (values >= 2**24)).any():
        raise _damaged(f"{where} has a category that is none")


def _ints(values: list[int]) -> NDArray[np.int64]:
    return np.array([value if abs(value) < 2**31 else -1 for value in values], dtype=np.int64)


def _must(fault: str | None) -> None:
    if fault is not None:
        raise _damaged(fault)


def _must_be(param: dict[str, str], name: str, *values: str) -> None:
    if param[name] not in values:
        raise _damaged(f"its {name!r} is {param[name][:20]!r}, expected {values[0]!r}")


def _damaged(why: str) -> DataError:
    return DataError(f"the XGBoost model is damaged: {why}. Save it again.")
