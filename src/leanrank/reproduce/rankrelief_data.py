"""The data of Yu, Oh and Han's experiments: synthetic points in two readings, and the first 45 queries of OHSUMED."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric
from leanrank.rankers.ranksvm import RankSVM

Vector = NDArray[np.float64]

POINTS, FEATURES, LEVELS = 100, 30, 5
_CENTRES = 20
ORDER = ("RankWrapper", "RReliefF", "GAS", "GAS one way")
LEVEL = ("RankFilter", "ReliefF", "GAS", "GAS one way")
#: RankWrapper as another reading has it: the paper gives no sigma.
NEAREST = "RankWrapper, sigma = k/2"


@dataclass(frozen=True)
class Experiment:
    """Training and test parts, and what is asked of them."""

    name: str
    parts: Sequence[tuple[RankingData, RankingData]]
    measure: Metric
    methods: tuple[str, ...]

    @property
    def is_order(self) -> bool:
        """Whether an order is learned, rather than levels."""
        return "RankWrapper" in self.methods


@dataclass(frozen=True)
class Generator:
    """The synthetic points as one reads the paper: how many features matter, and how wide the kernels are."""

    name: str
    n_relevant: int
    # of the kernels, as a share of the standard deviation of a uniform feature times the root of `n_relevant`
    width: float

    def worth(self, X: Vector, rng: np.random.Generator) -> Vector:
        """The score of every point: a random sum of kernels over the features that matter."""
        relevant = rng.choice(FEATURES, self.n_relevant, replace=False)
        centres, weights = rng.random((_CENTRES, self.n_relevant)), rng.normal(size=_CENTRES)
        distances = ((X[:, None, relevant] - centres[None]) ** 2).sum(axis=2)
        spread = self.width**2 * self.n_relevant / 12  # 1/12 is the variance of a uniform feature
        return np.asarray(np.exp(-distances / spread) @ weights)


#: The paper's number of features and its function are lost in the text at hand.
WIDE = Generator("synthetic", 10, 1.0)
NARROW = Generator("synthetic, 5 of 30 and narrow", 5, 0.5)


def synthetic(generator: Generator, n_runs: int) -> list[Experiment]:
    """Relative orderings and five levels, three folds of every run."""
    orders, levels = [], []
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        X = rng.random((POINTS, FEATURES))
        rank = np.argsort(np.argsort(generator.worth(X, rng)))
        third = rng.permutation(POINTS) % 3
        for fold in range(3):
            train, test = np.flatnonzero(third != fold), np.flatnonzero(third == fold)
            orders.append(tuple(points(X[rows], rank[rows]) for rows in (train, test)))
            grades = rank * LEVELS // POINTS
            levels.append(tuple(points(X[rows], grades[rows]) for rows in (train, test)))
    name = generator.name
    return [
        Experiment(f"{name}, relative ordering", orders, metric("kendall_a"), (*ORDER, NEAREST)),  # type: ignore[arg-type]
        Experiment(f"{name}, five levels", levels, metric("ndcg@10"), LEVEL),  # type: ignore[arg-type]
    ]


def points(X: Vector, y: NDArray[Any]) -> RankingData:
    """One query."""
    return RankingData(X, y.astype(np.float32), np.array([0, len(y)]))


def ohsumed(folds: Sequence[Any]) -> list[Experiment]:
    """The order of a Ranking SVM, and the three levels of the data, in three folds."""
    every = concatenate([fold.test for fold in folds])
    first = every.take_queries(np.argsort(every.query_ids, kind="stable")[:45])
    first = first.subset(np.flatnonzero(np.ptp(first.dense(), axis=0) > 0))
    levels, orders = [], []
    for fold in range(3):
        tested = np.arange(15 * fold, 15 * (fold + 1))
        train = first.take_queries(np.setdiff1d(np.arange(45), tested))
        test = first.take_queries(tested)
        levels.append((train, test))
        teacher = RankSVM().fit(train)
        orders.append((_ordered(train, teacher.predict(train)), _ordered(test, teacher.predict(test))))
    return [
        Experiment("OHSUMED, relative ordering", orders, metric("kendall_a"), (*ORDER, NEAREST)),
        Experiment("OHSUMED, three levels", levels, metric("ndcg@10", convention="letor3"), LEVEL),
    ]


def _ordered(data: RankingData, scores: Vector) -> RankingData:
    """The documents of every query labelled by their place in the order of `scores`, the last 0."""
    query = np.repeat(np.arange(data.n_queries), data.query_sizes)
    order = np.lexsort((scores, query))
    place = np.empty(data.n_rows)
    place[order] = np.arange(data.n_rows)
    return replace(data, y=(place - np.repeat(data.query_ptr[:-1], data.query_sizes)).astype(np.float32))
