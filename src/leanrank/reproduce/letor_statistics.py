"""What the papers' tables of data sets count, on the folds at hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leanrank.data.folds import Fold


def statistic(folds: Sequence[Fold], name: str) -> float:
    """Queries, rows, features or grades; every query is in the test part of one fold."""
    if name == "features":
        return float(folds[0].test.n_features)
    if name == "queries":
        return float(sum(fold.test.n_queries for fold in folds))
    if name in ("instances", "query_document_pairs", "query-document pairs"):
        return float(sum(fold.test.n_rows for fold in folds))
    return float(len(np.unique(np.concatenate([fold.test.y for fold in folds]))))
