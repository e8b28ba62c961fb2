"""Kinds of made data with planted truth, each hard in its own way; new data for each seed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from leanrank import RankingData, make_ranking
from leanrank.data.synthetic import FeatureTruth

Truth = tuple[FeatureTruth, ...]
Floats = NDArray[np.float64]

#: Documents of a query.
DOCUMENTS = (10, 60)


def planted(n_queries: int, seed: int, **shape: float) -> tuple[RankingData, Truth]:
    return make_ranking(n_queries, DOCUMENTS, random_state=seed, **shape)


def with_columns(data: RankingData, X: Floats, names: tuple[str, ...] | None = None) -> RankingData:
    """The same documents and labels with other features."""
    return RankingData(X, data.y, data.query_ptr, query_ids=data.query_ids, feature_names=names or data.feature_names)


def zeros(n_queries: int, seed: int) -> tuple[RankingData, Truth]:
    """Features that are 0 for most documents, as counts of matches in a field are: 50% to 95% of the values."""
    data, truth = planted(n_queries, seed, n_informative=10, n_redundant=14, n_noise=24, noise=1.0, weakest=0.2)
    rng = np.random.default_rng([seed, 1])
    share = rng.uniform(0.5, 0.95, size=data.n_features)
    X = data.dense().astype(np.float64)
    ptr = data.query_ptr
    for start, stop in pairwise(ptr):  # the values of a query are comparable in it alone
        part = X[start:stop]
        part -= np.take_along_axis(np.sort(part, axis=0), (share * len(part)).astype(int)[None], axis=0)
    return with_columns(data, np.maximum(X, 0.0)), truth


def copies(n_queries: int, seed: int) -> tuple[RankingData, Truth]:
    """Four copies of every useful feature, half of them exact increasing functions."""
    return planted(n_queries, seed, n_informative=8, n_redundant=32, n_noise=8, noise=1.0, weakest=0.2)


def weak(n_queries: int, seed: int) -> tuple[RankingData, Truth]:
    """Many useful features, most of them weak, under much noise."""
    return planted(n_queries, seed, n_informative=24, n_redundant=12, n_noise=36, noise=2.0, weakest=0.1)


def interactions(n_queries: int, seed: int) -> tuple[RankingData, Truth]:
    """Pairs that tell nothing alone."""
    return planted(
        n_queries, seed, n_informative=6, n_interacting=6, n_redundant=8, n_noise=28, interaction=1.0, weakest=0.3
    )


def query_level(n_queries: int, seed: int) -> tuple[RankingData, Truth]:
    """A third of the features are constant inside a query and tell how many of its documents are relevant."""
    return planted(
        n_queries, seed, n_informative=8, n_redundant=8, n_query_level=18, n_noise=14, noise=1.0, weakest=0.2
    )


def text_like(n_queries: int, seed: int) -> tuple[RankingData, Truth]:
    """Five weightings of matches in each of ten fields, as search engines have them: whole numbers, mostly 0, alike.

    Per field: the count, its logarithm, its share of the field's length, the length itself, and whether there is any.
    Half of the fields matter.
    """
    fields = 10
    data, truth = planted(n_queries, seed, n_informative=fields // 2, n_redundant=0, n_noise=fields // 2, noise=1.0)
    rng = np.random.default_rng([seed, 2])
    latent = data.dense().astype(np.float64)
    for start, stop in pairwise(data.query_ptr):
        part = latent[start:stop]
        part -= part.mean(axis=0)
        part /= np.maximum(part.std(axis=0), 1e-9)
    rate = np.exp(rng.uniform(-1.5, 1.0, size=fields) + 0.8 * latent)
    count = rng.poisson(rate).astype(np.float64)
    length = np.ceil(np.exp(rng.normal(3.0, 0.7, size=count.shape))) + count
    kinds = {"count": count, "log": np.log1p(count), "share": count / length, "length": length, "any": count > 0}
    X = np.concatenate([np.asarray(part, dtype=np.float64) for part in kinds.values()], axis=1)
    role = [entry.role for entry in truth]
    made = tuple(
        FeatureTruth(f"{kind}{j + 1:02d}", role[j] if kind != "length" else "noise")
        for kind in kinds
        for j in range(fields)
    )
    return with_columns(data, X, tuple(entry.name for entry in made)), made


def position_like(n_queries: int, seed: int) -> tuple[RankingData, Truth]:
    """Features spread evenly inside every query like places in a list, four of them blends of useful ones."""
    data, truth = planted(n_queries, seed, n_informative=10, n_redundant=6, n_noise=24, noise=1.0, weakest=0.2)
    rng = np.random.default_rng([seed, 3])
    X = data.dense().astype(np.float64)
    useful = [j for j, entry in enumerate(truth) if entry.role == "informative"]
    blends = np.stack([X[:, rng.choice(useful, 3, replace=False)].sum(axis=1) for _ in range(4)], axis=1)
    X = np.concatenate([X, blends + rng.standard_normal(blends.shape)], axis=1)
    for start, stop in pairwise(data.query_ptr):
        X[start:stop] = X[start:stop].argsort(axis=0).argsort(axis=0)
    names = tuple(f"blend{i}" for i in range(1, 5))
    more = tuple(FeatureTruth(name, "redundant") for name in names)
    return with_columns(data, X, (*data.feature_names, *names)), (*truth, *more)


KINDS: dict[str, Callable[[int, int], tuple[RankingData, Truth]]] = {
    "made zeros": zeros,
    "made four copies": copies,
    "made many weak": weak,
    "made interactions": interactions,
    "made query-level": query_level,
    "made text-like": text_like,
    "made position-like": position_like,
}
