"""LightGBM: the list of column names, and the booster with them as its text file.

Model text: https://lightgbm.readthedocs.io/en/stable/pythonapi/lightgbm.Booster.html (save_model, model_file)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from leanrank.errors import DataError, ParameterError
from leanrank.exports.featureset import FullSet, Kept, check_unique, parse_names
from leanrank.exports.linear import Normalizer, no_normalizers
from leanrank.exports.target import Target

TITLE = "LightGBM"
MODEL_SUFFIX = ".model.txt"


def parse(text: str, source: str) -> FullSet:
    """Read the names of all columns, one a line, or number (from 0), tab, name."""
    return FullSet(parse_names(text, source, first=0)[0], None)


def feature_set(full: FullSet, kept: Sequence[Kept], target: Target) -> str:
    """The names of the columns that are left, one a line."""
    return "".join(f"{feature.name}\n" for feature in kept)


def model(
    ranker: Any, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], target: Target
) -> str:
    """The booster's text, with the names of the columns; blanks in names become "_", as in LightGBM itself."""
    no_normalizers(normalizers, TITLE)
    if ranker._name != "lightgbm":
        raise ParameterError(f"A LightGBM model is needed (leanrank train --ranker lightgbm). Got {ranker._name!r}.")
    names = [re.sub(r"\s+", "_", feature.name) for feature in kept]
    check_unique(names)
    for given in names:
        if re.search(r'[\[\]{}",:]', given):
            raise DataError(f"LightGBM takes no name with brackets, quotes, commas or colons: {given!r}.")
    text, count = re.subn(
        r"^feature_names=.*$", lambda _: "feature_names=" + " ".join(names), ranker.model_text_, count=1, flags=re.M
    )
    if count != 1:
        raise DataError("The LightGBM model has no line of feature names.")
    return text
