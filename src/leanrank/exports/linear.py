"""What a linear model is to an engine: one weight a feature, and how each value is scaled before."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError, ParameterError
from leanrank.exports.featureset import FullSet, Kept
from leanrank.rankers._base import Ranker

_KINDS = {"min_max": ("minimum", "maximum"), "standard": ("mean", "standard_deviation")}


@dataclass(frozen=True)
class Normalizer:
    """A value becomes ``(value - offset) / scale``.

    `kind` "min_max" has parameters (minimum, maximum), "standard" (mean, standard_deviation).
    """

    kind: str
    parameters: tuple[float, float]

    @property
    def offset(self) -> float:
        return self.parameters[0]

    @property
    def scale(self) -> float:
        a, b = self.parameters
        return b - a if self.kind == "min_max" else b


def weights_of(ranker: Ranker, engine: str) -> NDArray[np.float64]:
    """The weights of a linear ranker. A constant term is left out: it moves all scores alike and changes no order."""
    n = ranker.n_features_in_
    weights = np.asarray(getattr(ranker, "coef_", np.nan), dtype=np.float64)
    refusal = ParameterError(
        f"{engine} takes linear models, and trees of LightGBM, XGBoost and CatBoost; {type(ranker).__name__} is not "
        "one. "
        "Leave out --model to write the feature set and the mapping, and train the model in the engine's format."
    )
    if weights.shape != (n,):
        raise refusal
    # A ranker may have weights and yet score otherwise (a committee that votes): see what it does.
    probe = np.vstack([np.zeros(n), np.random.default_rng(0).normal(size=(8, n))])
    scores = ranker.predict(probe)
    if not np.allclose(scores - scores[0], probe @ weights, rtol=1e-6, atol=1e-6 * max(1.0, float(abs(weights).sum()))):
        raise refusal
    return weights


def read_normalizers(content: Any, full: FullSet, kept: Sequence[Kept]) -> dict[str, Normalizer]:
    """Normalizers by name in the engine, of the kept features.

    `content` is `{"bm25": {"min_max": {"minimum": 0, "maximum": 20}}, "age": {"standard": {"mean": 5,
    "standard_deviation": 2}}}`, the names those of the data or of the engine: constants, the same for every query. The
    scaling of one query by its own minimum and maximum (`QueryMinMaxScaler`) cannot be exported: an engine scores one
    document at a time and does not know the others of the query.
    """
    if not isinstance(content, Mapping):
        raise DataError(
            "Normalizers are a table of feature names: {name: {'min_max': {'minimum': ..., 'maximum': ...}}}."
        )
    engine_name = {feature.data_name: feature.name for feature in kept} | {f.name: f.name for f in kept}
    numbers = {str(number) for number in range(1, len(full.names) + 1)}
    normalizers: dict[str, Normalizer] = {}
    for name, given in content.items():
        normalizer = _normalizer(name, given)
        if name in engine_name:
            normalizers[engine_name[name]] = normalizer
        elif name not in full.names and name not in numbers:
            raise DataError(f"The normalizer of {name!r} belongs to no feature of the feature set.")
    return normalizers


def _normalizer(name: str, given: Any) -> Normalizer:
    if not isinstance(given, Mapping) or len(given) != 1:
        raise DataError(f"The normalizer of {name!r} must be one of 'min_max' and 'standard' with its parameters.")
    ((kind, values),) = given.items()
    if kind not in _KINDS:
        more = ""
        if "query" in str(kind):
            more = " Scaling by query cannot be exported: an engine scores a document without knowing the others."
        raise DataError(f"The normalizer of {name!r} is {kind!r}; engines know 'min_max' and 'standard'.{more}")
    keys = _KINDS[kind]
    if not isinstance(values, Mapping) or set(values) != set(keys):
        raise DataError(f"The normalizer {kind!r} of {name!r} has the parameters {keys[0]!r} and {keys[1]!r}.")
    numbers = [values[key] for key in keys]
    if any(isinstance(v, bool) or not isinstance(v, int | float) or not math.isfinite(v) for v in numbers):
        raise DataError(f"The parameters of the normalizer of {name!r} must be finite numbers.")
    normalizer = Normalizer(kind, (float(numbers[0]), float(numbers[1])))
    if normalizer.scale <= 0:
        rule = "its maximum must be above its minimum" if kind == "min_max" else "its deviation must be above 0"
        raise DataError(f"The normalizer of {name!r} divides by {normalizer.scale:g}: {rule}.")
    return normalizer


def no_normalizers(normalizers: Mapping[str, Normalizer], what: str) -> None:
    """Refuse normalizers where `what` has no place for them."""
    if normalizers:
        raise ParameterError(
            f"{what} takes no normalizers: they go with linear models for Elasticsearch, OpenSearch, Solr and Vespa."
        )
