"""How queries are drawn for judges, and what an estimate has to know of the log that they were drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import ParameterError, is_whole
from leanrank.evaluation.shadow.changes import Changes
from leanrank.evaluation.shadow.largest import Largest
from leanrank.evaluation.shadow.loss import MovedDocuments

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


@dataclass(frozen=True)
class LoggedQueries:
    """Queries that judgements may be of, all of a log or those that were drawn from it, and the size of the log."""

    query_ids: NDArray[Any]
    n_documents: NDArray[np.int64]  # documents of each of these queries
    documents: MovedDocuments  # theirs that moved; `query` is the number of a query among these, ascending
    # of the whole log: queries, and those whose list changes
    n_queries: int
    n_changed: int
    k: int  # places that people see

    @classmethod
    def all_of(cls, changes: Changes, k: int) -> LoggedQueries:
        """Every query of a log."""
        n_changed = int((changes.moved > 0).sum())
        return cls(changes.query_ids, changes.n_documents, changes.documents, len(changes.query_ids), n_changed, k)

    def only(self, queries: NDArray[np.int64]) -> LoggedQueries:
        """These of them, in the order given, of the same log."""
        moved = self.documents.of(queries)
        number = np.repeat(np.arange(len(queries)), self.moved[queries])
        documents = MovedDocuments(number, moved.document, moved.before, moved.after)
        ids, sizes = self.query_ids[queries], self.n_documents[queries]
        return LoggedQueries(ids, sizes, documents, self.n_queries, self.n_changed, self.k)

    @cached_property
    def moved(self) -> NDArray[np.int64]:
        """How many documents of each query moved."""
        return np.bincount(self.documents.query, minlength=len(self.query_ids))

    def numbers_of(self, names: NDArray[np.str_]) -> NDArray[np.int64]:
        """The numbers of queries by their names, -1 where there is none."""
        known = self.query_ids.astype(str)
        order = np.argsort(known)
        at = np.minimum(np.searchsorted(known, names, sorter=order), len(known) - 1)
        return np.where(known[order[at]] == names, order[at], -1)


@dataclass(frozen=True)
class Reach:
    """The most that queries can lose."""

    dcg: Largest  # of DCG@k, for gains from 0 to 1
    ndcg: Largest  # of NDCG@k, of which a query can lose all

    @classmethod
    def of(cls, changes: Changes, n_asked: int) -> Reach:
        """Where `n_asked` queries are drawn among those that change."""
        changed = changes.moved > 0
        drawn = inclusion_probabilities(changes.spread[changed], n_asked)
        return cls(Largest.of(changes.reach[changed], drawn), Largest.of(np.ones(len(drawn)), drawn))
