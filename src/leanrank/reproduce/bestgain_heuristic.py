"""How near the merged lists of BestGain come to what SVM-MAP learns from the same two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.journal import Task
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric
from leanrank.rankers.svmmap import SVMMAP
from leanrank.reproduce.outcome import Claim
from leanrank.stats.ranked_lists import Merging, RankedLists

PAIRS = 1000
#: What the paper prints.
PUBLISHED = 0.6


def heuristic_claim(
    dataset: str, folds: Sequence[Fold], tasks: Tasks, price: Mapping[str, float], n_pairs: int
) -> Claim:
    """Mean Kendall's tau over the training queries of random pairs of features, the pairs spread over the folds."""

    def one(folds: Sequence[Fold], task: Task, _: None) -> list[float]:
        fold = folds[task["fold"]]
        rng = np.random.default_rng(task["fold"])
        varying = np.flatnonzero(_merged(fold.train).varies)
        pairs = [rng.choice(varying, 2, replace=False) for _ in range(task["pairs"])]
        return [agreement(fold.train, pair, SVMMAP(C=price[fold.name])) for pair in pairs]

    each = -(-n_pairs // len(folds))
    wanted = [
        {"paper": "bestgain", "dataset": dataset, "heuristic": True, "fold": i, "pairs": each}
        for i in range(len(folds))
    ]
    taus = np.concatenate(tasks.run(one, folds, wanted, title=f"{dataset}: the heuristic beside SVM-MAP"))
    return Claim(
        f"{dataset}: the heuristic orders documents much as SVM-MAP does with the same two features (Kendall's tau "
        f"{PUBLISHED} in the paper)",
        bool(round(float(taus.mean()), 1) >= PUBLISHED),
        f"{taus.mean():.2f} over {len(taus)} random pairs of features, standard deviation {taus.std(ddof=1):.2f}",
        where="Section 3.1",
    )


def agreement(data: RankingData, pair: NDArray[np.int64], ranker: SVMMAP) -> float:
    """Mean over queries of Kendall's tau of the merged lists of two features and a ranker trained on them."""
    alone = metric("map", convention="letor3").per_query(data.y, data.dense()[:, pair], data.query_ptr)
    first, second = pair[np.argsort(-mean(alone), kind="stable")]  # merged as BestGain does: the better one first
    lists = _merged(data)
    lists.add(int(first))
    lists.add(int(second))
    assert lists.best is not None
    offset = np.repeat(data.query_ptr[:-1], data.query_sizes)
    place = np.empty(data.n_rows)
    place[lists.best + offset] = np.arange(data.n_rows) - offset
    columns = data.subset(np.sort(pair))
    learned = ranker.fit(columns).predict(columns)
    taus = metric("kendall_a").per_query(-place, learned, data.query_ptr)
    return float(mean(taus))


def _merged(data: RankingData) -> RankedLists:
    return RankedLists(data, Merging(metric("map", empty="zero")), n_threads=1)
