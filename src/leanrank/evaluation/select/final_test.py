"""What a selection is worth on data that took no part in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.select.selection import Selection
from leanrank.evaluation.select.stop_rule import differences
from leanrank.evaluation.training import prepared, train
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker


def final_test(
    selection: Selection, ranker: Ranker, metric: Metric, learn: RankingData, valid: RankingData, test: RankingData
) -> dict[str, Any]:
    """Train on all features and on the selected ones, compare on `test`: the two means and their difference."""
    fold = Fold("test", *(prepared(part, ranker) for part in (learn, valid, test)))
    values = []
    for features in (range(fold.n_features), sorted(selection.indices)):
        trained = train(ranker, fold, list(features))
        values += trained.per_query(trained.fold.test, metric)
    before, after = values
    return {
        "all_features": round(float(np.nanmean(before)), 9),
        "selected": round(float(np.nanmean(after)), 9),
        "difference": differences(after[None], before)[0].to_dict(),
    }
