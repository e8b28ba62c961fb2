"""Supervised ordering of SUSHI: five learners on 500:10, 100:5 and 100:2, beside the published figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.preprocessing import PolynomialFeatures

from leanrank.data.orders import read_sushi
from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.evaluation.journal import Task
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics.names import metric
from leanrank.rankers._base import Ranker
from leanrank.rankers.cohen_order import CohenOrder
from leanrank.rankers.expected_rank_regression import ExpectedRankRegression
from leanrank.rankers.order_svm import OrderSVM
from leanrank.rankers.rankboost import RankBoost
from leanrank.rankers.ranksvm import RankSVM
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.outcome import Page, Section, Table, published, texts

SETS = [(500, 10), (100, 5), (100, 2)]
FOLDS = 10
RHO = metric("spearman")

#: Rankers to choose among: the one that orders held-out training orders best.
Candidates = Sequence[Callable[[], Ranker]]


@dataclass(frozen=True)
class Learner:
    """A learner of Table 3, or one beside it."""

    theirs: str | None  # the paper's name for it; None where it has none
    candidates: Candidates
    squares: bool = False  # whether it sees the products of two attributes as well: what a kernel of degree 2 sees
    most: int = 500  # the largest number of orders that it is run on


_SVOR: Candidates = [lambda C=C: RankSVM(C) for C in (1.0, 10.0, 100.0, 1000.0)]  # type: ignore[misc]
_ORDER: Candidates = [lambda C=C: OrderSVM(C) for C in (1e-4, 1e-2, 1.0)]  # type: ignore[misc]
LEARNERS = {
    "Cohen": Learner("Cohen", [lambda beta=beta: CohenOrder(beta) for beta in (0.5, 0.9, 0.99)]),  # type: ignore[misc]
    "RankBoost": Learner("RankBoost", [lambda n=n: RankBoost(n) for n in (10, 30, 100)]),  # type: ignore[misc]
    "RankSVM (SVOR)": Learner("SVOR", _SVOR),
    "RankSVM (SVOR), degree 2": Learner("SVOR", _SVOR, squares=True),
    "Order SVM": Learner("Order SVM", _ORDER),
    "Order SVM, degree 2": Learner("Order SVM", _ORDER, squares=True, most=100),
    "ERR, degree 2": Learner("ERR", [lambda: ExpectedRankRegression(2)]),
    "ERR, degree 1": Learner(None, [lambda: ExpectedRankRegression(1)]),
}


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Page:
    """Every learner on every set; the quick version has two draws of the two small sets."""
    sushi = read_sushi(data.needed("sushi"))
    sets = SETS[1:] if quick else SETS
    printed = {(p.method, p.dataset): p.text for p in published("rcdr") if p.table == "3"}
    rows = []
    for name, learner in LEARNERS.items():
        cells = []
        for n_orders, length in sets:
            cells.append(printed.get((learner.theirs or "", f"SUSHI N:L={n_orders}:{length}"), ""))
            if n_orders > learner.most:
                cells.append("")
                continue
            what = {"page": "sushi-rankers", "learner": name, "orders": n_orders, "length": length}
            draws = 2 if quick else 5 if n_orders >= 500 else 20
            values = tasks.run(
                _draw, sushi, [{**what, "seed": seed} for seed in range(draws)], title=f"{name}, {n_orders}:{length}"
            )
            cells.append(f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}")
        rows.append((name, *cells))
    columns = ("learner", *(f"{n}:{size} {whose}" for n, size in sets for whose in ("published", "ours")))
    sections = [
        Section(table=Table("", columns, tuple(rows))),
        Section("How to read it", texts("sushi-rankers")["Notes"]),
    ]
    return Page.of("sushi-rankers", sections)


def _draw(sushi: RankingData, task: Task, _: None) -> float:
    """Mean rho of a learner on a sample of the orders."""
    seed = task["seed"]
    orders, learner = (
        _sample(sushi, task["orders"], task["length"], np.random.default_rng(seed)),
        LEARNERS[task["learner"]],
    )
    if learner.squares:
        expanded = PolynomialFeatures(2, include_bias=False).fit_transform(orders.X)
        orders = RankingData(expanded, orders.y, orders.query_ptr)
    return _mean_rho(orders, learner.candidates, seed)


def _sample(data: RankingData, n_orders: int, length: int, rng: np.random.Generator) -> RankingData:
    """`n_orders` orders drawn at random, `length` objects drawn of each, shuffled: the file has the best first."""
    chosen = data.take_queries(rng.choice(data.n_queries, n_orders, replace=False))
    rows = np.concatenate([rng.choice(np.arange(a, b), length, replace=False) for a, b in pairwise(chosen.query_ptr)])
    return RankingData(chosen.X[rows], chosen.y[rows], np.arange(0, len(rows) + 1, length))


def _mean_rho(data: RankingData, candidates: Candidates, seed: int) -> float:
    """Mean over the held-out orders of ten folds; choices are made on a fifth of the training orders."""
    values = []
    for train, test in _split(data, FOLDS, seed):
        make = candidates[0]
        if len(candidates) > 1:
            inner, held_out = next(_split(train, 5, seed))
            quality = [candidate().fit(inner).score(held_out, metric=RHO) for candidate in candidates]
            make = candidates[int(np.argmax(np.round(quality, 12)))]
        ranker = make().fit(train)
        values.append(RHO.per_query(test.y, ranker.predict(test), test.query_ptr))
    return float(np.mean(np.concatenate(values)))


def _split(data: RankingData, folds: int, seed: int) -> Iterator[tuple[RankingData, RankingData]]:
    for train, test in QueryKFold(folds, shuffle=True, random_state=seed).split_queries(data):
        yield data.take_queries(train), data.take_queries(test)
