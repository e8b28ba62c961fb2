"""Queries to judge, drawn with known probabilities: more where more can be lost, none so rarely that it rules alone."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import ParameterError, is_whole

Floats = NDArray[np.float64]

#: The share of the probability that is spread evenly: no query weighs more than 1 / EVEN times what it would weigh if
#: all had the same probability.
EVEN = 0.5


def inclusion_probabilities(size: NDArray[Any], n: int) -> Floats:
    """The probability of each query to be among `n`, rising with its `size`; they add up to `n`.

    .. math:: \\pi_i \\propto \\tfrac12 + \\tfrac12\\, \\frac{x_i}{\\bar x}

    Where this exceeds 1 it is 1, and the others share the rest.

    >>> inclusion_probabilities(np.array([1.0, 1.0, 4.0]), 1).round(3).tolist()
    [0.25, 0.25, 0.5]
    >>> inclusion_probabilities(np.array([1.0, 1.0, 4.0]), 3).tolist()
    [1.0, 1.0, 1.0]
    """
    if not is_whole(n, 1):
        raise ParameterError.of("inclusion_probabilities", "n", "a whole number >= 1", n)
    x = np.asarray(size, dtype=np.float64)
    if n >= len(x):
        return np.ones(len(x))
    weight = np.full(len(x), 1.0) if x.sum() <= 0 else EVEN + (1 - EVEN) * x / x.mean()
    certain = np.zeros(len(x), dtype=bool)
    while True:
        rest = weight * (n - certain.sum()) / weight[~certain].sum()
        probability: Floats = np.where(certain, 1.0, rest)
        over = probability > 1
        if not over.any():
            return probability
        certain |= over


def random_order(names: NDArray[Any], seed: int) -> NDArray[np.int64]:
    """The numbers of the queries in a random order that depends on the seed and on their names alone."""
    keys = [blake2b(f"{seed}:{name}".encode(), digest_size=8).digest() for name in names.tolist()]
    return np.argsort(np.frombuffer(b"".join(keys), dtype=">u8"), kind="stable").astype(np.int64)


def draw(probability: Floats, names: NDArray[Any], seed: int) -> NDArray[np.int64]:
    """A sample with exactly these inclusion probabilities, in random order.

    Systematic sampling of queries that are put in random order first (Goodman and Kish, JASA 1950): a step of 1 along
    the sum of the probabilities from a random start. The size of the sample is their sum.

    >>> names = np.arange(100)
    >>> probability = inclusion_probabilities(np.linspace(0.0, 1.0, 100), 10)
    >>> len(draw(probability, names, 0)), len(set(draw(probability, names, 1).tolist()))
    (10, 10)
    """
    start = float(np.random.default_rng(seed).random())
    taken = systematic(probability, random_order(names, seed), start)
    # the order of the steps may not tell when a query was taken: those judged first must be a random part of the sample
    return taken[random_order(names[taken], seed + 1)]


def systematic(probability: Floats, order: NDArray[np.int64], start: float) -> NDArray[np.int64]:
    """Those that the steps `start`, `start` + 1, ... meet along the sum of the probabilities in this order.

    >>> systematic(np.array([0.5, 0.5, 1.0]), np.array([2, 0, 1]), 0.25).tolist()
    [2, 0]
    """
    ends = np.cumsum(probability[order])
    ends[-1] = round(float(ends[-1]))  # a whole number, but for rounding
    steps = np.ceil(ends - start)  # how many lie before each end
    return order[np.diff(steps, prepend=0.0) > 0]
