"""CatBoost's JSON of a model, checked before CatBoost sees it.

The format: https://catboost.ai/docs/en/concepts/json-model-format
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from leanrank.data.text_file import fault_in, parse_json
from leanrank.errors import DataError

#: Its kind, its feature among those of the kind, and the border or text.
_Question: TypeAlias = tuple[str, int | None, float]

_DEEPEST = 16
#: More numbers to a category than labels can be told apart by.
_WIDEST = 1_000
_LARGEST_FLOAT = 3.4028235e38
_FLOAT_FEATURE = {
    "borders?": ([float], None),
    "feature_id?": str,
    "feature_index": int,
    "flat_feature_index": int,
    "has_nans": bool,
    "nan_value_treatment": str,
}
_CATEGORY = {"feature_index": int, "flat_feature_index": int, "values?": ([int], None)}
_CTR = {
    "borders": [float],
    "ctr_type": str,
    "elements": [{"cat_feature_index?": int, "combination_element": str}],
    "identifier": str,
    "target_border_idx": int,
}
_CTR_DATA = {"counter_denominator": int, "hash_map": [(str, int, float)], "hash_stride": int}
#: The kinds of splits, and what each says.
_SPLITS = {
    "FloatFeature": {"border": float, "float_feature_index": int, "split_index": int},
    "OneHotFeature": {"cat_feature_index": int, "split_index": int, "value": int},
    "OnlineCtr": {"border": float, "ctr_target_border_idx": int, "split_index": int},
}
_MODEL = {
    "ctr_data?": {str: _CTR_DATA},
    "features_info": {
        "categorical_features?": [_CATEGORY],
        "ctrs?": [_CTR],
        "float_features?": [_FLOAT_FEATURE],
    },
    "scale_and_bias": [float, ([float], float)],
    "oblivious_trees?": [
        {
            "leaf_values": [float],
            "leaf_weights?": [float],
            "splits?": ([{"split_type": str}], None),
            "tree_info?": object,
        }
    ],
    "trees?": [object],
}


def check_catboost(text: str, n_features: int, categories: Sequence[int] = ()) -> None:
    """Refuse a JSON that is not of trees over so many features, these of them categories, one score a document."""
    model = parse_json(text, "the CatBoost model")
    _must(fault_in(model, _MODEL))
    if not categories and (set(model["features_info"]) - {"float_features"} or "ctr_data" in model):
        raise _damaged("it has features that are no numbers")
    bias = model["scale_and_bias"][1]
    if isinstance(bias, list) and len(bias) != 1:
        raise _damaged("it has several scores for a document")
    splits = _splits(model, n_features, list(categories))
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


def _splits(model: dict[str, Any], n_features: int, categories: list[int]) -> list[_Question]:
    """Every question that may be asked, in the order in which they are numbered: borders, texts, means of texts."""
    info = model["features_info"]
    numbers, kinds = info.get("float_features", []), info.get("categorical_features", [])
    columns = [j for j in range(n_features) if j not in categories]
    if len(numbers) != len(columns) or len(kinds) != len(categories):
        raise _damaged(f"it has {len(numbers) + len(kinds):,} features, not {n_features:,}")
    splits: list[_Question] = []
    for i, (feature, column) in enumerate(zip(numbers, columns, strict=True)):
        borders = feature.get("borders") or []
        _check_place(feature, i, column)
        if feature["nan_value_treatment"] not in ("AsIs", "AsFalse", "AsTrue"):
            raise _damaged(f"missing values of feature {column} go nowhere")
        if borders != sorted(set(borders)) or any(abs(border) > _LARGEST_FLOAT for border in borders):
            raise _damaged(f"the borders of feature {column} do not ascend")
        splits += [("FloatFeature", i, border) for border in borders]
    for i, (feature, column) in enumerate(zip(kinds, sorted(categories), strict=True)):
        _check_place(feature, i, column)
        splits += [("OneHotFeature", i, value) for value in feature.get("values") or []]
    tables = model.get("ctr_data", {})
    for table in tables.values():
        _check_table(table)
    for ctr in info.get("ctrs", []):
        if ctr["identifier"] not in tables:
            raise _damaged("it has means of categories without their numbers")
        if not 0 <= ctr["target_border_idx"] < tables[ctr["identifier"]]["hash_stride"]:
            raise _damaged("it has means of labels that there are not")
        for element in ctr["elements"]:
            if not 0 <= element.get("cat_feature_index", 0) < max(1, len(kinds)):
                raise _damaged("it has means of categories that there are not")
        splits += [("OnlineCtr", None, border) for border in ctr["borders"]]
    return splits


def _check_table(table: dict[str, Any]) -> None:
    """Rows of numbers by the hash of a text: all of one length, which is the stride."""
    stride, cells = table["hash_stride"], table["hash_map"]
    if not 1 < stride <= _WIDEST or not cells or len(cells) % stride:
        raise _damaged("the numbers of its categories are not in rows")
    for i, cell in enumerate(cells):
        is_hash = isinstance(cell, str) and cell.isdecimal() and int(cell) < 2**64
        if is_hash != (i % stride == 0) or (not is_hash and (isinstance(cell, str) or abs(cell) > _LARGEST_FLOAT)):
            raise _damaged("the numbers of its categories are none")


def _check_place(feature: dict[str, Any], i: int, column: int) -> None:
    if feature["feature_index"] != i or feature["flat_feature_index"] != column:
        raise _damaged(f"feature {column} is not where it should be")


def _check_split(question: dict[str, Any], splits: list[_Question], number: int) -> None:
    kind = question["split_type"]
    if kind not in _SPLITS or fault_in(question, _SPLITS[kind]) is not None:
        raise _damaged(f"tree {number} asks in a way that there is not")
    feature = question.get("float_feature_index", question.get("cat_feature_index"))
    asked, place = (kind, feature, question.get("border", question.get("value"))), question["split_index"]
    if not 0 <= place < len(splits) or splits[place] != asked:
        raise _damaged(f"tree {number} asks for a border that there is not")


def _check_nodes(tree: Any, splits: list[_Question], number: int) -> None:
    """A tree that is not symmetric: splits with two sides, and leaves with a value."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if fault_in(node, {"split": {"split_type": str}, "left": {}, "right": {}}) is None:
            _check_split(node["split"], splits, number)
            stack += [node["left"], node["right"]]
        else:
            _must(fault_in(node, {"value": float, "weight?": float}, f"a leaf of tree {number}"))


def _must(fault: str | None) -> None:
    if fault is not None:
        raise _damaged(fault)


def _damaged(why: str) -> DataError:
    return DataError(f"the CatBoost model is damaged: {why}. Save it again.")
