"""Supervised ordering of SUSHI: five learners on 500:10, 100:5 and 100:2, beside the published figures.

    python -m benchmarks.sushi_rankers [FOLDER]

FOLDER holds sushi3.idata and sushi3b.5000.10.order; the default is `$LEANRANK_SHARED/data/sushi`. Writes
docs/sushi_rankers.md and prints it. Takes some ten minutes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from leanrank import CohenOrder, ExpectedRankRegression, OrderSVM, RankBoost, RankingData, RankSVM, metric, read_sushi
from leanrank.data.splits import QueryKFold
from leanrank.data.whole_file import write_whole
from leanrank.rankers import Ranker

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("LEANRANK_SHARED", HERE.parents[1] / "shared"))
SETS = [(500, 10), (100, 5), (100, 2)]
FOLDS = 10

# T. Kamishima, S. Akaho, Dimension reduction for supervised ordering, ICDM 2006, Table 3 (mean Spearman's rho).
PUBLISHED = {
    "Cohen": (0.364, 0.354, 0.337),
    "RankBoost": (0.384, 0.356, 0.281),
    "RankSVM (SVOR)": (0.393, 0.284, 0.115),
    "Order SVM": (0.400, 0.315, 0.208),
    "ERR, degree 2": (0.397, 0.271, 0.010),
}

#: name -> candidates; of several, the one that orders held-out training orders best
LEARNERS: dict[str, list[Callable[[], Ranker]]] = {
    "Cohen": [lambda beta=beta: CohenOrder(beta) for beta in (0.5, 0.9, 0.99)],
    "RankBoost": [lambda n=n: RankBoost(n) for n in (10, 30, 100)],
    "RankSVM (SVOR)": [lambda C=C: RankSVM(C) for C in (1.0, 10.0, 100.0, 1000.0)],
    "Order SVM": [lambda C=C: OrderSVM(C) for C in (1e-4, 1e-2, 1.0)],
    "ERR, degree 2": [lambda: ExpectedRankRegression(2)],
    "ERR, degree 1": [lambda: ExpectedRankRegression(1)],
}
RHO = metric("spearman")


def sample(data: RankingData, n_orders: int, length: int, rng: np.random.Generator) -> RankingData:
    """`n_orders` orders drawn at random, `length` objects drawn of each, shuffled: the file has the best first."""
    chosen = data.take_queries(rng.choice(data.n_queries, n_orders, replace=False))
    rows = np.concatenate([rng.choice(np.arange(a, b), length, replace=False) for a, b in pairwise(chosen.query_ptr)])
    return RankingData(chosen.X[rows], chosen.y[rows], np.arange(0, len(rows) + 1, length))


def mean_rho(data: RankingData, candidates: list[Callable[[], Ranker]], seed: int) -> float:
    """Mean over the held-out orders of ten folds; choices are made on a fifth of the training orders."""
    found = []
    for train, test in split(data, FOLDS, seed):
        make = candidates[0]
        if len(candidates) > 1:
            inner, held_out = next(split(train, 5, seed))
            quality = [candidate().fit(inner).score(held_out, metric=RHO) for candidate in candidates]
            make = candidates[int(np.argmax(np.round(quality, 12)))]
        ranker = make().fit(train)
        found.append(RHO.per_query(test.y, ranker.predict(test), test.query_ptr))
    return float(np.mean(np.concatenate(found)))


def split(data: RankingData, folds: int, seed: int) -> Iterator[tuple[RankingData, RankingData]]:
    for train, test in QueryKFold(folds, shuffle=True, random_state=seed).split_queries(data):
        yield data.take_queries(train), data.take_queries(test)


def draws(n_orders: int) -> int:
    return 5 if n_orders >= 500 else 20


def report(folder: Path) -> str:
    data = read_sushi(folder)
    lines = [
        "# Supervised ordering of SUSHI",
        "",
        "Mean Spearman's rho between held-out orders and predicted ones, ten folds, beside Table 3 of T. Kamishima and",
        'S. Akaho, "Dimension reduction for supervised ordering", ICDM 2006. N:L is N people who order L of 100 kinds',
        "of sushi, 16 attributes. Our column is the mean over several random draws of N people and L kinds each (the",
        "standard deviation between draws behind it); the published one is a single draw, which is not known.",
        "",
        "| learner | " + " | ".join(f"{n}:{size} published | {n}:{size} ours" for n, size in SETS) + " |",
        "|---|" + "---|---|" * len(SETS),
    ]
    for name, candidates in LEARNERS.items():
        cells = []
        for column, (n_orders, length) in enumerate(SETS):
            values = [
                mean_rho(sample(data, n_orders, length, np.random.default_rng(seed)), candidates, seed)
                for seed in range(draws(n_orders))
            ]
            published = f"{PUBLISHED[name][column]:.3f}" if name in PUBLISHED else ""
            cells.append(f"{published} | {np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join([*lines, "", *NOTES, ""])


NOTES = [
    "How to read it",
    "",
    "- The standard deviation is that between draws: a single draw is expected within about two of them of the mean.",
    "  On 100:5 and 100:2 all published figures are. On 500:10 they are lower than ours by 0.008 to 0.023, RankBoost",
    "  and SVOR by more than draws explain; the published survey has 500 people, the public file, of which we draw,",
    "  5,000.",
    "- As published, all but Cohen are alike with much data, and a second-order ERR breaks down with little. The",
    "  published fall of SVOR with little data is not seen with a linear RankSVM.",
    "- Not known of the published runs: the people and kinds drawn, the folds, parameters and kernels (the paper says",
    "  that non-linear models were used; RankSVM and OrderSVM are linear here). Ours are chosen on a fifth of the",
    "  training orders: beta of Cohen, rounds of RankBoost, C of RankSVM and OrderSVM. Attributes are as they are in",
    "  the file.",
    "- An order of two kinds is right or wrong, rho is 1 or -1.",
    "",
    "Made by `python -m benchmarks.sushi_rankers`: 5 draws for 500:10, 20 for 100:5 and 100:2.",
]


if __name__ == "__main__":
    text = report(Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "sushi")
    write_whole(HERE.parent / "docs" / "sushi_rankers.md", text)
    print(text)
