"""XGBoost: the feature map, and the booster with the names of its features as JSON.

Feature map (number from 0, name, type): https://xgboost.readthedocs.io/en/stable/python/python_api.html (fmap)
Model JSON: https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from leanrank.errors import DataError, ParameterError
from leanrank.exports.featureset import FullSet, Kept, parse_names
from leanrank.exports.linear import Normalizer, no_normalizers
from leanrank.exports.target import Target

TITLE = "XGBoost"
MODEL_SUFFIX = ".model.json"


def parse(text: str, source: str) -> FullSet:
    """Read a feature map: number (from 0), name and type with blanks or tabs between; or a name a line."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    if lines and all(len(line.split()) == 3 for line in lines):
        text = "\n".join("\t".join(line.split()) for line in lines)
    names, rest = parse_names(text, source, first=0)
    for name in names:
        if len(name.split()) != 1:
            raise DataError(f"{source}: a feature map has no blanks in names; found {name!r}.")
    return FullSet(names, [fields[0] if fields else "q" for fields in rest])


def feature_set(full: FullSet, kept: Sequence[Kept], target: Target) -> str:
    """The feature map of what is left, numbered anew from 0."""
    return "".join(f"{feature.new_id - 1}\t{feature.name}\t{full.content[feature.place]}\n" for feature in kept)


def model(
    ranker: Any, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], target: Target
) -> str:
    """The booster's JSON (`Booster.load_model`), with the names of its features."""
    no_normalizers(normalizers, TITLE)
    if ranker._name != "xgboost":
        raise ParameterError(f"An XGBoost model is needed (leanrank train --ranker xgboost). Got {ranker._name!r}.")
    content = json.loads(ranker.model_text_)
    content["learner"]["feature_names"] = [feature.name for feature in kept]
    return json.dumps(content, allow_nan=False)
