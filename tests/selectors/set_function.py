"""A ranker whose quality is a given function of its features' names: what a wrapper sees is then known exactly."""

from __future__ import annotations

import numpy as np

from leanrank.rankers._base import Ranker


class SetRanker(Ranker):
    """Scores every document g(set of feature numbers); `MeanScore` then measures exactly that."""

    trained = []  # noqa: RUF012 - all trainings of all clones, on purpose

    def __init__(self, g=None):
        self.g = g

    _learned = {"value_": ()}  # noqa: RUF012

    def _fit(self, data, valid):
        features = frozenset(int(name) - 1 for name in data.feature_names)
        self.trained.append((features, data.n_queries, None if valid is None else valid.feature_names))
        self.value_ = float(self.g(features))

    def _scores(self, X, query_ptr):
        return np.full(X.shape[0], self.value_)


class MeanScore:
    """The 'metric' of a query is its first document's score."""

    name = "score"

    def per_query(self, y, scores, query_ptr):
        return np.asarray(scores, dtype=float)[np.asarray(query_ptr)[:-1]]


class SetFunction:
    """Random quality of sets of n features: a sum of worths and of pairs' interactions; 0 for the empty set."""

    def __init__(self, seed, n=6, interaction=0.6):
        rng = np.random.default_rng(seed)
        self.worth = rng.random(n)
        self.pair = np.triu(rng.normal(0, interaction, (n, n)), 1)
        self.n = n

    def __call__(self, features):
        chosen = sorted(features)
        return round(float(self.worth[chosen].sum() + self.pair[np.ix_(chosen, chosen)].sum()), 9)

    def __eq__(self, other):
        return isinstance(other, SetFunction) and np.array_equal(self.pair, other.pair)

    __hash__ = None
