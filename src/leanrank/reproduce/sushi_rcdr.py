"""The reading of SUSHI in the RCDR paper: the first vector on all orders, and its spread over samples of orders."""

from __future__ import annotations

import numpy as np

from leanrank.data.orders import read_sushi
from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.journal import Task
from leanrank.evaluation.tasks import Tasks
from leanrank.reducers.rcdr import RCDR
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.outcome import Page, Section, Table, published

N_SEEDS = 20
SAMPLE = 500


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Page:
    """One row per attribute of the paper: published, all orders, samples of 500."""
    sushi = read_sushi(data.needed("sushi"))
    wanted = [{"page": "sushi-rcdr", "seed": seed} for seed in [None, *range(3 if quick else N_SEEDS)]]
    vectors = np.array(tasks.run(_vector, sushi, wanted, title="samples"))
    rows = []
    for p in published("rcdr"):
        if p.table == "text" and p.metric.startswith("w1["):
            attribute = int(p.metric[3 : p.metric.index("]")])
            whole, drawn = vectors[0, attribute], vectors[1:, attribute]
            figures = (p.value, whole, drawn.mean(), drawn.std(), drawn.min(), drawn.max())
            rows.append((f"{attribute} {sushi.feature_names[attribute]}", *(f"{value:.4f}" for value in figures)))
    every = f"all {sushi.n_queries:,} orders"
    columns = ("attribute", "published", every, f"samples of {SAMPLE}: mean", "sd", "least", "largest")
    text = "Weights of the five attributes that the paper names, beside ours."
    section = Section(table=Table("", columns, tuple(rows)))
    return Page("sushi-rcdr", "The first vector of Kendall RCDR on SUSHI", text, [section])


def _vector(sushi: RankingData, task: Task, _: None) -> list[float]:
    """The first Kendall component, of all orders or of those that a seed draws."""
    if task["seed"] is not None:
        rng = np.random.default_rng(task["seed"])
        sushi = sushi.take_queries(rng.choice(sushi.n_queries, SAMPLE, replace=False))
    vector: list[float] = RCDR(1, kind="kendall").fit(sushi).components_[0].tolist()
    return vector
