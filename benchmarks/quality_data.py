"""The data of the quality benchmarks, cut into training, validation and test queries five times."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from leanrank import RankingData, letor_folds, make_ranking, read_letor, read_table

DATA = Path(os.environ.get("LEANRANK_SHARED", Path(__file__).parent.parent.parent / "shared")) / "data"
#: Convention of NDCG@10 by data set.
CONVENTIONS = {"OHSUMED": "letor3", "MQ2008": "letor4", "MSLR sample": "mslr"}
LETOR = ("OHSUMED", "MQ2008")
FIXED = (*LETOR, "MSLR sample")
#: Made data: few queries to learn from, as with judgements that people make, and so many to test on that the figures
#: are sure to about .003.
TRAIN, VALID, TEST = 100, 40, 1_000
MADE = {
    "made copies": {"n_informative": 12, "n_redundant": 36, "n_noise": 12, "noise": 1.0, "weakest": 0.2},
    "made weak": {"n_informative": 20, "n_redundant": 20, "n_noise": 40, "noise": 2.0, "weakest": 0.1},
    "made pairs": {"n_informative": 6, "n_interacting": 6, "n_redundant": 12, "n_query_level": 6, "n_noise": 30},
}
#: The other data.
ELSEWHERE = ("FLUCCS", "LightGBM example", *MADE)


@dataclass(frozen=True)
class Split:
    train: RankingData
    valid: RankingData
    test: RankingData


def splits(name: str) -> list[Split]:
    """The official folds; new data for each seed, if made; else five splits of the queries (60/20/20, seeds 0 to 4)."""
    if name in LETOR:
        return [Split(f.train, f.valid, f.test) for f in letor_folds(DATA / name.lower())]
    if name in MADE:
        return [_made(MADE[name], seed) for seed in range(5)]
    return [_cut(READ[name](), seed) for seed in range(5)]


def _made(kind: dict[str, float], seed: int) -> Split:
    data, _ = make_ranking(TRAIN + VALID + TEST, (10, 60), random_state=seed, **kind)
    cuts = np.split(np.arange(data.n_queries), [TRAIN, TRAIN + VALID])
    return Split(*(data.take_queries(part) for part in cuts))


def _cut(data: RankingData, seed: int) -> Split:
    order = np.random.default_rng(seed).permutation(data.n_queries)
    a, b = int(0.6 * len(order)), int(0.8 * len(order))
    return Split(*(data.take_queries(np.sort(part)) for part in (order[:a], order[a:b], order[b:])))


def _fluccs() -> RankingData:
    return read_table(DATA / "fluccs" / "fluccs.csv.gz", label="fault", qid="bug", comments="method")


def _lightgbm_example() -> RankingData:
    parts = [read_letor(DATA / "lightgbm-rank" / f"rank.{part}.gz", n_features=300) for part in ("train", "test")]
    sizes = np.concatenate([part.query_sizes for part in parts])  # both count their queries from 1
    X, y = np.concatenate([part.dense() for part in parts]), np.concatenate([part.y for part in parts])
    return RankingData(X, y, np.concatenate(([0], np.cumsum(sizes))))


READ = {
    "MSLR sample": partial(read_letor, DATA / "mslr-sample" / "mslr-sample.txt.gz"),
    "FLUCCS": _fluccs,
    "LightGBM example": _lightgbm_example,
}
