"""What a feature is to an engine when its query does not match a document: 0 or missing, by engine and version."""

from __future__ import annotations

import warnings

from leanrank.exports.target import Target
from leanrank.exports.trees.forest import Forest
from leanrank.exports.trees.missing_right import missing_right

# The first versions whose trees get NaN for it; older ones get 0. RankLib never tells a missing value from 0.
_MISSING_SINCE = {"elasticsearch": (8, 11), "opensearch": (3, 2), "solr": (9, 2)}
# OpenSearch looked at a split's own direction later than that; until then NaN went right.
_DIRECTIONS_SINCE = (3, 8)


def tells_missing(target: Target) -> bool:
    """Whether trees in the engine can tell a feature without a value from one that is 0."""
    since = _MISSING_SINCE.get(target.engine)
    return target.engine != "ranklib" and (since is None or not target.before(*since))


def for_engine(forest: Forest, target: Target) -> tuple[Forest, str]:
    """The trees as the engine needs them, and what their splits are to say of a feature without a value.

    OpenSearch 3.2 to 3.7 sends it right whatever a split says: for these versions the trees are spelled out so that
    the direction makes no difference, which makes them several times as large.
    """
    _warn(forest, target)
    if target.engine == "opensearch" and tells_missing(target):
        if target.before(*_DIRECTIONS_SINCE):
            return missing_right(forest, target.unmatched), "missing"
        if target.version is None and any(tree.unmatched_left(target.unmatched).any() for tree in forest.trees):
            warnings.warn(
                "OpenSearch 3.2 to 3.7 sends a feature whose query does not match to the right of every split, so "
                "these trees are mis-scored there. If that is your version, say so: --engine-version 3.5.",
                stacklevel=2,
            )
    return forest, target.unmatched


def _warn(forest: Forest, target: Target) -> None:
    if target.unmatched == "zero":
        if forest.learned_missing:
            warnings.warn(
                "The model was trained with missing values, and is exported for features that are 0 where their query "
                "does not match. If they were missing in training, say --unmatched missing.",
                stacklevel=2,
            )
    elif not tells_missing(target):
        version = "" if target.version is None else f" {target.version}"
        warnings.warn(
            f"{target.engine}{version} scores a feature without a value as 0, not as missing: documents with such "
            "features get other scores than in training. Train with 0 in their place.",
            stacklevel=2,
        )
