"""Vespa: a rank profile with the features that are left, and a model as its expression.

Rank profiles: https://docs.vespa.ai/en/reference/schemas/schemas.html#rank-profile
XGBoost models: https://docs.vespa.ai/en/ranking/xgboost.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from leanrank.data.text_file import parse_json
from leanrank.errors import DataError, ParameterError
from leanrank.exports.featureset import FullSet, Kept, to_json
from leanrank.exports.linear import Normalizer, no_normalizers, weights_of
from leanrank.exports.target import Target
from leanrank.exports.trees.forest import forest_of, has_trees, xgboost_dump
from leanrank.exports.unmatched import for_engine
from leanrank.rankers._base import Ranker

TITLE = "Vespa"
MODEL_SUFFIX = ".model.json"
_KINDS = ("match-features", "summary-features", "rank-features")
_SCHEMA = "a rank profile with match-features { ... }, or a JSON list of rank features"


def parse(text: str, source: str) -> FullSet:
    """Read the rank features of a schema or profile (its one block of match-features), or of a JSON list."""
    if text.lstrip().startswith(("[", '"')):
        features = parse_json(text, source)
        if not isinstance(features, list) or not features or not all(isinstance(name, str) for name in features):
            raise DataError(f"{source}: expected {_SCHEMA}.")
        for name in features:
            if _split(name) != [name] or set(name) & set("{}\n"):
                raise DataError(f"{source}: {name!r} is not the name of a rank feature.")
        return FullSet(tuple(features), None)
    bare = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    for kind in _KINDS:
        blocks = re.findall(rf"(?<![\w-]){kind}\b[^{{:\n]*(?:\{{([^}}]*)\}}|:([^\n]*))", bare)
        if len(blocks) > 1:
            raise DataError(f"{source}: {kind} is there {len(blocks)} times; leave one rank profile in the file.")
        if blocks:
            names = _split("".join(blocks[0]))
            if not names:
                raise DataError(f"{source}: its {kind} are empty.")
            return FullSet(tuple(names), None)
    raise DataError(f"{source}: expected {_SCHEMA}.")


def model(
    ranker: Ranker, full: FullSet, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], target: Target
) -> str | None:
    """The file for the application's `models` folder; None for a linear model, which is an expression.

    Trees are written as XGBoost's, whichever library grew them: Vespa's reader of these compares exactly as they do.
    """
    forest = forest_of(ranker)
    if forest is None:
        return None
    no_normalizers(normalizers, "A model of trees")
    trees, unmatched = for_engine(forest, target)
    return to_json(xgboost_dump(trees, [feature.name for feature in kept], unmatched))


def profile(ranker: Ranker | None, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer], target: Target) -> str:
    """A rank profile: the features, and the model as first phase (linear) or second phase (trees)."""
    if not re.fullmatch(r"[A-Za-z_][\w-]*", target.name):
        raise ParameterError(f"The name of a Vespa rank profile is letters, digits, '_' and '-'. Got {target.name!r}.")
    lines = [f"# {feature.comment}" for feature in kept if feature.comment]
    lines += [f"rank-profile {target.name} {{"]
    lines += ["    match-features {", *(f"        {feature.name}" for feature in kept), "    }"]
    if ranker is not None:
        if has_trees(ranker):
            phase, body = "second-phase", [f'xgboost("{target.model_file}")']
        else:
            phase, body = "first-phase", _expression(ranker, kept, normalizers)
        lines += [f"    {phase} {{", "        expression {", *(f"            {line}" for line in body)]
        lines += ["        }", "    }"]
    return "\n".join([*lines, "}"]) + "\n"


def _expression(ranker: Ranker, kept: Sequence[Kept], normalizers: Mapping[str, Normalizer]) -> list[str]:
    terms = []
    for feature, weight in zip(kept, weights_of(ranker, TITLE).tolist(), strict=True):
        value, norm = feature.name, normalizers.get(feature.name)
        if norm is not None:
            value = f"(({value} - {_number(norm.offset)}) / {_number(norm.scale)})"
        terms.append(f"{_number(weight)} * {value}")
    return [term + (" +" if place < len(terms) else "") for place, term in enumerate(terms, start=1)]


def _number(value: float) -> str:
    return repr(value) if value >= 0 else f"({value!r})"


def _split(text: str) -> list[str]:
    """Features between blanks, those within parentheses not counted: "bm25(title) nativeRank(title, body)"."""
    names, depth, current = [], 0, ""
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign.isspace() and depth <= 0:
            names.append(current)
            current = ""
        else:
            current += sign
    return [name for name in [*names, current] if name]
