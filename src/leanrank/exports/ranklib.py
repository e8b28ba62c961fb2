"""RankLib: the list of features for its -feature option, linear models as Coordinate Ascent and trees as LambdaMART.

https://sourceforge.net/p/lemur/wiki/RankLib%20How%20to%20use/

RankLib drops features while it reads: its list, and the models trained with it, keep the numbers of the full data.
So does this export. (Data cut down by `leanrank convert --renumber` need no list; the mapping file has both numbers.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from leanrank.exports.featureset import FullSet, Kept, parse_names
from leanrank.exports.linear import Normalizer, no_normalizers, weights_of
from leanrank.exports.target import Target
from leanrank.exports.trees.forest import LEAF, Forest, Tree, forest_of
from leanrank.exports.unmatched import for_engine
from leanrank.rankers._base import Ranker

TITLE = "RankLib"
MODEL_SUFFIX = ".model.txt"


def parse(text: str, source: str) -> FullSet:
    """Read a list of all features: a name a line, or number (from 1), tab, name."""
    return FullSet(parse_names(text, source, first=1)[0], None)


def feature_set(full: FullSet, kept: Sequence[Kept], target: Target) -> str:
    """Number in the full set, tab, name: RankLib reads the number, and no line that begins with #."""
    comments = "".join(f"# {feature.comment}\n" for feature in kept if feature.comment)
    return comments + "".join(f"{feature.place + 1}\t{feature.name}\n" for feature in kept)


def model(
    ranker: Ranker, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], target: Target
) -> str:
    """A Coordinate Ascent model, or the trees of LambdaMART; the numbers of features are those of the full set."""
    no_normalizers(normalizers, TITLE)
    numbers = [feature.place + 1 for feature in kept]
    forest = forest_of(ranker)
    if forest is not None:
        return _lambda_mart(for_engine(forest, target)[0], numbers)
    pairs = sorted(zip(numbers, weights_of(ranker, TITLE).tolist(), strict=True))
    return "## Coordinate Ascent\n" + " ".join(f"{number}:{weight!r}" for number, weight in pairs) + "\n"


def _lambda_mart(forest: Forest, numbers: Sequence[int]) -> str:
    """RankLib's XML of trees, whose splits send `x <= threshold` left in single precision."""
    head = [
        "## LambdaMART",
        f"## No. of trees = {len(forest.trees)}",
        f"## No. of leaves = {max(int((tree.feature == LEAF).sum()) for tree in forest.trees)}",
        "## No. of threshold candidates = -1",
        "## Learning rate = 1.0",
        "## Stop early = 0",
        "",
        "<ensemble>",
    ]
    lines = []
    for number, tree in enumerate(forest.trees, start=1):
        lines += [f'\t<tree id="{number}" weight="1.0">', "\t\t<split>", *_inside(tree, numbers), "\t\t</split>"]
        lines += ["\t</tree>"]
    return "\n".join([*head, *lines, "</ensemble>"]) + "\n"


def _inside(tree: Tree, numbers: Sequence[int]) -> list[str]:
    """What stands between the root's <split> and </split>."""
    highest_left = np.nextafter(tree.threshold, np.float32(-np.inf))
    features, values = tree.feature.tolist(), tree.value.astype(np.float32)
    lines: list[str] = []
    # A number of a node opens it; None closes one.
    stack: list[tuple[int | None, str]] = [(0, "")]
    while stack:
        node, side = stack.pop()
        if node is None:
            lines.append("\t\t</split>")
            continue
        if side:
            lines.append(f'\t\t<split pos="{side}">')
            stack.append((None, ""))
        if features[node] == LEAF:
            lines.append(f"\t\t<output> {values[node]} </output>")
            continue
        lines.append(f"\t\t<feature> {numbers[features[node]]} </feature>")
        lines.append(f"\t\t<threshold> {highest_left[node]} </threshold>")
        stack += [(int(tree.right[node]), "right"), (int(tree.left[node]), "left")]
    return lines
