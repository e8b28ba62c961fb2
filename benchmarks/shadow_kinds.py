"""Made logs whose mean loss is known, and the kinds of losses they hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from leanrank.evaluation.shadow.loss import discounts

K, DEEPEST = 10, 30
LEVEL = 0.95
LOGGED = (1_000, 10_000, 50_000)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """How rich in relevant documents queries are: Beta(a, b) of each; what goes down is `better` than what goes up.

    Relevant documents have the highest label with probability `high`, at least the middle one with `middle`.
    """

    says: str
    a: float
    b: float
    better: float = 1.3
    worse: float = 1.0
    high: float = 0.15
    middle: float = 0.4
    logged: tuple[int, ...] = LOGGED


KINDS = {
    "graded": Kind("about two thirds of the changed queries lose or gain something", 1.0, 2.0),
    "sparse": Kind("about a third do", 0.5, 4.0),
    "rare": Kind("about an eighth do, and nearly all of them lose", 0.3, 8.0, 1.5, 0.3),
    "two-sided": Kind("as many gain as lose, most of them little", 1.0, 2.0, 1.0, 1.0, 0.05, 0.1, LOGGED[:2]),
    "large": Kind("more than half lose, most of them little, a few much", 1.0, 2.0, 1.5, 0.5, 0.02, 0.04, LOGGED[:2]),
    "unseen": Kind("about a fifth lose or gain something, most of them gain", 0.4, 6.0, 0.6, 1.5, 0.1, 0.2, LOGGED[:2]),
}


def drawn_kinds(n: int, seed: int) -> list[Kind]:
    """Kinds that vary in everything, as far as those above do and further."""
    rng = np.random.default_rng([20261118, seed])

    def between(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    kinds = []
    for _ in range(n):
        high = between(0.01, 0.3)
        a, b, better, worse = between(0.25, 2), between(1, 10), between(0.3, 1.8), between(0.3, 1.8)
        middle = min(0.9, high * between(1.2, 4))
        says = f"Beta({a:.2f}, {b:.1f}), down {better:.2f}, up {worse:.2f}, highest {high:.3f}, middle {middle:.3f}"
        kinds.append(Kind(says, a, b, better, worse, high, middle, LOGGED[:2]))
    return kinds


@dataclass(frozen=True)
class Log:
    """Losses of the queries that change, and what `shadow` knows of them without labels."""

    n_queries: int
    loss: Floats
    spread: Floats
    reach: Floats

    @property
    def mean(self) -> float:
        return float(self.loss.sum()) / self.n_queries

    def random_width(self, n: int) -> float:
        """The width that judging n queries at random needs: by the variance that there is."""
        variance = float((self.loss**2).sum()) / self.n_queries - self.mean**2
        quantile = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
        return 2 * quantile * float(np.sqrt(variance / n * (1 - n / self.n_queries)))


def made(n_queries: int, share: float, kind: Kind, rng: np.random.Generator) -> Log:
    """A log: in each changed query some pairs of documents change places."""
    n = round(share * n_queries)
    pairs = 1 + rng.poisson(1.5, n)
    used = np.arange(pairs.max()) < pairs[:, None]
    top = rng.integers(1, K + 1, used.shape)
    deep = np.minimum(top + rng.geometric(0.3, used.shape), DEEPEST)
    change = (discounts(top, K) - discounts(deep, K)) * used
    rich = rng.beta(kind.a, kind.b, (n, 1))

    def gain(times: float) -> Floats:
        draw, relevant = rng.random(used.shape), np.minimum(rich * times, 1.0)
        return np.select(
            [draw < kind.high * relevant, draw < kind.middle * relevant, draw < relevant], [15.0, 3.0, 1.0], 0.0
        )

    loss = (change * (gain(kind.better) - gain(kind.worse))).sum(axis=1)
    return Log(n_queries, loss, np.sqrt(2 * (change**2).sum(axis=1)), change.sum(axis=1))
