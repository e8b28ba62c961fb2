"""A random sample of rows that does not depend on blocks: the rows with the smallest pseudo-random keys."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData

Keys = NDArray[np.uint64]


def row_keys(data: RankingData, seed: int) -> Keys:
    """A pseudo-random number for each row, a function of the seed, its query's id and its place in the query."""
    names = [blake2b(f"{seed}:{name}".encode(), digest_size=8).digest() for name in data.query_ids.tolist()]
    of_query = np.frombuffer(b"".join(names), dtype="<u8").astype(np.uint64)
    place = np.arange(data.n_rows) - np.repeat(data.query_ptr[:-1], data.query_sizes)
    key = np.repeat(of_query, data.query_sizes) + place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)  # the finaliser of splitmix64
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(key ^ (key >> np.uint64(31)))


@dataclass(frozen=True)
class RowSample:
    """Statistic: the key below or at which a row belongs to a sample of `size` rows without replacement.

    Rows with the `size` smallest keys are the sample; the smallest keys of two blocks together are among those of each.
    """

    size: int
    seed: int

    def of(self, block: RankingData) -> Keys:
        return np.sort(row_keys(block, self.seed))[: self.size]

    def merge(self, a: Keys, b: Keys) -> Keys:
        return np.sort(np.concatenate((a, b)))[: self.size]

    def finish(self, partial: Keys) -> np.uint64:
        return np.uint64(partial[-1])
