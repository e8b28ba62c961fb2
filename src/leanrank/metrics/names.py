"""Metrics by name: "ndcg@10", "map", "p@5"."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from inspect import signature
from typing import Any

from leanrank.errors import ParameterError, UnknownNameError
from leanrank.metrics._base import Metric
from leanrank.metrics.correlation import KendallTau, SpearmanRho
from leanrank.metrics.ndcg import NDCG, MeanNDCG
from leanrank.metrics.precision_recall import AP, Precision, Recall
from leanrank.metrics.reciprocal_rank import ERR, MRR

# name -> class and whether it takes a cutoff: "may", "must" or "never"
_KNOWN: dict[str, tuple[Callable[..., Metric], str]] = {
    "ndcg": (NDCG, "may"),
    "mean_ndcg": (MeanNDCG, "never"),
    "map": (AP, "may"),
    "p": (Precision, "must"),
    "recall": (Recall, "must"),
    "mrr": (MRR, "may"),
    "err": (ERR, "may"),
    "kendall": (KendallTau, "never"),
    "kendall_a": (partial(KendallTau, variant="a"), "never"),
    "spearman": (SpearmanRho, "never"),
}
_ALIASES = {
    "ap": "map",
    "precision": "p",
    "r": "recall",
    "rr": "mrr",
    "meanndcg": "mean_ndcg",
    "tau": "kendall",
    "kendalltau": "kendall",
    "rho": "spearman",
    "spearmanrho": "spearman",
}


def metric(name: str | Metric, **settings: Any) -> Metric:
    """The metric of this name: "ndcg@10", "map", "p@5", "recall@10", "mrr", "err@10", "kendall", "spearman".

    `settings` go to the metric: ``convention="letor3"``, ``ties="input"``, ... A `Metric` comes back as it is.

    >>> metric("ndcg@10")
    NDCG(k=10, convention='standard', gain='exp2', discount='log2', ties='expected', empty='skip', short='pad')
    >>> metric("map", convention="letor3").name
    'map'
    """
    if isinstance(name, Metric):
        if settings:
            raise ParameterError(f"{name.name} is a metric already: build it with {', '.join(settings)} instead.")
        return name
    if not isinstance(name, str):
        raise ParameterError.of("metric", "name", "a name such as 'ndcg@10' or a Metric", name)
    stem, at, cutoff = name.strip().lower().partition("@")
    stem = _ALIASES.get(stem, stem)
    if stem not in _KNOWN:
        raise UnknownNameError.of("metric", stem or name, [*_KNOWN, *_ALIASES])
    build, takes_cutoff = _KNOWN[stem]
    one_convention = "convention" not in signature(build).parameters
    if one_convention and settings.pop("convention", "standard") != "standard":
        raise ParameterError(f"The metric {stem!r} has one convention, 'standard'.")
    if not at:
        if takes_cutoff == "must":
            raise ParameterError(f"The metric {name!r} needs a cutoff: '{stem}@10'.")
        return build(**settings)
    if takes_cutoff == "never":
        raise ParameterError(f"The metric {stem!r} has no cutoff: write {stem!r} instead of {name!r}.")
    if not cutoff.isdecimal() or int(cutoff) < 1:
        raise ParameterError(f"The cutoff of {name!r} must be a whole number >= 1, as in '{stem}@10'.")
    return build(int(cutoff), **settings)


def names(cutoffs: Iterable[int] = (5, 10)) -> list[str]:
    """Names that `metric` takes; those that take a cutoff also, or only, with some.

    >>> names(cutoffs=[10])[:6]
    ['ndcg', 'ndcg@10', 'mean_ndcg', 'map', 'map@10', 'p@10']
    """
    cut = [f"@{k}" for k in cutoffs]
    endings = {"may": ["", *cut], "must": cut, "never": [""]}
    return [name + ending for name, (_, takes) in _KNOWN.items() for ending in endings[takes]]
