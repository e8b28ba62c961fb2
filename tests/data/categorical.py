"""Judged data with two categories, a strong one and one that says nothing."""

from __future__ import annotations

import numpy as np

from leanrank.data import RankingData

BRANDS = tuple(f"brand {i:02d}" for i in range(12))
COLOURS = ("blue", "green", "red")


def with_categories(n_queries: int = 60, n_documents: int = 12, *, missing: bool = True, seed: int = 0) -> RankingData:
    """Features bm25 and noise, numbers; brand, a category that matters; colour, a category that does not."""
    rng = np.random.default_rng(seed)
    n = n_queries * n_documents
    brand, colour = rng.integers(0, len(BRANDS), n).astype(float), rng.integers(0, len(COLOURS), n).astype(float)
    worth = np.random.default_rng(7).normal(size=len(BRANDS))[brand.astype(int)]
    bm25, noise = rng.normal(size=n), rng.normal(size=n)
    y = np.digitize(1.5 * worth + bm25 + 0.3 * rng.normal(size=n), [-0.5, 1.0, 2.0]).astype(np.float32)
    if missing:
        brand[::17] = np.nan
    return RankingData(
        np.column_stack([bm25, brand, noise, colour]),
        y,
        np.arange(0, n + 1, n_documents),
        feature_names=("bm25", "brand", "noise", "colour"),
        missing=missing,
        categories={"brand": BRANDS, "colour": COLOURS},
    )


def in_parts(data: RankingData) -> tuple[RankingData, RankingData, RankingData]:
    """Queries to learn from, to stop on and to test on."""
    n = data.n_queries
    cuts = np.split(np.arange(n), [n // 2, 3 * n // 4])
    first, second, third = (data.take_queries(cut) for cut in cuts)
    return first, second, third
