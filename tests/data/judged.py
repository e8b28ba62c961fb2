"""Judged data of given sizes, and whether blocks are the same."""

from __future__ import annotations

import numpy as np

from leanrank import RankingData


def judged(sizes, *, n_features=3, ids=None, dtype=np.float32, comments=False, seed=0):
    rng = np.random.default_rng(seed)
    n = int(np.sum(sizes))
    return RankingData(
        rng.normal(size=(n, n_features)).astype(dtype),
        rng.integers(0, 3, n),
        np.concatenate(([0], np.cumsum(sizes))),
        ids,
        [f"f{j}" for j in range(n_features)],
        [f"doc {i}" for i in range(n)] if comments else None,
    )


def same(blocks, others):
    blocks, others = list(blocks), list(others)
    assert [block.n_rows for block in blocks] == [other.n_rows for other in others]
    return all(block.equals(other) for block, other in zip(blocks, others, strict=True))
