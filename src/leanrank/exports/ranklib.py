"""RankLib: the list of features for its -feature option, and linear models as Coordinate Ascent.

https://sourceforge.net/p/lemur/wiki/RankLib%20How%20to%20use/

RankLib drops features while it reads: its list, and the models trained with it, keep the numbers of the full data.
So does this export. (Data cut down by `leanrank convert --renumber` need no list; the mapping file has both numbers.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leanrank.exports.featureset import FullSet, Kept
from leanrank.exports.linear import Normalizer, no_normalizers, weights_of
from leanrank.exports.name_lists import parse_names
from leanrank.rankers._base import Ranker

TITLE = "RankLib"
MODEL_SUFFIX = ".model.txt"


def parse(text: str, source: str) -> FullSet:
    """Read a list of all features: a name a line, or number (from 1), tab, name."""
    return FullSet(parse_names(text, source, first=1)[0], None)


def feature_set(full: FullSet, kept: Sequence[Kept]) -> str:
    """Number in the full set, tab, name: RankLib reads the number."""
    return "".join(f"{feature.place + 1}\t{feature.name}\n" for feature in kept)


def model(ranker: Ranker, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], name: str) -> str:
    """A Coordinate Ascent model: number:weight, the numbers those of the full set."""
    no_normalizers(normalizers, TITLE)
    weights = weights_of(ranker, TITLE).tolist()
    pairs = sorted((feature.place + 1, weight) for feature, weight in zip(kept, weights, strict=True))
    return "## Coordinate Ascent\n" + " ".join(f"{number}:{weight!r}" for number, weight in pairs) + "\n"
