"""LightGBM's text of a model, checked line by line: its reader believes what it is given, and crashes on the rest.

The format: https://lightgbm.readthedocs.io/en/stable/pythonapi/lightgbm.Booster.html (model_to_string).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError

# What numbers are written with; that they are numbers is seen when they are read.
_INTS, _FLOATS = re.compile(r"[-0-9 ]*"), re.compile(r"[-+.0-9einaf ]*")
_LARGEST_INT = 2**32 - 1
_MOST_LEAVES = 131_072
_CATEGORICAL, _MOST_DECISIONS = 1, 15

#: Lines of a tree -> how many numbers they have: per split, per leaf, one, or as another line says.
_PER_SPLIT = {"split_feature": _INTS, "left_child": _INTS, "right_child": _INTS, "decision_type": _INTS}
_PER_SPLIT |= {"split_gain": _FLOATS, "threshold": _FLOATS, "internal_value": _FLOATS, "internal_weight": _FLOATS}
_PER_SPLIT |= {"internal_count": _INTS}
_PER_LEAF = {"leaf_value": _FLOATS, "leaf_weight": _FLOATS, "leaf_count": _INTS, "leaf_const": _FLOATS}
_PER_LEAF |= {"num_features": _INTS}
_ONE = {"num_leaves": _INTS, "num_cat": _INTS, "is_linear": _INTS, "shrinkage": _FLOATS}
_OTHER = {"cat_boundaries": _INTS, "cat_threshold": _INTS, "leaf_features": _INTS, "leaf_coeff": _FLOATS}
_FORMS = {**_PER_SPLIT, **_PER_LEAF, **_ONE, **_OTHER}
#: The parts behind the trees, in this order, and what their lines look like.
_BEHIND = {"end of trees": r"pandas_categorical:(null|\[\])", "feature_importances:": r"\S+=\d+"}
_BEHIND |= {"parameters:": r"\[\w+: [^\"\\]*\]", "end of parameters": r"pandas_categorical:(null|\[\])"}
_NEEDED = ("split_feature", "threshold", "decision_type", "left_child", "right_child", "leaf_value")


def check_lightgbm(text: str, n_features: int) -> None:
    """Refuse a text that is not of trees over so many features, one score a document."""
    parts = re.split(r"^end of trees$", text, maxsplit=1, flags=re.MULTILINE)
    if len(parts) != 2 or (not text.isprintable() and re.search(r"[^\S\n ]|\0", text)):
        raise _damaged("it has no end of trees, or characters that are no text")
    head, *trees = re.split(r"^(?=Tree=)", parts[0], flags=re.MULTILINE)
    sizes = _check_head(head, n_features)
    if sizes != [len(tree.encode()) for tree in trees]:
        raise _damaged("its 'tree_sizes' are not those of its trees")
    for number, tree in enumerate(trees):
        first, *lines = tree.splitlines()
        if first != f"Tree={number}":
            raise _damaged(f"tree {number} is not where it should be")
        _check_tree(_fields(lines, _FORMS, f"tree {number}"), n_features, f"tree {number}")
    _check_rest(parts[1])


def _check_head(head: str, n_features: int) -> list[int]:
    """The sizes of the trees, from a head that names as many features as it should."""
    first, *lines = head.splitlines() or [""]
    fields = _fields(lines, None, "its head")
    features = str(n_features - 1)
    wanted = {"num_class": "1", "num_tree_per_iteration": "1", "max_feature_idx": features}
    for name, value in wanted.items():
        if fields.get(name) != value:
            raise _damaged(f"its {name!r} is {str(fields.get(name))[:20]!r}, expected {value!r}")
    if first != "tree" or not re.fullmatch(r"v[34]", fields.get("version", "")):
        raise _damaged("it is of an unknown version")
    if not re.fullmatch(r"\d{1,9}", fields.get("label_index", "")):
        raise _damaged("its 'label_index' is no number")
    for name in ("feature_names", "feature_infos"):
        if len(fields.get(name, "").split(" ")) != n_features:
            raise _damaged(f"its {name!r} are not {n_features:,}")
    if not re.fullmatch(r"[\w :.,-]*", fields.get("objective", "")):
        raise _damaged("its 'objective' is no objective")
    return [int(size) for size in _numbers(fields.get("tree_sizes", ""), _INTS, "tree_sizes", "its head")]


def _check_rest(rest: str) -> None:
    """What stands behind the trees, part by part: the reader takes every line for one of its part."""
    parts, part = list(_BEHIND), 0
    for line in filter(None, rest.splitlines()):
        if line in parts[part + 1 :]:
            part = parts.index(line)
        elif not re.fullmatch(_BEHIND[parts[part]], line):
            raise _damaged(f"{line[:40]!r} stands behind its trees")
    if parts[part] == "parameters:":
        raise _damaged("it has no end of parameters")


def _fields(lines: Iterable[str], known: object, where: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in filter(None, lines):
        name, _, value = line.partition("=")
        if name in fields or (isinstance(known, dict) and name not in known):
            raise _damaged(f"{where} has the line {line[:40]!r}, unknown or for the second time")
        fields[name] = value
    return fields


def _check_tree(fields: dict[str, str], n_features: int, where: str) -> None:
    given = {name: _numbers(value, _FORMS[name], name, where) for name, value in fields.items()}
    for name in _ONE:
        if (name in given and len(given[name]) != 1) or (name in ("num_leaves", "num_cat") and name not in given):
            raise _damaged(f"{where} needs one {name!r}")
    n_leaves, n_categorical = int(given["num_leaves"][0]), int(given["num_cat"][0])
    n = n_leaves - 1
    if not 1 <= n_leaves <= _MOST_LEAVES or n_categorical < 0:
        raise _damaged(f"{where} has {n_leaves} leaves")
    for names, size in ((_PER_SPLIT, n), (_PER_LEAF, n_leaves)):
        for name in names:
            absent = name not in given and name not in _NEEDED
            empty = n == 0 and len(given.get(name, ())) == 0 and name != "leaf_value"  # a tree that is one leaf
            if not absent and not empty and len(given.get(name, ())) != size:
                raise _damaged(f"{where} has {len(given.get(name, ()))} of {name!r}, expected {size}")
    if n:
        _check_children(given["left_child"], given["right_child"], n, where)
        _check_splits(given, n_features, n_categorical, where)
    if given.get("is_linear", np.zeros(1))[0] != 0:
        _check_linear(given, n_features, where)


def _check_children(left: NDArray[np.float64], right: NDArray[np.float64], n: int, where: str) -> None:
    """Every split but the first and every leaf (counted down from -1) is the child of one split that stands before."""
    children = np.sort(np.concatenate([left, right]))
    later = (np.where(left >= 0, left, n) > np.arange(n)) & (np.where(right >= 0, right, n) > np.arange(n))
    if not np.array_equal(children, np.concatenate([np.arange(-n - 1, 0), np.arange(1, n)])) or not later.all():
        raise _damaged(f"the children of {where} are not those of a tree")


def _check_splits(given: dict[str, NDArray[np.float64]], n_features: int, n_categorical: int, where: str) -> None:
    feature, kind, threshold = given["split_feature"], given["decision_type"], given["threshold"]
    if (feature < 0).any() or (feature >= n_features).any() or (kind < 0).any() or (kind > _MOST_DECISIONS).any():
        raise _damaged(f"{where} splits by a feature or in a way that there is not")
    by_category = kind.astype(np.int64) & _CATEGORICAL > 0
    places = threshold[by_category]
    if np.isnan(threshold).any() or not ((places >= 0) & (places < n_categorical) & (places == places.round())).all():
        raise _damaged(f"{where} has a threshold that is none")
    bounds, bits = given.get("cat_boundaries", np.empty(0)), given.get("cat_threshold", np.empty(0))
    if n_categorical and not (
        len(bounds) == n_categorical + 1 and bounds[0] == 0 and (np.diff(bounds) > 0).all() and bounds[-1] == len(bits)
    ):
        raise _damaged(f"{where} has sets of categories that are none")


def _check_linear(given: dict[str, NDArray[np.float64]], n_features: int, where: str) -> None:
    sizes, features = given.get("num_features", np.empty(0)), given.get("leaf_features", np.empty(0))
    total = len(features) == len(given.get("leaf_coeff", ())) == sizes.sum()
    if not total or (sizes < 0).any() or (features < 0).any() or (features >= n_features).any():
        raise _damaged(f"{where} has linear leaves that do not fit")
    if len(sizes) != len(given["leaf_value"]) or len(given.get("leaf_const", ())) != len(sizes):
        raise _damaged(f"{where} has linear leaves that do not fit")


def _numbers(value: str, form: re.Pattern[str], name: str, where: str) -> NDArray[np.float64]:
    try:
        numbers = np.array([float(one) for one in value.split()])
    except ValueError:
        numbers = None
    if numbers is None or not form.fullmatch(value) or (form is _INTS and (abs(numbers) > _LARGEST_INT).any()):
        raise _damaged(f"{where} has no numbers, or impossible ones, in {name!r}")
    return numbers


def _damaged(why: str) -> DataError:
    return DataError(f"the LightGBM model is damaged: {why}. Save it again.")
